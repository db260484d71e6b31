"""Reductions as array operations: products of matrices, windows, counts by sorting, the places of extremes."""
