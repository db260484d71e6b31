"""Expressions of a PrimFunc in terms of sizes and loop variables: block axes and `let`s are put in place.

What is not int64 arithmetic, or not a condition on it (loads, casts, calls, arithmetic of other types, which wraps
elsewhere), becomes an unknown: a name of any value. Shifts by and masks of literals are the
quotients and remainders that they compute. Expressions keep a bounded size. Never imports the prover.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.ir.symbols import DIM, SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.analysis.references.access_sites import LoopVariable
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.well_typed import Analysis

    Value = tree.PrimExpr | None

_LARGEST = 60
"""Nodes in the value of a name that is put in place: chains of names that double must end somewhere."""


class Resolver:
    """The values of names; `values` has loop variables, and axes and `let`s of type int64 and bool.

    A bool of which nothing is known is None. Unknowns are added to `unknowns`.
    """

    __slots__ = ("_symbols", "_types", "unknowns", "values")

    def __init__(self, analysis: Analysis, unknowns: list[str]) -> None:
        self._symbols = analysis.symbols
        self._types = analysis.types
        self.unknowns = unknowns
        self.values: dict[Symbol, Value] = {}

    def unknown(self) -> tree.PrimVar:
        """Return a name for an unknown value."""
        name = f"?{len(self.unknowns)}"
        self.unknowns.append(name)
        return tree.PrimVar(name)

    def bind(self, symbol: Symbol, value: Value) -> None:
        """Give a name its value, unless that is too large to be put in place again and again."""
        if value is not None and value.CHILDREN and is_larger(value, _LARGEST):
            value = None if symbol.dtype == dtypes.BOOL else self.unknown()
        self.values[symbol] = value

    def number(self, expr: tree.PrimExpr) -> tree.PrimExpr:
        """Resolve an int64 expression."""
        return _NUMBERS[type(expr)](self, expr)

    def condition(self, expr: tree.PrimExpr) -> Value:
        """Resolve a condition; None if nothing is known of it."""
        return _CONDITIONS[type(expr)](self, expr)

    def name(self, expr: tree.PrimVar) -> Value:
        """Resolve the use of a name."""
        symbol = self._symbols[expr]
        if symbol.kind in (DIM, SCALAR):
            return expr if symbol.dtype == dtypes.INT64 else None
        return self.values.get(symbol)

    def is_int64(self, expr: tree.PrimExpr) -> bool:
        """Return whether an operand is an int64: arithmetic of other types wraps where the prover does not."""
        return self._types.get(expr) == dtypes.INT64


def is_larger(expr: tree.PrimExpr, limit: int) -> bool:
    """Return whether an expression has more nodes than that; it may share some, so that counting must end."""
    return any(count >= limit for count, _ in enumerate(walk(expr)))


def _unknown(resolver: Resolver, expr: tree.PrimExpr) -> tree.PrimExpr:
    return resolver.unknown()


def _name(resolver: Resolver, expr: tree.PrimVar) -> tree.PrimExpr:
    found = resolver.name(expr)
    return resolver.unknown() if found is None else found


def _literal(resolver: Resolver, expr: tree.IntImm) -> tree.PrimExpr:
    return expr


def _binary(resolver: Resolver, expr: Any) -> tree.PrimExpr:
    a, b = resolver.number(expr.a), resolver.number(expr.b)
    return expr if a is expr.a and b is expr.b else type(expr)(a, b, expr.pos, expr.end)


def _negative(resolver: Resolver, expr: tree.Neg) -> tree.PrimExpr:
    a = resolver.number(expr.a)
    return expr if a is expr.a else tree.Neg(a, expr.pos, expr.end)


def _select(resolver: Resolver, expr: tree.Select) -> tree.PrimExpr:
    condition = resolver.condition(expr.condition)
    if condition is None:
        return resolver.unknown()
    yes, no = resolver.number(expr.true_value), resolver.number(expr.false_value)
    return tree.Select(condition, yes, no, expr.pos, expr.end)


def _shift(resolver: Resolver, expr: tree.ShiftLeft | tree.ShiftRight) -> tree.PrimExpr:
    if not isinstance(expr.b, tree.IntImm) or not 0 <= expr.b.value < 62:
        return resolver.unknown()
    by = tree.IntImm(1 << expr.b.value, None, None, expr.b.pos, expr.b.end)
    kind = tree.Mul if isinstance(expr, tree.ShiftLeft) else tree.FloorDiv
    return kind(resolver.number(expr.a), by, expr.pos, expr.end)


def _mask(resolver: Resolver, expr: tree.BitAnd) -> tree.PrimExpr:
    """Resolve `x & 7`, which is `x % 8`."""
    if not isinstance(expr.b, tree.IntImm) or expr.b.value <= 0 or expr.b.value & (expr.b.value + 1):
        return resolver.unknown()
    by = tree.IntImm(expr.b.value + 1, None, None, expr.b.pos, expr.b.end)
    return tree.FloorMod(resolver.number(expr.a), by, expr.pos, expr.end)


_NUMBERS: Table[tree.PrimExpr, Callable[[Resolver, Any], tree.PrimExpr]] = {
    **dict.fromkeys((*tree.COMPARISON, *tree.LOGICAL, *tree.PRIM_FUNC_ONLY), _unknown),
    **dict.fromkeys(tree.ARITHMETIC, _binary),
    tree.FloatImm: _unknown,
    tree.BoolImm: _unknown,
    tree.Not: _unknown,
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.Neg: _negative,
    tree.Select: _select,
    tree.ShiftLeft: _shift,
    tree.ShiftRight: _shift,
    tree.BitAnd: _mask,
}


def _truth(resolver: Resolver, expr: tree.BoolImm) -> Value:
    return expr


def _comparison(resolver: Resolver, expr: Any) -> Value:
    return _binary(resolver, expr) if resolver.is_int64(expr.a) else None


def _connected(resolver: Resolver, expr: Any) -> Value:
    a, b = resolver.condition(expr.a), resolver.condition(expr.b)
    return None if a is None or b is None else type(expr)(a, b, expr.pos, expr.end)


def _not(resolver: Resolver, expr: tree.Not) -> Value:
    a = resolver.condition(expr.a)
    return None if a is None else tree.Not(a, expr.pos, expr.end)


def _not_followed(resolver: Resolver, expr: tree.PrimExpr) -> Value:
    return None


_CONDITIONS: Table[tree.PrimExpr, Callable[[Resolver, Any], Value]] = {
    tree.BoolImm: _truth,
    tree.PrimVar: Resolver.name,
    **dict.fromkeys(tree.COMPARISON, _comparison),
    **dict.fromkeys(tree.LOGICAL, _connected),
    tree.Not: _not,
    tree.IntImm: _not_followed,
    tree.FloatImm: _not_followed,
    tree.Neg: _not_followed,
    tree.Select: _not_followed,
    **dict.fromkeys((*tree.ARITHMETIC, *tree.PRIM_FUNC_ONLY), _not_followed),
}


def plainly_inside(number: tree.PrimExpr, stop: tree.PrimExpr, loops: Sequence[LoopVariable]) -> bool:
    """Return whether an index is the variable of a loop over its dimension, or a number below it: nothing to ask."""
    if type(number) is tree.PrimVar:
        for loop in reversed(loops):
            if loop.name == number.name:
                return _is_natural(loop.low) and _same(loop.stop, stop)
        return False
    if type(number) is tree.IntImm and number.value >= 0:
        return type(stop) is tree.IntImm and number.value < stop.value
    return False


def _is_natural(expr: tree.PrimExpr) -> bool:
    return type(expr) is tree.IntImm and expr.value >= 0


def _same(a: tree.PrimExpr, b: tree.PrimExpr) -> bool:
    if type(a) is tree.PrimVar:
        return type(b) is tree.PrimVar and a.name == b.name
    return type(a) is tree.IntImm and type(b) is tree.IntImm and a.value <= b.value
