"""Passes on calls of operators."""
