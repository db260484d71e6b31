"""Operators of tensors: arithmetic, reductions, creation, rearrangement, indexing, sorting, matrix products."""
