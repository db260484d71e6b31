"""Calls of operators: evaluation, specialization by dtypes and shapes, and the cache of a call site."""
