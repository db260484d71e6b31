"""Loops that run one step after the other as text, with as little as possible in a step.

First iterations that a condition on the loop variable sets apart from the others are peeled off. Rows that the
iterations visit one after the other come from iterating over their array, which is cheaper than an index.
`InvariantMotion` holds what is the same in all iterations.
"""

from __future__ import annotations

from relax_lang.tir.analysis.statement_accesses import accesses
from relax_lang.tir.analysis.statements import New
from relax_lang.tir.analysis.vector_ir import Apply, Index
from relax_lang.tir.codegen.invariant_motion import InvariantMotion
from relax_lang.tir.codegen.passes.dead_code import does_something
from relax_lang.tir.codegen.writer import array_of, positive, remark
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.array_ir import Literal, ScalarOp
from relax_lang.tir.ir.ir_node import Ref, names_in
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Loop, Storage
    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.ir.array_ir import Expr, Scalar, Statement
    from relax_lang.tir.schedule.plan import Node, Sequential

    Emit = Callable[[Writer, Sequence[Node]], None]

_MOST_APART = 2
"""How many steps at the start may run apart."""
_MOST_TWICE = 8
"""How many statements may be written twice for that."""
_CHANGES = {"<": [0], ">=": [0], "<=": [1], ">": [1], "==": [0, 1], "!=": [0, 1]}
"""Where comparisons of a variable with a number change, from that number on."""


def sequential(writer: Writer, node: Sequential, emit: Emit) -> None:
    """Write a loop whose steps run one after the other."""
    writer.add(remark(f"{node.loop.name} one after the other: {node.reason}"))
    extent, scratch = writer.extent(node.loop), writer.scratch
    body: list[Statement] = []
    steps = InvariantMotion(writer, node)
    writer.steps = writer.scratch = steps
    outer, writer.body = writer.body, body
    for low, high in _segments(node):
        _segment(writer, node, low, high, emit)
    writer.steps, writer.scratch, writer.body = steps.outer, scratch, outer
    statements = [*steps.made, *body]
    if steps.computes and node.loop.extent.value is None:
        statements = [ir.If(positive(extent), statements)]
    writer.add(*statements)


def _segments(node: Sequential) -> list[tuple[int, int | None]]:
    """Return the parts of a loop in each of which conditions on its variable stay the same: from, and up to."""
    statements = plan.statements_in(node.body)
    cuts: set[int] = set()
    for statement in statements if len(statements) <= _MOST_TWICE else ():
        for guard in statement.guards:
            for part in conjuncts(guard):
                cuts |= _cuts(part, node.loop)
    places = sorted([cut for cut in cuts if 0 < cut <= _MOST_APART])
    return list(zip([0, *places], [*places, None], strict=True))


def _cuts(condition: Vector, loop: Loop) -> set[int]:
    """Return the values of a loop variable from which on a condition may be another than before."""
    while isinstance(condition, Apply) and condition.op == "!":
        condition = condition.args[0]
    if not isinstance(condition, Apply) or condition.op not in _CHANGES:
        return set()
    a, b = condition.args
    if not isinstance(a, Index) or not isinstance(b, Index):
        return set()
    difference = a.polynomial - b.polynomial
    factor, rest = difference.coefficient(loop.name), difference.without({loop.name}).value
    if factor is None or rest is None or factor.value not in (1, -1):
        return set()
    place = -rest * factor.value
    changes = _CHANGES[condition.op] if factor.value > 0 else [1 - at for at in _CHANGES[condition.op]]
    return {place + at for at in changes}


def _segment(writer: Writer, node: Sequential, low: int, high: int | None, emit: Emit) -> None:
    loop, outer, whole = node.loop, writer.rows, node.loop.extent.value
    rows = _rows(writer, node, low) if high is None else []
    extent = writer.extent(loop)
    writer.bounds[loop.name] = (low, None if high is None else high - 1)
    writer.rows = {**outer, **{row.key: Ref(row.name) for row in rows}}
    body: list[Statement] = []
    with writer.inside(body, loop):
        emit(writer, node.body)
    writer.rows = outer
    del writer.bounds[loop.name]
    if not any(does_something(statement) for statement in body):
        return
    used = set[str]().union(*[names_in(statement) for statement in body])
    rows = sorted([row for row in rows if row.name in used], key=lambda row: not row.is_exact)
    stop: Scalar = extent
    if high is not None:
        stop = ScalarOp("min", (Literal(high), extent)) if whole is None else Literal(min(high, whole))
    exact = loop.name not in used and bool(rows) and rows[0].is_exact
    found = tuple([ir.Row(row.name, row.array) for row in rows])
    start = Literal(low)
    writer.add(ir.For(loop.name, start, stop, Literal(1), body, found, exact=exact, hot=high is None))


class _Row:
    """An array that is gone through row by row as steps go on: `is_exact` if it has a row for each."""

    __slots__ = ("array", "is_exact", "key", "name")

    def __init__(self, key: tuple[int, Polynomial], name: str, array: Expr, *, is_exact: bool) -> None:
        self.key = key
        self.name = name
        self.array = array
        self.is_exact = is_exact


def _rows(writer: Writer, node: Sequential, low: int) -> list[_Row]:
    """Return the rows that all steps from `low` on may go through: all of them are in their arrays."""
    found: dict[tuple[int, Polynomial], _Row] = {}
    statements = plan.statements_in(node.body)
    remade = {statement.storage for statement in statements if isinstance(statement, New)}
    for statement in statements:
        for access in accesses(writer.space, statement):
            storage, index = access.storage, access.index
            if index is None or len(index) < 2 or storage in remade:
                continue
            key = (id(storage), index[0])
            if key not in found and key not in writer.rows:
                row = _row(writer, node.loop, storage, index[0], low)
                if row is not None:
                    found[key] = row
    return list(found.values())


def _row(writer: Writer, loop: Loop, storage: Storage, part: Polynomial, low: int) -> _Row | None:
    factor, rest, size = part.coefficient(loop.name), part.without({loop.name}), storage.sizes[0]
    if factor is None or factor.value not in (1, -1) or writer.space.varies(rest):
        return None
    longest = writer.entry.whole_extent(loop.extent)
    forward = factor.value == 1
    array: Expr = array_of(storage)
    if forward:
        skipped, inside, shift = rest + low, size - rest - longest, rest.value
    else:
        skipped, inside, shift = size - 1 - rest + low, rest + 1 - longest, (size - 1 - rest).value
        array = ir.View(array, (ir.Slice(size - 1, size, -1, whole=True),))
    if not writer.entry.is_nonnegative(skipped) or not writer.entry.is_nonnegative(inside):
        return None
    if skipped.value != 0:
        array = ir.View(array, (ir.Slice(writer.number(skipped), size - skipped),))
    word = {0: "now", -1: "before", 1: "after"}.get(2 if shift is None else shift, "row")
    base = storage.name.removesuffix("_turned").lower()
    name = writer.fresh(f"{base}_{word}")
    return _Row((id(storage), part), name, array, is_exact=shift == 0 and size == loop.extent)
