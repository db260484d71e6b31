"""Passes over values of the array IR: linearization, common values, patterns, dead code, names."""
