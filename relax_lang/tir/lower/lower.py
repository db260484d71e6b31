"""From the statements of a PrimFunc to those of `vector`: each with all loops around it, its iteration domain.

Loops start from 0, block axes are replaced by what they are bound to, `let` by its value or, where that reads what
the program writes, by a buffer of its own; so is a condition that the code under it changes. A buffer allocated
inside loops gets a copy per iteration. The `init` of a block becomes a statement over the loops that do not reduce.
Nothing is decided about order here: `distribute` sorts the statements out. What has no such form is `NotVectorizable`.
"""

from __future__ import annotations

from relax_lang.arith.division import exact_quotient
from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis import vector_ir
from relax_lang.tir.analysis.vector_ir import (
    Apply,
    Check,
    Extern,
    Loop,
    New,
    NotVectorizable,
    Repeat,
    Stage,
    Storage,
    Vector,
    all_loads,
)
from relax_lang.tir.check.reduction_init import Reduction, find_reductions, other_axes
from relax_lang.tir.lower.guards import Guards
from relax_lang.tir.lower.values import Values, check_available, is_risky

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.tir.analysis.vector_ir import Statement
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Variable = tuple[tree.For, int]  # one variable of a `for` statement


class Position:
    """Where a statement stands: its loops from the outermost inward, the conditions on it, its label.

    `repeats` counts the loops outside of the innermost `while`.
    """

    __slots__ = ("guards", "label", "loops", "repeats")

    def __init__(
        self, loops: tuple[Loop, ...] = (), guards: tuple[Vector, ...] = (), label: str = "", repeats: int = 0
    ) -> None:
        self.loops = loops
        self.guards = guards
        self.label = label
        self.repeats = repeats

    def guarded(self, *guards: Vector) -> Position:
        """Return the same place under more conditions."""
        return Position(self.loops, (*self.guards, *guards), self.label, self.repeats)


class Requests:
    """What an earlier attempt to lower the same PrimFunc asked for."""

    def __init__(self) -> None:
        self.splits: dict[Variable, Polynomial] = {}
        """Loops to be made two, with the extent of the inner one."""
        self.guarded: set[tree.Block] = set()
        """Blocks whose `init` stays in its place, under a condition."""
        self.may_split = True


class Lowering:
    """The state of lowering one PrimFunc: its statements so far, its storages, its names."""

    def __init__(
        self, analysis: Analysis, merged: dict[str, str] | None = None, requests: Requests | None = None
    ) -> None:
        self.analysis = analysis
        self.requests = requests or Requests()
        self.entry = Guards(analysis)
        self.statements: list[Statement] = []
        self.allocated: list[Storage] = []
        self.storages: dict[Symbol, Storage] = {}
        self.values = Values(self.entry, self.storages, self.requests.may_split)
        self.space = self.values.space
        self.variables: dict[str, Variable] = {}
        """Which variable of which `for` a loop is."""
        self.blocks: dict[Node, tree.Block] = {}
        """The blocks of statements that come from an `init`."""
        self._reductions = {reduction.block: reduction for reduction in find_reductions(analysis)}
        self._loops: dict[Variable, tuple[Loop, ...]] = {}
        self._declare_buffers(merged or {})
        self._written = self._stored_in(analysis.func.body)

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
            for size in shape:
                self.entry.note_fact(size)
            storage = Storage(name, param.dtype.name, shape, is_param=True)
            by_name[param.name] = storage
            self.storages[symbol] = by_name[merged.get(param.name, param.name)]

    def body(self) -> None:
        """Lower the body; raises `NotVectorizable`."""
        self._lower(self.analysis.func.body, Position())

    def _lower(self, statements: Iterable[tree.Stmt], place: Position) -> None:
        for statement in statements:
            _LOWER[type(statement)](self, statement, place)

    def _stored_in(self, statements: Sequence[tree.Stmt]) -> set[Symbol]:
        """Return the buffers that statements may write."""
        found: set[Symbol] = set()
        for statement in statements:
            for node in walk(statement):
                if isinstance(node, tree.BufferStore):
                    found.add(self.analysis.symbols[node.buffer])
                elif isinstance(node, tree.CallExtern):
                    found |= {self.analysis.symbols[arg] for arg in node.args if arg in self.analysis.symbols}
        return found

    def _reads(self, value: Vector, written: set[Symbol]) -> bool:
        storages = {self.storages[symbol] for symbol in written if symbol in self.storages}
        return any(load.storage in storages for load in all_loads(self.space, value))

    def _kept(
        self, value: Vector, place: Position, written: set[Symbol], name: str, node: tree.Stmt
    ) -> Vector:
        """Return a value that is evaluated once, before code that may change what it reads."""
        return self._stored(value, place, name, node) if self._reads(value, written) else value

    def _stored(self, value: Vector, place: Position, name: str, node: tree.Stmt) -> Vector:
        """Store a value in a buffer of its own, with a copy for each iteration."""
        # What is computed in float32 stays so in a `let`; only stores and casts round to a half.
        outer = self._with_copies(place)
        storage = Storage(self.entry.fresh(name), dtypes.computed_in(value.dtype), (), outer)
        storage.is_temporary = True
        self.allocated.append(storage)
        index = tuple([Polynomial.name(loop.name) for loop in outer])
        stage = Stage(place.loops, storage, index, "=", value, place.guards, self._label(place), node)
        self.statements.append(stage)
        return vector_ir.Load(storage, index, frozenset([loop.name for loop in outer]), node)

    def _with_copies(self, place: Position) -> tuple[Loop, ...]:
        """Return the loops whose iterations can have a copy each of a buffer: those that run equally often each
        time. The other ones share it, and run one after the other for that.
        """
        return tuple([loop for loop in place.loops if not self.space.varies(loop.extent)])

    def lower_for(self, loop: tree.For, place: Position) -> None:
        """Lower a `for`: each variable is a loop from 0; the order and kind of the loops do not matter yet."""
        loops = list(place.loops)
        written = self._stored_in(loop.body)
        label = place.label or f"loop over {', '.join([var.name for var in loop.loop_vars])}"
        for position, (var, bounds) in enumerate(zip(loop.loop_vars, loop.ranges, strict=True)):
            here = Position(tuple(loops), place.guards, label, place.repeats)
            start, stop = [
                self.values.as_polynomial(
                    self._kept(self.values.vector(bound), here, written, var.name, loop)
                )
                for bound in (bounds.min, bounds.stop)
            ]
            extent = self._extent(stop - start, var.name)
            made = self._made_loops(loop, position, extent)
            loops += made
            value = start + Polynomial.name(made[-1].name)
            if len(made) == 2:
                value = value + Polynomial.name(made[0].name) * made[1].extent
            self.values.define(self.analysis.symbols[var], self.values.index(value))
        self._lower(loop.body, Position(tuple(loops), place.guards, label, place.repeats))

    def _made_loops(self, loop: tree.For, position: int, extent: Polynomial) -> tuple[Loop, ...]:
        var = loop.loop_vars[position]
        inner = self.requests.splits.get((loop, position))
        extents = [extent]
        if inner is not None:
            parts = exact_quotient(extent, inner)
            assert parts is not None, "only loops of whole parts are split"
            extents = [parts, inner]
        names = [
            self.entry.fresh(var.name if len(extents) == 1 else f"{var.name}{part}")
            for part in "oi"[: len(extents)]
        ]
        made = tuple([Loop(name, size, var) for name, size in zip(names, extents, strict=True)])
        for one in made:
            self.space.loops[one.name] = one
            self.variables[one.name] = (loop, position)
        if len(made) == 1:
            self.values.splittable.add(made[0].name)
        self._loops[loop, position] = made
        return made

    def _extent(self, extent: Polynomial, name: str) -> Polynomial:
        """Return the extent of a loop, which is 0 where its bounds are the wrong way round."""
        if self.values.proves(extent):
            return extent
        if extent.value is not None:
            return Polynomial.constant(0)
        if not self.space.varies(extent):
            found = self.entry.define(f"max(0, {extent})", f"{name}_extent", nonnegative=True)
            self.entry.extents[str(found)] = extent
            return found
        least = self.values.index(Polynomial.constant(0))
        return self.space.atom(
            Apply("max", (least, self.values.index(extent)), dtypes.INT64), self.entry.fresh("size")
        )

    def lower_block(self, block: tree.Block, place: Position) -> None:
        """Lower a block: bind its axes, add `where` to the conditions, put `init` where it belongs. [TIR.10]"""
        written = self._stored_in((*(block.init or ()), *block.body))
        for axis in block.axes:
            value = self._kept(self.values.vector(axis.value), place, written, axis.var.name, block)
            self.values.define(self.analysis.symbols[axis.var], value)
        inner = Position(place.loops, place.guards, block.name, place.repeats)
        where = None
        if block.predicate is not None:
            where = self._kept(self.values.vector(block.predicate), inner, written, "where", block)
        if block.init is not None:
            self._lower_init(block, inner, where)
        self._lower(block.body, inner if where is None else inner.guarded(where))

    def _lower_init(self, block: tree.Block, place: Position, where: Vector | None) -> None:
        """Lower the `init` of a block that stands at a place, under its `where`."""
        init = block.init or ()
        reduction = self._reductions.get(block)
        here = place if where is None else place.guarded(where)
        if reduction is None:
            self._lower(init, here)
            return
        first = len(self.statements)
        inside = [loop for key in reduction.loops for loop in self._loops[key]]
        pairs = zip(reduction.loops, reduction.reducing, strict=True)
        reducing = tuple([loop for key, reduces in pairs if reduces for loop in self._loops[key]])
        if len(place.loops) - len(inside) < place.repeats:
            raise NotVectorizable("a `while` stands between the loops of this reduction", block)
        self._check_instances(block, inside, reducing)
        if block in self.requests.guarded:
            self._lower(init, here.guarded(self._at_first(reducing, reduction, block)))
            return
        kept = tuple([loop for loop in place.loops if loop not in reducing])
        outside = Position(kept, place.guards, block.name, place.repeats)
        if where is not None and where.dims & {loop.name for loop in reducing}:
            outside = self._where_any(block, reduction, place, reducing, outside, where)
            first = len(self.statements)
        elif not reduction.perfect:
            for loop in reducing:
                if self.space.varies(loop.extent):
                    self._lower(init, here.guarded(self._at_first(reducing, reduction, block)))
                    return
                self._require_steps(loop)
        if where is not None and not where.dims & {loop.name for loop in reducing}:
            outside = outside.guarded(where)
        self._lower(init, outside)
        for statement in self.statements[first:]:
            statement.reducing = reducing
            self.blocks[statement.node] = block
            self._check_free(statement, reducing)

    def _require_steps(self, loop: Loop) -> None:
        """Hand calls in which a loop is empty over to the interpreter."""
        if (loop.extent.value or 0) <= 0:
            self.entry.require(f"{loop.extent} > 0")

    def _where_any(
        self,
        block: tree.Block,
        reduction: Reduction,
        place: Position,
        reducing: Sequence[Loop],
        outside: Position,
        where: Vector,
    ) -> Position:
        """Return where `init` stands if `where` depends on reduce axes: it runs if a step does. [TIR.10]

        That is known if the first step does; else whether there is one is found out before.
        """
        outermost, _ = reduction.loops[0]
        if self._reads(where, self._stored_in((outermost,))):
            raise NotVectorizable("`where` depends on a reduce axis, and on what the reduction stores", block)
        if any(self.space.dims(loop.extent) & {other.name for other in reducing} for loop in reducing):
            raise NotVectorizable(
                "`where` depends on a reduce axis, and the bounds of the loops on each other", block
            )
        zero = Polynomial.constant(0)
        at_first = self.space.replaced(where, {loop.name: zero for loop in reducing})
        text = self.entry.scalar_text(at_first) if not all_loads(self.space, at_first) else None
        if text is not None and not at_first.dims and not _is_false(at_first):
            for loop in reducing:
                self._require_steps(loop)
            self.entry.require(text)
            return outside
        first = len(self.statements)
        false: Vector = vector_ir.Const(False, dtypes.BOOL)
        found = self._stored(false, outside, "some", block)
        assert isinstance(found, vector_ir.Load)
        value = Apply("||", (found, where), dtypes.BOOL)
        stage = Stage(place.loops, found.storage, found.index, "=", value, place.guards, block.name, block)
        self.statements.append(stage)
        self.blocks[block] = block
        for statement in self.statements[first:]:
            statement.reducing = tuple(reducing)
        return outside.guarded(found)

    def _at_first(self, reducing: Sequence[Loop], reduction: Reduction, block: tree.Block) -> Vector:
        """Return the condition that this is the first step of a reduction."""
        names = {loop.name for loop in reducing}
        if block.predicate is not None and self.values.vector(block.predicate).dims & names:
            raise NotVectorizable("`where` depends on a reduce axis", block)
        condition: Vector = vector_ir.Const(True, dtypes.BOOL)
        zero = self.values.index(Polynomial.constant(0))
        for at, loop in enumerate(reducing):
            if self.space.dims(loop.extent) & names:
                raise NotVectorizable("the bounds of this loop change during the reduction", loop.node)
            first = Apply("==", (self.values.index(Polynomial.name(loop.name)), zero), dtypes.BOOL)
            condition = first if at == 0 else Apply("&&", (condition, first), dtypes.BOOL)
            if reduction.perfect:
                if self.space.varies(loop.extent):
                    raise NotVectorizable("the reduction may be empty", block)
                self._require_steps(loop)
        return condition

    def _check_free(self, statement: Statement, reducing: Sequence[Loop]) -> None:
        """Refuse an `init` that depends on the loops before which it runs."""
        names = {loop.name for loop in reducing}
        parts = list(statement.guards)
        if isinstance(statement, Stage):
            parts += [statement.value, *[self.values.index(index) for index in statement.index]]
        else:
            raise NotVectorizable("`init` does more than to store", statement.node)
        for part in parts:
            if part.dims & names:
                raise NotVectorizable(
                    "`init`, or the condition on it, depends on a reduce axis", statement.node
                )

    def _check_instances(self, block: tree.Block, inside: Sequence[Loop], reducing: Sequence[Loop]) -> None:
        """Refuse a block whose spatial axes do not tell the iterations of the loops apart that do not reduce."""
        told_apart: set[str] = set()
        for axis in other_axes(block):
            value = self.values.as_polynomial(self.values.vector(axis.value))
            told_apart |= self._told_apart(value, inside)
        names = {loop.name for loop in reducing}
        for loop in inside:
            if loop in reducing:
                continue
            if loop.name not in told_apart:
                raise NotVectorizable("the axes do not tell the iterations of this loop apart", loop.node)
            if self.space.dims(loop.extent) & names:
                raise NotVectorizable("the bounds of this loop change during the reduction", loop.node)

    def _told_apart(self, value: Polynomial, inside: Sequence[Loop]) -> set[str]:
        """Return the loops whose values an axis tells: one, or the parts of a loop that was split."""
        names = self.space.dims(value) & {loop.name for loop in inside}
        rest = set(names)
        for name in sorted(names):
            factor = value.coefficient(name)
            if factor is None or not factor.value or name not in value.names():
                return set()
        if len(rest) > 1:
            least = next(
                (name for name in sorted(rest) if value.coefficient(name) == Polynomial.constant(1)), None
            )
            if least is None or len({self.variables[name] for name in rest}) > 1:
                return set()
            rest.remove(least)  # the inner part: the factor of the outer one is its extent
        return set(names) if len(rest) <= 1 else set()

    def lower_allocate(self, statement: tree.Allocate, place: Position) -> None:
        """Lower an `alloc`: a new array per iteration of the loops around it. [TIR.18]"""
        dtype = statement.buffer.dtype.name
        check_available(dtype, statement)
        symbol = self.analysis.symbols[statement.buffer]
        name = self.entry.fresh(symbol.name)
        shape = tuple([self.values.polynomial(dim) for dim in statement.buffer.shape])
        if any(self.space.varies(size) for size in shape):
            storage = Storage(name, dtype, shape)
            self.statements.append(New(place.loops, storage, place.guards, self._label(place), statement))
        else:
            storage = Storage(name, dtype, shape, self._with_copies(place))
            self.allocated.append(storage)
            for size in shape:
                if not self.entry.is_nonnegative(size):
                    self.entry.require(f"{size} >= 0")
        self.storages[symbol] = storage

    def lower_let(self, statement: tree.LetStmt, place: Position) -> None:
        """Lower a `let`: its value takes its place, or is kept in a buffer if it may change. [TIR.16]"""
        symbol = self.analysis.symbols[statement.var]
        value = self.values.vector(statement.value)
        loads = all_loads(self.space, value)
        if loads and (self._reads(value, self._written) or any(self._is_gather(load) for load in loads)):
            value = self._stored(value, place, symbol.name, statement)
        elif is_risky(self.space, value):
            self.statements.append(
                Check(place.loops, None, (value,), place.guards, self._label(place), statement)
            )
        self.values.define(symbol, value)

    def _is_gather(self, load: vector_ir.Load) -> bool:
        return any(self.space.atoms_in(index) for index in load.index)

    def lower_store(self, statement: tree.BufferStore, place: Position) -> None:
        """Lower a store to a stage. [TIR.15]"""
        storage = self.storages[self.analysis.symbols[statement.buffer]]
        index = self.values.access(storage, statement.indices)
        value = self.values.vector(statement.value)
        label = self._label(place)
        stage = Stage(place.loops, storage, index, statement.op, value, place.guards, label, statement)
        self.statements.append(stage)

    def _label(self, place: Position) -> str:
        return place.label or "statement"

    def lower_if(self, statement: tree.IfThenElse, place: Position) -> None:
        """Lower an `if`: its branches under its condition and under the opposite."""
        written = self._stored_in((*statement.then_case, *statement.else_case))
        condition = self._kept(
            self.values.vector(statement.condition), place, written, "condition", statement
        )
        self._lower(statement.then_case, place.guarded(condition))
        self._lower(statement.else_case, place.guarded(Apply("!", (condition,), dtypes.BOOL)))

    def lower_assert(self, statement: tree.AssertStmt, place: Position) -> None:
        """Lower an assertion: if it fails, the interpreter runs and says so. [TIR.17]"""
        condition = self.values.vector(statement.condition)
        label = self._label(place)
        self.statements.append(Check(place.loops, condition, (), place.guards, label, statement))

    def lower_while(self, statement: tree.While, place: Position) -> None:
        """Lower a `while`: what it repeats is a list of statements of its own."""
        outside, self.statements = self.statements, []
        label = place.label or "while"
        inner = Position(place.loops, (), place.label, len(place.loops))
        condition = self.values.vector(statement.condition)
        self._lower(statement.body, inner)
        body, self.statements = self.statements, outside
        self.statements.append(Repeat(place.loops, condition, body, place.guards, label, statement))

    def lower_extern(self, statement: tree.CallExtern, place: Position) -> None:
        """Lower a call of a packed function. [TIR.19]"""
        args: list[Vector | Storage] = []
        for argument in statement.args:
            symbol = self.analysis.symbols.get(argument)
            is_buffer = symbol is not None and symbol.shape is not None
            args.append(self.storages[symbol] if is_buffer and symbol else self.values.vector(argument))
        label = self._label(place)
        self.statements.append(
            Extern(place.loops, statement.name, tuple(args), place.guards, label, statement)
        )


def _is_false(condition: Vector) -> bool:
    """Tell whether a comparison of numbers does not hold."""
    if not isinstance(condition, Apply) or condition.op not in _NUMBERS_COMPARED:
        return False
    a, b = condition.args
    if not isinstance(a, vector_ir.Index) or not isinstance(b, vector_ir.Index):
        return False
    difference = (a.polynomial - b.polynomial).value
    return difference is not None and not _NUMBERS_COMPARED[condition.op](difference)


_NUMBERS_COMPARED: dict[str, Callable[[int], bool]] = {
    "<": lambda difference: difference < 0,
    "<=": lambda difference: difference <= 0,
    ">": lambda difference: difference > 0,
    ">=": lambda difference: difference >= 0,
    "==": lambda difference: difference == 0,
    "!=": lambda difference: difference != 0,
}

_LOWER: Table[tree.Stmt, Callable[[Lowering, Any, Position], None]] = {
    tree.For: Lowering.lower_for,
    tree.Block: Lowering.lower_block,
    tree.Allocate: Lowering.lower_allocate,
    tree.LetStmt: Lowering.lower_let,
    tree.BufferStore: Lowering.lower_store,
    tree.IfThenElse: Lowering.lower_if,
    tree.While: Lowering.lower_while,
    tree.AssertStmt: Lowering.lower_assert,
    tree.CallExtern: Lowering.lower_extern,
}
