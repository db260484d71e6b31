"""Diagnostics of PrimFuncs: errors, warnings, and remarks of the compiler."""
