"""Dimension expressions: in struct infos, as operands, and as scalars."""
