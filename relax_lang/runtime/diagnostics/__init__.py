"""Diagnostics of failures at run time."""
