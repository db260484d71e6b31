"""Struct info rules of the operators that move elements."""
