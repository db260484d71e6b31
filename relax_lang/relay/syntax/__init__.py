"""Relay text to tree and back."""
