"""The operators of the language, `+`, `&&`, `<<`: what each means. How tightly they bind is the grammar's."""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))

INFIX_SUGAR: dict[str, str] = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "floor_mod",
    "**": "power",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "&&": "logical_and",
    "||": "logical_or",
}
"""The operator of Relax that an infix symbol calls in an expression. [OP.8]"""

PREFIX_SUGAR: dict[str, str] = {"-": "negative", "!": "logical_not"}
"""The operator of Relax that a prefix symbol calls in an expression. [OP.8]"""

# Any: these classes have no common base that declares how they are made (from two operands and a span).
DIMENSION_INFIX: dict[str, Any] = {
    "+": tree.Add,
    "-": tree.Sub,
    "*": tree.Mul,
    "/": tree.Div,
    "//": tree.FloorDiv,
    "%": tree.FloorMod,
    "==": tree.EQ,
    "!=": tree.NE,
    "<": tree.LT,
    "<=": tree.LE,
    ">": tree.GT,
    ">=": tree.GE,
    "&&": tree.And,
    "||": tree.Or,
}
"""The node that an infix symbol makes in a dimension. [G.1-G.8]"""

PRIM_INFIX: dict[str, Any] = {
    **DIMENSION_INFIX,
    "&": tree.BitAnd,
    "|": tree.BitOr,
    "^": tree.BitXor,
    "<<": tree.ShiftLeft,
    ">>": tree.ShiftRight,
}
"""The node that an infix symbol makes in the code of a PrimFunc. [TIR.5-TIR.9]"""
