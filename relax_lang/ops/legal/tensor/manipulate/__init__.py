"""Legal forms of the operators that move elements."""
