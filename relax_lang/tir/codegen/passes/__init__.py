"""Passes over the array IR."""
