"""Why operators that are about the program have no legal forms."""
