"""Vector expressions as array IR: one expression each, in which a value that is used twice has a name.

Every value is an array whose dimensions are the last ones of a given order of loops, with size 1 where the value does
not vary. Where operations put their results, and what need not be computed, is decided by the passes.
"""

from __future__ import annotations

from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, Named, Size, all_loads
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.operations import takes_plain_numbers
from relax_lang.tir.codegen.passes.effects import may_fail
from relax_lang.tir.codegen.views import align, gather, index_values, is_view, view
from relax_lang.tir.codegen.writer import literal, typed_literal
from relax_lang.tir.ir.typing.expression_types import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Domain, Expr
    from relax_lang.tir.codegen.writer import Writer


class Arrays:
    """The expressions for values over an order of loops."""

    def __init__(self, writer: Writer, order: Sequence[str]) -> None:
        self._writer = writer
        self._order = tuple(order)
        self._full = frozenset(order) - writer.fixed
        self._uses: dict[int, int] = {}
        self._values: dict[int, Expr] = {}
        self._sizes: Domain = None

    def value(self, vector: Vector) -> Expr:
        """Return an expression; what it uses twice is written before."""
        self._count(vector)
        return self._value(vector)

    def values(self, vectors: Sequence[Vector]) -> list[Expr]:
        """Return some expressions; what they use twice is written before."""
        for vector in vectors:
            self._count(vector)
        return [self._value(vector) for vector in vectors]

    def _count(self, vector: Vector) -> None:
        pending = [vector]
        while pending:
            part = pending.pop()
            self._uses[part.key] = self._uses.get(part.key, 0) + 1
            if self._uses[part.key] == 1 and isinstance(part, Apply):
                pending.extend(part.args)

    def _value(self, vector: Vector) -> Expr:
        found = self._values.get(vector.key)
        if found is None:
            found = self._computed(vector)
            if self._uses[vector.key] > 1 and not isinstance(vector, Const | Size):
                found = found if isinstance(found, Ref | ir.Typed) else self._writer.name(found)
                self._values[vector.key] = found
        return found

    def _computed(self, vector: Vector) -> Expr:
        match vector:
            case Apply():
                return self._apply(vector)
            case Const() | Size():
                return _number(vector)
            case Index():
                return self._sum_of_indices(vector) or self._index(vector.polynomial)
            case Named():
                return align(Ref(vector.text, vector.dtype), vector.axes, self._order)
            case Load():
                return self._load(vector)
            case _:
                assert_never(vector)

    def _index(self, polynomial: Polynomial) -> Expr:
        """Return the values of a polynomial over loops."""
        if self._writer.is_fixed(polynomial):
            return ir.Typed(self._writer.number(polynomial), dtypes.INT64)
        return index_values(self._writer, polynomial, self._order)

    def _sum_of_indices(self, vector: Index) -> Expr | None:
        """Return an index over several loops as the sum of one over the outermost loop and one over the others."""
        space, terms = self._writer.space, vector.polynomial.terms
        domain = self._domain(vector)
        if domain is None or len(self._order) < 2:
            return None
        parts: list[dict[tuple[str, ...], int]] = [{}, {}]
        for monomial, factor in terms.items():
            parts[self._order[0] not in space.dims(Polynomial({monomial: factor}))][monomial] = factor
        halves = [Polynomial(part) for part in parts]
        if any(space.dims(half) - self._writer.fixed in (frozenset(), self._full) for half in halves):
            return None
        args = tuple([index_values(self._writer, half, self._order) for half in halves])
        return ir.Elementwise("+", args, dtypes.INT64, domain)

    def _load(self, load: Load) -> Expr:
        self._writer.cover(load, self._order)
        affine = is_view(self._writer, load.index)
        found, axes = (view if affine else gather)(self._writer, load.storage, load.index, self._order)
        value = align(found, axes, self._order)
        domain = self._domain(load)
        if isinstance(value, ir.Take) and value is found:
            value = ir.Take(value.array, value.index, value.axis, load.dtype, domain)
        return ir.Cast(value, dtypes.FLOAT32, domain) if load.dtype in dtypes.HALVES else value

    def _domain(self, vector: Vector) -> Domain:
        """Return the sizes of all loops of the order, if a value varies over all of them."""
        if not self._order or vector.dims - self._writer.fixed != self._full:
            return None
        if self._sizes is None:
            self._sizes = self._writer.extents(self._order)
        return self._sizes

    def _apply(self, vector: Apply) -> Expr:
        if vector.op == "cast":
            return self._cast(vector)
        if vector.op in ("select", "if_then_else"):
            return self._select(vector)
        if self._is_extent(vector):
            own = Arrays(self._writer, self._order)
            loads = {load.key: load for load in all_loads(self._writer.space, vector)}
            read = [own.value(load) for load in loads.values()]
            return ir.Call("extents", (self._value(vector.args[1]), *read))
        args = [self._operand(arg, vector) for arg in vector.args]
        if vector.op in ("/", "//", "%") and not dtypes.is_float(vector.dtype):
            args[1] = _divisor(vector.args[1], args[1])
        dtype = dtypes.computed_in(vector.dtype)
        return ir.Elementwise(vector.op, tuple(args), dtype, self._domain(vector))

    def _is_extent(self, vector: Apply) -> bool:
        """Return whether this is how often loops run whose bounds data give, each in another iteration."""
        if (
            vector.op != "max"
            or not vector.dims - self._writer.fixed
            or not isinstance(vector.args[1], Index)
        ):
            return False
        least = vector.args[0]
        is_zero = isinstance(least, Index) and least.polynomial.value == 0
        return is_zero and bool(all_loads(self._writer.space, vector))

    def _operand(self, arg: Vector, parent: Apply) -> Expr:
        """Return the value of an argument; a literal beside an array needs no type."""
        if (
            isinstance(arg, Const)
            and takes_plain_numbers(parent.op)
            and any(other.dims for other in parent.args)
        ):
            return literal(arg)
        return self._value(arg)

    def _select(self, vector: Apply) -> Expr:
        plain = None if vector.dims - self._writer.fixed else plain_condition(self._writer, vector.args[0])
        condition = plain or self._operand(vector.args[0], vector)
        yes, no = [
            typed_literal(arg) if isinstance(arg, Const) else self._operand(arg, vector)
            for arg in vector.args[1:]
        ]
        is_strict = vector.op == "select" and (may_fail(yes) or may_fail(no))
        if (
            not vector.dims - self._writer.fixed and not is_strict
        ):  # Python's choice evaluates only one of them
            return ir.Choice(condition, yes, no)
        return ir.Select(condition, yes, no, dtypes.computed_in(vector.dtype), self._domain(vector))

    def _cast(self, vector: Apply) -> Expr:
        source, target = vector.args[0].dtype, vector.dtype
        inner = vector.args[0]
        value = typed_literal(inner) if isinstance(inner, Const) else self._operand(inner, vector)
        if source == target and source not in dtypes.HALVES:
            return value
        domain = self._domain(vector)
        if dtypes.is_float(source) and dtypes.is_integer(target):
            if domain is None:
                return ir.Call("to_integer", (value, ir.DtypeOf(target)))
            # Without their fraction, then wrapped into the type; a nan gives the least number, which wraps to 0.
            value = ir.Cast(value, dtypes.INT64, domain)
            return value if target == dtypes.INT64 else ir.Cast(value, target, domain)
        if target == dtypes.FLOAT32 and source in dtypes.HALVES:
            return value  # it is computed in float32 already
        value = ir.Cast(value, target, domain)
        return ir.Cast(value, dtypes.FLOAT32, domain) if target in dtypes.HALVES else value


def _number(vector: Const | Size) -> Expr:
    """Return a number of its type; halves are computed as float32."""
    if isinstance(vector, Const):
        return typed_literal(vector)
    value = ir.Typed(Ref(vector.text), vector.dtype)
    return ir.Cast(value, dtypes.FLOAT32) if vector.dtype in dtypes.HALVES else value


def _divisor(divisor: Vector, value: Expr) -> Expr:
    """Return a divisor of integers; where it may be 0 it is checked first."""
    if isinstance(divisor, Const) and divisor.value:
        return value
    if isinstance(divisor, Index) and divisor.polynomial.value:
        return value
    return ir.Call("nonzero", (value,))


def condition_of(writer: Writer, condition: Vector) -> Expr:
    """Return a condition that varies over nothing; where it compares numbers, as a condition on numbers."""
    if isinstance(condition, Apply) and condition.op in COMPARISONS.values():
        a, b = condition.args
        if isinstance(a, Index) and isinstance(b, Index):
            return ir.ScalarOp(condition.op, writer.numbers([a.polynomial, b.polynomial]))
    if isinstance(condition, Apply) and condition.op == "!":
        return ir.ScalarOp("not", (condition_of(writer, condition.args[0]),))
    return plain_condition(writer, condition) or value_of(writer, condition, ())


def plain_condition(writer: Writer, condition: Vector) -> ir.ScalarOp | None:
    """Return a condition on loops around a statement and sizes as one on plain numbers; None if it is no such one."""
    if not isinstance(condition, Apply):
        return None
    if condition.op in COMPARISONS.values():
        numbers = [arg.polynomial for arg in condition.args if isinstance(arg, Index)]
        if len(numbers) < 2 or any(writer.space.atoms_in(one) for one in numbers):
            return None
        return ir.ScalarOp(condition.op, tuple(numbers)) if all(map(writer.is_fixed, numbers)) else None
    if condition.op not in _CONNECTIVES:
        return None
    parts = [plain_condition(writer, arg) for arg in condition.args]
    known = [part for part in parts if part is not None]
    return ir.ScalarOp(_CONNECTIVES[condition.op], tuple(known)) if len(known) == len(parts) else None


_CONNECTIVES = {"&&": "and", "||": "or", "!": "not"}


def value_of(writer: Writer, vector: Vector, order: Sequence[str]) -> Expr:
    """Return an expression; what it uses twice is written before."""
    return Arrays(writer, order).value(vector)
