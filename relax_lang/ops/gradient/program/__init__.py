"""Gradients of operators that are about the program."""
