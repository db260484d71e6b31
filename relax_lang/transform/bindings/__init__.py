"""Passes on the bindings of functions."""
