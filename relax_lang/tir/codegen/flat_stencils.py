"""Windows that move over an array, as in a stencil, computed in flat runs: whole rows with their borders.

NumPy goes over `X[i, j + 1] + X[i, j]` row by row, as the last elements of the rows are left out. In memory, though,
rows follow each other, and the neighbours of an element are at the same distance everywhere. So operations on
shifted parts of one array, or of several that lie alike, run over all elements from the first to the last one that
count, as one dimension; what comes out for the borders is of no use and not stored. The operations on the elements
that count are those of the program.

A load may be part of a run if each loop moves it along one dimension, by one element at a time; the loads of a run
only differ by where they start. If the first and the last element of a load lie inside of the array, as `regions`
proves or requires, so do all between them.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.value_ranges import may_divide_by_zero
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Load, Named, Size, parts_of, with_parts
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.writer import array_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer

_WIDEST_BORDER = 16
"""How many elements of a row a run may pass over for nothing."""


class Layout:
    """How the loops move through an array: the outermost one first, and the sizes of the dimensions of the others."""

    __slots__ = ("inner", "loops")

    def __init__(self, loops: tuple[str, ...], inner: Indices) -> None:
        self.loops = loops
        self.inner = inner

    @property
    def steps(self) -> list[Polynomial]:
        """How many elements lie between neighbours along each loop."""
        found = [Polynomial.constant(1)]
        for size in reversed(self.inner):
            found.insert(0, found[0] * size)
        return found


class FlatRuns:
    """The runs in the value of one kernel over an order of loops, in a block of rows."""

    def __init__(self, writer: Writer, order: Sequence[str], target: Storage) -> None:
        self._writer = writer
        self._order = tuple(order)
        self._full = frozenset(order)
        self._target = target
        self._chosen: Layout | None = None
        """The layout of the runs of the value at hand."""

    def parts(self, value: Vector) -> list[Vector]:
        """Return the parts of a value to compute in flat runs: none unless that is worth while."""
        self._chosen = self._layout(value)
        if self._chosen is None or not isinstance(value, Apply) or not self._writer.is_tiled:
            return []
        flat: dict[int, bool] = {}
        found: dict[int, Vector] = {}
        pending = list(value.args)
        while pending:
            part = pending.pop()
            if isinstance(part, Apply) and self._is_full(part) and self._is_flat(part, flat):
                found[part.key] = part
            elif isinstance(part, Apply):
                pending.extend(part.args)
        steps = {one.key for part in found.values() for one in parts_of(part) if self._is_step(one)}
        return list(found.values()) if len(steps) > 1 else []

    def computed(self, value: Vector, parts: list[Vector]) -> Vector:
        """Write the runs; return the value with what they gave in place of the parts. No loop is empty."""
        writer = self._writer
        layout = self._layout(value)
        assert layout is not None, "what has parts to compute in runs has a layout"
        extents = [writer.space.loops[name].extent for name in layout.loops]
        length = Polynomial.constant(1)
        for extent, step in zip(extents, layout.steps, strict=True):
            length = length + (extent - 1) * step
        run = Loop(writer.fresh("run"), length, writer.space.loops[layout.loops[0]].node)
        writer.space.loops[run.name] = run
        loads = {one.key: one for part in parts for one in parts_of(part) if isinstance(one, Load)}
        done = self._runs(list(loads.values()), layout, run)
        values = Arrays(writer, [run.name]).values([with_parts(part, done) for part in parts])
        del writer.space.loops[run.name]
        shape, steps = ir.Tuple(writer.numbers(extents)), ir.Tuple(writer.numbers(layout.steps))
        found: dict[int, Vector] = {}
        for part, flat in zip(parts, values, strict=True):
            inner = writer.name(ir.Call("from_run", (flat, shape, steps)), "inner")
            found[part.key] = Named(inner.name, layout.loops, part.dtype)
        return with_parts(value, found)

    def _is_full(self, part: Vector) -> bool:
        return part.dims - self._writer.fixed == self._full

    def _is_step(self, part: Vector) -> bool:
        return isinstance(part, Apply) and self._is_full(part)

    def _layout(self, value: Vector) -> Layout | None:
        """Return the layout of the loads of a value that read windows."""
        return next((found for found in [self._layout_of(part) for part in parts_of(value)] if found), None)

    def _layout_of(self, load: Vector) -> Layout | None:
        """Return the layout of a load that goes over a window: over all of some rows but for a few elements."""
        if not isinstance(load, Load) or len(self._order) < 2 or len(load.index) < len(self._order):
            return None
        first = len(load.index) - len(self._order)
        inner = load.storage.sizes[first + 1 :]
        extents = [self._writer.space.loops[name].extent for name in self._order[1:]]
        extents = [self._writer.entry.whole_extent(extent) for extent in extents]
        borders = [(size - extent).value for size, extent in zip(inner, extents, strict=True)]
        if any(border is None or not 0 <= border <= _WIDEST_BORDER for border in borders) or not any(borders):
            return None
        layout = Layout(self._order, inner)
        return layout if self._moves(load, layout) else None

    def _moves(self, load: Load, layout: Layout) -> bool:
        """Return whether a load has a layout: each loop moves it along one dimension, by one."""
        space, fixed = self._writer.space, self._writer.fixed
        first = len(load.index) - len(layout.loops)
        if load.storage is self._target or load.dtype in dtypes.HALVES or first < 0:
            return False
        if load.storage.sizes[first + 1 :] != layout.inner:
            return False
        names = [*[None] * first, *layout.loops]
        for part, name in zip(load.index, names, strict=True):
            rest = part - Polynomial.name(name) if name else part
            if not space.dims(rest) <= fixed or space.atoms_in(rest):
                return False
        return True

    def _is_flat(self, part: Vector, known: dict[int, bool]) -> bool:
        """Return whether a value can be computed in a run: it is made from loads of one layout and numbers."""
        if part.key not in known:
            known[part.key] = self._judged(part, known)
        return known[part.key]

    def _judged(self, part: Vector, known: dict[int, bool]) -> bool:
        if isinstance(part, Load):
            return self._chosen is not None and self._moves(part, self._chosen)
        if isinstance(part, Apply):
            return not may_divide_by_zero(part) and all(self._is_flat(arg, known) for arg in part.args)
        return isinstance(part, Const | Size)

    def _runs(self, loads: list[Load], layout: Layout, run: Loop) -> dict[int, Vector]:
        """Write the flat form of the rows that are read; return each load as a part of it."""
        writer = self._writer
        groups: dict[tuple[object, ...], list[Load]] = {}
        for load in loads:
            writer.cover(load, self._order)
            start = self._start(load, layout)
            key = (id(load.storage), load.index[: -len(layout.loops)], start - _number(start))
            groups.setdefault(key, []).append(load)
        found: dict[int, Vector] = {}
        for group in groups.values():
            starts = [self._start(load, layout) for load in group]
            least, most = min(map(_number, starts)), max(map(_number, starts))
            low = starts[0] - _number(starts[0]) + least
            stop = low + (most - least) + writer.space.loops[layout.loops[0]].extent
            load = group[0]
            before = [ir.At(writer.number(part)) for part in load.index[: -len(layout.loops)]]
            some = ir.Slice(writer.number(low), writer.number(stop) - low)
            rows = ir.Call("contiguous", (ir.View(array_of(load.storage), (*before, some)),))
            flat = writer.name(ir.Reshaped(rows, (Literal(-1),)), load.storage.name.lower())
            for load in group:
                offset = (self._start(load, layout) - low) * layout.steps[0]
                pairs = zip(
                    load.index[-len(layout.loops) + 1 :], layout.loops[1:], layout.steps[1:], strict=True
                )
                for part, name, step in pairs:
                    offset = offset + (part - Polynomial.name(name)) * step
                part = ir.View(flat, (ir.Slice(writer.number(offset), writer.number(run.extent)),))
                name = writer.name(part, load.storage.name.lower())
                found[load.key] = Named(name.name, (run.name,), load.dtype)
        return found

    def _start(self, load: Load, layout: Layout) -> Polynomial:
        """Return the first row that a load reads."""
        return load.index[-len(layout.loops)] - Polynomial.name(layout.loops[0])


def _number(part: Polynomial) -> int:
    """Return the number that is added in a polynomial."""
    return part.terms.get((), 0)
