"""PrimFunc expressions as Python closures: the expression half of the scalar interpreter. [TIR.3-TIR.8, TIR.13]

`compiled(code, expr)` returns a function from the frame, a list with one slot per symbol, to a Python value.
Each closure evaluates its node and does nothing else; whatever fails raises `RunFailure` with the node.
"""

from __future__ import annotations

from operator import itemgetter

from relax_lang.syntax import dtypes, tree
from relax_lang.tir.interp import scalars
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.ir.typing import expression_types
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Frame = list[Any]
    Run = Callable[[Frame], Any]


class Code:
    """What the closures of one PrimFunc are made from: its analysis, and the slot of every symbol.

    The slot of a buffer holds a view that is indexed by one integer, or a tuple of several; the slot after it
    the array itself; then follow its sizes.
    """

    __slots__ = ("analysis", "n_slots", "slots")

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.slots: dict[Symbol, int] = {}
        self.n_slots = 0

    def slot(self, symbol: Symbol) -> int:
        """Return the slot of a symbol."""
        at = self.slots.get(symbol)
        if at is None:
            at = self.slots[symbol] = self.new_slots(1 if symbol.shape is None else 2 + len(symbol.shape))
        return at

    def new_slots(self, count: int) -> int:
        """Reserve slots and return the first."""
        at = self.n_slots
        self.n_slots += count
        return at

    def symbol(self, node: Node) -> Symbol:
        """Return what a name stands for."""
        return self.analysis.symbols[node]

    def dtype(self, expr: tree.PrimExpr) -> str:
        """Return the type of an expression."""
        return self.analysis.types[expr]


def compiled(code: Code, expr: tree.PrimExpr) -> Run:
    """Return the function that computes an expression from the frame."""
    return _COMPILE[type(expr)](code, expr)


def index_function(code: Code, access: Node, buffer: Symbol, indices: tuple[tree.PrimExpr, ...]) -> Run:
    """Return the function that computes the checked index of an access: an integer, or a tuple. [TIR.8]"""
    runs = [compiled(code, index) for index in indices]
    sizes = code.slot(buffer) + 2
    fail = bounds_failure(access, buffer)
    if not runs:
        return lambda frame: ()
    if len(runs) == 1:
        return _index_of_one(runs[0], sizes, fail)
    if len(runs) == 2:
        return _index_of_two(runs[0], runs[1], sizes, fail)

    def index(frame: Frame) -> tuple[int, ...]:
        values: list[int] = []
        for position, run in enumerate(runs):
            value = run(frame)
            if not 0 <= value < frame[sizes + position]:
                raise fail(position, value, frame[sizes + position])
            values.append(value)
        return tuple(values)

    return index


def _index_of_one(run: Run, size: int, fail: Any) -> Run:
    def index(frame: Frame) -> int:
        value: int = run(frame)
        if 0 <= value < frame[size]:
            return value
        raise fail(0, value, frame[size])

    return index


def _index_of_two(first: Run, second: Run, size: int, fail: Any) -> Run:
    def index(frame: Frame) -> tuple[int, int]:
        i: int = first(frame)
        if not 0 <= i < frame[size]:
            raise fail(0, i, frame[size])
        j: int = second(frame)
        if not 0 <= j < frame[size + 1]:
            raise fail(1, j, frame[size + 1])
        return i, j

    return index


def bounds_failure(access: Node, buffer: Symbol) -> Callable[[int, int, int], RunFailure]:
    """Return what makes the failure of an access, from the dimension, the index and the size."""

    def fail(position: int, value: int, extent: int) -> RunFailure:
        message = f"index {value} outside dimension {position} of `{buffer.name}` (0..{extent})"
        facts = {"buffer": buffer.name, "dimension": position, "index": value, "extent": extent}
        return RunFailure("tir-runtime-bounds", message, access, **facts)

    return fail


def _name(code: Code, expr: tree.PrimVar) -> Run:
    return itemgetter(code.slot(code.symbol(expr)))


def _constant(value: object) -> Run:
    return lambda frame: value


def _literal(code: Code, expr: tree.IntImm | tree.FloatImm) -> Run:
    return _constant(scalars.literal(expr.value, code.dtype(expr)))


def _bool(code: Code, expr: tree.BoolImm) -> Run:
    return _constant(expr.value)


def _limit(code: Code, expr: tree.TypeLimit) -> Run:
    return _constant(scalars.type_limit(expr.name, expr.dtype.name))


def _add(code: Code, expr: tree.Add) -> Run:
    a, b, fit = compiled(code, expr.a), compiled(code, expr.b), scalars.rounder(code.dtype(expr))
    return lambda frame: fit(a(frame) + b(frame))


def _sub(code: Code, expr: tree.Sub) -> Run:
    a, b, fit = compiled(code, expr.a), compiled(code, expr.b), scalars.rounder(code.dtype(expr))
    return lambda frame: fit(a(frame) - b(frame))


def _mul(code: Code, expr: tree.Mul) -> Run:
    a, b, fit = compiled(code, expr.a), compiled(code, expr.b), scalars.rounder(code.dtype(expr))
    return lambda frame: fit(a(frame) * b(frame))


def _applied(code: Code, expr: Any, function: Callable[[Any, Any], Any]) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: function(a(frame), b(frame))


def _division(code: Code, expr: Any) -> Run:
    kind, dtype = expression_types.ARITHMETIC[type(expr)], code.dtype(expr)
    if dtypes.is_float(dtype):
        return _applied(code, expr, scalars.float_division(kind, dtype))
    a, b, quotient = compiled(code, expr.a), compiled(code, expr.b), scalars.integer_division(kind, dtype)

    def divide(frame: Frame) -> int:
        dividend, divisor = a(frame), b(frame)
        if divisor == 0:
            raise RunFailure("tir-division-by-zero", "division by zero", expr)
        return quotient(dividend, divisor)

    return divide


def _extreme(code: Code, expr: tree.Min | tree.Max) -> Run:
    return _applied(code, expr, scalars.minimum if isinstance(expr, tree.Min) else scalars.maximum)


def _equal(code: Code, expr: tree.EQ) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) == b(frame)


def _not_equal(code: Code, expr: tree.NE) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) != b(frame)


def _less(code: Code, expr: tree.LT) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) < b(frame)


def _less_equal(code: Code, expr: tree.LE) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) <= b(frame)


def _greater(code: Code, expr: tree.GT) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) > b(frame)


def _greater_equal(code: Code, expr: tree.GE) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) >= b(frame)


def _and(code: Code, expr: tree.And) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) and b(frame)


def _or(code: Code, expr: tree.Or) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) or b(frame)


def _not(code: Code, expr: tree.Not) -> Run:
    a = compiled(code, expr.a)
    return lambda frame: not a(frame)


def _neg(code: Code, expr: tree.Neg) -> Run:
    if isinstance(expr.a, tree.IntImm):
        return _constant(scalars.literal(-expr.a.value, code.dtype(expr)))
    a, fit = compiled(code, expr.a), scalars.rounder(code.dtype(expr))
    return lambda frame: fit(-a(frame))


def _bit_and(code: Code, expr: tree.BitAnd) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) & b(frame)


def _bit_or(code: Code, expr: tree.BitOr) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) | b(frame)


def _bit_xor(code: Code, expr: tree.BitXor) -> Run:
    a, b = compiled(code, expr.a), compiled(code, expr.b)
    return lambda frame: a(frame) ^ b(frame)


def _shift(code: Code, expr: tree.ShiftLeft | tree.ShiftRight) -> Run:
    return _applied(code, expr, scalars.shifter(isinstance(expr, tree.ShiftLeft), code.dtype(expr)))


def _bit_not(code: Code, expr: tree.BitNot) -> Run:
    a, dtype = compiled(code, expr.a), code.dtype(expr)
    if dtype == dtypes.BOOL:
        return lambda frame: not a(frame)
    wrap = scalars.wrapper(dtype)
    return lambda frame: wrap(~a(frame))


def _select(code: Code, expr: tree.Select) -> Run:
    condition = compiled(code, expr.condition)
    yes, no = compiled(code, expr.true_value), compiled(code, expr.false_value)

    def select(frame: Frame) -> Any:
        chosen, a, b = condition(frame), yes(frame), no(frame)  # both sides, always [TIR.13]
        return a if chosen else b

    return select


def _cast(code: Code, expr: tree.Cast) -> Run:
    value = compiled(code, expr.value)
    convert = scalars.converter(code.dtype(expr.value), expr.dtype.name)
    return lambda frame: convert(value(frame))


def _load(code: Code, expr: tree.BufferLoad) -> Run:
    buffer = code.symbol(expr.buffer)
    at, index = code.slot(buffer), index_function(code, expr, buffer, expr.indices)
    return lambda frame: frame[at][index(frame)]


def _call(code: Code, expr: tree.PrimCall) -> Run:
    runs = [compiled(code, argument) for argument in expr.args]
    if expr.name == intrinsics.LAZY:
        condition, yes, no = runs
        return lambda frame: yes(frame) if condition(frame) else no(frame)
    function = scalars.intrinsic_function(intrinsics.INTRINSICS[expr.name])
    makers = [scalars.typed(code.dtype(argument)) for argument in expr.args]
    if len(runs) == 1:
        run, make = runs[0], makers[0]
        return lambda frame: function(make(run(frame))).item()
    (a, b), (make_a, make_b) = runs, makers
    return lambda frame: function(make_a(a(frame)), make_b(b(frame))).item()


_COMPILE: Table[tree.PrimExpr, Callable[[Code, Any], Run]] = {
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.FloatImm: _literal,
    tree.BoolImm: _bool,
    tree.TypeLimit: _limit,
    tree.Add: _add,
    tree.Sub: _sub,
    tree.Mul: _mul,
    tree.Div: _division,
    tree.FloorDiv: _division,
    tree.FloorMod: _division,
    tree.Min: _extreme,
    tree.Max: _extreme,
    tree.EQ: _equal,
    tree.NE: _not_equal,
    tree.LT: _less,
    tree.LE: _less_equal,
    tree.GT: _greater,
    tree.GE: _greater_equal,
    tree.And: _and,
    tree.Or: _or,
    tree.Not: _not,
    tree.Neg: _neg,
    tree.BitAnd: _bit_and,
    tree.BitOr: _bit_or,
    tree.BitXor: _bit_xor,
    tree.ShiftLeft: _shift,
    tree.ShiftRight: _shift,
    tree.BitNot: _bit_not,
    tree.Select: _select,
    tree.Cast: _cast,
    tree.BufferLoad: _load,
    tree.PrimCall: _call,
}
