"""The type of every expression of a PrimFunc. [TIR.3-TIR.7, TIR.14]

`infer` types an expression, the expressions in it, and the literals: one without a type takes the type of
the other operand, of the buffer it is stored to or of its annotation, else it is int64 or, as a fraction,
float32.
It returns None where a mistake was reported: an unknown type fits everywhere. [Z.5]
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.diagnostics import errors as diag
from relax_lang.tir.diagnostics import type_errors
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.ir.typing.untyped_literals import (
    ARITHMETIC,
    BITS,
    FRACTION,
    SHIFTS,
    TYPED,
    WHOLE,
    dtype_of,
    fitting,
    infer_float,
    infer_int,
    is_flexible,
    joined,
    literal_dtype,
    literals_of,
    typed_operands,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.context import Context

    Dtype = str | None

COMPARISONS = {tree.EQ: "==", tree.NE: "!=", tree.LT: "<", tree.LE: "<=", tree.GT: ">", tree.GE: ">="}
LOGIC = {tree.And: "&&", tree.Or: "||"}
DIVISIONS = (tree.Div, tree.FloorDiv, tree.FloorMod)


def infer(ctx: Context, expr: tree.PrimExpr, expected: Dtype = None) -> Dtype:
    """Type an expression; `expected` is what its context takes, for literals only. [TIR.5]"""
    dtype = _INFER[type(expr)](ctx, expr, expected)
    if dtype is not None:
        ctx.types[expr] = dtype
    return dtype


def infer_index(ctx: Context, expr: tree.PrimExpr, what: str = "an index") -> None:
    """Type an index, a loop bound or an axis: an int64. [TIR.4]"""
    dtype = infer(ctx, expr, dtypes.INT64)
    if dtype is None or dtype == dtypes.INT64:
        if ctx.differing:
            ctx.settle_differing(expr)
        return
    if dtypes.is_integer(dtype):
        message = f"{what} is an int64, this is {dtype}"
        ctx.report(type_errors.dtype_mismatch(expr, message, expr, dtypes.INT64))
    else:
        ctx.report(type_errors.index_not_integer(expr, dtype, what))


def infer_condition(ctx: Context, expr: tree.PrimExpr, negated: tree.Not | None = None) -> None:
    """Type a condition, `negated` if it is the operand of `!`: a bool. [TIR.6]"""
    dtype = infer(ctx, expr, dtypes.BOOL)
    if dtype is not None and dtype != dtypes.BOOL:
        ctx.report(type_errors.condition_not_bool(expr, dtype, negated))


def infer_stored(ctx: Context, expr: tree.PrimExpr, dtype: Dtype, place: Node, declared: Node) -> Dtype:
    """Type a value that is put into something of type `dtype`. [TIR.5] [TIR.16]"""
    found = infer(ctx, expr, dtype)
    ctx.settle_differing(expr)
    if found is not None and dtype is not None and found != dtype:
        labels = ((expr, f"this is {found}"), (declared, f"this is {dtype}"))
        operands = [] if dtypes.is_integer(dtype) else typed_operands(ctx, expr)
        ctx.report(type_errors.stored_mismatch(place, (dtype, found), expr, operands, labels))
    return found


def _pair(ctx: Context, a: tree.PrimExpr, b: tree.PrimExpr, expected: Dtype) -> tuple[Dtype, Dtype]:
    """Type two operands that must agree: an untyped literal takes the type of the other one. [TIR.5]"""
    if is_flexible(ctx, a):
        if is_flexible(ctx, b):
            kind = joined([literals_of(ctx, a), literals_of(ctx, b)])
            common = expected if kind == TYPED else dtype_of(kind, expected)
            return infer(ctx, a, common), infer(ctx, b, common)
        other = infer(ctx, b, expected)
        return infer(ctx, a, other), other
    first = infer(ctx, a, expected)
    return first, _second(ctx, first, b, expected)


def _second(ctx: Context, first: Dtype, b: tree.PrimExpr, expected: Dtype) -> Dtype:
    """Type the operand after one that has a type of its own."""
    return infer(ctx, b, first if is_flexible(ctx, b) else expected)


def _same(ctx: Context, node: tree.PrimExpr, a: tree.PrimExpr, b: tree.PrimExpr, expected: Dtype) -> Dtype:
    """Type two operands and report it if they differ; return their type."""
    return _agreed(ctx, node, (a, b), _pair(ctx, a, b, expected), expected)


def _agreed(
    ctx: Context,
    node: tree.PrimExpr,
    operands: tuple[tree.PrimExpr, tree.PrimExpr],
    found: tuple[Dtype, Dtype],
    expected: Dtype,
) -> Dtype:
    """Return the type of two operands; it is reported if there are two. The expected one is what the fix casts to."""
    first, second = found
    if first is not None and first == second:
        return first
    if ctx.differing or (first is not None and second is not None):
        from relax_lang.tir.ir.typing import differing_dtypes

        differing_dtypes.note(ctx, node, operands, found, expected)
    return None


def _wrong_type(
    ctx: Context,
    node: tree.PrimExpr,
    what: str,
    takes: str,
    dtype: str,
    *arguments: Node,
    wanted: Dtype = None,
) -> None:
    """Report arguments of a type that an operation does not take, the first of them by its place."""
    cast_to = (wanted or dtypes.FLOAT32) if takes in (intrinsics.FLOAT, intrinsics.WIDE_FLOAT) else ""
    message, labels = f"`{what}` takes {takes}, not {dtype}", [(arguments[0], f"this is {dtype}")]
    ctx.report(type_errors.wrong_operands(node, message, arguments if cast_to else (), cast_to, labels))


def _infer_name(ctx: Context, expr: tree.PrimVar, expected: Dtype) -> Dtype:
    symbol = find(ctx, expr)
    if symbol is not None and symbol.shape is not None:
        ctx.report(diag.buffer_use(expr, expr.name, len(symbol.shape), symbol.node))
        return None
    return None if symbol is None else symbol.dtype


def find(ctx: Context, use: tree.PrimVar) -> Symbol | None:
    """Return what a name stands for; an undefined one is reported, once. [TIR.2]"""
    symbol = ctx.scopes.find(use.name)
    if symbol is not None:
        ctx.symbols[use] = symbol
    elif use.name not in ctx.reported:
        from relax_lang.tir.ir.typing import unknown_names

        unknown_names.report(ctx, use)
    return symbol


def _infer_bool(ctx: Context, expr: tree.BoolImm, expected: Dtype) -> Dtype:
    return dtypes.BOOL


def _infer_arithmetic(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    """Type `a + b + c`: along the left side, which may be long, without recursion."""
    chain, left = [expr], expr.a
    flexible = is_flexible(ctx, expr)
    if flexible:
        expected = literal_dtype(ctx, expr, expected)
    while type(left) in ARITHMETIC and is_flexible(ctx, left) is flexible:
        chain.append(left)
        left = left.a
    node = chain.pop()
    dtype = _checked_arithmetic(ctx, node, _same(ctx, node, node.a, node.b, expected))
    while chain:
        if dtype is not None:
            ctx.types[node] = dtype
        node = chain.pop()
        second = infer(ctx, node.b, expected) if flexible else _second(ctx, dtype, node.b, expected)
        dtype = _checked_arithmetic(
            ctx, node, _agreed(ctx, node, (node.a, node.b), (dtype, second), expected)
        )
    return dtype


def _checked_arithmetic(ctx: Context, expr: Any, dtype: Dtype) -> Dtype:
    """Return the type of an operation, if it takes operands of that type."""
    if dtype is None:
        return None
    if not dtypes.is_number(dtype):
        _wrong_type(ctx, expr, ARITHMETIC[type(expr)], "numbers", dtype, expr.a)
        return None
    if isinstance(expr, DIVISIONS) and dtypes.is_integer(dtype):
        _check_divisor(ctx, expr)
    return dtype


def _check_divisor(ctx: Context, expr: Any) -> None:
    try:
        divisor = evaluate(expr.b, {})
    except DimensionError:
        return
    if divisor == 0 and not ctx.guards:
        ctx.report(diag.division_by_zero(expr, expr.b))


def _infer_comparison(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    _same(ctx, expr, expr.a, expr.b, None)
    return dtypes.BOOL


def _infer_logic(ctx: Context, expr: tree.And | tree.Or, expected: Dtype) -> Dtype:
    """Type `a && b && c`: what comes after the first is evaluated only if what is before it does not decide."""
    kind = tree.And if isinstance(expr, tree.And) else tree.Or
    chain: list[tree.And | tree.Or] = []
    left: tree.PrimExpr = expr
    while isinstance(left, kind):
        chain.append(left)
        left = left.a
    infer_condition(ctx, left)
    ctx.guards += 1
    for node in reversed(chain):
        infer_condition(ctx, node.b)
        ctx.types[node] = dtypes.BOOL
    ctx.guards -= 1
    return dtypes.BOOL


def _infer_not(ctx: Context, expr: tree.Not, expected: Dtype) -> Dtype:
    infer_condition(ctx, expr.a, expr)
    return dtypes.BOOL


def _infer_neg(ctx: Context, expr: tree.Neg, expected: Dtype) -> Dtype:
    if isinstance(expr.a, tree.IntImm):
        # The sign belongs to the literal: -128 fits int8, 128 does not.
        typed = expr.a.dtype
        dtype = typed.name if typed is not None else literal_dtype(ctx, expr.a, expected)
        found = fitting(ctx, expr, -expr.a.value, dtype)
        if found is not None:
            ctx.types[expr.a] = found
        return found
    dtype = infer(ctx, expr.a, expected)
    if dtype is not None and not dtypes.is_number(dtype):
        _wrong_type(ctx, expr, "-", "a number", dtype, expr.a)
        return None
    ctx.keep_differing(expr, expr.a)
    return dtype


def _infer_bits(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    return _infer_integers(ctx, expr, BITS[type(expr)], "integers or bools", expected)


def _infer_integers(ctx: Context, expr: Any, operator: str, takes: str, expected: Dtype) -> Dtype:
    """Type two operands that cannot be floats."""
    found = _pair(ctx, expr.a, expr.b, _unless_float(expected))
    for operand, dtype in zip((expr.a, expr.b), found, strict=True):
        if dtype is not None and dtypes.is_float(dtype):
            _wrong_type(ctx, expr, operator, takes, dtype, operand)
            return None
    return _agreed(ctx, expr, (expr.a, expr.b), found, expected)


def _unless_float(expected: Dtype) -> Dtype:
    """Return the type that literals take which cannot be floats: the expected one, unless it is a float."""
    return None if expected is not None and dtypes.is_float(expected) else expected


def _infer_shift(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    dtype = _infer_integers(ctx, expr, SHIFTS[type(expr)], "integers", expected)
    if dtype is not None and not dtypes.is_integer(dtype):
        _wrong_type(ctx, expr, SHIFTS[type(expr)], "integers", dtype, expr.a)
        return None
    return dtype


def _infer_bit_not(ctx: Context, expr: tree.BitNot, expected: Dtype) -> Dtype:
    dtype = infer(ctx, expr.a, _unless_float(expected))
    if dtype is not None and dtypes.is_float(dtype):
        _wrong_type(ctx, expr, "~", "an integer or a bool", dtype, expr.a)
        return None
    ctx.keep_differing(expr, expr.a)
    return dtype


def _infer_select(ctx: Context, expr: tree.Select, expected: Dtype) -> Dtype:
    infer_condition(ctx, expr.condition)
    return _same(ctx, expr, expr.true_value, expr.false_value, expected)


def _infer_cast(ctx: Context, expr: tree.Cast, expected: Dtype) -> Dtype:
    target = expr.dtype.name
    # A literal is read in the float type it is cast to; cast to an integer it is converted, and wraps.
    infer(ctx, expr.value, target if dtypes.is_float(target) else None)
    return target if target in dtypes.DTYPES else None


def _infer_limit(ctx: Context, expr: tree.TypeLimit, expected: Dtype) -> Dtype:
    return expr.dtype.name if expr.dtype.name in dtypes.DTYPES else None


def _infer_load(ctx: Context, expr: tree.BufferLoad, expected: Dtype) -> Dtype:
    for index in expr.indices:
        infer_index(ctx, index)
    symbol = find(ctx, expr.buffer)
    return None if symbol is None else check_access(ctx, expr, expr.buffer, expr.indices, symbol)


def check_access(
    ctx: Context, access: Node, buffer: tree.PrimVar, indices: tuple[tree.PrimExpr, ...], symbol: Symbol
) -> Dtype:
    """Check that a buffer is indexed, once for each of its dimensions. [TIR.3]"""
    if symbol.shape is None:
        ctx.report(diag.buffer_use(buffer, buffer.name, None, symbol.node))
        return None
    if len(indices) != len(symbol.shape):
        ctx.report(diag.rank_mismatch(access, buffer.name, len(symbol.shape), len(indices), symbol.node))
    return symbol.dtype


def _infer_call(ctx: Context, expr: tree.PrimCall, expected: Dtype) -> Dtype:
    if expr.name == intrinsics.LAZY:
        return _infer_lazy(ctx, expr, expected)
    row = intrinsics.INTRINSICS.get(expr.name)
    if row is None:
        from relax_lang.tir.ir.typing import unknown_calls

        unknown_calls.report(ctx, expr, infer)
        return None
    if len(expr.args) != row.arity:
        ctx.report(type_errors.arity(expr, expr.name, row.arity, len(expr.args)))
        for argument in expr.args:
            infer(ctx, argument)
        return None
    return _infer_intrinsic(ctx, expr, row, expected)


def _infer_lazy(ctx: Context, expr: tree.PrimCall, expected: Dtype) -> Dtype:
    """Type `if_then_else(c, a, b)`; its branches are guarded by its condition. [TIR.13]"""
    if len(expr.args) != 3:
        ctx.report(type_errors.arity(expr, expr.name, 3, len(expr.args)))
        return None
    infer_condition(ctx, expr.args[0])
    ctx.guards += 1
    dtype = _same(ctx, expr, expr.args[1], expr.args[2], expected)
    ctx.guards -= 1
    return dtype


def _infer_intrinsic(ctx: Context, expr: tree.PrimCall, row: intrinsics.Intrinsic, expected: Dtype) -> Dtype:
    wanted = expected if expected is not None and intrinsics.accepts(row.takes[0], expected) else None
    if wanted is None and row.takes[0] in (intrinsics.FLOAT, intrinsics.WIDE_FLOAT):
        wanted = dtypes.FLOAT32
    if row.arity == 2 and row.takes[0] == row.takes[1]:
        dtype = _same(ctx, expr, expr.args[0], expr.args[1], wanted)
    else:
        dtype = infer(ctx, expr.args[0], wanted)
        if row.gives == intrinsics.SAME:
            ctx.keep_differing(expr, expr.args[0])
        for kind, argument in zip(row.takes[1:], expr.args[1:], strict=True):
            other = infer(ctx, argument)
            if other is not None and not intrinsics.accepts(kind, other):
                _wrong_type(ctx, expr, expr.name, kind, other, argument)
    if dtype is not None and not intrinsics.accepts(row.takes[0], dtype):
        of_one_type = expr.args[:2] if row.takes[1:] == row.takes[:1] else expr.args[:1]
        literals = [one for one in of_one_type[1:] if literals_of(ctx, one) in (WHOLE, FRACTION)]
        wrong = [one for one in of_one_type if one not in literals]
        _wrong_type(ctx, expr, expr.name, row.takes[0], dtype, *wrong, wanted=wanted)
        dtype = None
    return dtype if row.gives == intrinsics.SAME else row.gives


_INFER: Table[tree.PrimExpr, Callable[[Context, Any, Dtype], Dtype]] = {
    tree.PrimVar: _infer_name,
    tree.IntImm: infer_int,
    tree.FloatImm: infer_float,
    tree.BoolImm: _infer_bool,
    tree.Not: _infer_not,
    tree.Neg: _infer_neg,
    tree.Select: _infer_select,
    tree.BitNot: _infer_bit_not,
    tree.Cast: _infer_cast,
    tree.TypeLimit: _infer_limit,
    tree.BufferLoad: _infer_load,
    tree.PrimCall: _infer_call,
    **dict.fromkeys(ARITHMETIC, _infer_arithmetic),
    **dict.fromkeys(COMPARISONS, _infer_comparison),
    **dict.fromkeys(LOGIC, _infer_logic),
    **dict.fromkeys(BITS, _infer_bits),
    **dict.fromkeys(SHIFTS, _infer_shift),
}
