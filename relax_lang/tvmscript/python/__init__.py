"""Python files as data: text, comments, units, scopes, and the values of constant expressions."""
