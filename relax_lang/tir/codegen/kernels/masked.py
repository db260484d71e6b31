"""Statements under conditions that decide what may be touched: the iterations that remain are listed, then run.

Each of them is a *lane*: the loop variables become arrays of their values in the lanes, in the order of the
program, and what is left is a gather and a scatter over one dimension. Nothing is read or stored, and no index is
looked at, where the conditions do not hold. [TIR.13]
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statement_accesses import guard_facts
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Atom, Load, Named
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.kernels.scatter import store
from relax_lang.tir.codegen.views import index_values, is_view, view
from relax_lang.tir.codegen.writer import all_of, array_of, name_of
from relax_lang.tir.schedule.footprint import Footprints
from relax_lang.tir.schedule.strategies.ragged import is_ragged, start_of_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.statements import Listing
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Kernel


def masked(writer: Writer, kernel: Kernel, masks: Sequence[Vector]) -> None:
    """Write a kernel over the iterations for which conditions hold."""
    stage, space = kernel.stage, writer.space
    regions = Footprints(space, writer.entry)
    loops = [loop for loop in stage.loops if loop.name not in writer.fixed]
    if not masks and is_ragged(space, loops):
        found = start_of_rows(space, loops)
        if found is not None:
            _in_one_range(writer, kernel, loops, *found)
            return
    together = 0 if is_ragged(space, loops) else 1
    while 0 < together < len(masks) and regions.is_safe(masks[together], stage.loops):
        together += 1
    values, lane = first_lanes(writer, masks[:together], loops)
    for mask in masks[together:]:
        keep = writer.name(Arrays(writer, (lane.name,)).value(space.replaced(mask, values)), "keep")
        names = [name_of(values[loop.name]) for loop in loops]
        for name in names:
            writer.add(ir.Define(name, ir.Gather(Ref(name), (keep,)), rebinds=True))
        writer.add(ir.Define(name_of(lane.extent), ir.Property(Ref(names[0]), "size"), rebinds=True))
        writer.shared.clear()  # which were as long as the lists before
    facts = guard_facts(masks)
    pairs = enumerate(zip(stage.index, stage.target.sizes, strict=True))
    sure = {at for at, (part, size) in pairs if part in facts and size - 1 - part in facts}
    index = tuple([space.substituted(part, values) for part in stage.index])
    writer.cover(Load(stage.target, index, frozenset((lane.name,)), stage.node), (lane.name,))
    store(writer, kernel, (lane,), index, space.replaced(kernel.operand, values), sure)


def listing(writer: Writer, statement: Listing, free: Sequence[Loop], masks: Sequence[Vector]) -> None:
    """Write lists of the indices at which elements are true."""
    names = tuple([storage.name for storage in statement.lists])
    writer.add(ir.Unpack(names, ir.Call("places", (array_of(statement.chosen),))))
    writer.add(ir.Store(ir.View(array_of(statement.number), ()), ir.Property(Ref(names[0]), "size")))


def _in_one_range(
    writer: Writer, kernel: Kernel, loops: Sequence[Loop], start: Polynomial, length: Polynomial
) -> None:
    """Write a kernel over rows each of which ends where the next one begins: over one range."""
    stage, space = kernel.stage, writer.space
    rows, inner = loops
    order = [rows.name]
    lengths = writer.name(index_values(writer, length, order), "lengths")
    first, lanes = writer.fresh("first"), writer.fresh("lanes")
    starts = writer.name(index_values(writer, start, order), "starts")
    writer.add(ir.Unpack((first, lanes), ir.Call("range_of_rows", (starts, lengths))))
    lane = Loop(writer.fresh("lane"), Polynomial.name(lanes), inner.node)
    space.loops[lane.name] = lane
    here = {inner.name: Polynomial.name(first) + Polynomial.name(lane.name) - start}
    operand = kernel.operand
    if kernel.combine in ("min", "max") and isinstance(operand, Apply) and _is_widened(operand):
        operand = operand.args[0]
    operand = space.replaced(operand, here)
    index = tuple([space.substituted(part, here) for part in stage.index])
    row_of: dict[str, Polynomial] = {}
    is_reduced = kernel.combine and index == stage.index and is_view(writer, index)
    is_reduced = is_reduced and any(rows.name in space.dims(part) for part in index)
    if not is_reduced or rows.name in operand.dims:
        name = writer.name(ir.Call("rows_of", (lengths,)), "row_at").name
        space.atoms[name] = Atom(name, Named(name, (lane.name,), dtypes.INT64, rows.extent))
        row_of[rows.name] = Polynomial.name(name)
        operand = space.replaced(operand, row_of)
    if not is_reduced:
        index = tuple([space.substituted(part, row_of) for part in index])
        writer.cover(Load(stage.target, index, frozenset((lane.name,)), stage.node), (lane.name,))
        store(writer, kernel, (lane,), index, operand)
        return
    writer.cover(Load(stage.target, index, frozenset(order), stage.node), order)
    value = Arrays(writer, (lane.name,)).value(operand)
    target, _ = view(writer, stage.target, index, order)
    op = ir.Operation(kernel.combine)
    args = (target, value, starts, lengths, op, Literal(kernel.negated))
    writer.add(ir.Evaluate(ir.Call("combine_rows", args)))


def first_lanes(
    writer: Writer, masks: Sequence[Vector], loops: Sequence[Loop]
) -> tuple[dict[str, Polynomial], Loop]:
    """Write the list of the iterations for which conditions hold; return what the loop variables are there. Without
    conditions the list is that of ragged rows.
    """
    space = writer.space
    lane = Loop(writer.fresh("lane"), Polynomial.name(writer.fresh("lanes")), loops[0].node)
    space.loops[lane.name] = lane
    order = [loop.name for loop in loops]
    names = [writer.fresh(f"{loop.name}_at") for loop in loops]
    if masks:
        mask = all_of([Arrays(writer, order).value(mask) for mask in masks])
        if not any(one.dims - writer.fixed == frozenset(order) for one in masks):
            mask = ir.Broadcast(mask, writer.extents(order))
        places = ir.Call("places", (mask,))
    else:
        lengths = index_values(writer, loops[1].extent, order[:1])
        places = ir.Call("places_in_rows", (lengths,))
    writer.add(ir.Unpack(tuple(names), places))
    writer.add(ir.Define(name_of(lane.extent), ir.Property(Ref(names[0]), "size")))
    values: dict[str, Polynomial] = {}
    for loop, name in zip(loops, names, strict=True):
        extent = None if space.varies(loop.extent) else loop.extent
        space.atoms[name] = Atom(name, Named(name, (lane.name,), dtypes.INT64, extent))
        values[loop.name] = Polynomial.name(name)
    return values, lane


def _is_widened(value: Apply) -> bool:
    """Return whether a value is a cast of integers to a type that has all of them."""
    source = value.args[0].dtype
    are_integers = dtypes.is_integer(source) and dtypes.is_integer(value.dtype)
    return value.op == "cast" and are_integers and dtypes.keeps_values(source, value.dtype)
