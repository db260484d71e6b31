"""Random calls of operators, one module per family: `CALLS` maps the name of an operator to a function.

The function gets a `Draw` and returns the arguments (values, None for what is left out) and the attributes of one
call. Most calls should be right, with extents 0 and 1 among them; `tests.ops.strategies.spoil` makes wrong ones of
them. An operator that has several functions stands with a tuple of them.
"""
