"""Dimension expressions: their shape variables, and that they are integers.

Every function returns the value of an expression without variables, else None, so that a division by zero
and a negative size are found where they are certain. PrimFunc bodies are none of this module's business.
"""

from __future__ import annotations

from relax_lang.scope.uses import use_shape_variable
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.scope.context import Context

    Walker = Callable[[Context, Any], int | None]

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def resolve_dims(ctx: Context, values: tuple[tree.PrimExpr, ...], *, inferred: bool = False) -> None:
    """Resolve sizes; if `inferred`, `-1` may stand for the extent that follows. [G.1-G.8 V.9]"""
    shapes, bindings = ctx.shapes, ctx.resolved.shape_bindings
    for value in values:
        if type(value) is tree.PrimVar:
            entry = shapes.get(value.name)
            if entry is None or ctx.pending or value.name == "_":
                resolve_name(ctx, value)
            else:  # nearly all of them
                bindings[value] = entry[0]
            continue
        if type(value) is tree.IntImm and 0 <= value.value <= INT64_MAX:
            continue
        size = resolve_integer(ctx, value)
        if size is not None and size < 0 and not (inferred and size == -1):
            from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

            message = f"a dimension is never negative, this one is {size}"
            ctx.resolved.diagnostics.append(diag.negative_dimension(value, message, f"this is {size}"))


def resolve_integer(ctx: Context, value: Node) -> int | None:
    """Resolve an expression that must be an integer. [G.2 G.6]"""
    walker = _INTEGERS.get(type(value))
    if walker is not None:
        return walker(ctx, value)
    from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

    if type(value) in CONDITIONS:
        ctx.resolved.diagnostics.append(diag.dim_not_integer(value, _CONDITION_NAMES[type(value)]))
        resolve_condition(ctx, value)
    elif type(value) is tree.FloatImm:
        ctx.resolved.diagnostics.append(diag.dim_not_integer(value, "a fraction"))
    else:
        _foreign(ctx, value)
    return None


def resolve_condition(ctx: Context, value: Node) -> None:
    """Resolve an expression that must be a condition. [G.6 G.7]"""
    walker = CONDITIONS.get(type(value))
    if walker is not None:
        walker(ctx, value)
        return
    if type(value) in _INTEGERS or type(value) is tree.FloatImm:
        from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

        ctx.resolved.diagnostics.append(diag.dim_condition_not_boolean(value))
        if type(value) is not tree.FloatImm:
            resolve_integer(ctx, value)
    else:
        _foreign(ctx, value)


def resolve_name(ctx: Context, value: tree.PrimVar) -> None:
    """Resolve a name in a dimension; `_` is reserved there. [S.15 B.31]"""
    if value.name == "_":
        if value in ctx.losses.wrong:
            return  # how it is written was reported
        from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

        ctx.resolved.diagnostics.append(diag.wildcard_dimension(value))
    else:
        use_shape_variable(ctx, value)


def _literal(ctx: Context, value: tree.IntImm) -> int | None:
    return _in_range(ctx, value, value.value)


def _in_range(ctx: Context, place: Node, number: int) -> int | None:
    if INT64_MIN <= number <= INT64_MAX:
        return number
    from relax_lang.syntax import diagnostics as diag  # not needed for a clean program

    ctx.resolved.diagnostics.append(diag.literal_does_not_fit(place, str(number), "int64"))
    return None


def _negated(ctx: Context, value: tree.Neg) -> int | None:
    operand = value.a
    if type(operand) is tree.IntImm:  # together, as -9223372036854775808 fits and its digits alone do not
        return _in_range(ctx, value, -operand.value)
    number = resolve_integer(ctx, operand)
    return None if number is None else -number


def _arithmetic(fold: Callable[[int, int], int]) -> Walker:
    def walk(ctx: Context, value: tree.Add | tree.Sub | tree.Mul | tree.Min | tree.Max) -> int | None:
        a = resolve_integer(ctx, value.a)
        b = resolve_integer(ctx, value.b)
        return None if a is None or b is None else fold(a, b)

    return walk


def _dividing(fold: Callable[[int, int], int]) -> Walker:
    def walk(ctx: Context, value: tree.Div | tree.FloorDiv | tree.FloorMod) -> int | None:
        a = resolve_integer(ctx, value.a)
        b = resolve_integer(ctx, value.b)
        if b == 0:
            from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

            ctx.resolved.diagnostics.append(diag.dim_division_by_zero(value, value.b))
            return None
        return None if a is None or b is None else fold(a, b)

    return walk


def truncating_division(a: int, b: int) -> int:
    """Divide toward zero, as `/` does in dimensions. [G.4]"""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _select(ctx: Context, value: tree.Select) -> int | None:
    resolve_condition(ctx, value.condition)
    resolve_integer(ctx, value.true_value)
    resolve_integer(ctx, value.false_value)
    return None


def _comparison(ctx: Context, value: tree.EQ | tree.NE | tree.LT | tree.LE | tree.GT | tree.GE) -> None:
    resolve_integer(ctx, value.a)
    resolve_integer(ctx, value.b)


def _connective(ctx: Context, value: tree.And | tree.Or) -> None:
    resolve_condition(ctx, value.a)
    resolve_condition(ctx, value.b)


def _not(ctx: Context, value: tree.Not) -> None:
    resolve_condition(ctx, value.a)


def _truth(ctx: Context, value: Node) -> None:
    """Do nothing: `true` and `false` mention no name."""


def _foreign(ctx: Context, value: Node) -> None:
    # What PrimFuncs know and dimensions do not: calls of other functions, bits, casts, elements.
    if value in ctx.resolved.rejected:
        return  # by the parser
    from relax_lang.scope.unresolved import (
        calls as unresolved_calls,  # only needed when there is something to report
    )

    unresolved_calls.not_a_dimension(ctx, value)


_INTEGERS: dict[type[Node], Walker] = {
    tree.PrimVar: resolve_name,
    tree.IntImm: _literal,
    tree.Neg: _negated,
    tree.Add: _arithmetic(int.__add__),
    tree.Sub: _arithmetic(int.__sub__),
    tree.Mul: _arithmetic(int.__mul__),
    tree.Div: _dividing(truncating_division),
    tree.FloorDiv: _dividing(int.__floordiv__),
    tree.FloorMod: _dividing(int.__mod__),
    tree.Min: _arithmetic(min),
    tree.Max: _arithmetic(max),
    tree.Select: _select,
}
"""Node class to what resolves it as an integer."""

CONDITIONS: dict[type[Node], Callable[[Context, Any], None]] = {
    tree.BoolImm: _truth,
    tree.EQ: _comparison,
    tree.NE: _comparison,
    tree.LT: _comparison,
    tree.LE: _comparison,
    tree.GT: _comparison,
    tree.GE: _comparison,
    tree.And: _connective,
    tree.Or: _connective,
    tree.Not: _not,
}
"""Node class to what resolves it as a condition."""

_CONDITION_NAMES = dict.fromkeys(CONDITIONS, "a condition") | {tree.BoolImm: "a truth value"}
