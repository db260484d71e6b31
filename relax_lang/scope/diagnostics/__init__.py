"""Diagnostics of name resolution and of well-formedness, by theme."""
