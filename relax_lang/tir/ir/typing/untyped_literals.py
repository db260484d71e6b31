"""Expressions that consist of literals without a type: they take the type of their context. [TIR.5]"""

from __future__ import annotations

from relax_lang.base.node import children, unreachable
from relax_lang.syntax import diagnostics as syntax_diag
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.ir import intrinsics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.ir.typing.context import Context

ARITHMETIC = {
    tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.FloorDiv: "//", tree.FloorMod: "%",
    tree.Min: "min", tree.Max: "max",
}  # fmt: skip

BITS = {tree.BitAnd: "&", tree.BitOr: "|", tree.BitXor: "^"}
SHIFTS = {tree.ShiftLeft: "<<", tree.ShiftRight: ">>"}

TYPED = 0
WHOLE = 1
FRACTION = 2
INTEGER = 3
"""An operation of integers alone on whole literals: it takes any integer type, and no float."""


def is_flexible(ctx: Context, expr: tree.PrimExpr) -> bool:
    """Return whether an expression has no type of its own: it consists of literals without one."""
    return literals_of(ctx, expr) != TYPED


def literal_dtype(ctx: Context, expr: tree.PrimExpr, expected: str | None) -> str:
    """Return the type that a flexible expression takes where `expected` is wanted."""
    return dtype_of(literals_of(ctx, expr), expected)


def dtype_of(kind: int, expected: str | None) -> str:
    """Return the type that literals of one kind take where `expected` is wanted."""
    is_float = expected is not None and dtypes.is_float(expected) and kind != INTEGER
    is_integer = expected is not None and dtypes.is_integer(expected) and kind != FRACTION
    if expected is not None and (is_float or is_integer):
        return expected
    return dtypes.FLOAT32 if kind == FRACTION else dtypes.INT64


def literals_of(ctx: Context, expr: tree.PrimExpr) -> int:
    """Return whether an expression has a type, or is made of literals without one, and of which kind.

    Chains such as `a + b + c` are followed without recursion.
    """
    known = ctx.literals.get(expr)
    if known is not None:
        return known
    if type(expr) not in _CHAINED:
        found = ctx.literals[expr] = _literals_of_operand(ctx, expr)
        return found
    chain: list[Any] = []
    left: Any = expr
    while left not in ctx.literals and type(left) in _CHAINED:
        chain.append(left)
        left = left.a
    found = ctx.literals.get(left)
    if found is None:
        found = ctx.literals[left] = _literals_of_operand(ctx, left)
    for node in reversed(chain):
        found = joined([found, literals_of(ctx, node.b)]) if found else TYPED
        if found != TYPED and type(node) not in ARITHMETIC:
            found = INTEGER
        ctx.literals[node] = found
    return found


def joined(kinds: Collection[int]) -> int:
    """Return the kind of an operation on literals of some kinds; TYPED if no type is one of them all."""
    if TYPED in kinds or (FRACTION in kinds and INTEGER in kinds):
        return TYPED
    return max(kinds)


def _literals_of_operand(ctx: Context, expr: tree.PrimExpr) -> int:
    return _OPERANDS[type(expr)](ctx, expr)


def _typed(ctx: Context, expr: tree.PrimExpr) -> int:
    return TYPED


def _literals_of_integer(ctx: Context, expr: tree.IntImm) -> int:
    return WHOLE if expr.dtype is None else TYPED


def _literals_of_fraction(ctx: Context, expr: tree.FloatImm) -> int:
    return FRACTION if expr.dtype is None else TYPED


def _literals_of_negative(ctx: Context, expr: tree.Neg) -> int:
    return literals_of(ctx, expr.a)


def _literals_of_inverted(ctx: Context, expr: tree.BitNot) -> int:
    return INTEGER if literals_of(ctx, expr.a) else TYPED


def _literals_of_select(ctx: Context, expr: tree.Select) -> int:
    return joined([literals_of(ctx, expr.true_value), literals_of(ctx, expr.false_value)])


def _literals_of_call(ctx: Context, call: tree.PrimCall) -> int:
    if call.name == intrinsics.LAZY:
        if len(call.args) != 3:
            return TYPED
        return joined([literals_of(ctx, argument) for argument in call.args[1:]])
    row = intrinsics.INTRINSICS.get(call.name)
    if row is None or row.gives != intrinsics.SAME or len(call.args) != row.arity:
        return TYPED
    found = joined([literals_of(ctx, argument) for argument in call.args])
    if not found or row.takes[0] == intrinsics.NUMBER:
        return found
    return INTEGER if row.takes[0] == intrinsics.INTEGER else FRACTION


def infer_int(ctx: Context, expr: tree.IntImm, expected: str | None) -> str | None:
    """Type an integer; `expected` is what its context takes."""
    dtype = expr.dtype.name if expr.dtype is not None else dtype_of(WHOLE, expected)
    return fitting(ctx, expr, expr.value, dtype)


def fitting(ctx: Context, place: tree.PrimExpr, value: int, dtype: str) -> str | None:
    """Return `dtype` if an integer literal fits it. [G.2]"""
    if dtypes.is_integer(dtype):
        least, greatest = dtypes.INT_RANGES[dtype]
        if not least <= value <= greatest:
            ctx.report(syntax_diag.literal_does_not_fit(place, str(value), dtype))
            return None
    elif dtype in dtypes.FLOAT_LIMITS and abs(value) > dtypes.FLOAT_LIMITS[dtype]:
        ctx.report(syntax_diag.literal_does_not_fit(place, str(value), dtype))
        return None
    return dtype if dtype in dtypes.DTYPES else None


def infer_float(ctx: Context, expr: tree.FloatImm, expected: str | None) -> str | None:
    """Type a fraction; `expected` is what its context takes."""
    dtype = expr.dtype.name if expr.dtype is not None else dtype_of(FRACTION, expected)
    if dtype not in dtypes.DTYPES:
        return None
    is_written = expr.text is not None and expr.text.strip("+-") not in ("inf", "nan")
    if is_written and dtype in dtypes.FLOAT_LIMITS and not abs(expr.value) <= dtypes.FLOAT_LIMITS[dtype]:
        ctx.report(syntax_diag.literal_does_not_fit(expr, str(expr.text), dtype))
        return None
    return dtype


def typed_operands(ctx: Context, expr: tree.PrimExpr) -> list[tree.PrimExpr]:
    """Return what an arithmetic expression computes with, apart from literals that take its type.

    It is empty of an expression that is not arithmetic.
    """
    if type(expr) not in _KEPT_BY_CASTS:
        return []
    found: list[tree.PrimExpr] = []
    todo = [expr]
    while todo:
        node = todo.pop()
        if type(node) in _KEPT_BY_CASTS:
            todo += reversed([part for part in children(node) if isinstance(part, tree.PrimExpr)])
        elif literals_of(ctx, node) not in (WHOLE, FRACTION):
            found.append(node)
    return found


_OPERANDS: Table[tree.PrimExpr, Callable[[Context, Any], int]] = {
    tree.IntImm: _literals_of_integer,
    tree.FloatImm: _literals_of_fraction,
    tree.Neg: _literals_of_negative,
    tree.BitNot: _literals_of_inverted,
    tree.Select: _literals_of_select,
    tree.PrimCall: _literals_of_call,
    tree.PrimVar: _typed,
    tree.BoolImm: _typed,
    tree.Not: _typed,
    tree.Cast: _typed,
    tree.TypeLimit: _typed,
    tree.BufferLoad: _typed,
    **dict.fromkeys((*tree.COMPARISON, *tree.LOGICAL), _typed),
    **dict.fromkeys((*tree.ARITHMETIC, *tree.BITWISE), unreachable),
}
"""What can be made of literals alone, and what has a type; the operations of `_CHAINED` are dealt with before."""

_CHAINED = frozenset((*ARITHMETIC, *BITS, *SHIFTS))
_KEPT_BY_CASTS = frozenset((tree.Add, tree.Sub, tree.Mul, tree.Div, tree.Neg, tree.Min, tree.Max))
"""Arithmetic that floats have, too: the operands can be converted before it."""
