"""Polynomials over names and atoms."""
