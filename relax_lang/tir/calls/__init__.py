"""Calls of compiled PrimFuncs: planned, like ones that passed before, in blocks of rows on several threads."""
