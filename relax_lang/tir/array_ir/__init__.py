"""The array IR: what a PrimFunc is compiled to before it is written as Python; its nodes and its text."""
