"""A plan as statements of the generated NumPy function."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.lowered.statement_accesses import guard_facts
from relax_lang.tir.analysis.lowered.statements import Check, Extern, Listing, New, RunningByKey
from relax_lang.tir.analysis.lowered.value_ranges import may_divide_by_zero
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, Load, all_loads, parts_of
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp, at_least, conjunction
from relax_lang.tir.codegen.array_expressions import Arrays, condition_of
from relax_lang.tir.codegen.flat_stencils import FlatRuns
from relax_lang.tir.codegen.kernels.arg_reductions import arg_reduction
from relax_lang.tir.codegen.kernels.contractions import product
from relax_lang.tir.codegen.kernels.convolutions import convolution
from relax_lang.tir.codegen.kernels.edges import copied_with_edges
from relax_lang.tir.codegen.kernels.lockstep import write_lock_step
from relax_lang.tir.codegen.kernels.masked import listing, masked
from relax_lang.tir.codegen.kernels.reductions import reduction
from relax_lang.tir.codegen.kernels.scans import running_by_key, scan, summed_area
from relax_lang.tir.codegen.kernels.scatter import scatter
from relax_lang.tir.codegen.kernels.transposed_scans import transposed_scan
from relax_lang.tir.codegen.kernels.windows import window
from relax_lang.tir.codegen.loops import common_guards, sequential
from relax_lang.tir.codegen.passes.effects import EXTERN, may_fail, root_of, steps_of
from relax_lang.tir.codegen.passes.rewriting import guards_in
from relax_lang.tir.codegen.views import align, is_view, view
from relax_lang.tir.codegen.writer import all_of, array_of, name_of, positive, remark
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts
from relax_lang.tir.schedule.footprint import Footprints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.array_ir.nodes import Expr
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import (
        ArgKernel,
        Kernel,
        Node,
        Sequential,
        Single,
        Tile,
        TransposedScan,
        While,
    )


def emit(writer: Writer, nodes: Sequence[Node]) -> None:
    """Write the statements of a plan."""
    for node in nodes:
        writer.forget()  # the one before may have stored to what was read, or computed it under a condition
        _EMIT[type(node)](writer, node)


def _sequential(writer: Writer, node: Sequential) -> None:
    """Write a loop; where data decide how often it runs, they may mean nothing unless its conditions hold."""
    outer = writer.body
    if writer.space.atoms_in(node.loop.extent):
        for guard in common_guards(writer, node):
            if not writer.decided(guard):
                writer.enter(condition_of(writer, guard))
    sequential(writer, node, emit)
    writer.body = outer


def _transposed_scan(writer: Writer, node: TransposedScan) -> None:
    transposed_scan(writer, node, emit)


def _block(writer: Writer, block: Tile) -> None:
    labels = list(dict.fromkeys([kernel.stage.label for kernel in block.body]))
    writer.add(remark(f"{', '.join(labels)}: some rows at a time"))
    writer.require(block.requires)
    extent = writer.extent(block.start)
    writer.is_tiled = True
    body: list[ir.Statement] = []
    with writer.inside(body, block.start):
        left = extent - Polynomial.name(block.start.name)
        writer.add(ir.Define(name_of(block.size), ScalarOp("min", (block.step, left))))
        emit(writer, block.body)
    writer.add(ir.For(block.start.name, Literal(0), extent, block.step, body))
    writer.is_tiled = False


def _while(writer: Writer, node: While) -> None:
    repeat = node.repeat
    if _never_runs(writer, repeat):
        return
    writer.add(remark(f"{repeat.label}: while"))
    outer, facts = writer.body, writer.facts
    _conditions(writer, repeat, ())
    loop = ir.Forever([])
    writer.add(loop)
    with writer.inside(loop.body):
        writer.forget()
        for part in conjuncts(repeat.condition):  # what comes later is only evaluated if the rest holds
            writer.add(ir.If(ScalarOp("not", (condition_of(writer, part),)), [ir.Break()]))
        emit(writer, node.body)
    writer.body, writer.facts = outer, facts


def _kernel(writer: Writer, kernel: Kernel) -> None:
    stage = kernel.stage
    if kernel.folded or _never_runs(writer, stage):
        return
    outer, facts, start = writer.body, writer.facts, len(writer.body)
    writer.add(remark(f"{stage.label}: {_what(kernel)}"))
    free = [loop for loop in stage.loops if loop.name not in writer.fixed]
    if kernel.nonempty:
        _nonempty(writer, free)
    masks = _conditions(writer, stage, free)
    writer.require(kernel.requires)
    writer.covered |= kernel.covered
    inner, before = writer.body, len(writer.body)
    if kernel.lanes:
        masked(writer, kernel, masks)
    else:
        _STRATEGIES[kernel.strategy](writer, kernel, masks)
    if len(inner) == before and not any(may_fail(statement) for statement in outer[start:]):
        del outer[start:]  # it stores what is there
    writer.body, writer.facts = outer, facts


def _arg_kernel(writer: Writer, kernel: ArgKernel) -> None:
    outer = writer.body
    reduced = ", ".join([loop.name for loop in kernel.reduced])
    writer.add(remark(f"{kernel.statement.label}: {plan.ARG_REDUCTION} over {reduced}"))
    _nonempty(writer, [*kernel.kept, *kernel.reduced])
    arg_reduction(writer, kernel)
    writer.body = outer


def _nonempty(writer: Writer, free: Sequence[Loop]) -> None:
    """Write what follows under the condition that no loop is empty."""
    uncertain = [loop for loop in free if loop.extent.value is None and not writer.is_positive(loop.extent)]
    conditions = list(dict.fromkeys([positive(writer.extent(loop)) for loop in uncertain]))
    if conditions:
        writer.enter(conjunction([*conditions]))


def _what(kernel: Kernel) -> str:
    if kernel.strategy in (plan.ELEMENTWISE, plan.SCATTER, plan.SCAN, plan.SUMMED_AREA):
        return kernel.strategy + (f" over {_names(kernel.kept)}" if kernel.kept else "")
    return f"{kernel.strategy} over {_names(kernel.reduced)}"


def _names(loops: Sequence[Loop]) -> str:
    return ", ".join([loop.name for loop in loops])


def _conditions(writer: Writer, statement: Statement, free: Sequence[Loop]) -> list[Vector]:
    """Write conditions that hold for all iterations or for none as `if`; return the others.

    An `if` comes before conditions that vary, though these may come first in the program. Those that may fail are
    evaluated before it, too: their failure must not depend on a condition behind them.
    """
    names = {loop.name for loop in free}
    footprints = Footprints(writer.space, writer.entry)
    varying: list[Vector] = []
    may_fail_first: list[Vector] = []
    for guard in [part for whole in statement.guards for part in conjuncts(whole)]:
        if guard.dims & names:
            varying.append(guard)
            if not footprints.is_safe(guard, statement.loops):
                may_fail_first.append(guard)
            continue
        if not writer.decided(guard):
            for earlier in may_fail_first:
                writer.name(Arrays(writer, [loop.name for loop in free]).value(earlier), "checked")
            may_fail_first.clear()
            writer.enter(condition_of(writer, guard))
        writer.facts = [*writer.facts, *guard_facts([guard])]
    return varying


def _never_runs(writer: Writer, statement: Statement) -> bool:
    """Return whether a condition is known to fail, before any that may have to be looked at."""
    for guard in [part for whole in statement.guards for part in conjuncts(whole)]:
        if writer.decided(guard) is not True:
            return writer.decided(guard) is False
    return False


def _elementwise(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    stage = kernel.stage
    order = [loop.name for loop in kernel.kept]
    if not is_view(writer, stage.index):
        (masked if masks else scatter)(writer, kernel, masks)
        return
    target, order = view(writer, stage.target, stage.index, order)
    value = kernel.operand
    if masks:
        _store_where(writer, stage, target, value, (order, masks))
        return
    short = _short_loop(writer, kernel, order)
    if short is not None:
        with writer.loop(short):
            kept = [loop for loop in kernel.kept if loop is not short]
            _elementwise(writer, plan.Kernel(stage, kernel.strategy, value, kept, []), [])
        return
    if copied_with_edges(writer, target, value, order) or _copy_transposed(
        writer, stage, target, value, order
    ):
        return
    runs = FlatRuns(writer, order, stage.target)
    parts = runs.parts(value)
    if parts:
        if not kernel.nonempty:
            _nonempty(writer, kernel.kept)
        value = runs.computed(value, parts)
    _store_value(writer, stage, target, value, order)


def _store_where(
    writer: Writer, stage: Stage, target: Expr, value: Vector, over: tuple[list[str], list[Vector]]
) -> None:
    """Write a store under conditions on data."""
    order, masks = over
    stored = _apart(target, Arrays(writer, order).value(value))
    mask = all_of([Arrays(writer, order).value(guard) for guard in masks])
    if isinstance(value, Load) and value.storage is stage.target:
        writer.add(ir.StoreWhere(target, stored, mask))
    else:
        writer.add(ir.Evaluate(ir.Call("store_where", (target, stored, mask))))


def _copy_transposed(writer: Writer, stage: Stage, target: Expr, value: Vector, order: list[str]) -> bool:
    """Write the copy of an array whose innermost loop is not the innermost one of the target; return whether it is."""
    if not isinstance(value, Load) or len(order) < 2 or value.dtype != stage.target.dtype:
        return False
    if not is_view(writer, value.index):
        return False
    source, axes = view(writer, value.storage, value.index, order)
    if set(axes) != set(order) or axes[-1] == order[-1]:
        return False
    writer.cover(value, order)
    writer.add(ir.Evaluate(ir.Call("copy_transposed", (target, align(source, axes, order)))))
    return True


def _store_value(writer: Writer, stage: Stage, target: Expr, value: Vector, order: list[str]) -> None:
    """Write a store of a value to a view."""
    dtype = stage.target.dtype
    if dtype in dtypes.HALVES and isinstance(value, Apply) and value.op == "cast" and value.dtype == dtype:
        value = value.args[0]  # storing rounds
    stored = Arrays(writer, order).value(value)
    if stored != target:
        writer.add(ir.Store(target, _apart(target, stored)))


def _apart(target: Expr, value: Expr) -> Expr:
    """Return a value, or a copy of a view of the array that it is stored to: where a target has one dimension NumPy
    copies element by element, in an order that is right for equal strides only (`A[1, :] = A[:, 2]`).
    """
    if root_of(value) is None or root_of(value) != root_of(target):
        return value
    steps = steps_of(target)
    if steps is not None and (len(steps) != 1 or steps == steps_of(value)):
        return value
    return ir.Call("copied", (value,))


def _short_loop(writer: Writer, kernel: Kernel, order: Sequence[str]) -> Loop | None:
    """Return the innermost loop if it is better run step by step: it has few iterations, and elements that do not
    vary over it would be read again in each. NumPy goes over the innermost dimension in one piece, for which it needs
    to be long.
    """
    loop = writer.space.loops[order[-1]] if len(order) > 1 else None
    if loop is None or not 1 < (loop.extent.value or 0) <= _SHORT:
        return None
    read = all_loads(writer.space, kernel.operand)
    if kernel.stage.target in {load.storage for load in read} or _looks_at_data(writer, kernel.operand):
        return None  # what one step stores may be read by another one, or may have to be put back
    return loop if any(load.dims - writer.fixed and loop.name not in load.dims for load in read) else None


_SHORT = 2


def _looks_at_data(writer: Writer, value: Vector) -> bool:
    """Return whether evaluating a value compares indices or divisors, after which nothing may have been stored."""
    for part in parts_of(value):
        if may_divide_by_zero(part) or (isinstance(part, Load) and not is_view(writer, part.index)):
            return True
    return False


def _single(writer: Writer, node: Single) -> None:
    statement = node.statement
    if _never_runs(writer, statement):
        return
    outer, facts, start = writer.body, writer.facts, len(writer.body)
    free = [loop for loop in statement.loops if loop.name not in writer.fixed]
    writer.add(remark(statement.label))
    if free:
        _nonempty(writer, free)
    masks = _conditions(writer, statement, free)
    inner, before = writer.body, len(writer.body)
    _SINGLE[type(statement)](writer, statement, free, masks)
    if len(inner) == before:
        del outer[start:]  # nothing in it can fail
    writer.body, writer.facts = outer, facts


def _check(writer: Writer, check: Check, free: list[Loop], masks: list[Vector]) -> None:
    """Write an assertion; where it fails the interpreter takes over."""
    order = [loop.name for loop in free]
    for value in check.values:
        _touch(writer, value, order)
    if check.condition is not None:
        condition = Arrays(writer, order).value(check.condition)
        for mask in masks:
            fails = ir.Elementwise("~", (Arrays(writer, order).value(mask),), dtypes.BOOL)
            condition = ir.Elementwise("||", (condition, fails), dtypes.BOOL)
        writer.add(ir.Require((ir.Call("all", (condition,)) if order else condition,)))


def _touch(writer: Writer, value: Vector, order: list[str]) -> None:
    """Write the evaluation of an expression for the sake of what may fail in it."""
    before = len(writer.body)
    found = Arrays(writer, order).value(value)
    if may_fail(found):
        for guard in guards_in(found):
            writer.add(ir.Evaluate(guard))
    elif not any(may_fail(statement) for statement in writer.body[before:]):
        del writer.body[before:]


def _new(writer: Writer, new: New, free: list[Loop], masks: list[Vector]) -> None:
    """Write a new array; its sizes must not be negative."""
    sizes = writer.numbers(new.storage.shape)
    writer.add(ir.Require((at_least(ScalarOp("min", (*sizes, Literal(0)))),)))
    writer.add(ir.Allocate(new.storage.name, sizes, new.storage.dtype))


def _extern(writer: Writer, extern: Extern, free: list[Loop], masks: list[Vector]) -> None:
    """Write a call of a packed function, with whole arrays and plain numbers."""
    args: list[Expr] = [Literal(extern.function)]
    for arg in extern.args:
        if isinstance(arg, Storage):
            args.append(array_of(arg))
        elif isinstance(arg, Index):
            args.append(writer.number(arg.polynomial))
        else:
            args.append(ir.Property(Arrays(writer, ()).value(arg), "item"))
    at = Literal(len(writer.externs))
    writer.externs.append(extern.node)
    writer.add(ir.Evaluate(ir.Call(EXTERN, tuple(args), (("at", at),))))


_STRATEGIES: dict[str, Callable[[Writer, Kernel, list[Vector]], None]] = {
    plan.ELEMENTWISE: _elementwise,
    plan.SCATTER: scatter,
    plan.REDUCTION: reduction,
    plan.CONTRACTION: product,
    plan.WINDOW: window,
    plan.CONVOLUTION: convolution,
    plan.SCAN: scan,
    plan.SUMMED_AREA: summed_area,
}

_SINGLE: dict[type[Statement], Callable[[Writer, Any, list[Loop], list[Vector]], None]] = {
    Check: _check,
    New: _new,
    Listing: listing,
    RunningByKey: running_by_key,
    Extern: _extern,
}

_EMIT: dict[type[Node], Callable[[Writer, Any], None]] = {
    plan.Kernel: _kernel,
    plan.Single: _single,
    plan.Sequential: _sequential,
    plan.While: _while,
    plan.LockStep: write_lock_step,
    plan.Tile: _block,
    plan.TransposedScan: _transposed_scan,
    plan.ArgKernel: _arg_kernel,
}
