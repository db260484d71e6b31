"""Error recovery: lexical errors, foreign syntax, error productions, and where to read on."""
