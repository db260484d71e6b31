"""Expressions that consist of literals without a type: they take the type of their context. [TIR.5]"""

from __future__ import annotations

from relax_lang.base.node import children
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.ir import intrinsics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from relax_lang.tir.ir.context import Context

ARITHMETIC = {
    tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.FloorDiv: "//", tree.FloorMod: "%",
    tree.Min: "min", tree.Max: "max",
}  # fmt: skip

TYPED = 0
WHOLE = 1
FRACTION = 2


def is_flexible(ctx: Context, expr: tree.PrimExpr) -> bool:
    """Return whether an expression has no type of its own: it consists of literals without one."""
    return literals_of(ctx, expr) != TYPED


def literal_dtype(ctx: Context, expr: tree.PrimExpr, expected: str | None) -> str:
    """Return the type that a flexible expression takes where `expected` is wanted."""
    fraction = literals_of(ctx, expr) == FRACTION
    if expected is not None and (dtypes.is_float(expected) or (dtypes.is_integer(expected) and not fraction)):
        return expected
    return dtypes.FLOAT32 if fraction else dtypes.INT64


def literals_of(ctx: Context, expr: tree.PrimExpr) -> int:
    """Return whether an expression has a type, or is made of whole literals without one, or of fractions, too.

    Chains such as `a + b + c` are followed without recursion.
    """
    known = ctx.literals.get(expr)
    if known is not None:
        return known
    chain: list[Any] = []
    left: Any = expr
    while left not in ctx.literals and type(left) in ARITHMETIC:
        chain.append(left)
        left = left.a
    found = ctx.literals.get(left)
    if found is None:
        found = ctx.literals[left] = _literals_of_operand(ctx, left)
    for node in reversed(chain):
        found = ctx.literals[node] = _joined([found, literals_of(ctx, node.b)]) if found else TYPED
    return found


def _joined(kinds: Iterable[int]) -> int:
    return max(kinds) if all(kinds) else TYPED


def _literals_of_operand(ctx: Context, expr: tree.PrimExpr) -> int:
    if isinstance(expr, tree.IntImm | tree.FloatImm):
        return TYPED if expr.dtype is not None else FRACTION if isinstance(expr, tree.FloatImm) else WHOLE
    if isinstance(expr, tree.Neg):
        return literals_of(ctx, expr.a)
    if isinstance(expr, tree.Select):
        return _joined([literals_of(ctx, expr.true_value), literals_of(ctx, expr.false_value)])
    return _literals_of_call(ctx, expr) if isinstance(expr, tree.PrimCall) else TYPED


def _literals_of_call(ctx: Context, call: tree.PrimCall) -> int:
    if call.name == intrinsics.LAZY:
        if len(call.args) != 3:
            return TYPED
        return _joined([literals_of(ctx, argument) for argument in call.args[1:]])
    row = intrinsics.INTRINSICS.get(call.name)
    if row is None or row.gives != intrinsics.SAME or len(call.args) != row.arity:
        return TYPED
    found = _joined([literals_of(ctx, argument) for argument in call.args])
    takes_floats = row.takes[0] in (intrinsics.FLOAT, intrinsics.WIDE_FLOAT)
    return FRACTION if found and takes_floats else found


def typed_operands(ctx: Context, expr: tree.PrimExpr) -> list[tree.PrimExpr]:
    """Return what an arithmetic expression computes with, apart from literals; empty if it is not arithmetic."""
    if type(expr) not in _KEPT_BY_CASTS:
        return []
    found: list[tree.PrimExpr] = []
    todo = [expr]
    while todo:
        node = todo.pop()
        if type(node) in _KEPT_BY_CASTS:
            todo += reversed([part for part in children(node) if isinstance(part, tree.PrimExpr)])
        elif not is_flexible(ctx, node):
            found.append(node)
    return found


_KEPT_BY_CASTS = frozenset((tree.Add, tree.Sub, tree.Mul, tree.Div, tree.Neg, tree.Min, tree.Max))
"""Arithmetic that floats have, too: the operands can be converted before it."""
