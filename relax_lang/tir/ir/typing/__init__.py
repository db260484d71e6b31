"""The type of every expression of a PrimFunc, and what is wrong with names, ranks, types and stores."""
