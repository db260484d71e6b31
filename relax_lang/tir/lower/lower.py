"""From the statements of a PrimFunc to those of `vector`: each with all loops around it, its iteration domain.

Loops start from 0, block axes are replaced by what they are bound to, `let` by its value or, where that reads what
the program writes, by a buffer of its own; so is a condition that the code under it changes. A buffer allocated
inside loops gets a copy per iteration. The `init` of a block becomes a statement over the loops that do not reduce.
Nothing is decided about order here: `distribute` sorts the statements out. What has no such form is `NotVectorizable`.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.chosen_indices import ChosenIndices
from relax_lang.tir.analysis.lowered.sources import sources_of
from relax_lang.tir.analysis.lowered.statements import Check, Extern, New, Repeat, Stage
from relax_lang.tir.analysis.lowered.value_ranges import may_fail
from relax_lang.tir.analysis.lowered.vector_ir import Apply, NotVectorizable, Vector, all_loads
from relax_lang.tir.analysis.references.expand_views import expanded
from relax_lang.tir.array_ir.nodes import at_least
from relax_lang.tir.lower.inits import Inits
from relax_lang.tir.lower.loop_splits import LoopSplits
from relax_lang.tir.lower.position import Position
from relax_lang.tir.lower.state import LoweringState, head_of
from relax_lang.tir.lower.values import check_available, is_risky

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Variable = tuple[tree.For, int]  # one variable of a `for` statement


class Lowering(LoweringState):
    """Lowers the statements of one PrimFunc."""

    def __init__(self, analysis: Analysis, merged: dict[str, str], splits: LoopSplits) -> None:
        super().__init__(analysis, merged)
        self.inits = Inits(self)
        self._splits = splits
        self._written = self.stored_in(analysis.func.body)
        self._conditions = 0
        self._evaluated: set[int] = set()
        """The keys of the values of `let`s in scope that a statement of their own evaluates."""

    def body(self) -> None:
        """Lower the body; raises `NotVectorizable`."""
        if self.analysis.func.result is not None:
            raise NotVectorizable("the result of a prim_func is a number", self.analysis.func)
        self.lower(self.analysis.func.body, Position())

    def wanted_splits(self) -> LoopSplits | None:
        """Return how loops are better split, as far as the body was lowered; None if they need no more splits."""
        found: dict[Variable, dict[int, Polynomial]] = {}
        for name, divisor in self.values.divisors.items():
            variable = self.variables[name]
            at = [loop.name for loop in self.loops_of[variable]].index(name)
            found.setdefault(variable, {})[at] = divisor
        return self._splits.with_more(found, self.entry)

    def lower(self, statements: Iterable[tree.Stmt], place: Position) -> None:
        """Lower statements at a place, in text order."""
        outer, self._evaluated = self._evaluated, set(self._evaluated)
        for statement in statements:
            self._count_conditions(place, statement)
            _LOWER[type(statement)](self, statement, place)
        self._evaluated = outer

    def _count_conditions(self, place: Position, statement: tree.Stmt) -> None:
        """Note what it costs that each statement evaluates all conditions around it; raises `NotVectorizable`."""
        self._conditions += max(0, len(place.guards) - _PLAIN_DEPTH)
        if self._conditions > MOST_CONDITIONS:
            reason = f"its statements are in so many `if`s that over {MOST_CONDITIONS:,} conditions would be evaluated"
            raise NotVectorizable(reason, statement)

    def _kept(
        self, value: Vector, place: Position, written: set[Symbol], name: str, node: tree.Stmt
    ) -> Vector:
        """Return a value that is evaluated once, before code that may change what it reads."""
        return self.stored(value, place, name, node) if self.reads(value, written) else value

    def _extent_between(self, first: Polynomial, last: Polynomial, name: str) -> Polynomial:
        """Return the extent of a loop. What both bounds read stays in it: `P[r] + Q[r]` may wrap around."""
        difference = last - first
        cancelled = [one for one in self.space.atoms_in(first) if one.name not in difference.names()]
        if difference.value is None and any(all_loads(self.space, one.vector) for one in cancelled):
            stop = Apply("+", (self.values.index(first), self.values.index(difference)), dtypes.INT64)
            difference = self.space.atom(stop, self.entry.fresh("stop")) - first
        return self.values.extent(difference, name)

    def lower_for(self, loop: tree.For, place: Position) -> None:
        """Lower a `for`: each variable is a loop from 0; the order and kind of the loops do not matter yet."""
        loops = list(place.loops)
        written = self.stored_in(loop.body)
        label = place.label or f"loop over {', '.join([var.name for var in loop.loop_vars])}"
        risky: list[tuple[Vector, Position, Loop]] = []
        for position, (var, bounds) in enumerate(zip(loop.loop_vars, loop.ranges, strict=True)):
            here = Position(tuple(loops), place.guards, label, place.repeats)
            start, stop = [
                self._kept(self.values.vector(bound), here, written, var.name, loop)
                for bound in (bounds.min, bounds.stop)
            ]
            first, last = self.values.as_polynomial(start), self.values.as_polynomial(stop)
            made = self._made_loops(loop, position, self._extent_between(first, last, var.name))
            risky += [(bound, here, made[0]) for bound in (start, stop) if is_risky(self.space, bound)]
            loops += made
            if len(loops) > MOST_LOOPS:
                raise NotVectorizable("its loops are nested too deep", loop)
            value, weight = first, Polynomial.constant(1)
            for one in reversed(made):
                value, weight = value + Polynomial.name(one.name) * weight, weight * one.extent
            self.values.define(self.analysis.symbols[var], self.values.index(value))
        at = len(self.statements)
        self.lower(loop.body, Position(tuple(loops), place.guards, label, place.repeats))
        for bound, here, inner in risky:
            if not any(inner in statement.loops for statement in self.statements[at:]):
                self._check(bound, here, loop, at)

    def _made_loops(self, loop: tree.For, position: int, extent: Polynomial) -> tuple[Loop, ...]:
        var = loop.loop_vars[position]
        extents = self._splits.extents((loop, position), extent, self.entry)
        inner = [f"{var.name}i", *[f"{var.name}m" for _ in extents[2:]], f"{var.name}o"][::-1]
        names = [self.entry.fresh(name) for name in (inner if len(extents) > 1 else [var.name])]
        made = tuple(
            [
                Loop(name, size, var, self.entry.whole_extent(size))
                for name, size in zip(names, extents, strict=True)
            ]
        )
        for one in made:
            self.space.loops[one.name] = one
            self.variables[one.name] = (loop, position)
        self.loops_of[loop, position] = made
        return made

    def lower_block(self, block: tree.Block, place: Position) -> None:
        """Lower a block: bind its axes, add `where` to the conditions, put `init` where it belongs. [TIR.10]"""
        written = self.stored_in((*(block.init or ()), *block.body))
        inner = Position(place.loops, place.guards, block.name, place.repeats)
        for axis in block.axes:
            value = self._kept(self.values.vector(axis.value), place, written, axis.var.name, block)
            self.values.define(self.analysis.symbols[axis.var], value)
            if is_risky(self.space, value):
                self._check(value, inner, block, len(self.statements))
        where = None
        first = len(self.statements)
        if block.predicate is not None:
            where = self._kept(self.values.vector(block.predicate), inner, written, "where", block)
            first = len(self.statements)
        if block.init is not None:
            self.inits.lower(block, inner, where)
        self.lower(block.body, inner if where is None else inner.guarded(where))
        if where is not None:
            self._check_evaluated(where, inner, block, first)

    def _check(self, value: Vector, place: Position, node: tree.Stmt, at: int) -> None:
        """Insert a statement that evaluates an expression, because it may fail."""
        check = Check(*head_of(place, node), None, (value,))
        self.statements.insert(at, check)

    def _check_evaluated(self, condition: Vector, place: Position, node: tree.Stmt, first: int) -> None:
        """See to it that a condition that may fail is evaluated, even if no statement from `first` on needs it."""
        if not is_risky(self.space, condition):
            return
        at = len(place.guards)
        keys = {condition.key, Apply("!", (condition,), dtypes.BOOL).key}
        for statement in self.statements[first:]:
            guards = statement.guards
            if isinstance(statement, Check):
                continue  # what has no effect is evaluated without its conditions
            if statement.loops == place.loops and len(guards) > at and guards[at].key in keys:
                return
        self._check(condition, place, node, first)

    def lower_allocate(self, statement: tree.Allocate, place: Position) -> None:
        """Lower an `alloc`: a new array per iteration of the loops around it. [TIR.18]"""
        dtype = statement.buffer.dtype.name
        check_available(dtype, statement)
        symbol = self.analysis.symbols[statement.buffer]
        name = self.entry.fresh(symbol.name)
        shape = tuple([self.values.polynomial(dim) for dim in statement.buffer.shape])
        if any(self.space.varies(size) for size in shape):
            storage = Storage(name, dtype, shape)
            self.statements.append(New(*head_of(place, statement), storage))
        else:
            storage = Storage(name, dtype, shape, self.with_copies(place))
            self.allocated.append(storage)
            for size in shape:
                if not self.entry.is_nonnegative(size):
                    self.entry.require(at_least(size))
        self.storages[symbol] = storage

    def lower_view(self, statement: tree.BufferView, place: Position) -> None:
        """No views are left where statements are lowered."""
        raise AssertionError("views are expanded before")

    def lower_let(self, statement: tree.LetStmt, place: Position) -> None:
        """Lower a `let`: its value takes its place, or is kept in a buffer if it may change. [TIR.16]"""
        symbol = self.analysis.symbols[statement.var]
        value = self.values.vector(statement.value)
        _, gathers = sources_of(self.space, value)
        if gathers or self.reads(value, self._written):
            value = self.stored(value, place, symbol.name, statement)
        else:
            if is_risky(self.space, value, self._evaluated):
                self._check(value, place, statement, len(self.statements))
            self._evaluated.add(value.key)
        self.values.define(symbol, value)

    def lower_store(self, statement: tree.BufferStore, place: Position) -> None:
        """Lower a store to a stage. [TIR.15]"""
        storage = self.storages[self.analysis.symbols[statement.buffer]]
        index = self.values.access(storage, statement.indices)
        value = self.values.vector(statement.value)
        if value.depth > _DEEPEST:
            raise NotVectorizable(f"more than {_DEEPEST} operations are nested in each other", statement)
        self.statements.append(Stage(*head_of(place, statement), storage, index, statement.op, value))

    def lower_if(self, statement: tree.IfThenElse, place: Position) -> None:
        """Lower an `if`: its branches under its condition and under the opposite, or as one store of either value."""
        condition = self.values.vector(statement.condition)
        choice = self._choice(statement, condition, place)
        if choice is not None:
            self.statements.append(choice)
            return
        written = self.stored_in((*statement.then_case, *statement.else_case))
        condition = self._kept(condition, place, written, "condition", statement)
        first = len(self.statements)
        self.lower(statement.then_case, place.guarded(condition))
        self.lower(statement.else_case, place.guarded(Apply("!", (condition,), dtypes.BOOL)))
        self._check_evaluated(condition, place, statement, first)

    def _choice(self, statement: tree.IfThenElse, condition: Vector, place: Position) -> Stage | None:
        """Return the store that both branches are, of different values to one element: where data choose between them
        and neither value may fail, or where the loops choose whether the array itself is read.
        """
        match statement.then_case, statement.else_case:
            case ((tree.BufferStore(op="=") as yes,), (tree.BufferStore(op="=") as no,)):
                pass
            case _:
                return None
        symbols = self.analysis.symbols
        if symbols[yes.buffer] is not symbols[no.buffer]:
            return None
        storage = self.storages[symbols[yes.buffer]]
        index = self.values.access(storage, yes.indices)
        if index != self.values.access(storage, no.indices):
            return None
        values = self.values.vector(yes.value), self.values.vector(no.value)
        if any(value.depth > _DEEPEST - 1 for value in values):
            return None
        if all_loads(self.space, condition):
            opposite = Apply("!", (condition,), dtypes.BOOL)
            pairs = zip((condition, opposite), values, strict=True)
            chosen = [self._where(one, value) for one, value in pairs]
            if chosen[0] is None or chosen[1] is None:
                return None
            value: Vector = Apply("select", (condition, chosen[0], chosen[1]), storage.dtype)
        else:
            if not any(self.reads(value, {symbols[yes.buffer]}) for value in values):
                return None
            value = self.values.apply("if_then_else", (condition, *values), storage.dtype)
        return Stage(*head_of(place, statement), storage, index, "=", value)

    def _where(self, condition: Vector, value: Vector) -> Vector | None:
        """Return what a value is where a condition holds, as one that can be computed everywhere; None if something in
        it may fail.
        """
        prove = self.values.proves
        indices = ChosenIndices(
            self.space, self.entry.fresh, condition, lambda at, size: prove(at) and prove(size - 1 - at)
        )
        return None if may_fail(value) or not indices.can_choose(value) else indices.chosen(value)

    def lower_assert(self, statement: tree.AssertStmt, place: Position) -> None:
        """Lower an assertion: if it fails, the interpreter runs and reports it. [TIR.17]"""
        condition = self.values.vector(statement.condition)
        self.statements.append(Check(*head_of(place, statement), condition, ()))

    def lower_while(self, statement: tree.While, place: Position) -> None:
        """Lower a `while`: what it repeats is a list of statements of its own."""
        outside, self.statements = self.statements, []
        inner = Position(place.loops, (), place.label, len(place.loops))
        condition = self.values.vector(statement.condition)
        self.lower(statement.body, inner)
        body, self.statements = self.statements, outside
        self.statements.append(
            Repeat(place.loops, place.guards, place.label or "while", statement, condition, body)
        )

    def lower_jump(self, statement: tree.Break | tree.Continue, place: Position) -> None:
        """Refuse `break` and `continue`."""
        raise NotVectorizable("an iteration may end early", statement)

    def lower_extern(self, statement: tree.CallExtern, place: Position) -> None:
        """Lower a call of a packed function. [TIR.19]"""
        args: list[Vector | Storage] = []
        for argument in statement.args:
            if isinstance(argument, tree.StrLit):
                raise NotVectorizable("a string is passed to a packed function", argument)
            symbol = self.analysis.symbols.get(argument)
            is_buffer = symbol is not None and symbol.shape is not None
            args.append(self.storages[symbol] if is_buffer and symbol else self.values.vector(argument))
        self.statements.append(Extern(*head_of(place, statement), statement.name, tuple(args)))


def lowered(analysis: Analysis, merged: dict[str, str] | None = None) -> Lowering:
    """Lower a PrimFunc, once more where some of its loops are split; raises `NotVectorizable`."""
    analysis = expanded(analysis)
    splits: LoopSplits | None = LoopSplits({})
    while True:
        lowering = Lowering(analysis, merged or {}, splits)
        refusal: NotVectorizable | None = None
        try:
            lowering.body()
        except NotVectorizable as found:
            refusal = found
        splits = lowering.wanted_splits()
        if splits is not None:
            continue
        if refusal is not None:
            raise refusal
        return lowering


MOST_LOOPS = 24
"""In more loops a statement is not compared with others: the work grows with the fourth power of their number."""
MOST_CONDITIONS = 4000
"""Conditions that statements evaluate beyond the few around most: each evaluates all that it is under."""

_PLAIN_DEPTH = 4

_DEEPEST = 128
"""Operations nested in each other that what follows can walk through."""

_LOWER: Table[tree.Stmt, Callable[[Lowering, Any, Position], None]] = {
    tree.For: Lowering.lower_for,
    tree.Block: Lowering.lower_block,
    tree.Allocate: Lowering.lower_allocate,
    tree.BufferView: Lowering.lower_view,
    tree.LetStmt: Lowering.lower_let,
    tree.BufferStore: Lowering.lower_store,
    tree.IfThenElse: Lowering.lower_if,
    tree.While: Lowering.lower_while,
    tree.AssertStmt: Lowering.lower_assert,
    tree.Break: Lowering.lower_jump,
    tree.Continue: Lowering.lower_jump,
    tree.CallExtern: Lowering.lower_extern,
}
