"""PrimFunc expressions as vector expressions; int64 arithmetic on loop variables and sizes as polynomials."""

from __future__ import annotations

from functools import reduce

from relax_lang.arith.polynomials.atoms import divided
from relax_lang.arith.polynomials.division import exact_quotient, in_parts, split
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Storage, facts_of_comparison
from relax_lang.tir.analysis.lowered.value_ranges import may_divide_by_zero
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Const,
    Index,
    Load,
    NotVectorizable,
    Size,
    Space,
    Vector,
    all_loads,
    as_polynomial,
    parts_of,
)
from relax_lang.tir.interp import scalars
from relax_lang.tir.ir.symbols import DIM, SCALAR
from relax_lang.tir.ir.typing import expression_types as typing
from relax_lang.tir.ir.typing import untyped_literals
from relax_lang.tir.lower.guards import definition
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.lower.guards import Guards

OPERATORS = {
    **untyped_literals.ARITHMETIC,
    **typing.COMPARISONS,
    **typing.LOGIC,
    **untyped_literals.BITS,
    **untyped_literals.SHIFTS,
    tree.Not: "!",
    tree.BitNot: "~",
}

MOST_VALUES = 100_000
"""Expressions of one PrimFunc that are compiled: what follows takes time for each."""

_SMALL = 1 << 31
_POWERS = 3
_MOST_TERMS = 64
"""Polynomials are exact and int64 wraps around: what could come near that is left as an operation on arrays."""


class Values:
    """What loop variables, axes and `let` names stand for, and the conversions that put it in their place."""

    def __init__(self, entry: Guards, storages: dict[Symbol, Storage]) -> None:
        self.entry = entry
        self.storages = storages
        self.space = Space(entry.fresh)
        self.divisors: dict[str, Polynomial] = {}
        """By what the variables of loops of a whole number of parts are divided, the first divisor of each."""
        self._vectors: dict[Symbol, Vector] = {}
        self._polynomials: dict[int, Polynomial] = {}
        """Of operations, by key: what is shared in them is converted once."""
        self._made = 0
        entry.definition = self._definition

    def define(self, symbol: Symbol, value: Vector) -> None:
        """Let a name stand for a value."""
        self._vectors[symbol] = value

    def index(self, polynomial: Polynomial) -> Index:
        """Return the value of a polynomial."""
        return Index(polynomial, self.space.dims(polynomial))

    def dtype(self, expr: tree.PrimExpr) -> str:
        """Return the type of an expression."""
        return self.entry.analysis.types[expr]

    def polynomial(self, expr: tree.PrimExpr) -> Polynomial:
        """Return an index or a bound as a polynomial; what is not one in it gets a name."""
        return self.as_polynomial(self.vector(expr))

    def as_polynomial(self, vector: Vector) -> Polynomial:
        """Return an int64 expression as a polynomial."""
        found = as_polynomial(vector)
        if found is None:
            found = self._polynomials.get(vector.key)
        if found is None:
            found = self._polynomials[vector.key] = self._as_polynomial(vector)
        return found

    def _as_polynomial(self, vector: Vector) -> Polynomial:
        if isinstance(vector, Apply) and vector.dtype == dtypes.INT64 and vector.op in _FOLDS:
            found = self._folded(vector.op, [self.as_polynomial(arg) for arg in vector.args])
            if found is not None:
                return found
        if not vector.dims and not all_loads(self.space, vector):
            number = self.entry.scalar(vector)
            if number is not None:
                return self.entry.define_size(vector, number)
        return self.space.atom(vector, self.entry.fresh("at"))

    def _definition(self, name: str) -> list[Polynomial]:
        """Return what is not negative because of what an atom is."""
        atom = self.space.atoms.get(name)
        return [] if atom is None else definition(atom.vector, Polynomial.name(name))

    def proves(self, value: Polynomial, *, beside: Sequence[Polynomial] = ()) -> bool:
        """Return whether a value is proved to be at least 0 where it is evaluated, and others `beside` it."""
        names: set[str] = set()
        pending = set[str]().union(*[self.space.dims(polynomial) for polynomial in (value, *beside)])
        while pending:
            names |= pending
            pending = set[str]().union(*[self.space.dims(self.space.loops[name].extent) for name in pending])
            pending -= names
        loops = [loop for loop in self.space.loops.values() if loop.name in names]
        return self.entry.analyzer.proves(value, [part for loop in loops for part in loop.constraints])

    def extent(self, extent: Polynomial, name: str) -> Polynomial:
        """Return the extent of a loop, which is 0 where its bounds are the wrong way round."""
        if self.proves(extent):
            return extent
        if extent.value is not None:
            return Polynomial.constant(0)
        if not self.space.varies(extent):
            return self.entry.define_extent(extent, name)
        least = self.index(Polynomial.constant(0))
        return self.space.atom(
            Apply("max", (least, self.index(extent)), dtypes.INT64), self.entry.fresh("size")
        )

    def _folded(self, op: str, args: list[Polynomial]) -> Polynomial | None:
        """Return the sum, difference, product or opposite of polynomials, unless it may get large."""
        if op == "neg":
            result = -args[0]
        elif op == "+":
            result = args[0] + args[1]
        else:
            result = args[0] - args[1] if op == "-" else args[0] * args[1]
        if any(self.entry.is_wide(arg) for arg in args):
            return None
        if len(result.terms) > _MOST_TERMS:
            return None
        for monomial, factor in result.terms.items():
            if abs(factor) >= _SMALL or (op == "*" and len(monomial) > _POWERS):
                return None
        return result

    def vector(self, expr: tree.PrimExpr) -> Vector:
        """Return an expression as a vector expression over the loops that it depends on."""
        self._made += 1
        if self._made > MOST_VALUES:
            raise NotVectorizable(f"the function has more than {MOST_VALUES:,} operations", expr)
        return _VECTOR[type(expr)](self, expr)

    def name(self, expr: tree.PrimVar) -> Vector:
        """Return what a name stands for."""
        symbol = self.entry.analysis.symbols[expr]
        if symbol.kind == DIM or (symbol.kind == SCALAR and symbol.dtype == dtypes.INT64):
            if symbol.kind == SCALAR:
                self.entry.limit(symbol)
            return self.index(Polynomial.name(self.entry.identifier(symbol)))
        if symbol.kind == SCALAR:
            return Size(self.entry.identifier(symbol), self.dtype(expr))
        return self._vectors[symbol]

    def literal(self, expr: tree.IntImm | tree.FloatImm) -> Vector:
        """Return a literal in its type."""
        dtype = self.dtype(expr)
        return self._number(scalars.literal(expr.value, dtype), dtype)

    def _number(self, value: float, dtype: str) -> Vector:
        if dtype == dtypes.INT64 and isinstance(value, int) and abs(value) < _SMALL:
            return self.index(Polynomial.constant(value))
        return Const(value, dtype)

    def boolean(self, expr: tree.BoolImm) -> Vector:
        """Return `true` or `false`."""
        return Const(expr.value, dtypes.BOOL)

    def limit(self, expr: tree.TypeLimit) -> Vector:
        """Return `min_value(dtype)` or `max_value(dtype)`."""
        return Const(scalars.type_limit(expr.name, expr.dtype.name), expr.dtype.name)

    def operation(self, expr: Any) -> Vector:
        """Return a binary operation."""
        return self.apply(OPERATORS[type(expr)], (self.vector(expr.a), self.vector(expr.b)), self.dtype(expr))

    def apply(self, op: str, args: tuple[Vector, ...], dtype: str) -> Vector:
        """Return an operation; on polynomials, as one if it is."""
        if dtype == dtypes.INT64 and op in _ON_INDICES:
            plain = [arg.polynomial for arg in args if isinstance(arg, Index)]
            if len(plain) == len(args):
                found = self._folded(op, plain) if op in _FOLDS else self._divided(op, *plain)
                if found is not None:
                    return self.index(found)
        if op == "if_then_else":
            op, args = self._choice(args, dtype)
            if op == "yes":
                return args[0]
            if op in ("&&", "||"):
                return self.apply(op, args, dtype)
        vector = Apply(op, args, dtype)
        if dtype == dtypes.INT64 and not vector.dims and not all_loads(self.space, vector):
            number = self.entry.scalar(vector)
            if number is not None:
                return self.index(self.entry.define_size(vector, number))
        return vector

    def _choice(self, args: tuple[Vector, ...], dtype: str) -> tuple[str, tuple[Vector, ...]]:
        """Return the simplest operation that an `if_then_else` is, with its arguments; `yes` if its condition holds."""
        parts = _conjuncts(args[0])
        left = [part for part in parts if not self._always_holds(part)]
        if not left:
            return "yes", (args[1],)
        condition, yes, no = reduce(_both, left) if len(left) < len(parts) else args[0], *args[1:]
        if dtype == dtypes.BOOL and isinstance(no, Const) and not no.value:
            return "&&", (condition, yes)
        if dtype == dtypes.BOOL and isinstance(yes, Const) and yes.value:
            return "||", (condition, no)
        is_safe = not is_risky(self.space, yes) and not is_risky(self.space, no)
        # Of what cannot fail both may be evaluated: the result is the same, and it is simpler.
        return "select" if is_safe else "if_then_else", (condition, yes, no)

    def _always_holds(self, condition: Vector) -> bool:
        """Return whether a comparison of indices is proved in all iterations."""
        if not isinstance(condition, Apply) or condition.op not in typing.COMPARISONS.values():
            return False
        a, b = condition.args
        if not isinstance(a, Index) or not isinstance(b, Index) or not condition.dims:
            return False
        facts = facts_of_comparison(condition.op, a.polynomial, b.polynomial)
        return bool(facts) and all(self.proves(fact) for fact in facts)

    def _divided(self, op: str, a: Polynomial, b: Polynomial) -> Polynomial | None:
        """Return `a // b`, `a % b` or `a / b` as a polynomial, if it is one."""
        number = b.value
        if b.value == 0 or (number is None and not self.proves(b - 1, beside=(a,))) or (number or 1) < 0:
            return None
        if op == "/" and not self.proves(a, beside=(b,)):
            return None
        quotient, rest = split_by(a, b)
        if self.proves(rest, beside=(a, b)) and self.proves(b - 1 - rest, beside=(a, b)):
            return rest if op == "%" else quotient
        self._note_divisor(rest, b)
        if number is None or op == "/":
            return None
        for part, parts, inner in in_parts(rest, number):
            if self.proves(inner, beside=(a, b)) and self.proves(-inner + (part - 1), beside=(a, b)):
                args = self.index(parts), self.index(Polynomial.constant(number // part))
                found = self.as_polynomial(self.apply(op, args, dtypes.INT64))
                return found * Polynomial.constant(part) + inner if op == "%" else quotient + found
        if not quotient.terms:
            return None
        part = self.as_polynomial(self.apply(op, (self.index(rest), self.index(b)), dtypes.INT64))
        return part if op == "%" else quotient + part

    def _note_divisor(self, rest: Polynomial, divisor: Polynomial) -> None:
        """Note by what the variable of a loop is divided, if the loop is a whole number of such parts."""
        names = self.space.dims(rest)
        loop = self.space.loops.get(next(iter(names))) if len(names) == 1 else None
        if loop is None or loop.name in self.divisors or rest != Polynomial.name(loop.name):
            return
        if exact_quotient(loop.extent, divisor) is not None:
            self.divisors[loop.name] = divisor

    def prefix(self, expr: Any) -> Vector:
        """Return `!a` or `~a`."""
        return Apply(OPERATORS[type(expr)], (self.vector(expr.a),), self.dtype(expr))

    def negative(self, expr: tree.Neg) -> Vector:
        """Return `-a`; before a literal the sign belongs to it."""
        dtype = self.dtype(expr)
        if isinstance(expr.a, tree.IntImm):
            return self._number(scalars.literal(-expr.a.value, dtype), dtype)
        if isinstance(expr.a, tree.FloatImm):
            return Const(scalars.literal(-expr.a.value, dtype), dtype)
        return self.apply("neg", (self.vector(expr.a),), dtype)

    def select(self, expr: tree.Select) -> Vector:
        """Return `select(c, a, b)`."""
        parts = (self.vector(expr.condition), self.vector(expr.true_value), self.vector(expr.false_value))
        return self.apply("select", parts, self.dtype(expr))

    def cast(self, expr: tree.Cast) -> Vector:
        """Return a conversion."""
        check_available(expr.dtype.name, expr)
        value = self.vector(expr.value)
        if expr.dtype.name == value.dtype and value.dtype not in dtypes.HALVES:
            return value
        return Apply("cast", (value,), expr.dtype.name)

    def load(self, expr: tree.BufferLoad) -> Vector:
        """Return the elements of a buffer."""
        storage = self.storages[self.entry.analysis.symbols[expr.buffer]]
        index = self.access(storage, expr.indices)
        return self.space.element(storage, index, expr)

    def access(self, storage: Storage, indices: tuple[tree.PrimExpr, ...]) -> tuple[Polynomial, ...]:
        """Return the index of an access; a buffer with a copy per iteration is indexed by the loops first."""
        outer = [Polynomial.name(loop.name) for loop in storage.outer]
        return (*outer, *[self.polynomial(index) for index in indices])

    def call(self, expr: tree.PrimCall) -> Vector:
        """Return the call of an intrinsic."""
        args = tuple([self.vector(argument) for argument in expr.args])
        return self.apply(expr.name, args, self.dtype(expr))


def _conjuncts(condition: Vector) -> list[Vector]:
    """Return the parts of a condition that must all hold, in the order in which they are evaluated."""
    if isinstance(condition, Apply) and condition.op == "&&":
        return [*_conjuncts(condition.args[0]), *_conjuncts(condition.args[1])]
    return [condition]


def _both(a: Vector, b: Vector) -> Vector:
    return Apply("&&", (a, b), dtypes.BOOL)


def check_available(dtype: str, node: Node) -> None:
    """Refuse a type whose package is not installed; the interpreter reports it when it gets there."""
    try:
        named_dtype(dtype)
    except RunFailure as failure:
        raise NotVectorizable(failure.message, node) from None


def is_risky(space: Space, vector: Vector, evaluated: Collection[int] = ()) -> bool:
    """Return whether evaluating an expression may fail: it reads an array, or divides by what may be 0.

    `evaluated` are the keys of expressions that are evaluated anyway: what is in them adds no risk.
    """
    seen: set[int] = set()
    pending = [vector]
    while pending:
        one = pending.pop()
        if one.key in seen:  # the atoms of an index share parts
            continue
        for part in parts_of(one, evaluated):
            if isinstance(part, Load) or may_divide_by_zero(part):
                return True
            if isinstance(part, Index) and part.key not in seen:
                pending += [atom.vector for atom in space.atoms_in(part.polynomial)]
            seen.add(part.key)
    return False


def split_by(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return quotient and rest; by a positive number, of every factor."""
    number = b.value
    if number is None:
        return split(a, b)
    quotient = divided(a, number)
    return quotient, a - quotient * number


_FOLDS = ("+", "-", "*", "neg")
_ON_INDICES = (*_FOLDS, "/", "//", "%")

_VECTOR: Table[tree.PrimExpr, Callable[[Values, Any], Vector]] = {
    **dict.fromkeys(OPERATORS, Values.operation),
    tree.PrimVar: Values.name,
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
