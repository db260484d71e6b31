"""Passes over the layout of arrays: copies with a border, transposed copies, kernels on some rows at a time."""
