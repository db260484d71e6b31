"""Statements on few elements, of certain sizes: functions that choose by size have chosen already. [TIR.21]

Of few indices a plain subscript takes half the time of `take`, and the test that they are inside needs no choice of its
own; a store to places that data choose is the one operation that `scatter` would find.
"""

from __future__ import annotations

import math

from relax_lang.tir.codegen.calls.constant_folding import number_of
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.types import type_of
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.ir_node import Node, with_fields, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.ir.array_ir import Expr, Statement

    Part = Node | Polynomial
    Shape = tuple[int, ...]

FEW = 1024
"""Up to so many elements."""
_COMBINED_FEW = 64
"""Fewer values than these are combined one by one by NumPy itself."""


def on_few_elements(body: list[Statement]) -> list[Statement]:
    """Return statements in which operations on few elements are done as is fastest for these."""
    return [_statement(one) for one in body]


def _statement(statement: Statement) -> Statement:
    match statement:
        case ir.For() | ir.Forever() | ir.If() | ir.Restoring():
            head = with_fields(statement, {"body": []})
            return with_fields(mapped(head, _part), {"body": [*map(_statement, statement.body)]})
        case ir.Into(target, ir.Take() as value):  # there is no subscript that stores to an array
            return ir.Into(target, with_parts(value, _part))
        case ir.Evaluate(ir.Call("scatter", args)):
            return mapped(_store(args) or statement, _part)
        case _:
            return mapped(statement, _part)


def shape_of(value: Expr) -> Shape | None:
    """Return the shape of an array that is known in numbers."""
    shape = type_of(value)[1]
    sizes = [one.value for one in shape or ()]
    known = [size for size in sizes if size is not None]
    return tuple(known) if shape is not None and len(known) == len(sizes) else None


def _part(part: Part) -> Part:
    match part:
        case ir.Take(array, index, 0) if _rank(array) == 1 and _is_few(index):
            return ir.Gather(array, (_expression(index),))
        case ir.Call("inside", (index, size)) if _is_few(index):
            return ir.Call("inside_few", (_expression(index), size))
        case Node():
            return with_parts(part, _part)
        case _:
            return part


def _expression(value: Expr) -> Expr:
    made = _part(value)
    assert isinstance(made, ir.Expr)
    return made


def _rank(value: Expr) -> int:
    shape = type_of(value)[1]
    return -1 if shape is None else len(shape)


def _is_few(index: Expr) -> bool:
    """Return whether an index is an array of some elements, but not of many."""
    shape = shape_of(_indices(index))
    return bool(shape) and 0 < math.prod(shape) <= FEW


def _indices(value: Expr) -> Expr:
    """Return indices without the test that they are inside."""
    match value:
        case ir.Call("inside", (index, _)):
            return index
        case _:
            return value


def _store(args: tuple[Expr, ...]) -> Statement | None:
    """Return what a scatter to places in a list does; None if that has to be found out."""
    match args:
        case (target, ir.Tuple((place,)), values, ir.Tuple((extent,)), *combine) if _rank(target) == 1:
            many = shape_of(_indices(place))
            if not many or many != (number_of(extent),) or not 0 < many[0] <= FEW:
                return None
            if not combine:
                return ir.Store(ir.Gather(target, (place,)), values)
            if many[0] < _COMBINED_FEW:
                return ir.Evaluate(ir.Call("combine_few", (target, place, values, *combine)))
        case _:
            pass
    return None
