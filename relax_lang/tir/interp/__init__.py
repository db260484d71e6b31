"""The halves of the scalar interpreter: expressions and statements as closures over plain Python values."""
