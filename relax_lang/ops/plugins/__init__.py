"""Operators that users declare."""
