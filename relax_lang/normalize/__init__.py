"""The normal form: every value that is not an atom has a name of its own, and every name is unique."""
