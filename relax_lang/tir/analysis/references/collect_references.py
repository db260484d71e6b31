"""Collects every reference to a buffer in a PrimFunc with its loops and conditions; see `references`. [TIR.8]

One walk over the body, which writes down what it meets in the order of execution: loads and stores with their
indices, allocations, the values of block axes. The checks that read these lists draw the conclusions.
"""

from __future__ import annotations

from relax_lang.arith.substitute import free_variables
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.references.access_sites import (
    TOO_MANY,
    AccessSite,
    Axis,
    Guard,
    LoopVariable,
    Reference,
    References,
    ViewSite,
)
from relax_lang.tir.analysis.references.index_expressions import Resolver
from relax_lang.tir.ir.intrinsics import LAZY
from relax_lang.tir.ir.jumps import has_jumps
from relax_lang.tir.ir.symbols import DIM, SCALAR
from relax_lang.tir.ir.views import View, memory_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.ir.typing.well_typed import Analysis

_MOST_GUARDS = 30


def collect_references(analysis: Analysis) -> References:
    """Write down where the buffers of a PrimFunc without errors are read and written. [TIR.8] [TIR.10-TIR.13]"""
    walker = _Walker(analysis)
    walker.function()
    return walker.found


class _Walker:
    """Walks the statements in order and keeps what is around them."""

    def __init__(self, analysis: Analysis) -> None:
        self.found = References(analysis)
        self._symbols = analysis.symbols
        self._resolver = Resolver(analysis, self.found.unknowns)
        self._loops: list[LoopVariable] = []
        self._guards: list[Guard] = []
        self._block: tree.Block | None = None
        self._in_init = False
        self._is_used = True
        self._once: frozenset[str] = frozenset()
        self._site: AccessSite | None = None
        self._names: set[str] = set()
        self._views: dict[Symbol, View] = {}
        for symbol in (*[self._symbols[param] for param in analysis.func.params], *analysis.dims.values()):
            if symbol.shape is not None:
                self.found.shapes[symbol] = symbol.shape
            elif symbol.kind in (DIM, SCALAR) and symbol.dtype == dtypes.INT64:
                self.found.sizes.append(symbol.name)
            self._names.add(symbol.name)

    def _here(self) -> AccessSite:
        if self._site is None:
            around = tuple(self._loops), tuple(self._guards)
            self._site = AccessSite(*around, self._block, self._in_init, self._once)
        return self._site

    def function(self) -> None:
        """Walk the body, and the result."""
        func = self.found.analysis.func
        self.statements(func.body)
        if func.result is not None:
            self.loads(func.result)

    def statements(self, body: Iterable[tree.Stmt]) -> None:
        """Walk the statements of one `{ }`; an `assert` holds for those after it."""
        guards = len(self._guards)
        for statement in body:
            _WALK[type(statement)](self, statement)
        if len(self._guards) > guards:
            del self._guards[guards:]
            self._site = None

    def _guarded(self, condition: tree.PrimExpr, truth: bool, body: Callable[[], None]) -> None:
        guards = len(self._guards)
        self._add_guards(self._conditions(condition, truth))
        body()
        del self._guards[guards:]
        self._site = None

    def _add_guards(self, guards: list[Guard]) -> None:
        """Let conditions hold from here on; too many of them count as one of which nothing is known."""
        if len(self._guards) + len(guards) <= _MOST_GUARDS:
            self._guards += guards
        elif not self._guards or self._guards[-1] is not TOO_MANY:
            self._guards.append(TOO_MANY)
        self._site = None

    def _conditions(self, condition: tree.PrimExpr, truth: bool, asserted: bool = False) -> list[Guard]:
        """Take apart what holds all together: `a && b`, and `!(a || b)`."""
        found: list[Guard] = []
        stack = [(condition, truth)]
        while stack:
            one, truth = stack.pop()
            if isinstance(one, tree.Not):
                stack.append((one.a, not truth))
            elif isinstance(one, tree.And if truth else tree.Or):
                stack += [(one.b, truth), (one.a, truth)]
            else:
                found.append(Guard(self._resolver.condition(one), truth, asserted))
        return found

    def loop(self, loop: tree.For) -> None:
        """Walk a `for`: its bounds are evaluated outside of it."""
        bounds: list[tuple[tree.PrimExpr, tree.PrimExpr]] = []
        for each in loop.ranges:
            self.loads(each.min)
            self.loads(each.stop)
            bounds.append((self._resolver.number(each.min), self._resolver.number(each.stop)))
        names: list[str] = []
        for var, (low, stop) in zip(loop.loop_vars, bounds, strict=False):
            name = self._fresh(var.name)
            names.append(name)
            self._resolver.values[self._symbols[var]] = var if name == var.name else tree.PrimVar(name)
            self._loops.append(LoopVariable(loop, var, name, low, stop))
        self._site = None
        self._iteration(loop.body)
        del self._loops[len(self._loops) - len(names) :]
        self._names.difference_update(names)
        self._site = None

    def _fresh(self, name: str) -> str:
        found, number = name, 0
        while found in self._names:
            number += 1
            found = f"{name}'{number}"
        self._names.add(found)
        return found

    def block(self, block: tree.Block) -> None:
        """Walk a block: axes, then `where`, then `init`, then the body. [TIR.10] [TIR.12]"""
        axes = [self._axis(axis) for axis in block.axes]
        outer, self._block, self._site = self._block, block, None
        if block.predicate is None:
            self._block_body(block, axes)
        else:
            self.loads(block.predicate)
            self._guarded(block.predicate, True, lambda: self._block_body(block, axes))
        self._block, self._site = outer, None

    def _axis(self, axis: tree.IterVar) -> tuple[tree.IterVar, tree.PrimExpr, Any]:
        self.loads(axis.value)
        domain = None
        if axis.dom is not None:
            self.loads(axis.dom.min)
            self.loads(axis.dom.stop)
            domain = self._resolver.number(axis.dom.min), self._resolver.number(axis.dom.stop)
        value = self._resolver.number(axis.value)
        self._resolver.bind(self._symbols[axis.var], value)
        return axis, value, domain

    def _block_body(self, block: tree.Block, axes: list[tuple[tree.IterVar, tree.PrimExpr, Any]]) -> None:
        self.found.axes += [Axis(axis, value, domain, self._here()) for axis, value, domain in axes]
        if block.init is not None:
            self._init(
                block.init,
                [(self._symbols[axis.var], value) for axis, value, _ in axes if axis.kind == "reduce"],
            )
        self.statements(block.body)

    def _init(self, init: tuple[tree.Stmt, ...], reducing: list[tuple[Symbol, tree.PrimExpr]]) -> None:
        """Walk `init`: it runs at the first step, so the values of reduce axes in it do not matter."""
        values = self._resolver.values
        before = [values[symbol] for symbol, _ in reducing]
        outer = self._in_init, self._once
        for symbol, value in reducing:
            values[symbol] = self._resolver.unknown()
            self._once = self._once.union(free_variables(value))
        self._in_init, self._site = True, None
        self.statements(init)
        self._in_init, self._once = outer
        self._site = None
        values.update(zip([symbol for symbol, _ in reducing], before, strict=True))

    def allocate(self, statement: tree.Allocate) -> None:
        """Note an `alloc` and its dimensions. [TIR.18]"""
        symbol = self._symbols[statement.buffer]
        for dim in statement.buffer.shape:
            self.loads(dim)
        self.found.shapes[symbol] = tuple([self._resolver.number(dim) for dim in statement.buffer.shape])
        self.found.allocations[symbol] = statement, self._here()

    def view(self, statement: tree.BufferView) -> None:
        """Note a view: which elements it is made of is decided here. [TIR.22]"""
        symbol = self._symbols[statement.buffer]
        source = symbol.source
        assert source is not None, "a view without errors has a source"
        for dim in statement.buffer.shape:
            self.loads(dim)
        dims = tuple([self._resolver.number(dim) for dim in statement.buffer.shape])
        region: list[tuple[tree.PrimExpr, tree.PrimExpr | None]] = []
        for one in statement.region or ():
            low = one.min if isinstance(one, tree.Range) else one
            assert isinstance(low, tree.PrimExpr), "a region is made of indices and ranges"
            self.loads(low)
            stop = None
            if isinstance(one, tree.Range):
                self.loads(one.stop)
                stop = self._resolver.number(one.stop)
            region.append((self._resolver.number(low), stop))
        starts = None if statement.region is None else [low for low, _ in region]
        source_dims = self._views[source].dims if source in self._views else self.found.shapes[source]
        view = View(dims, source, source_dims, starts, [stop is not None for _, stop in region])
        self._views[symbol] = view
        self.found.views.append(ViewSite(statement, symbol, view, region, self._here()))

    def let(self, statement: tree.LetStmt) -> None:
        """Resolve a `let`."""
        self.loads(statement.value)
        symbol = self._symbols[statement.var]
        if symbol.dtype == dtypes.INT64:
            self._resolver.bind(symbol, self._resolver.number(statement.value))
        elif symbol.dtype == dtypes.BOOL:
            self._resolver.bind(symbol, self._resolver.condition(statement.value))

    def store(self, statement: tree.BufferStore) -> None:
        """Note a store, after what it loads. [TIR.15]"""
        for index in statement.indices:
            self.loads(index)
        self.loads(statement.value)
        self._access(statement, statement.indices, statement.op != "=", True)

    def branch(self, statement: tree.IfThenElse) -> None:
        """Walk both sides of an `if`, each under its condition."""
        self.loads(statement.condition)
        self._guarded(statement.condition, True, lambda: self.statements(statement.then_case))
        self._guarded(statement.condition, False, lambda: self.statements(statement.else_case))

    def repeat(self, statement: tree.While) -> None:
        """Walk a `while`: its condition is evaluated once at least."""
        self.loads(statement.condition)
        self._guarded(statement.condition, True, lambda: self._iteration(statement.body))

    def _iteration(self, body: tuple[tree.Stmt, ...]) -> None:
        """Walk the body of a loop; where iterations may end early, nothing is known of which of it runs."""
        if not has_jumps(body):
            self.statements(body)
            return
        self._guards.append(TOO_MANY)
        self._site = None
        self.statements(body)
        self._guards.pop()
        self._site = None

    def jump(self, statement: tree.Break | tree.Continue) -> None:
        """A `break` or `continue` refers to nothing."""

    def assertion(self, statement: tree.AssertStmt) -> None:
        """Walk an `assert`: what comes after it runs only if it holds. [TIR.17]"""
        self.loads(statement.condition)
        self._add_guards(self._conditions(statement.condition, True, asserted=True))

    def call(self, statement: tree.CallExtern) -> None:
        """Note the buffers that a packed function gets: it may do anything with them. [TIR.19]"""
        for argument in statement.args:
            if isinstance(argument, tree.StrLit):
                continue
            symbol = self._symbols.get(argument)
            if isinstance(argument, tree.PrimVar) and symbol is not None and symbol.shape is not None:
                memory = memory_of(symbol)
                self.found.accesses.append(Reference(argument, memory, None, self._here(), True, True))
            else:
                self.loads(argument)

    def _access(
        self,
        node: tree.BufferLoad | tree.BufferStore,
        indices: tuple[tree.PrimExpr, ...],
        reads: bool,
        writes: bool,
    ) -> None:
        resolved = tuple([self._resolver.number(index) for index in indices])
        symbol = self._symbols[node.buffer]
        reference = Reference(node, symbol, resolved, self._here(), reads, writes, self._is_used)
        if symbol.source is None:
            self.found.accesses.append(reference)
            return
        self.found.through_views.append((reference, self._views[symbol].dims))
        while symbol.source is not None:
            resolved = self._views[symbol].indices(resolved, node)
            symbol = symbol.source
        self.found.accesses.append(
            Reference(node, symbol, resolved, self._here(), reads, writes, self._is_used, through_view=True)
        )

    def loads(self, expr: tree.PrimExpr) -> None:
        """Note the loads of an expression; the sides of `if_then_else` and `&&` are guarded. [TIR.13]"""
        pending = [expr]
        while pending:
            one = pending.pop()
            if type(one) in _LEAVES:
                continue
            if isinstance(one, tree.BufferLoad):
                for index in one.indices:
                    self.loads(index)
                self._access(one, one.indices, True, False)
            elif isinstance(one, tree.PrimCall):
                self._call_loads(one)
            elif isinstance(one, tree.And | tree.Or):
                self._connected_loads(one)
            elif isinstance(one, tree.Select):
                self._select_loads(one)
            else:
                children: list[Any] = [getattr(one, name) for name in reversed(one.CHILDREN)]
                pending += [child for child in children if isinstance(child, tree.PrimExpr)]

    def _select_loads(self, select: tree.Select) -> None:
        """Note the loads of a `select`: both sides are read, one of them is used."""
        self.loads(select.condition)
        before, self._is_used = self._is_used, False
        self.loads(select.true_value)
        self.loads(select.false_value)
        self._is_used = before

    def _connected_loads(self, expr: tree.And | tree.Or) -> None:
        """Note the loads of `a && b && c`: each part is evaluated only if those before it do not decide."""
        kind = type(expr)
        parts: list[tree.PrimExpr] = []
        left: tree.PrimExpr = expr
        while isinstance(left, tree.And | tree.Or) and type(left) is kind:
            parts.append(left.b)
            left = left.a
        guards = len(self._guards)
        self.loads(left)
        for part in reversed(parts):
            if len(self._guards) <= _MOST_GUARDS:  # with more of them, nothing is known
                self._add_guards(self._conditions(left, kind is tree.And))
            self.loads(part)
            left = part
        del self._guards[guards:]
        self._site = None

    def _call_loads(self, call: tree.PrimCall) -> None:
        if call.name != LAZY:
            for argument in call.args:
                self.loads(argument)
            return
        condition, yes, no = call.args
        self.loads(condition)
        for side, truth in ((yes, True), (no, False)):
            if type(side) not in _LEAVES:
                self._guarded(condition, truth, lambda side=side: self.loads(side))


_LEAVES = frozenset((tree.PrimVar, tree.IntImm, tree.FloatImm, tree.BoolImm, tree.TypeLimit))


_WALK: Table[tree.Stmt, Callable[[_Walker, Any], None]] = {
    tree.For: _Walker.loop,
    tree.Block: _Walker.block,
    tree.Allocate: _Walker.allocate,
    tree.BufferView: _Walker.view,
    tree.LetStmt: _Walker.let,
    tree.BufferStore: _Walker.store,
    tree.IfThenElse: _Walker.branch,
    tree.While: _Walker.repeat,
    tree.AssertStmt: _Walker.assertion,
    tree.Break: _Walker.jump,
    tree.Continue: _Walker.jump,
    tree.CallExtern: _Walker.call,
}
