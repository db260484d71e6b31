"""Loops that run one step after the other, with as little as possible in a step."""

from __future__ import annotations

from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.values.dead_code import does_something
from relax_lang.tir.codegen.writer import remark
from relax_lang.tir.lower.values import is_risky
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
    """Return conditions that all statements in a loop have: if one does not hold, no step does anything.

    Each comes first in all of them, or nothing can be wrong with it where the ones before it do not hold.
    """
    guards = [
        [part for guard in statement.guards for part in conjuncts(guard)]
        for statement in statements_in(node.body)
    ]
    found: list[Vector] = []
    for guard in guards[0] if guards else ():
        before = {one.key for one in found}
        if guard.key in before or not guard.dims <= writer.fixed:
            continue
        places = [next((at for at, one in enumerate(each) if one.key == guard.key), None) for each in guards]
        if None in places:
            continue
        is_first = all(
            one.key in before for at, each in zip(places, guards, strict=True) for one in each[:at]
        )
        if is_first or not is_risky(writer.space, guard):
            found.append(guard)
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
