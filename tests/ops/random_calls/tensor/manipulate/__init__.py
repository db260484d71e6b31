"""Random calls of the operators that move elements."""
