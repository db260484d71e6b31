"""PrimFunc expressions as vector expressions, and indices as polynomials over loop variables and sizes."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.ops.dtypes import named_dtype
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import intrinsics, scalars, typing
from relax_lang.tir.symbols import DIM, SCALAR
from relax_lang.tir.vector import Apply, Const, Load, Loop, Refused, Size, Storage, Vector
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.tir.entry import Entry
    from relax_lang.tir.symbols import Symbol

OPERATORS: dict[type[Node], str] = {
    **typing.ARITHMETIC,
    **typing.COMPARISONS,
    **typing.LOGIC,
    **typing.BITS,
    **typing.SHIFTS,
    tree.Not: "!",
    tree.BitNot: "~",
}


class Values:
    """What loop variables, axes and `let` names stand for, and the conversions that put it in their place."""

    def __init__(self, entry: Entry, storages: dict[Symbol, Storage]) -> None:
        self.entry = entry
        self.storages = storages
        self.loops: dict[str, Loop] = {}
        self._polynomials: dict[Symbol, Polynomial | None] = {}
        self._vectors: dict[Symbol, Vector] = {}

    def define(self, symbol: Symbol, polynomial: Polynomial | None, value: Vector) -> None:
        """Let a name stand for a value; `polynomial` is None where the value is none."""
        self._polynomials[symbol] = polynomial
        if polynomial is not None and polynomial.names().isdisjoint(self.loops):
            self.entry.known[symbol] = polynomial
        self._vectors[symbol] = value

    def bind(self, symbol: Symbol, expr: tree.PrimExpr) -> None:
        """Let a name stand for an expression that reads no buffer."""
        polynomial = None
        if self._dtype(expr) == dtypes.INT64:
            try:
                polynomial = self.polynomial(expr)
            except Refused:
                polynomial = None  # its uses as an index are refused, where there are any
        self.define(symbol, polynomial, self.vector(expr))

    def _dtype(self, expr: tree.PrimExpr) -> str:
        return self.entry.analysis.types[expr]

    def polynomial(self, expr: tree.PrimExpr) -> Polynomial:
        """Return an int64 expression as a polynomial; a part over sizes alone may be any expression."""
        if self._dtype(expr) != dtypes.INT64:
            raise Refused("the index is not computed in int64", expr)
        convert = _POLYNOMIAL.get(type(expr))
        return convert(self, expr) if convert is not None else self._named_size(expr)

    def _named_size(self, expr: tree.PrimExpr) -> Polynomial:
        return self.entry.define(self.entry.size_text(expr), "size")

    def name_polynomial(self, expr: tree.PrimVar) -> Polynomial:
        """Return what a name stands for as a polynomial."""
        symbol = self.entry.analysis.symbols[expr]
        if symbol.kind in (DIM, SCALAR):
            return Polynomial.name(self.entry.identifier(symbol))
        found = self._polynomials.get(symbol)
        if found is None:
            raise Refused(f"`{expr.name}` is not affine in the loop variables", expr)
        return found

    def access(self, storage: Storage, indices: tuple[tree.PrimExpr, ...]) -> tuple[Polynomial, ...]:
        """Return the index of an access; a buffer with a copy per iteration is indexed by the loops first."""
        outer = [Polynomial.name(loop.name) for loop in storage.outer]
        return (*outer, *[self.polynomial(index) for index in indices])

    def vector(self, expr: tree.PrimExpr) -> Vector:
        """Return an expression as a vector expression over the loops that it depends on."""
        return _VECTOR[type(expr)](self, expr)

    def name_vector(self, expr: tree.PrimVar) -> Vector:
        """Return what a name stands for."""
        symbol = self.entry.analysis.symbols[expr]
        if symbol.kind in (DIM, SCALAR):
            return Size(self.entry.identifier(symbol), self._dtype(expr))
        return self._vectors[symbol]

    def literal(self, expr: tree.IntImm | tree.FloatImm) -> Vector:
        """Return a literal in its type."""
        dtype = self._dtype(expr)
        return Const(scalars.literal(expr.value, dtype), dtype)

    def boolean(self, expr: tree.BoolImm) -> Vector:
        """Return `true` or `false`."""
        return Const(expr.value, dtypes.BOOL)

    def limit(self, expr: tree.TypeLimit) -> Vector:
        """Return `min_value(dtype)` or `max_value(dtype)`."""
        return Const(scalars.type_limit(expr.name, expr.dtype.name), expr.dtype.name)

    def operation(self, expr: Any) -> Vector:
        """Return a binary operation."""
        return Apply(OPERATORS[type(expr)], (self.vector(expr.a), self.vector(expr.b)), self._dtype(expr))

    def prefix(self, expr: Any) -> Vector:
        """Return `!a` or `~a`."""
        return Apply(OPERATORS[type(expr)], (self.vector(expr.a),), self._dtype(expr))

    def negative(self, expr: tree.Neg) -> Vector:
        """Return `-a`; before a literal the sign belongs to it."""
        dtype = self._dtype(expr)
        if isinstance(expr.a, tree.IntImm):
            return Const(scalars.literal(-expr.a.value, dtype), dtype)
        return Apply("neg", (self.vector(expr.a),), dtype)

    def select(self, expr: tree.Select) -> Vector:
        """Return `select(c, a, b)`."""
        parts = (self.vector(expr.condition), self.vector(expr.true_value), self.vector(expr.false_value))
        return Apply("select", parts, self._dtype(expr))

    def cast(self, expr: tree.Cast) -> Vector:
        """Return a conversion."""
        check_available(expr.dtype.name, expr)
        return Apply("cast", (self.vector(expr.value),), expr.dtype.name)

    def load(self, expr: tree.BufferLoad) -> Vector:
        """Return the elements of a buffer."""
        storage = self.storages[self.entry.analysis.symbols[expr.buffer]]
        index = self.access(storage, expr.indices)
        dims: set[str] = set()
        for part in index:
            dims |= part.names() & self.loops.keys()
        return Load(storage, index, frozenset(dims), expr)

    def call(self, expr: tree.PrimCall) -> Vector:
        """Return the call of an intrinsic; the lazy one is a select: every access in it is checked first."""
        op = "select" if expr.name == intrinsics.LAZY else expr.name
        return Apply(op, tuple([self.vector(argument) for argument in expr.args]), self._dtype(expr))


def check_available(dtype: str, node: Node) -> None:
    """Refuse a type whose package is not installed; the interpreter says so when it gets there."""
    try:
        named_dtype(dtype)
    except RunFailure as failure:
        raise Refused(failure.message, node) from None


def _sum(values: Values, expr: tree.Add) -> Polynomial:
    return values.polynomial(expr.a) + values.polynomial(expr.b)


def _difference(values: Values, expr: tree.Sub) -> Polynomial:
    return values.polynomial(expr.a) - values.polynomial(expr.b)


def _product(values: Values, expr: tree.Mul) -> Polynomial:
    return values.polynomial(expr.a) * values.polynomial(expr.b)


def _opposite(values: Values, expr: tree.Neg) -> Polynomial:
    return -values.polynomial(expr.a)


def _number(values: Values, expr: tree.IntImm) -> Polynomial:
    return Polynomial.constant(expr.value)


def _cast(values: Values, expr: tree.Cast) -> Polynomial:
    return values.polynomial(expr.value)  # refused unless it is int64 already


_POLYNOMIAL: dict[type[Node], Callable[[Values, Any], Polynomial]] = {
    tree.PrimVar: Values.name_polynomial,
    tree.IntImm: _number,
    tree.Add: _sum,
    tree.Sub: _difference,
    tree.Mul: _product,
    tree.Neg: _opposite,
    tree.Cast: _cast,
}

_VECTOR: dict[type[Node], Callable[[Values, Any], Vector]] = {
    **dict.fromkeys(OPERATORS, Values.operation),
    tree.PrimVar: Values.name_vector,
    tree.IntImm: Values.literal,
    tree.FloatImm: Values.literal,
    tree.BoolImm: Values.boolean,
    tree.TypeLimit: Values.limit,
    tree.Not: Values.prefix,
    tree.BitNot: Values.prefix,
    tree.Neg: Values.negative,
    tree.Select: Values.select,
    tree.Cast: Values.cast,
    tree.BufferLoad: Values.load,
    tree.PrimCall: Values.call,
}
