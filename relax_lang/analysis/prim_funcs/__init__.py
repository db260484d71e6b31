"""Kinds of PrimFuncs, as passes ask for them: what may be fused, what only copies, what may overwrite an operand."""
