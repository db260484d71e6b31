"""Statements on few elements, of certain sizes: functions that choose by size have chosen already. [TIR.21]

Of few indices a plain subscript takes half the time of `take`, and the test that they are inside needs no choice of its
own; a store to places that data choose, and a choice between arrays, is the one operation that would be found.
"""

from __future__ import annotations

import math

from relax_lang.syntax import dtypes
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, with_fields, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.constant_folding import number_of
from relax_lang.tir.codegen.passes.effects import all_statements
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.array_ir.nodes import Domain, Expr, Statement

    Part = Node | Polynomial
    Shape = tuple[int, ...]

FEW = 1024
"""Up to so many elements subscripts are faster than `take`."""
_COUNTED_FROM = 64
"""From so many equal values on counting places is faster than that."""
_CHOSEN_FEW = 1 << 14
"""Fewer elements than these are chosen by NumPy itself."""


def on_few_elements(body: Sequence[Statement], tables: Sequence[ir.Define] = ()) -> list[Statement]:
    """Return statements in which operations on few elements are done as is fastest for these. `tables` are what they
    have names for.
    """
    return _FewElements(body, tables).statements(body)


def _shape_of(value: Expr) -> Shape | None:
    """Return the shape of an array that is known in numbers."""
    shape = type_of(value)[1]
    sizes = [one.value for one in shape or ()]
    known = [size for size in sizes if size is not None]
    return tuple(known) if shape is not None and len(known) == len(sizes) else None


class _FewElements:
    """Rewrites the statements of one function."""

    def __init__(self, body: Sequence[Statement], tables: Sequence[ir.Define]) -> None:
        self._values = {table.name: table.value for table in tables}
        self._types: dict[str, tuple[str, Domain]] = {}
        """The dtypes and shapes of names, as far as all of their definitions agree."""
        unclear = set[str]()
        for statement in all_statements(body):
            if isinstance(statement, ir.Define):
                found = type_of(self._typed(statement.value))
                if self._types.setdefault(statement.name, found) != found:
                    unclear.add(statement.name)
        for name in unclear:
            del self._types[name]

    def _typed(self, value: Expr) -> Expr:
        made = self._with_types(value)
        assert isinstance(made, ir.Expr)
        return made

    def _with_types(self, part: Part) -> Part:
        """Return an expression whose names have the types that are known of them."""
        match part:
            case Ref(name, _, None) if name in self._types:
                return Ref(name, *self._types[name])
            case Node():
                return with_parts(part, self._with_types)
            case _:
                return part

    def statements(self, body: Sequence[Statement]) -> list[Statement]:
        """Return statements as they are fastest."""
        return [self._statement(one) for one in body]

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, ir.For | ir.Forever | ir.If | ir.Restoring):
            head = with_fields(statement, {"body": []})
            return with_fields(self._rewritten(head), {"body": [*self.statements(statement.body)]})
        statement = mapped(statement, self._with_types)
        match statement:
            case ir.Into(target, ir.Take() as value):  # there is no subscript that stores to an array
                return ir.Into(target, with_parts(value, self._part))
            case ir.Into(target, ir.Select(condition, yes, no)) if _are_few(target):
                return mapped(ir.Store(target, ir.Select(condition, yes, no)), self._part)
            case ir.Evaluate(ir.Call("store_where", (target, values, condition))) if _are_few(target):
                return mapped(ir.StoreWhere(target, values, condition), self._part)
            case ir.Evaluate(ir.Call("scatter", args)):
                return mapped(self._store(args) or statement, self._part)
            case _:
                return mapped(statement, self._part)

    def _rewritten(self, statement: ir.Nested) -> ir.Nested:
        made = mapped(mapped(statement, self._with_types), self._part)
        assert isinstance(made, ir.Nested)
        return made

    def _part(self, part: Part) -> Part:
        match part:
            case ir.Take(array, index, 0) if _rank(array) == 1 and _is_few(index):
                return ir.Gather(array, (self._expression(index),))
            case ir.Call("inside", (index, size)) if _is_few(index):
                return ir.Call("inside_few", (self._expression(index), size))
            case ir.Select(condition, yes, no, _, shape) if shape is not None and _is_of(shape, part):
                return with_parts(ir.Select(condition, yes, no), self._part)
            case Node():
                return with_parts(part, self._part)
            case _:
                return part

    def _expression(self, value: Expr) -> Expr:
        made = self._part(value)
        assert isinstance(made, ir.Expr)
        return made

    def _store(self, args: tuple[Expr, ...]) -> Statement | None:
        """Return what a scatter does; None if that has to be found out."""
        match args:
            case (target, ir.Tuple(places), values, ir.Tuple(extents), *combine):
                shape = tuple([number_of(extent) for extent in extents])
                known = [_shape_of(_indices(place)) for place in places]
                size = _shape_of(target)
            case _:
                return None
        if size is None or not places or any(one is None or one != shape for one in known):
            return None
        many = math.prod([number or 0 for number in shape])
        if not 0 < many <= FEW:
            return None
        counted = self._counted(target, values, many, math.prod(size))
        if counted and combine and combine[0] in _COUNTS and (many >= _COUNTED_FROM or len(shape) > 1):
            flat = (
                _flat(places, size) if len(shape) == 1 else ir.Reshaped(_flat(places, size), (Literal(-1),))
            )
            return ir.Evaluate(ir.Call("add_counts", (target, flat, values, *combine)))
        if len(size) > 1 or len(shape) > 1:
            return None
        if not combine:
            return ir.Store(ir.Gather(target, places), values)
        if many < _COUNTED_FROM or _shape_of(values) == shape:
            return ir.Evaluate(ir.Call("combine_few", (target, *places, values, *combine)))
        return None

    def _counted(self, target: Expr, values: Expr, many: int, size: int) -> bool:
        """Return whether adding a value is counting places; see `is_counted` of the runtime library."""
        value = self._values.get(values.name, values) if isinstance(values, Ref) else values
        dtype = type_of(target)[0]
        match value:
            case ir.Typed(Literal() | ir.Polynomial(), of) if of == dtype and dtypes.is_integer(dtype):
                return size <= 4 * many + 1024
            case _:
                return False


_COUNTS = (ir.Operation("+"), ir.Operation("-"))


def _rank(value: Expr) -> int:
    shape = type_of(value)[1]
    return -1 if shape is None else len(shape)


def _is_few(index: Expr) -> bool:
    """Return whether an index is an array of some elements, but not of many."""
    shape = _shape_of(_indices(index))
    return bool(shape) and 0 < math.prod(shape) <= FEW


def _are_few(target: Expr) -> bool:
    shape = _shape_of(target)
    return shape is not None and math.prod(shape) < _CHOSEN_FEW


def _is_of(shape: tuple[Polynomial, ...], choice: ir.Select) -> bool:
    """Return whether a choice makes few elements, in a shape that one of its parts has."""
    sizes = [size.value for size in shape]
    if None in sizes or math.prod([size or 0 for size in sizes]) >= _CHOSEN_FEW:
        return False
    return shape in [type_of(part)[1] for part in (choice.condition, choice.yes, choice.no)]


def _indices(value: Expr) -> Expr:
    """Return indices without the test that they are inside."""
    match value:
        case ir.Call("inside", (index, _)):
            return index
        case _:
            return value


def _flat(places: tuple[Expr, ...], size: Shape) -> Expr:
    """Return the places in the elements of an array in row-major order."""
    flat = places[0]
    for place, extent in zip(places[1:], size[1:], strict=True):
        scaled = ir.Elementwise("*", (flat, Literal(extent)), dtypes.INT64)
        flat = ir.Elementwise("+", (scaled, place), dtypes.INT64)
    return flat
