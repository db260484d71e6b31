"""Words and operators: those of the language, and those that other languages have for the same."""
