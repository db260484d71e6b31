"""PrimFunc statements as scalar code, in the order of the text. [TIR.10-TIR.18]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.check.reduction_init import find_reductions, other_axes
from relax_lang.tir.ir.symbols import DIM, SCALAR
from relax_lang.tir.loops.carried import Carried, find_carried
from relax_lang.tir.loops.elements import HeldElements
from relax_lang.tir.loops.expressions import combined, condition_of, place_of, value_of
from relax_lang.tir.loops.spelling import Unspelled
from relax_lang.tir.loops.streams import Streams, stream_list
from relax_lang.tir.loops.writer import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.tir.check.reduction_init import Loop, Reduction
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.writer import Writer


class Statements:
    """Writes the statements of one PrimFunc."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.allocated: list[tree.Allocate] = []
        """The buffers that the caller makes: one array for all times that a statement runs."""
        self._starts: dict[Loop, list[Reduction]] = {}
        self._reductions: dict[tree.Block, Reduction] = {}
        self._bounds: dict[Loop, tuple[str, str]] = {}
        self._stored: dict[tree.BufferStore, str] = {}
        """The variables that carry what statements store."""
        for reduction in find_reductions(writer.analysis):
            self._starts.setdefault(reduction.loops[0], []).append(reduction)
            self._reductions[reduction.block] = reduction
            if not self._first_is_at_start(reduction):
                raise Unspelled("when `init` runs is more than the first step of its loops decides")

    def write(self, statements: Sequence[tree.Stmt]) -> None:
        """Write statements one after the other."""
        for statement in statements:
            _WRITE[type(statement)](self, statement)

    def loops(self, loop: tree.For) -> None:
        """Write a `for`: one loop per variable, the last one innermost. [TIR.15]"""
        self._loop(loop, 0)

    def _loop(self, loop: tree.For, position: int) -> None:
        if position == len(loop.loop_vars):
            self.write(loop.body)
            return
        start, stop = self._range(loop, position)
        self._bounds[loop, position] = start, stop
        carried: list[Carried] = []
        self._header(loop, position, start, stop, self._streams(loop, start, stop, carried))
        with self.writer.looping():
            self._loop(loop, position + 1)
            for one in carried:
                for line in one.after():
                    self.writer.add(line)
        for reduction in self._starts.get((loop, position), ()):
            self._complete(reduction)

    def _range(self, loop: tree.For, position: int) -> tuple[str, str]:
        bounds = loop.ranges[position]
        first, last = value_of(self.writer, bounds.min), value_of(self.writer, bounds.stop)
        symbol = self.writer.symbol(loop.loop_vars[position])
        self.writer.bound(symbol, first, last)
        return self.writer.kept(first), self.writer.kept(last)

    def _streams(self, loop: tree.For, start: str, stop: str, carried: list[Carried]) -> Sequence[str]:
        """Write what is computed for all iterations of a loop that runs once; return the names that the loop binds, and
        note what it carries from one iteration to the next.
        """
        elements = self.writer.elements
        if not isinstance(elements, HeldElements) or self.writer.is_in_loop or len(loop.loop_vars) != 1:
            return ()
        streams = Streams(self.writer, elements, self.writer.symbol(loop.loop_vars[0]), (start, stop))
        streams.collect(loop.body)
        found, loads = find_carried(self.writer, elements, loop, streams)
        self.writer.streams |= loads
        if found:
            self.writer.add(f"if {start} < {stop}:")
        for one in found:
            carried.append(one)
            self._stored[one.store] = one.names[0]
            self.writer.add_inside(one.before(self.writer, elements, start))
        if not streams.texts:
            return ()
        for line in streams.lines():
            self.writer.add(line)
        elements.has_streams = True
        self.writer.streams |= streams.taken
        return list(streams.texts.values())

    def _header(
        self, loop: tree.For, position: int, start: str, stop: str, streams: Sequence[str] = ()
    ) -> None:
        name = self.writer.name_of(self.writer.symbol(loop.loop_vars[position]))
        steps = f"range({start}, {stop})"
        if streams:
            name = ", ".join([name, *streams])
            steps = f"zip({', '.join([steps, *[stream_list(one) for one in streams]])})"
        self.writer.add(f"for {name} in {steps}:")

    def _first_is_at_start(self, reduction: Reduction) -> bool:
        """Return whether the first step of each instance is the first one of all loops that only reduce."""
        block, symbols = reduction.block, self.writer.analysis.symbols
        if not reduction.perfect or block.predicate is not None:
            return False
        axes = {symbols.get(axis.value) for axis in other_axes(block)}
        reducing: set[Symbol] = set()
        for (loop, position), only_reduces in zip(reduction.loops, reduction.reducing, strict=True):
            variable = symbols[loop.loop_vars[position]]
            if only_reduces:
                reducing.add(variable)
            elif variable not in axes:
                return False
        return all(
            symbols.get(use) not in reducing
            for (loop, position), only_reduces in zip(reduction.loops, reduction.reducing, strict=True)
            if only_reduces
            for use in walk(loop.ranges[position])
        )

    def _complete(self, reduction: Reduction) -> None:
        """Write what runs `init` for the instances without a step. [TIR.10]"""
        pairs = list(zip(reduction.loops, reduction.reducing, strict=True))
        kept = [loop for loop, only_reduces in pairs if not only_reduces]
        reducing = [loop for loop, only_reduces in pairs if only_reduces]
        if not reducing:
            return  # each instance had a step
        inner = {self.writer.symbol(loop.loop_vars[position]) for loop, position in kept}
        uses = [use for loop, at in reducing for use in walk(loop.ranges[at])]
        if any(self.writer.analysis.symbols.get(use) in inner for use in uses):
            self._over(kept, lambda: self._where_empty(reducing, lambda: self._start(reduction.block)))
        else:
            self._where_empty(reducing, lambda: self._over(kept, lambda: self._start(reduction.block)))

    def _over(self, loops: list[Loop], body: Callable[[], None]) -> None:
        if not loops:
            body()
            return
        loop, position = loops[0]
        self._header(loop, position, *self._range(loop, position))
        with self.writer.looping():
            self._over(loops[1:], body)

    def _where_empty(self, loops: list[Loop], body: Callable[[], None]) -> None:
        """Write what happens if one of some loops is empty; bounds of those in an empty one are not computed."""
        empty = self.writer.define("False")
        self._find_empty(loops, empty)
        self.writer.add(f"if {empty}:")
        with self.writer.inside():
            body()

    def _find_empty(self, loops: list[Loop], empty: str) -> None:
        start, stop = self._range(*loops[0])
        self.writer.add(f"{empty} = {start} >= {stop}")
        if loops[1:]:
            self.writer.add(f"if not {empty}:")
            with self.writer.inside():
                self._find_empty(loops[1:], empty)

    def _start(self, block: tree.Block) -> None:
        self._bind(other_axes(block))
        self.write(block.init or ())

    def _bind(self, axes: Sequence[tree.IterVar]) -> None:
        for axis in axes:
            symbol = self.writer.symbol(axis.var)
            value = value_of(self.writer, axis.value)
            self.writer.bound(symbol, value)
            self.writer.add(f"{self.writer.name_of(symbol)} = {value.text}")

    def block(self, block: tree.Block) -> None:
        """Write a block: its axes, `where`, `init` if it is time, the body. [TIR.10] [TIR.12]"""
        self._bind(block.axes)
        if block.predicate is None:
            self._body(block)
            return
        self.writer.add(f"if {condition_of(self.writer, block.predicate)}:")
        with self.writer.inside():
            self._body(block)

    def _body(self, block: tree.Block) -> None:
        reduction = self._reductions.get(block)
        if block.init is not None and reduction is None:
            self.write(block.init)
        elif block.init is not None and reduction is not None:
            conditions: list[str] = []
            for (loop, position), only_reduces in zip(reduction.loops, reduction.reducing, strict=True):
                if only_reduces:
                    name = self.writer.name_of(self.writer.symbol(loop.loop_vars[position]))
                    conditions.append(f"{name} == {self._bounds[loop, position][0]}")
            self.writer.add(f"if {' and '.join(conditions) or 'True'}:")
            with self.writer.inside():
                self.write(block.init)
        self.write(block.body)

    def new_buffer(self, statement: tree.Allocate) -> None:
        """Write an `alloc`: the array is there, it holds what no program should rely on. [TIR.18]"""
        symbol = self.writer.symbol(statement.buffer)
        for use in walk(statement.buffer):
            if isinstance(use, tree.PrimVar) and self.writer.symbol(use).kind not in (DIM, SCALAR):
                raise Unspelled("the shape of an `alloc` is computed on the way")
        self.allocated.append(statement)
        name = self.writer.name_of(symbol)
        for line in self.writer.elements.poisoned(name, symbol, self.writer.spelling):
            self.writer.add(line)

    def view(self, statement: tree.BufferView) -> None:
        """No views are left where statements are written."""
        raise AssertionError("views are expanded before")

    def let(self, statement: tree.LetStmt) -> None:
        """Write a `let`. [TIR.16]"""
        symbol = self.writer.symbol(statement.var)
        value = value_of(self.writer, statement.value)
        self.writer.bound(symbol, value)
        self.writer.add(f"{self.writer.name_of(symbol)} = {value.text}")

    def store(self, statement: tree.BufferStore) -> None:
        """Write a store; `+= -= *=` read, combine and store. [TIR.15]"""
        buffer = self.writer.symbol(statement.buffer)
        place = place_of(self.writer, statement, buffer, statement.indices)
        value = value_of(self.writer, statement.value)
        if statement.op != "=":
            dtype = buffer.dtype or ""
            old = Value(self.writer.define(place) if dtypes.is_integer(dtype) else place)
            value = combined(self.writer, statement.op[0], old, value, dtype)
        text, variable = value.text, self._stored.get(statement)
        if variable is not None:
            self.writer.add(f"{variable} = {text}")
            text = variable
        self.writer.add(f"{place} = {text}")

    def branch(self, statement: tree.IfThenElse) -> None:
        """Write an `if`."""
        self.writer.add(f"if {condition_of(self.writer, statement.condition)}:")
        with self.writer.inside():
            self.write(statement.then_case)
        if statement.else_case:
            self.writer.add("else:")
            with self.writer.inside():
                self.write(statement.else_case)

    def repeat(self, statement: tree.While) -> None:
        """Write a `while`; its condition may take lines."""
        self.writer.add("while True:")
        with self.writer.looping():
            self.writer.add(f"if not {condition_of(self.writer, statement.condition)}:")
            self.writer.add("    break")
            self.write(statement.body)

    def leave(self, statement: tree.Break) -> None:
        """Write a `break`. [TIR.15]"""
        self.writer.add("break")

    def skip(self, statement: tree.Continue) -> None:
        """Write a `continue`. [TIR.15]"""
        self.writer.add("continue")

    def assertion(self, statement: tree.AssertStmt) -> None:
        """Write an `assert`. [TIR.17]"""
        holds = condition_of(self.writer, statement.condition)
        self.writer.add(f"if not {holds}:")
        self.writer.add(f"    return {self.writer.failure_point(statement)}")

    def call(self, statement: tree.CallExtern) -> None:
        """Refuse the call of a packed function."""
        raise Unspelled("it calls a packed function")


_WRITE: Table[tree.Stmt, Callable[[Statements, Any], None]] = {
    tree.For: Statements.loops,
    tree.Block: Statements.block,
    tree.Allocate: Statements.new_buffer,
    tree.BufferView: Statements.view,
    tree.LetStmt: Statements.let,
    tree.BufferStore: Statements.store,
    tree.IfThenElse: Statements.branch,
    tree.While: Statements.repeat,
    tree.AssertStmt: Statements.assertion,
    tree.Break: Statements.leave,
    tree.Continue: Statements.skip,
    tree.CallExtern: Statements.call,
}
