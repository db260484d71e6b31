"""Passes on functions: their parameters, and where they are."""
