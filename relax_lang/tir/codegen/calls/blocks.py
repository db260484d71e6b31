"""Loops over blocks of rows in planned calls, and statements in which one block has all rows. [O.4]"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.vector_ir import replace_name
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.array_ir import Literal, ScalarOp
from relax_lang.tir.ir.ir_node import Node, Ref, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.tir.ir.array_ir import Axis, Expr, Scalar, Statement

_ZERO = Polynomial.constant(0)


class Blocks(NamedTuple):
    """A loop over blocks of rows: `rows` and `most` are names of the number of rows in a block, and in the largest."""

    loop: ir.For
    rows: str
    most: str


def blocks_of(statement: Statement) -> Blocks | None:
    """Return a loop whose iterations each have rows of their own, from its variable on."""
    match statement:
        case ir.For(
            variable,
            Literal(0),
            Polynomial() as stop,
            Polynomial() as step,
            [ir.Define(rows, ScalarOp("min", (Polynomial() as most, Polynomial() as rest)), False), *_],
            (),
        ) if step == most and rest == stop - Polynomial.name(variable):
            name = next(iter(step.names()), "")
            return Blocks(statement, rows, name) if step == Polynomial.name(name) else None
        case _:
            return None


def in_one_block(body: list[Statement]) -> tuple[list[Statement], list[tuple[str, Scalar]]]:
    """Return statements in which every loop over blocks runs once, over all rows; and for which names that has to be:
    the number of rows in the largest block, and the number of all.
    """
    made: list[Statement] = []
    names: dict[str, Polynomial] = {}
    for statement in body:
        blocks = blocks_of(statement)
        if blocks is None:
            made.append(statement)
            continue
        loop = blocks.loop
        assert isinstance(loop.stop, Polynomial)
        if names.get(blocks.most, loop.stop) != loop.stop:
            return body, []
        names[blocks.most] = names[blocks.rows] = loop.stop
        names[loop.variable] = _ZERO
        made += loop.body[1:]
    wanted: list[tuple[str, Scalar]] = [
        (blocks.most, blocks.loop.stop) for blocks in map(blocks_of, body) if blocks is not None
    ]
    if not wanted:
        return body, []
    return [_with_sizes(statement, names) for statement in made], wanted


def _with_sizes(statement: Statement, sizes: Mapping[str, Polynomial]) -> Statement:
    """Return a statement with sizes in place of names, and slices of all rows as what they are."""

    def number(value: Polynomial) -> Polynomial:
        for name in value.names() & sizes.keys():
            value = replace_name(value, name, sizes[name])
        return value

    def replace(part: Node | Polynomial) -> Node | Polynomial:
        if isinstance(part, Polynomial):
            return number(part)
        if isinstance(part, Ref):
            if part.name in sizes:
                return sizes[part.name]
            return Ref(part.name, part.dtype, None if part.shape is None else tuple(map(number, part.shape)))
        made = with_parts(part, replace)
        match made:
            case ir.Elementwise(op, args, dtype, domain) if domain is not None:
                made = ir.Elementwise(op, args, dtype, tuple(map(number, domain)))
            case ir.Clip(array, lower, upper, dtype, domain) if domain is not None:
                made = ir.Clip(array, lower, upper, dtype, tuple(map(number, domain)))
            case _:
                pass
        return _without_slices(made) if isinstance(made, ir.View) else made

    return mapped(statement, replace)


def _without_slices(view: ir.View) -> Expr:
    array = view.array
    if not isinstance(array, Ref) or array.shape is None or len(view.axes) > len(array.shape):
        return view
    axes: list[Axis] = []
    for axis, size in zip(view.axes, array.shape, strict=False):
        is_all = isinstance(axis, ir.Slice) and axis.start == _ZERO and axis.extent == size and axis.step == 1
        axes.append(ir.Slice(_ZERO, size, whole=True) if is_all else axis)
    if view.axes and all(isinstance(axis, ir.Slice) and axis.whole and axis.step == 1 for axis in axes):
        return array
    return ir.View(array, tuple(axes))
