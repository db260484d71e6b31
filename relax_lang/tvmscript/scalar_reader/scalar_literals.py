"""Literals of scalar expressions."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.source import Span


def is_flexible(node: tree.PrimExpr) -> bool:
    """Return whether an expression consists of integers without a dtype, which take that of their context."""
    if isinstance(node, tree.IntImm):
        return node.dtype is None
    if isinstance(node, tree.Neg):
        return is_flexible(node.a)
    if isinstance(node, tree.Select):
        return is_flexible(node.true_value) and is_flexible(node.false_value)
    if isinstance(node, tree.PrimCall) and node.name == "if_then_else":
        return all(is_flexible(one) for one in node.args[1:])
    if isinstance(node, tree.Add | tree.Sub | tree.Mul | tree.Min | tree.Max):
        return is_flexible(node.a) and is_flexible(node.b)
    return False


def integer(value: int, dtype: str | None, span: Span) -> tree.PrimExpr:
    """Return an integer literal; the language writes negative ones with a sign."""
    if dtype is not None:
        return tree.IntImm(value, tree.DType(dtype, *span), str(value), *span)
    if value < 0:
        return tree.Neg(tree.IntImm(-value, None, str(-value), *span), *span)
    return tree.IntImm(value, None, str(value), *span)


def fraction(value: float, dtype: str | None, span: Span) -> tree.PrimExpr:
    """Return a floating point literal."""
    kind = tree.DType(dtype, *span) if dtype is not None else None
    if dtype is None and (value < 0 or repr(value) == "-0.0"):
        return tree.Neg(tree.FloatImm(-value, None, None, *span), *span)
    return tree.FloatImm(value, kind, None, *span)


def with_dtype(node: tree.PrimExpr, dtype: str) -> tree.PrimExpr:
    """Return an expression whose numbers all lack a dtype with one; any other as it is.

    A number without a dtype is of the dtype that it is cast to, so before a cast it has to say its own.
    """
    leaves = [one for one in walk(node) if not one.CHILDREN or isinstance(one, tree.IntImm)]
    if not all(isinstance(one, tree.IntImm) and one.dtype is None for one in leaves):
        return node
    return _typed(node, dtype)


def _typed(node: tree.PrimExpr, dtype: str) -> tree.PrimExpr:
    if isinstance(node, tree.IntImm):
        return integer(node.value, dtype, (node.pos, node.end))
    fields: dict[str, Any] = {name: getattr(node, name) for name in type(node).FIELDS}
    for name in node.CHILDREN:
        is_several = isinstance(fields[name], tuple)
        fields[name] = _all_typed(fields[name], dtype) if is_several else _typed(fields[name], dtype)
    return type(node)(**fields, pos=node.pos, end=node.end)


def _all_typed(nodes: tuple[tree.PrimExpr, ...], dtype: str) -> tuple[tree.PrimExpr, ...]:
    return tuple([_typed(one, dtype) for one in nodes])


def number_of(node: tree.PrimExpr) -> int | float | None:
    """Return the value of a literal, also of one with a sign; None for anything else."""
    if isinstance(node, tree.IntImm | tree.FloatImm):
        return node.value
    if isinstance(node, tree.Neg):
        inner = number_of(node.a)
        return None if inner is None else -inner
    return None
