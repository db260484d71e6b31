"""Reductions over a few iterations, such as the windows of a pool: one step after the other, each on whole arrays.

A reduction call over a small last dimension is slow, a step over all windows at once is fast. Where a window has
several dimensions the outer ones are reduced first, over whole rows, which lie together in memory; the last one
then has less to do.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Load, parts_of, with_parts
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.plan import Kernel

_MOST_STEPS = 32


def is_small(kernel: Kernel) -> bool:
    """Return whether a reduction has few steps for each of many elements."""
    steps = 1
    for loop in kernel.reduced:
        if loop.extent.value is None:
            return False
        steps *= loop.extent.value
    if not kernel.kept or kernel.stage.target.dtype in dtypes.HALVES or kernel.lanes:
        return False
    return 1 < steps <= _MOST_STEPS and kernel.operand.dims > {loop.name for loop in kernel.reduced}


def separated(lowering: Lowering, kernel: Kernel) -> list[Kernel]:
    """Return a window reduction as two, if its last dimension is one of its own: rows first, then what they give."""
    load = _only_load(kernel.operand)
    reduced = {loop.name: loop for loop in kernel.reduced}
    if load is None or len(reduced) < 2 or kernel.stage.guards or kernel.negated:
        return [kernel]
    is_plain = kernel.operand is load and kernel.combine != "+"
    if kernel.combine not in ("max", "min", "+") or not (
        is_plain or kernel.operand.dtype == kernel.stage.target.dtype
    ):
        return [kernel]
    last = load.index[-1].names() & reduced.keys()
    elsewhere = set[str]().union(*[part.names() for part in load.index[:-1]])
    if len(last) != 1 or last & elsewhere or not reduced.keys() - last <= elsewhere:
        return [kernel]
    name = next(iter(last))
    moving = [loop for loop in kernel.kept if loop.name in load.index[-1].names()]
    factors = [load.index[-1].coefficient(one) for one in (name, *[loop.name for loop in moving])]
    if (
        len(moving) != 1
        or moving[0].name in elsewhere
        or any(f is None or (f.value or 0) < 1 for f in factors)
    ):
        return [kernel]
    return _two(lowering, kernel, load, reduced[name], moving[0])


def _only_load(operand: Vector) -> Load | None:
    """Return the only part of an operand that is not a constant; None if there are more."""
    found = [part for part in parts_of(operand) if not isinstance(part, Const | Apply)]
    return found[0] if len(found) == 1 and isinstance(found[0], Load) else None


def _two(lowering: Lowering, kernel: Kernel, load: Load, last: Loop, moving: Loop) -> list[Kernel]:
    """Return the reduction over whole rows into an array of its own, and the one of that over the last dimension."""
    entry, space = lowering.entry, lowering.space
    along = load.index[-1]
    start = along.without({last.name, moving.name})
    inner = along - start
    length = _at_most(inner, (last, moving)) + 1
    wide = Loop(entry.fresh("w"), length, last.node)
    space.loops[wide.name] = wide
    others = [loop for loop in kernel.reduced if loop is not last]
    kept = [loop for loop in kernel.kept if loop is not moving and loop.name in load.dims]
    if any(space.varies(loop.extent) for loop in (*kept, wide)):
        return [kernel]
    operand = kernel.operand
    storage = Storage(entry.fresh("rows"), operand.dtype, tuple([loop.extent for loop in (*kept, wide)]))
    lowering.allocated.append(storage)
    index = tuple([Polynomial.name(loop.name) for loop in kept])
    stage = kernel.stage
    row_load = Load(
        load.storage, (*load.index[:-1], start + Polynomial.name(wide.name)),
        load.dims - {last.name, moving.name} | {wide.name}, load.node,
    )  # fmt: skip
    place = (*index, Polynomial.name(wide.name))
    value = with_parts(operand, {load.key: row_load})
    rows = Stage((*kept, wide, *others), (), stage.label, stage.node, storage, place, "=", value)
    first = plan.Kernel(rows, plan.WINDOW, value, [*kept, wide], others, kernel.combine)
    first.initial = Const(plan.identity(kernel.combine, operand.dtype), operand.dtype)
    first.nonempty = kernel.nonempty
    second_load = Load(
        storage, (*index, inner), frozenset([loop.name for loop in (*kept, moving, last)]), load.node
    )
    loops = tuple([loop for loop in stage.loops if loop not in others])
    second_stage = replaced(stage, loops=loops, value=second_load, guards=())
    second = plan.Kernel(second_stage, plan.WINDOW, second_load, kernel.kept, [last], kernel.combine)
    second.nonempty, second.requires = kernel.nonempty, []
    first.requires = kernel.requires
    for one in (first, second):
        one.covered = {(id(load.storage), row_load.index), (id(storage), second_load.index), *kernel.covered}
    return [first, second]


def _at_most(value: Polynomial, loops: Sequence[Loop]) -> Polynomial:
    for loop in loops:
        factor = value.coefficient(loop.name)
        assert factor is not None, "the index is affine"
        value = value.without({loop.name}) + factor * (loop.extent - 1)
    return value
