"""From Python to PrimFuncs."""
