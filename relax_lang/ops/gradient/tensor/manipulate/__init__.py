"""Gradients of the operators that move elements."""
