"""PrimFuncs as trees with meaning: symbols, types, signature, intrinsics."""
