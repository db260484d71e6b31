"""The normal form: every value that is not a atom has a name of its own, and every name is unique."""
