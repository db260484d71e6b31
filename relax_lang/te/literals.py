"""Literals of expressions, and what messages show of trees."""

from __future__ import annotations

from relax_lang.base.node import Node, walk
from relax_lang.base.sequences import is_sequence
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_written(node: Any) -> Any:
    """Return a tree with the names that users know, for messages."""
    if isinstance(node, tree.PrimVar):
        return tree.PrimVar(node.name.partition(".")[0])
    if not node.CHILDREN:
        return node
    fields = [getattr(node, field) for field in node.FIELDS]
    return type(node)(
        *[
            as_written(one)
            if isinstance(one, Node)
            else tuple([as_written(each) for each in one])
            if is_sequence(one)
            else one
            for one in fields
        ]
    )


def integer(value: int) -> tree.PrimExpr:
    """Return a whole literal without a dtype; a negative one is a negation, as in the text."""
    return tree.Neg(tree.IntImm(-value)) if value < 0 else tree.IntImm(value)


def fraction(value: float) -> tree.PrimExpr:
    """Return a literal with a fraction; a negative one is a negation, as in the text."""
    negative = value < 0 or (value == 0 and str(value)[0] == "-")
    return tree.Neg(tree.FloatImm(-value)) if negative else tree.FloatImm(value)


def has_fraction(node: tree.PrimExpr) -> bool:
    """Return whether there is a literal with a fraction in an expression."""
    return any(isinstance(each, tree.FloatImm) for each in walk(node))


def literal_value(node: tree.PrimExpr) -> int | None:
    """Return the value of a whole literal, or None."""
    if isinstance(node, tree.IntImm):
        return node.value
    if isinstance(node, tree.Neg) and isinstance(node.a, tree.IntImm):
        return -node.a.value
    return None
