"""Statements over iteration domains, which a PrimFunc becomes on its way to NumPy: their values and their accesses."""
