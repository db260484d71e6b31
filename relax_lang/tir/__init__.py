"""PrimFuncs: their checks, their signature, the scalar interpreter and the compiler to NumPy."""
