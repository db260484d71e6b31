"""PrimFuncs as loops over scalars, in the order of the text: as Python, or compiled by numba."""
