"""The type of every expression of a PrimFunc. [TIR.3-TIR.7, TIR.14]

`infer` types an expression, the expressions in it, and the literals: one without a type takes the type of
the other operand, of the buffer it is stored to or of its annotation, else it is int64 or, as a fraction,
float32.
It returns None where a mistake was reported: an unknown type fits everywhere. [Z.5]
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.node import children
from relax_lang.syntax import dtypes, tree
from relax_lang.syntax.diagnostics import literal_does_not_fit
from relax_lang.tir.diagnostics import errors as diag
from relax_lang.tir.ir import intrinsics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.ir.context import Context
    from relax_lang.tir.ir.symbols import Symbol

    Dtype = str | None

ARITHMETIC = {
    tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.FloorDiv: "//", tree.FloorMod: "%",
    tree.Min: "min", tree.Max: "max",
}  # fmt: skip
COMPARISONS = {tree.EQ: "==", tree.NE: "!=", tree.LT: "<", tree.LE: "<=", tree.GT: ">", tree.GE: ">="}
LOGIC = {tree.And: "&&", tree.Or: "||"}
BITS = {tree.BitAnd: "&", tree.BitOr: "|", tree.BitXor: "^"}
SHIFTS = {tree.ShiftLeft: "<<", tree.ShiftRight: ">>"}
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
        return
    if dtypes.is_integer(dtype):
        message = f"{what} is an int64, this is {dtype}"
        ctx.report(diag.dtype_mismatch(expr, message, expr, dtypes.INT64))
    else:
        ctx.report(diag.index_not_integer(expr, dtype, what))


def infer_condition(ctx: Context, expr: tree.PrimExpr) -> None:
    """Type a condition: a bool. [TIR.6]"""
    dtype = infer(ctx, expr)
    if dtype is not None and dtype != dtypes.BOOL:
        ctx.report(diag.condition_not_bool(expr, dtype))


def infer_stored(ctx: Context, expr: tree.PrimExpr, dtype: Dtype, place: Node, declared: Node) -> Dtype:
    """Type a value that is put into something of type `dtype`. [TIR.5] [TIR.16]"""
    found = infer(ctx, expr, dtype)
    if found is not None and dtype is not None and found != dtype:
        labels = ((expr, f"this is {found}"), (declared, f"this is {dtype}"))
        operands = [] if dtypes.is_integer(dtype) else _operands(ctx, expr)
        ctx.report(diag.stored_mismatch(place, (dtype, found), expr, operands, labels))
    return found


def _operands(ctx: Context, expr: tree.PrimExpr) -> list[tree.PrimExpr]:
    """Return what an arithmetic expression computes with, apart from literals; empty if it is no arithmetic."""
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


def is_flexible(ctx: Context, expr: tree.PrimExpr) -> bool:
    """Tell whether an expression has no type of its own: it consists of literals without one."""
    known = ctx.flexible.get(expr)
    if known is None:
        known = ctx.flexible[expr] = _find_flexible(ctx, expr)
    return known


def _find_flexible(ctx: Context, expr: tree.PrimExpr) -> bool:
    if isinstance(expr, tree.IntImm | tree.FloatImm):
        return expr.dtype is None
    if isinstance(expr, tree.Neg):
        return is_flexible(ctx, expr.a)
    if type(expr) in ARITHMETIC:
        a, b = _both(expr)
        return is_flexible(ctx, a) and is_flexible(ctx, b)
    if isinstance(expr, tree.Select):
        return is_flexible(ctx, expr.true_value) and is_flexible(ctx, expr.false_value)
    if isinstance(expr, tree.PrimCall):
        return _is_flexible_call(ctx, expr)
    return False


def _is_flexible_call(ctx: Context, call: tree.PrimCall) -> bool:
    if call.name == intrinsics.LAZY:
        return len(call.args) == 3 and is_flexible(ctx, call.args[1]) and is_flexible(ctx, call.args[2])
    row = intrinsics.INTRINSICS.get(call.name)
    if row is None or row.gives != intrinsics.SAME or len(call.args) != row.arity:
        return False
    kinds = [is_flexible(ctx, argument) for argument in call.args]
    return all(kinds)


def _is_fraction(expr: tree.PrimExpr) -> bool:
    """Tell whether there is a fraction among the literals of a flexible expression."""
    if isinstance(expr, tree.FloatImm):
        return True
    if isinstance(expr, tree.Neg):
        return _is_fraction(expr.a)
    if type(expr) in ARITHMETIC:
        a, b = _both(expr)
        return _is_fraction(a) or _is_fraction(b)
    if isinstance(expr, tree.Select):
        return _is_fraction(expr.true_value) or _is_fraction(expr.false_value)
    if isinstance(expr, tree.PrimCall):
        row = intrinsics.INTRINSICS.get(expr.name)
        if row is not None and row.takes[0] in (intrinsics.FLOAT, intrinsics.WIDE_FLOAT):
            return True
        for argument in expr.args[1:] if expr.name == intrinsics.LAZY else expr.args:
            if _is_fraction(argument):
                return True
    return False


def _both(expr: Any) -> tuple[tree.PrimExpr, tree.PrimExpr]:
    return expr.a, expr.b


def _literal_dtype(expr: tree.PrimExpr, expected: Dtype) -> str:
    """Return the type that a flexible expression takes where `expected` is wanted."""
    fraction = _is_fraction(expr)
    if expected is not None and (dtypes.is_float(expected) or (dtypes.is_integer(expected) and not fraction)):
        return expected
    return dtypes.FLOAT32 if fraction else dtypes.INT64


def _pair(ctx: Context, a: tree.PrimExpr, b: tree.PrimExpr, expected: Dtype) -> tuple[Dtype, Dtype]:
    """Type two operands that must agree: an untyped literal takes the type of the other one. [TIR.5]"""
    if is_flexible(ctx, a):
        if is_flexible(ctx, b):
            fractional = a if _is_fraction(a) else b
            common = _literal_dtype(fractional, expected)
            return infer(ctx, a, common), infer(ctx, b, common)
        other = infer(ctx, b, expected)
        return infer(ctx, a, other), other
    first = infer(ctx, a, expected)
    return first, infer(ctx, b, first if is_flexible(ctx, b) else expected)


def _same(ctx: Context, node: tree.PrimExpr, a: tree.PrimExpr, b: tree.PrimExpr, expected: Dtype) -> Dtype:
    """Type two operands and report it if they differ; return their type."""
    first, second = _pair(ctx, a, b, expected)
    if first is None or second is None:
        return None
    if first == second:
        return first
    target, cast_one = first, b
    if dtypes.is_number(first) and dtypes.is_number(second):
        target = dtypes.wider(first, second)
        cast_one = b if target == first else a
    shown = f"{first} and {second}"
    labels = ((a, f"this is {first}"), (b, f"this is {second}"))
    ctx.report(diag.dtype_mismatch(node, shown, cast_one, target, labels))
    return None


def _wrong_type(ctx: Context, node: tree.PrimExpr, what: str, takes: str, dtype: str, argument: Node) -> None:
    cast_to = dtypes.FLOAT32 if takes in (intrinsics.FLOAT, intrinsics.WIDE_FLOAT) else ""
    message = f"`{what}` takes {takes}, not {dtype}"
    labels = ((argument, f"this is {dtype}"),)
    ctx.report(diag.dtype_mismatch(node, message, argument if cast_to else None, cast_to, labels))


def _infer_name(ctx: Context, expr: tree.PrimVar, expected: Dtype) -> Dtype:
    symbol = find(ctx, expr)
    if symbol is None:
        return None
    if symbol.shape is not None:
        ctx.report(diag.buffer_use(expr, expr.name, len(symbol.shape), symbol.node))
        return None
    return symbol.dtype


def find(ctx: Context, use: tree.PrimVar) -> Symbol | None:
    """Return what a name stands for; an undefined one is reported, once. [TIR.2]"""
    symbol = ctx.scopes.find(use.name)
    if symbol is not None:
        ctx.symbols[use] = symbol
    elif use.name not in ctx.reported:
        ctx.reported.add(use.name)
        ctx.report(diag.undefined_variable(use, use.name, ctx.known()))
    return symbol


def _infer_int(ctx: Context, expr: tree.IntImm, expected: Dtype) -> Dtype:
    dtype = expr.dtype.name if expr.dtype is not None else _literal_dtype(expr, expected)
    return _fitting(ctx, expr, expr.value, dtype)


def _fitting(ctx: Context, place: tree.PrimExpr, value: int, dtype: str) -> Dtype:
    """Return `dtype` if an integer literal fits it. [G.2]"""
    if dtypes.is_integer(dtype):
        least, greatest = dtypes.INT_RANGES[dtype]
        if not least <= value <= greatest:
            ctx.report(literal_does_not_fit(place, str(value), dtype))
            return None
    return dtype if dtype in dtypes.DTYPES else None


def _infer_float(ctx: Context, expr: tree.FloatImm, expected: Dtype) -> Dtype:
    dtype = expr.dtype.name if expr.dtype is not None else _literal_dtype(expr, expected)
    return dtype if dtype in dtypes.DTYPES else None


def _infer_bool(ctx: Context, expr: tree.BoolImm, expected: Dtype) -> Dtype:
    return dtypes.BOOL


def _infer_arithmetic(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    dtype = _same(ctx, expr, expr.a, expr.b, expected)
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


def _infer_logic(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    infer_condition(ctx, expr.a)
    ctx.guards += 1  # the right side is evaluated only if the left one does not decide
    infer_condition(ctx, expr.b)
    ctx.guards -= 1
    return dtypes.BOOL


def _infer_not(ctx: Context, expr: tree.Not, expected: Dtype) -> Dtype:
    infer_condition(ctx, expr.a)
    return dtypes.BOOL


def _infer_neg(ctx: Context, expr: tree.Neg, expected: Dtype) -> Dtype:
    if isinstance(expr.a, tree.IntImm):
        # The sign belongs to the literal: -128 fits int8, 128 does not.
        typed = expr.a.dtype
        dtype = typed.name if typed is not None else _literal_dtype(expr.a, expected)
        found = _fitting(ctx, expr, -expr.a.value, dtype)
        if found is not None:
            ctx.types[expr.a] = found
        return found
    dtype = infer(ctx, expr.a, expected)
    if dtype is not None and not dtypes.is_number(dtype):
        _wrong_type(ctx, expr, "-", "a number", dtype, expr.a)
        return None
    return dtype


def _infer_bits(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    dtype = _same(ctx, expr, expr.a, expr.b, expected)
    if dtype is not None and dtypes.is_float(dtype):
        _wrong_type(ctx, expr, BITS[type(expr)], "integers or bools", dtype, expr.a)
        return None
    return dtype


def _infer_shift(ctx: Context, expr: Any, expected: Dtype) -> Dtype:
    dtype = _same(ctx, expr, expr.a, expr.b, expected)
    if dtype is not None and not dtypes.is_integer(dtype):
        _wrong_type(ctx, expr, SHIFTS[type(expr)], "integers", dtype, expr.a)
        return None
    return dtype


def _infer_bit_not(ctx: Context, expr: tree.BitNot, expected: Dtype) -> Dtype:
    dtype = infer(ctx, expr.a, expected)
    if dtype is not None and dtypes.is_float(dtype):
        _wrong_type(ctx, expr, "~", "an integer or a bool", dtype, expr.a)
        return None
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
        return _unknown_call(ctx, expr)
    if len(expr.args) != row.arity:
        ctx.report(diag.arity(expr, expr.name, row.arity, len(expr.args)))
        for argument in expr.args:
            infer(ctx, argument)
        return None
    return _infer_intrinsic(ctx, expr, row, expected)


def _unknown_call(ctx: Context, expr: tree.PrimCall) -> Dtype:
    """Report a call of what is no intrinsic, or of a built-in function with a wrong number of arguments. [TIR.7]"""
    for argument in expr.args:
        if not isinstance(argument, tree.PrimVar) or argument.name not in dtypes.DTYPES:
            infer(ctx, argument)
    takes = intrinsics.BUILT_IN.get(expr.name)
    if takes is not None:
        ctx.report(diag.arity(expr, expr.name, takes, len(expr.args)))
        return None
    known = [*intrinsics.INTRINSICS, *intrinsics.BUILT_IN]
    written = intrinsics.OTHER_FORMS.get(expr.name)
    ctx.report(diag.unknown_intrinsic(expr, written, known))
    return None


def _infer_lazy(ctx: Context, expr: tree.PrimCall, expected: Dtype) -> Dtype:
    """Type `if_then_else(c, a, b)`; its branches are guarded by its condition. [TIR.13]"""
    if len(expr.args) != 3:
        ctx.report(diag.arity(expr, expr.name, 3, len(expr.args)))
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
        for kind, argument in zip(row.takes[1:], expr.args[1:], strict=True):
            other = infer(ctx, argument)
            if other is not None and not intrinsics.accepts(kind, other):
                _wrong_type(ctx, expr, expr.name, kind, other, argument)
    if dtype is not None and not intrinsics.accepts(row.takes[0], dtype):
        _wrong_type(ctx, expr, expr.name, row.takes[0], dtype, expr.args[0])
        dtype = None
    return dtypes.BOOL if row.gives == intrinsics.BOOL else dtype


_INFER: Table[tree.PrimExpr, Callable[[Context, Any, Dtype], Dtype]] = {
    tree.PrimVar: _infer_name,
    tree.IntImm: _infer_int,
    tree.FloatImm: _infer_float,
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
