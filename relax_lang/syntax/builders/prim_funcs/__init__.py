"""PrimFuncs: scalar expressions, parameters, results, memory, statements; each adds methods to the one before."""
