"""The program that is being made: bindings, blocks, literals, comments."""
