"""Operators written a second time: slow loops over indices on Python's own numbers, from the documentation alone.

Modules hold `REFERENCE`, which maps the name of an operator to a function; it gets the arguments (None for what is left
out) and all attributes by name, and returns a value. Nothing here looks at a kernel or calls more of NumPy than making
arrays and reading and writing single elements. Sums are of float64, so results are close, not the same to the bit.
"""
