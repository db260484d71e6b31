"""Loops over blocks of rows in planned calls, and statements in which one block has all rows. [O.4]"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.calls.constant_folding import ConstantFolding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.array_ir.nodes import Scalar, Statement

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
    return ConstantFolding(names).folded(made), wanted
