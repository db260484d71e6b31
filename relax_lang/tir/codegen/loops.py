"""Loops that run one step after the other, with as little as possible in a step."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.values.dead_code import does_something
from relax_lang.tir.codegen.writer import remark
from relax_lang.tir.schedule.domains import conjuncts
from relax_lang.tir.schedule.plan import statements_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Scalar, Statement
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node, Sequential

    Emit = Callable[[Writer, Sequence[Node]], None]


def sequential(writer: Writer, node: Sequential, emit: Emit) -> None:
    """Write a loop whose steps run one after the other, each of its parts apart."""
    writer.add(remark(f"{node.loop.name} one after the other: {node.reason}"))
    for low, high in node.parts:
        _part(writer, node, low, high, emit)


def common_guards(writer: Writer, node: Sequential) -> list[Vector]:
    """Return the conditions that all statements in a loop have first: if one does not hold, no step does anything."""
    guards = [
        [part for guard in statement.guards for part in conjuncts(guard)]
        for statement in statements_in(node.body)
    ]
    found: list[Vector] = []
    for same in zip(*guards, strict=False):
        if len({guard.key for guard in same}) > 1 or not same[0].dims <= writer.fixed:
            break
        found.append(same[0])
    return found


def _part(writer: Writer, node: Sequential, low: int, high: int | None, emit: Emit) -> None:
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
