"""What callers decide about compiled PrimFuncs: none of it changes values or errors."""
