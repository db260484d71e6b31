"""Array contraction: an array with a row for each step of a loop, of which a step only uses its own, is one row.

Such arrays hold the `let`s of a loop whose steps wait for each other: with a row for each step they may be far larger
than all arguments together.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of, with_parts
from relax_lang.tir.codegen.passes.effects import all_statements, bodies_of, own_parts
from relax_lang.tir.codegen.passes.rewriting import mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.passes.context import Context

    Part = Node | Polynomial


def contract_arrays(body: list[Statement], context: Context) -> None:
    """Leave the first dimension out of new arrays that a loop uses row by row."""
    del context  # sizes do not matter
    for statements in _lists(body):
        for at, statement in enumerate(statements):
            match statement:
                case ir.Allocate(name, (_, _, *_) as shape, dtype, workspace):
                    loop = _only_loop(statements[at + 1 :], name)
                    if loop is not None:
                        statements[at] = ir.Allocate(name, shape[1:], dtype, workspace)
                        loop.body[:] = [_without_rows(one, name) for one in loop.body]
                case _:
                    pass


def _lists(body: list[Statement]) -> Iterator[list[Statement]]:
    """Yield lists of statements, with those in them."""
    yield body
    for statement in body:
        if bodies_of(statement):
            yield from _lists(bodies_of(statement))


def _only_loop(body: Sequence[Statement], name: str) -> ir.For | None:
    """Return the loop that has all uses of a name, if each step uses its own row. No other loop is around it, whose
    steps would find what an earlier one has stored in a row.
    """
    users = [statement for statement in body if name in names_in(statement)]
    match users:
        case [ir.For() as loop] if _uses_own_row(loop, name):
            return loop
        case [ir.If() | ir.Restoring() as nest] if not any(name in names_in(one) for one in own_parts(nest)):
            return _only_loop(nest.body, name)
        case _:
            return None


def _uses_own_row(loop: ir.For, name: str) -> bool:
    """Return whether all that a loop does with an array is in the row that its variable names."""
    row = ir.At(Polynomial.name(loop.variable))

    def fits(part: Part) -> bool:
        if isinstance(part, ir.View) and part.array == Ref(name):
            others = [one for axis in part.axes for one in parts_of(axis)]
            return part.axes[:1] == (row,) and all(map(fits, others))
        if isinstance(part, Ref):
            return part.name != name
        return not isinstance(part, Node) or all(map(fits, parts_of(part)))

    outside = any(name in names_in(part) for part in own_parts(loop))
    return not outside and all(fits(part) for one in all_statements(loop.body) for part in own_parts(one))


def _without_rows(statement: Statement, name: str) -> Statement:
    def replaced(part: Part) -> Part:
        if isinstance(part, Polynomial | Ref | ir.Literal):
            return part
        if isinstance(part, ir.View) and part.array == Ref(name) and isinstance(part.array, Ref):
            shape = part.array.shape
            array = Ref(name, part.array.dtype, None if shape is None else shape[1:])
            axes = part.axes[1:]
            if all(isinstance(axis, ir.Slice) and axis.whole and axis.step == 1 for axis in axes):
                return array
            return with_parts(ir.View(array, axes), replaced)
        return with_parts(part, replaced)

    return mapped(statement, replaced)
