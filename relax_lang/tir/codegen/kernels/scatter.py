"""Stores to places that data or several iterations choose: all of them at once, in the order of the program.

Of two stores to one element the later one wins; with `+=` and the like every step counts, one after the other, so
sums of floats come out as the loops would have them. Only where many places come in order, as those of long rows
of lengths that data choose do, the terms for each element are summed first.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import checked_index
from relax_lang.tir.codegen.writer import array_of
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


def scatter(writer: Writer, kernel: Kernel, masks: list[Vector]) -> None:
    """Write a store to elements that an index names which is not a view."""
    assert not masks, "where there are conditions, the iterations are listed first"
    loops = [loop for loop in kernel.stage.loops if loop.name not in writer.fixed]
    store(writer, kernel, loops, kernel.stage.index, kernel.operand)


def store(
    writer: Writer,
    kernel: Kernel,
    loops: Sequence[Loop],
    index: Indices,
    value: Vector,
    sure: Collection[int] = (),
) -> None:
    """Write the store of a value at an index over some loops; the dimensions in `sure` are known to be inside."""
    target = kernel.stage.target
    order = [loop.name for loop in loops]
    if _is_of_rows(writer, kernel, loops, index):
        _store_rows(writer, kernel, loops, index, value, 0 in sure)
        return
    places = [
        checked_index(writer, part, size, order, sure=at in sure)
        for at, (part, size) in enumerate(zip(index, target.sizes, strict=True))
    ]
    stored = Arrays(writer, order).value(value)
    args = [array_of(target), ir.Tuple(tuple(places)), stored, ir.Tuple(writer.extents(order))]
    if kernel.strategy != plan.ELEMENTWISE and kernel.combine:
        args.append(ir.Operation("-" if kernel.negated else kernel.combine))
    writer.add(ir.Evaluate(ir.Call("scatter", tuple(args))))


def _is_of_rows(writer: Writer, kernel: Kernel, loops: Sequence[Loop], index: Indices) -> bool:
    """Return whether whole rows of a matrix are combined: the first loop chooses them, the second goes along them."""
    if kernel.strategy == plan.ELEMENTWISE or not kernel.combine or len(loops) != 2 or len(index) != 2:
        return False
    (rows, columns), (chosen, along) = loops, index
    if along != Polynomial.name(columns.name) or columns.extent != kernel.stage.target.sizes[1]:
        return False
    dims = writer.space.dims(chosen)
    return rows.name in dims and columns.name not in dims


def _store_rows(
    writer: Writer, kernel: Kernel, loops: Sequence[Loop], index: Indices, value: Vector, is_sure: bool
) -> None:
    target, order = kernel.stage.target, [loop.name for loop in loops]
    keys = checked_index(writer, index[0], target.sizes[0], order[:1], sure=is_sure)
    combine = ir.Operation("-" if kernel.negated else kernel.combine)
    stored = Arrays(writer, order).value(value)
    args = array_of(target), keys, stored, ir.Tuple(writer.extents(order)), combine
    writer.add(ir.Evaluate(ir.Call("combine_chosen_rows", args)))
