"""PrimFunc expressions as scalar code: the text of an expression, with lines before it for what may fail. [TIR.3-TIR.8]

What is evaluated, and in which order, is what the interpreter does; an index outside of its buffer or a division by
zero leaves the function with the number of its place.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes, tree
from relax_lang.tir.interp import scalars
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.ir.typing import expression_types as typing
from relax_lang.tir.ir.typing import untyped_literals
from relax_lang.tir.loops.writer import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.writer import Writer


_WRAPS = 63
"""An index of so many bits may have wrapped around, and is compared with the size in any case."""


def value_of(writer: Writer, expr: tree.PrimExpr) -> Value:
    """Write an expression; return its text."""
    stream = writer.streams.get(expr)
    if stream is not None:
        return Value(stream, is_fixed=True)
    return writer.short(_WRITE[type(expr)](writer, expr))


def condition_of(writer: Writer, expr: tree.PrimExpr) -> str:
    """Write a condition; return its text."""
    return value_of(writer, expr).text


def place_of(writer: Writer, access: Node, buffer: Symbol, indices: tuple[tree.PrimExpr, ...]) -> str:
    """Write the tests of an access; return the element as text. [TIR.8]"""
    return _element(writer, access, buffer, indices).text


def _element(writer: Writer, access: Node, buffer: Symbol, indices: tuple[tree.PrimExpr, ...]) -> Value:
    name = writer.name_of(buffer)
    variable = writer.elements.variable(name, buffer, indices)
    if variable is not None:
        return Value(variable, is_fixed=writer.elements.is_fixed(buffer))
    places: list[str] = []
    is_fixed = writer.elements.is_fixed(buffer)
    for position, index in enumerate(indices):
        value = value_of(writer, index)
        place = writer.operand(value)
        is_fixed &= value.is_fixed
        if value.wraps or value.bits >= _WRAPS or not writer.is_inside(access, position):
            size = f"{name}_{position}"
            if not writer.is_tested(value._replace(text=place), size):
                site = writer.failure_point(access, buffer)
                writer.add(f"if not 0 <= {place} < {size}:")
                writer.add(f"    fault[0] = {position}; fault[1] = {place}; fault[2] = {size}")
                writer.add(f"    return {site}")
        places.append(writer.spelling.index(place))
    return Value(writer.elements.place(name, buffer, places), is_fixed=is_fixed)


def _name(writer: Writer, expr: tree.PrimVar) -> Value:
    symbol = writer.symbol(expr)
    return Value(writer.name_of(symbol), writer.bits_of(symbol), is_fixed=True, wraps=writer.wraps(symbol))


def _constant(writer: Writer, value: float | bool, dtype: str) -> Value:
    bits = abs(int(value)).bit_length() if dtypes.is_integer(dtype) else 64
    return Value(writer.spelling.literal(value, dtype), bits, is_short=True, is_fixed=True)


def _literal(writer: Writer, expr: tree.IntImm | tree.FloatImm) -> Value:
    dtype = writer.dtype(expr)
    return _constant(writer, scalars.literal(expr.value, dtype), dtype)


def _bool(writer: Writer, expr: tree.BoolImm) -> Value:
    return _constant(writer, expr.value, dtypes.BOOL)


def _limit(writer: Writer, expr: tree.TypeLimit) -> Value:
    return _constant(writer, scalars.type_limit(expr.name, expr.dtype.name), expr.dtype.name)


def _made_of(parts: Sequence[Value], text: str, bits: int = 64) -> Value:
    """Return a value that is computed from others."""
    are_fixed, wrap = all(part.is_fixed for part in parts), any(part.wraps for part in parts)
    return Value(text, bits, is_fixed=are_fixed, wraps=wrap)


def combined(writer: Writer, op: str, a: Value, b: Value, dtype: str) -> Value:
    """Write a sum, a difference or a product of two values."""
    bits = a.bits + b.bits if op == "*" else max(a.bits, b.bits) + 1
    text = writer.spelling.arithmetic(op, a.text, b.text, dtype, bits)
    return fitted(writer, _made_of((a, b), text, bits), dtype)


def fitted(writer: Writer, value: Value, dtype: str) -> Value:
    """Bring a result into its type."""
    if not writer.spelling.needs_fitting(dtype, value.bits):
        return value._replace(text=f"({value.text})")
    name = writer.operand(value) if dtype in dtypes.SIGNED else value.text
    return Value(writer.spelling.fitted(name, dtype), 64, is_fixed=value.is_fixed, wraps=True)


def _arithmetic(writer: Writer, expr: tree.Add | tree.Sub | tree.Mul) -> Value:
    a, b = value_of(writer, expr.a), value_of(writer, expr.b)
    return combined(writer, untyped_literals.ARITHMETIC[type(expr)], a, b, writer.dtype(expr))


def _division(writer: Writer, expr: Any) -> Value:
    kind, dtype = untyped_literals.ARITHMETIC[type(expr)], writer.dtype(expr)
    first = value_of(writer, expr.a)
    if dtypes.is_float(dtype):
        divisor = value_of(writer, expr.b)
        a, b = writer.operand(first), writer.operand(divisor)
        text = writer.spelling.division(kind, a, b, dtype, is_zero=not _is_nonzero(expr.b, dtype))
        return _made_of((first, divisor), f"({text})")
    second = value_of(writer, expr.b)
    a, b = writer.operand(first), writer.operand(second)
    if not _is_nonzero(expr.b, dtype):
        site = writer.failure_point(expr)
        writer.add(f"if {b} == 0:")
        writer.add(f"    return {site}")
    if kind == "//" and writer.spelling.checks_width and first.bits < 63:  # the quotient fits: no wrapping
        return _made_of((first, second), f"({a} // {b})", first.bits + 1)
    bits = min(second.bits, 64) if kind == "%" else 64
    return _made_of((first, second), f"({writer.spelling.division(kind, a, b, dtype)})", bits)


def _is_nonzero(expr: tree.PrimExpr, dtype: str) -> bool:
    """Return whether a divisor is a number other than 0 in its type."""
    return isinstance(expr, tree.IntImm | tree.FloatImm) and scalars.literal(expr.value, dtype) != 0


def _extreme(writer: Writer, expr: tree.Min | tree.Max) -> Value:
    first, second = value_of(writer, expr.a), value_of(writer, expr.b)
    a, b = writer.operand(first), writer.operand(second)
    op, dtype = untyped_literals.ARITHMETIC[type(expr)], writer.dtype(expr)
    text = writer.spelling.extreme(op, a, b, dtype)
    return _made_of((first, second), f"({text})", max(first.bits, second.bits))


def _comparison(writer: Writer, expr: Any) -> Value:
    a, b = value_of(writer, expr.a), value_of(writer, expr.b)
    text = f"({a.text} {typing.COMPARISONS[type(expr)]} {b.text})"
    return Value(text, wraps=a.wraps or b.wraps)


def _logic(writer: Writer, expr: tree.And | tree.Or) -> Value:
    word = "and" if isinstance(expr, tree.And) else "or"
    a = value_of(writer, expr.a)
    with writer.aside() as lines:
        b = value_of(writer, expr.b)
    if not lines:
        return Value(f"({a.text} {word} {b.text})", wraps=a.wraps or b.wraps)
    name = writer.define(a.text)
    writer.add(f"if {name if word == 'and' else f'not {name}'}:")
    writer.add_inside([*lines, f"{name} = {b.text}"])
    return Value(name, wraps=a.wraps or b.wraps)


def _not(writer: Writer, expr: tree.Not) -> Value:
    value = value_of(writer, expr.a)
    return Value(f"(not {value.text})", wraps=value.wraps)


def _neg(writer: Writer, expr: tree.Neg) -> Value:
    dtype = writer.dtype(expr)
    if isinstance(expr.a, tree.IntImm):
        return _constant(writer, scalars.literal(-expr.a.value, dtype), dtype)
    a = value_of(writer, expr.a)
    negated = Value(writer.spelling.negated(a.text, dtype), a.bits + 1, wraps=a.wraps)
    return fitted(writer, negated, dtype)


def _bits(writer: Writer, expr: Any) -> Value:
    a, b = value_of(writer, expr.a), value_of(writer, expr.b)
    text = writer.spelling.bitwise(untyped_literals.BITS[type(expr)], a.text, b.text, writer.dtype(expr))
    return _made_of((a, b), f"({text})")


def _shift(writer: Writer, expr: tree.ShiftLeft | tree.ShiftRight) -> Value:
    by, is_left = expr.b, isinstance(expr, tree.ShiftLeft)
    if (
        writer.spelling.checks_width
        and not is_left
        and isinstance(by, tree.IntImm)
        and 0 <= by.value < dtypes.INTEGERS[writer.dtype(expr)]
    ):
        shifted = value_of(writer, expr.a)
        return _made_of((shifted,), f"({shifted.text} >> {by.value})")  # what is left fits
    a, b = value_of(writer, expr.a), value_of(writer, by)
    text = writer.spelling.shifted(is_left, a.text, b.text, writer.dtype(expr))
    return _made_of((a, b), text)._replace(wraps=True)


def _bit_not(writer: Writer, expr: tree.BitNot) -> Value:
    dtype = writer.dtype(expr)
    value = value_of(writer, expr.a)
    inverted = Value(f"({writer.spelling.inverted(value.text, dtype)})", wraps=value.wraps)
    return inverted if dtype == dtypes.BOOL else fitted(writer, inverted, dtype)


def _select(writer: Writer, expr: tree.Select) -> Value:
    condition = value_of(writer, expr.condition)
    yes, no = value_of(writer, expr.true_value), value_of(writer, expr.false_value)
    text, bits = f"({yes.text} if {condition.text} else {no.text})", max(yes.bits, no.bits)
    return Value(text, bits, wraps=condition.wraps or yes.wraps or no.wraps)


def _cast(writer: Writer, expr: tree.Cast) -> Value:
    source, target = writer.dtype(expr.value), expr.dtype.name
    value = value_of(writer, expr.value)
    kept = source == target or (dtypes.is_integer(source) and target == dtypes.INT64)
    text = writer.spelling.cast(writer.operand(value), source, target)
    return Value(text, value.bits if kept else 64, is_fixed=value.is_fixed, wraps=value.wraps or not kept)


def _load(writer: Writer, expr: tree.BufferLoad) -> Value:
    buffer = writer.symbol(expr.buffer)
    return _element(writer, expr, buffer, expr.indices)


def _call(writer: Writer, expr: tree.PrimCall) -> Value:
    if expr.name == intrinsics.LAZY:
        return _lazy_choice(writer, expr)
    values = [value_of(writer, argument) for argument in expr.args]
    args = [writer.operand(value) for value in values]
    types = [writer.dtype(argument) for argument in expr.args]
    text = writer.spelling.call(intrinsics.INTRINSICS[expr.name], args, types)
    return Value(f"({text})", wraps=any(value.wraps for value in values))


def _lazy_choice(writer: Writer, expr: tree.PrimCall) -> Value:
    """Write a choice of which one side is evaluated. [TIR.13]"""
    condition = value_of(writer, expr.args[0])
    with writer.aside() as first:
        yes = value_of(writer, expr.args[1])
    with writer.aside() as second:
        no = value_of(writer, expr.args[2])
    bits, wraps = max(yes.bits, no.bits), condition.wraps or yes.wraps or no.wraps
    if not first and not second:
        return Value(f"({yes.text} if {condition.text} else {no.text})", bits, wraps=wraps)
    name = writer.fresh()
    writer.add(f"if {condition.text}:")
    writer.add_inside([*first, f"{name} = {yes.text}"])
    writer.add("else:")
    writer.add_inside([*second, f"{name} = {no.text}"])
    return Value(name, bits, wraps=wraps)


_WRITE: Table[tree.PrimExpr, Callable[[Writer, Any], Value]] = {
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.FloatImm: _literal,
    tree.BoolImm: _bool,
    tree.TypeLimit: _limit,
    tree.Add: _arithmetic,
    tree.Sub: _arithmetic,
    tree.Mul: _arithmetic,
    tree.Div: _division,
    tree.FloorDiv: _division,
    tree.FloorMod: _division,
    tree.Min: _extreme,
    tree.Max: _extreme,
    tree.EQ: _comparison,
    tree.NE: _comparison,
    tree.LT: _comparison,
    tree.LE: _comparison,
    tree.GT: _comparison,
    tree.GE: _comparison,
    tree.And: _logic,
    tree.Or: _logic,
    tree.Not: _not,
    tree.Neg: _neg,
    tree.BitAnd: _bits,
    tree.BitOr: _bits,
    tree.BitXor: _bits,
    tree.ShiftLeft: _shift,
    tree.ShiftRight: _shift,
    tree.BitNot: _bit_not,
    tree.Select: _select,
    tree.Cast: _cast,
    tree.BufferLoad: _load,
    tree.PrimCall: _call,
}
