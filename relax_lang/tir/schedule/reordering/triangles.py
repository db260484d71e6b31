"""Triangles as rectangles under a condition: `for j in 0..i + 1` runs over the whole matrix where `j <= i`.

Row by row a triangle takes as many steps as it has rows. As one operation it does at most twice the work, and stores
where the condition holds. A sum is computed for the rectangle first, as a product of matrices where it is one. All
that is read must be inside for the rectangle, too.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.footprint import Footprints


def rectangles(
    lowering: Lowering, regions: Footprints, stage: Stage, fixed: frozenset[str]
) -> Iterator[tuple[Stage, frozenset[str]]]:
    """Yield a store over a triangle as one over a rectangle under a condition, and the loops that this names."""
    space, entry = lowering.space, lowering.entry
    free = [loop for loop in stage.loops if loop.name not in fixed]
    names = {loop.name for loop in free}
    varying = [loop for loop in free if space.dims(loop.extent) & names]
    if len(varying) != 1:
        return
    (inner,) = varying
    outer = space.dims(inner.extent) & names
    if len(outer) != 1 or space.atoms_in(inner.extent):
        return
    zero, one = Polynomial.constant(0), Polynomial.constant(1)
    row = Polynomial.name(next(iter(outer)))
    factor = inner.extent.coefficient(next(iter(outer)))
    shifts = [zero, row, row + one] if factor == -one else [zero]
    for shift in shifts:
        last = regions.greatest(Polynomial.name(inner.name) + shift, free)
        sizes = [] if last is None else [last + 1, last + 2]  # of which the second one may have no use
        extent = next((size for size in sizes if entry.is_nonnegative(size)), None)
        if extent is None or space.varies(extent):
            continue
        whole = Loop(entry.fresh(inner.name), extent, inner.node)
        space.loops[whole.name] = whole
        value = Polynomial.name(whole.name) - shift
        limits = [value] if shift.terms else []
        if extent != inner.whole + shift:
            limits.append(inner.whole - 1 - value)
        guards = [_nonnegative(lowering, limit) for limit in limits]
        loops = tuple([whole if loop is inner else loop for loop in stage.loops])
        made = stage.over(space, loops, {inner.name: value}, [*guards, *stage.guards])
        made.facts = ()
        if _is_safe(regions, made):
            yield made, outer | {whole.name}


def _nonnegative(lowering: Lowering, value: Polynomial) -> Vector:
    """Return the condition that a number is at least 0, with what is subtracted on the other side."""
    less = Polynomial({names: -factor for names, factor in value.terms.items() if factor < 0})
    parts = [Index(part, lowering.space.dims(part)) for part in (value + less, less)]
    return Apply(">=", tuple(parts), dtypes.BOOL)


def _is_safe(regions: Footprints, stage: Stage) -> bool:
    """Return whether nothing can fail where a condition does not hold."""
    return regions.is_inside(stage.target, stage.index, stage.loops) and all(
        regions.is_safe(part, stage.loops) for part in (stage.value, *stage.guards)
    )


def summed_first(
    lowering: Lowering,
    stage: Stage,
    loops: tuple[Sequence[Loop], Sequence[Loop]],
    combination: tuple[str, bool, Vector],
) -> list[Stage]:
    """Return a reduction under conditions on what is kept as three stores: of the initial value, of the reduction into
    an array of its own, and of both combined where the conditions hold. `loops` are those kept and those reduced.
    There are none if a condition depends on what is reduced.
    """
    kept, reduced = loops
    combine, negated, operand = combination
    space, entry, dtype = lowering.space, lowering.entry, stage.target.dtype
    if any(space.varies(loop.extent) for loop in kept):
        return []
    over = {loop.name for loop in reduced}
    if any(not over.isdisjoint(guard.dims) for guard in stage.guards):
        return []
    total = Storage(entry.fresh("total"), dtype, tuple([loop.extent for loop in kept]))
    total.is_temporary = True
    lowering.allocated.append(total)
    index = tuple([Polynomial.name(loop.name) for loop in kept])
    found = space.element(total, index, stage.node)
    around = [loop for loop in stage.loops if loop not in reduced]
    start = Const(plan.identity(combine, dtype), dtype)
    before = stage.current(space)
    op = "-" if negated else combine

    def made(along: Sequence[Loop], store: tuple[Storage, tuple[Polynomial, ...]], value: Vector) -> Stage:
        return Stage(tuple(along), (), stage.label, stage.node, *store, "=", value)

    fill = made(around, (total, index), start)
    step = made(stage.loops, (total, index), Apply(combine, (found, operand), dtype))
    last = made(around, (stage.target, stage.index), Apply(op, (before, found), dtype))
    last.guards = stage.guards
    return [fill, step, last]
