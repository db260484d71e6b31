"""Loops that run one step after the other as text, with as little as possible in a step.

First iterations that a condition on the loop variable sets apart from the others are peeled off.
"""

from __future__ import annotations

from relax_lang.tir.analysis.vector_ir import Apply, Index
from relax_lang.tir.codegen.passes.dead_code import does_something
from relax_lang.tir.codegen.writer import remark
from relax_lang.tir.ir import array_ir as ir
from relax_lang.tir.ir.array_ir import Literal, ScalarOp
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.ir.array_ir import Scalar, Statement
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
    for low, high in _segments(node):
        _segment(writer, node, low, high, emit)


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
    loop, whole = node.loop, node.loop.extent.value
    extent = writer.extent(loop)
    writer.bounds[loop.name] = (low, None if high is None else high - 1)
    body: list[Statement] = []
    with writer.inside(body, loop):
        emit(writer, node.body)
    del writer.bounds[loop.name]
    if not any(does_something(statement) for statement in body):
        return
    stop: Scalar = extent
    if high is not None:
        stop = ScalarOp("min", (Literal(high), extent)) if whole is None else Literal(min(high, whole))
    writer.add(ir.For(loop.name, Literal(low), stop, Literal(1), body, hot=high is None))
