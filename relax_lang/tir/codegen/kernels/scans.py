"""Running operations as calls of `accumulate` or of the runtime library: along a loop, by key, and sums of areas."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import align, view
from relax_lang.tir.codegen.writer import array_of, plain_literal
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.tir.analysis.lowered.statements import RunningByKey
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel, Steps

_ONE = Polynomial.constant(1)


def scan(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a running operation along the last dimension."""
    assert not masks, "a running operation has no conditions"
    stage = kernel.stage
    target, order = view(writer, stage.target, stage.index, [loop.name for loop in kernel.kept])
    if kernel.steps is not None:
        writer.add(ir.Evaluate(_stepping(writer, kernel, kernel.steps, target, order)))
        return
    value = Arrays(writer, order).value(kernel.operand)
    if kernel.operand.dims - writer.fixed != frozenset(order):
        value = ir.Broadcast(value, writer.extents(order))
    if kernel.step == _ONE and len(order) == 1 and order[0] == kernel.kept[-1].name:
        writer.add(ir.Store(target, value))
        running = _with_one_before(writer, kernel)
        writer.add(ir.Evaluate(ir.Call("accumulate", (ir.Operation(kernel.combine), running))))
        return
    if kernel.step is not None:
        first = _before(writer, kernel, kernel.step)
    else:
        first = plain_literal(identity(kernel.combine, stage.target.dtype), stage.target.dtype)
    writer.add(ir.Evaluate(ir.Call("running", (ir.Operation(kernel.combine), value, target, first))))


def running_by_key(
    writer: Writer, statement: RunningByKey, free: Sequence[Loop], masks: Sequence[Vector]
) -> None:
    """Write what iterations with the same key have left before each."""
    arrays = [array_of(one) for one in (statement.keys, statement.values, statement.before)]
    writer.add(ir.Evaluate(ir.Call("running_by_key", (*arrays, Literal(statement.adds)))))


def summed_area(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write the sums of areas, beside the first row and the first column."""
    assert not masks, "sums of areas have no conditions"
    order = [loop.name for loop in kernel.kept]
    value = Arrays(writer, order).value(kernel.operand)
    if kernel.operand.dims - writer.fixed != frozenset(order):
        value = ir.Broadcast(value, writer.extents(order))
    with_edges = {loop: (loop.extent + 1, _ONE) for loop in kernel.kept[-2:]}
    target = _moved(writer, kernel, with_edges)
    writer.add(ir.Evaluate(ir.Call("summed_area", (value, target))))


def _stepping(writer: Writer, kernel: Kernel, steps: Steps, target: Expr, order: list[str]) -> ir.Call:
    """Return the call for a running operation that starts again or has a bound."""
    arrays = Arrays(writer, order)
    wanted = (steps.keeps, steps.added, steps.value, steps.then)
    parts = [part for part in wanted if part is not None]
    computed = {part.key: value for part, value in zip(parts, arrays.values(parts), strict=True)}

    def operand(part: Vector | None, *, may_be_one: bool = True) -> Expr:
        if part is None:
            return plain_literal(0, kernel.stage.target.dtype)
        varying = part.dims - writer.fixed
        is_whole = varying == frozenset(order) or (not varying and may_be_one)
        return computed[part.key] if is_whole else ir.Broadcast(computed[part.key], writer.extents(order))

    start = steps.start
    first = _before(writer, kernel, _ONE) if start is None else Arrays(writer, order).value(start)
    value = operand(steps.value)
    if steps.bound:
        then = () if steps.then is None else (operand(steps.then),)
        combine = ir.Operation(steps.bound)
        return ir.Call("bounded", (combine, operand(steps.added), value, target, first, *then))
    keeps = operand(steps.keeps, may_be_one=False)
    if steps.added is None:
        return ir.Call("carried", (keeps, value, target, first))
    return ir.Call("restarted", (keeps, operand(steps.added), value, target, first))


def _with_one_before(writer: Writer, kernel: Kernel) -> Expr:
    """Return the elements that a recurrence stores, behind the one that it begins with."""
    return _moved(writer, kernel, {kernel.kept[-1]: (kernel.kept[-1].extent + 1, _ONE)})


def _before(writer: Writer, kernel: Kernel, step: Polynomial) -> Expr:
    """Return the elements that the first iterations of a recurrence begin with."""
    return _moved(writer, kernel, {kernel.kept[-1]: (step, step)})


def _moved(writer: Writer, kernel: Kernel, loops: Mapping[Loop, tuple[Polynomial, Polynomial]]) -> Expr:
    """Return so many elements along some loops, from some iterations of each earlier on."""
    order: list[str] = []
    values: dict[str, Polynomial] = {}
    for loop in kernel.kept:
        if loop not in loops:
            order.append(loop.name)
            continue
        extent, step = loops[loop]
        early = Loop(writer.fresh(loop.name), extent, loop.node)
        writer.space.loops[early.name] = early
        values[loop.name] = Polynomial.name(early.name) - step
        order.append(early.name)
    index = tuple([writer.space.substituted(part, values) for part in kernel.stage.index])
    found, axes = view(writer, kernel.stage.target, index, order)
    return align(found, axes, order)
