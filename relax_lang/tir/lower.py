"""From the statements of a PrimFunc to stages: one per store, each with its whole iteration domain.

Loops become rectangular domains from 0, block axes are replaced by what they are bound to, `let` by its value or,
where that reads a buffer, by a buffer of its own; a buffer allocated inside loops gets a copy per iteration. The
`init` of a block becomes a stage over the loops that do not reduce. Nothing is decided about order here:
`dependence` proves afterwards that the stages may run one after the other. What has no such form is `Refused`.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import vector
from relax_lang.tir.entry import Entry
from relax_lang.tir.reductions import Reduction, find_reductions, other_axes
from relax_lang.tir.values import Values, check_available
from relax_lang.tir.vector import Loop, Refused, Stage, Storage, Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.tir.check import Analysis
    from relax_lang.tir.symbols import Symbol


class Place:
    """Where a statement stands: its loops from the outermost inward, the conditions on it, its label."""

    __slots__ = ("guards", "label", "loops")

    def __init__(
        self, loops: tuple[Loop, ...] = (), guards: tuple[Vector, ...] = (), label: str = ""
    ) -> None:
        self.loops = loops
        self.guards = guards
        self.label = label


class Lowering:
    """The state of lowering one PrimFunc: its stages so far, its storages, its names."""

    def __init__(self, analysis: Analysis, merged: dict[str, str] | None = None) -> None:
        self.analysis = analysis
        self.entry = Entry(analysis)
        self.stages: list[Stage] = []
        self.allocated: list[Storage] = []
        self.storages: dict[Symbol, Storage] = {}
        self.values = Values(self.entry, self.storages)
        self._reductions = {reduction.block: reduction for reduction in find_reductions(analysis)}
        self._loops: dict[tuple[tree.For, int], Loop] = {}
        self._declare_buffers(merged or {})

    def _declare_buffers(self, merged: dict[str, str]) -> None:
        """Make the storages of the parameters; `merged` says which ones are one array in this call."""
        by_name: dict[str, Storage] = {}
        for symbol in self.analysis.dims.values():
            self.entry.identifier(symbol)
        for param in self.analysis.func.params:
            symbol = self.analysis.symbols[param]
            name = self.entry.identifier(symbol)
            if not isinstance(param, tree.Buffer):
                continue
            shape = tuple([self.values.polynomial(dim) for dim in param.shape])
            storage = Storage(name, param.dtype.name, shape, is_param=True)
            by_name[param.name] = storage
            self.storages[symbol] = by_name[merged.get(param.name, param.name)]

    def item(self, statement: tree.Stmt) -> None:
        """Lower one statement of the body; raises `Refused`."""
        self._statements((statement,), Place())

    def _statements(self, statements: Iterable[tree.Stmt], place: Place) -> None:
        for statement in statements:
            _LOWER[type(statement)](self, statement, place)

    def lower_for(self, loop: tree.For, place: Place) -> None:
        """Lower a `for`: each variable is a loop from 0; the order and kind of the loops do not matter yet."""
        loops = list(place.loops)
        for position, (var, bounds) in enumerate(zip(loop.loop_vars, loop.ranges, strict=True)):
            start, stop = self._bound(bounds.min), self._bound(bounds.stop)
            made = Loop(self.entry.fresh(var.name), self._extent(stop - start, var.name), var)
            loops.append(made)
            self._loops[loop, position] = made
            symbol = self.analysis.symbols[var]
            self.values.loops[made.name] = made
            self.values.define(symbol, start + Polynomial.name(made.name), self._loop_value(made, start))
        label = place.label or f"loop over {', '.join([var.name for var in loop.loop_vars])}"
        self._statements(loop.body, Place(tuple(loops), place.guards, label))

    def _bound(self, expr: tree.PrimExpr) -> Polynomial:
        bound = self.values.polynomial(expr)
        if bound.names() & set(self.values.loops):
            raise Refused("the bounds of this loop change with an outer loop", expr)
        return bound

    def _extent(self, extent: Polynomial, name: str) -> Polynomial:
        if self.entry.is_nonnegative(extent):
            return extent
        if extent.value is not None:
            return Polynomial.constant(0)
        return self.entry.define(f"max(0, {extent})", f"{name}_extent", nonnegative=True)

    def _loop_value(self, loop: Loop, start: Polynomial) -> Vector:
        iota = vector.Iota(loop)
        if start.value == 0:
            return iota
        return vector.Apply("+", (iota, vector.Size(str(start), dtypes.INT64)), dtypes.INT64)

    def lower_block(self, block: tree.Block, place: Place) -> None:
        """Lower a block: bind its axes, add `where` to the conditions, put `init` where it belongs. [TIR.10]"""
        for axis in block.axes:
            if vector.loads(self.values.vector(axis.value)):
                raise Refused("this axis depends on data", axis)
            self.values.bind(self.analysis.symbols[axis.var], axis.value)
        guards = place.guards
        if block.predicate is not None:
            guards = (*guards, self.values.vector(block.predicate))
        inner = Place(place.loops, guards, block.name)
        before = len(self.stages)
        if block.init is not None:
            self._lower_init(block, inner)
        self._statements(block.body, inner)
        self._check_guards(guards[len(place.guards) :], before, block)

    def _lower_init(self, block: tree.Block, place: Place) -> None:
        reduction = self._reductions.get(block)
        if reduction is None:
            self._statements(block.init or (), place)
            return
        first = len(self.stages)
        reducing = self._reducing_loops(reduction, place)
        kept = tuple([loop for loop in place.loops if loop not in reducing])
        self._statements(block.init or (), Place(kept, place.guards, block.name))
        names = {loop.name for loop in reducing}
        for stage in self.stages[first:]:
            stage.reducing = reducing
            for index in stage.index:
                if index.names() & names:
                    raise Refused("`init` depends on a reduce axis", stage.node)
            for part in (stage.value, *stage.guards):
                if part.dims & names:
                    raise Refused("`init`, or the condition on it, depends on a reduce axis", stage.node)

    def _reducing_loops(self, reduction: Reduction, place: Place) -> tuple[Loop, ...]:
        """Return the loops that only reduce; `init` must run once for each iteration of the others."""
        block = reduction.block
        inside = [self._loops[key] for key in reduction.loops]
        pairs = zip(inside, reduction.reducing, strict=True)
        reducing = tuple([loop for loop, reduces in pairs if reduces])
        told_apart: set[str] = set()
        for axis in other_axes(block):
            value = self.values.polynomial(axis.value)
            names = value.names() & {loop.name for loop in inside}
            factor = value.coefficient(next(iter(names))) if len(names) == 1 else None
            if factor is not None and factor.value:
                told_apart |= names
        for loop in inside:
            if loop not in reducing and loop.name not in told_apart:
                raise Refused("the axes do not tell the iterations of this loop apart", loop.node)
        if not reduction.perfect:
            for loop in reducing:
                self.entry.require(f"{loop.extent} > 0")
        return reducing

    def _check_guards(self, guards: Iterable[Vector], first: int, node: tree.Stmt) -> None:
        """Refuse conditions that change while the code under them runs: they are evaluated once per stage."""
        written = {stage.target for stage in self.stages[first:]}
        for guard in guards:
            for load in vector.loads(guard):
                if load.storage in written:
                    raise Refused("the condition reads what the code under it writes", node)

    def lower_allocate(self, statement: tree.Allocate, place: Place) -> None:
        """Lower an `alloc`: a new array per iteration of the loops around it. [TIR.18]"""
        check_available(statement.buffer.dtype.name, statement)
        shape: list[Polynomial] = []
        for dim in statement.buffer.shape:
            size = self.values.polynomial(dim)
            if size.names() & set(self.values.loops):
                raise Refused("the size of this buffer changes with a loop", dim)
            if not self.entry.is_nonnegative(size):
                self.entry.require(f"{size} >= 0")
            shape.append(size)
        symbol = self.analysis.symbols[statement.buffer]
        self._new_storage(symbol, statement.buffer.dtype.name, tuple(shape), place)

    def _new_storage(
        self, symbol: Symbol, dtype: str, shape: tuple[Polynomial, ...], place: Place
    ) -> Storage:
        storage = Storage(self.entry.identifier(symbol), dtype, shape, place.loops)
        self.allocated.append(storage)
        self.storages[symbol] = storage
        return storage

    def lower_let(self, statement: tree.LetStmt, place: Place) -> None:
        """Lower a `let`: its value takes its place, or is kept in a buffer if it reads one. [TIR.16]"""
        symbol = self.analysis.symbols[statement.var]
        value = self.values.vector(statement.value)
        if not vector.loads(value):
            self.values.bind(symbol, statement.value)
            return
        # What is computed in float32 stays so in a `let`; only stores and casts round to a half.
        storage = self._new_storage(symbol, dtypes.computed_in(value.dtype), (), place)
        index = tuple([Polynomial.name(loop.name) for loop in place.loops])
        node = statement
        self.stages.append(
            Stage(place.loops, storage, index, "=", value, place.guards, self._label(place), node)
        )
        load = vector.Load(storage, index, frozenset([loop.name for loop in place.loops]), node)
        load.dtype = storage.dtype
        self.values.define(symbol, None, load)

    def lower_store(self, statement: tree.BufferStore, place: Place) -> None:
        """Lower a store to a stage. [TIR.15]"""
        storage = self.storages[self.analysis.symbols[statement.buffer]]
        index = self.values.access(storage, statement.indices)
        value = self.values.vector(statement.value)
        stage = Stage(
            place.loops, storage, index, statement.op, value, place.guards, self._label(place), statement
        )
        self.stages.append(stage)

    def _label(self, place: Place) -> str:
        return place.label or "statement"

    def lower_if(self, statement: tree.IfThenElse, place: Place) -> None:
        """Lower an `if`: its branches under its condition and under the opposite."""
        condition = self.values.vector(statement.condition)
        opposite = vector.Apply("!", (condition,), dtypes.BOOL)
        before = len(self.stages)
        self._statements(statement.then_case, Place(place.loops, (*place.guards, condition), place.label))
        self._statements(statement.else_case, Place(place.loops, (*place.guards, opposite), place.label))
        self._check_guards((condition,), before, statement)

    def lower_assert(self, statement: tree.AssertStmt, place: Place) -> None:
        """Lower an assertion about sizes: if it fails, the interpreter runs and says so. [TIR.17]"""
        if place.loops or place.guards:
            raise Refused("an assertion inside a loop or under a condition", statement)
        self.entry.require(self.entry.size_text(statement.condition))

    def refuse_while(self, statement: tree.While, place: Place) -> None:
        """Refuse a `while`."""
        raise Refused("how often `while` repeats depends on data", statement)

    def refuse_extern(self, statement: tree.CallExtern, place: Place) -> None:
        """Refuse a call: it may read and write anything."""
        raise Refused("call_extern may read and write anything", statement)


_LOWER: dict[type[tree.Stmt], Callable[[Lowering, Any, Place], None]] = {
    tree.For: Lowering.lower_for,
    tree.Block: Lowering.lower_block,
    tree.Allocate: Lowering.lower_allocate,
    tree.LetStmt: Lowering.lower_let,
    tree.BufferStore: Lowering.lower_store,
    tree.IfThenElse: Lowering.lower_if,
    tree.While: Lowering.refuse_while,
    tree.AssertStmt: Lowering.lower_assert,
    tree.CallExtern: Lowering.refuse_extern,
}
