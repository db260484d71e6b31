"""Passes on PrimFuncs and their calls."""
