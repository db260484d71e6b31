"""When the `init` of a block runs: once per instance of its spatial axes. [TIR.10]

The *reduction* of a block with `init` begins whenever the outermost loop begins whose variable reaches one of
the block's reduce axes, directly or through the axes of enclosing blocks and through `let`. During one reduction
`init` runs once for every combination of values of the block's other axes, before the first step that has these
values. Where a reduction has no step for some of them, because a loop is empty, and the loops are perfectly
nested around the block, `init` runs for them at the end: the result of an empty sum is its initial value.
A block without a loop that reaches its reduce axes is a reduction of one step.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, walk
from relax_lang.syntax import tree
from relax_lang.tir.ir.symbols import LOOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node
    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.ir.symbols import Symbol

    Loop = tuple[tree.For, int]  # one variable of a `for` statement


class Reduction:
    """The reduction of one block: its loops from the outermost one inward, and which of them only reduce.

    `perfect`: nothing but these loops is around the block, so that the instances without a
    step can be enumerated.
    """

    __slots__ = ("block", "loops", "perfect", "reducing")

    def __init__(self, block: tree.Block, loops: list[Loop], reducing: list[bool], perfect: bool) -> None:
        self.block = block
        self.loops = loops
        self.reducing = reducing
        self.perfect = perfect


def other_axes(block: tree.Block) -> list[tree.IterVar]:
    """Return the axes whose values distinguish the instances of `init`."""
    return [axis for axis in block.axes if axis.kind != "reduce"]


def find_reductions(analysis: Analysis) -> list[Reduction]:
    """Return the reductions of all blocks with `init` that have reduce axes in loops."""
    finder = _Finder(analysis)
    finder.visit(analysis.func.body)
    return finder.found


class _Finder:
    """Walks down the statements and remembers what is around them."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.found: list[Reduction] = []
        self._around: list[Loop | Node] = []
        self._sources: dict[Symbol, set[Symbol]] = {}

    def visit(self, statements: Iterable[tree.Stmt]) -> None:
        for statement in statements:
            match statement:
                case tree.For():
                    self._visit_for(statement)
                case tree.Block():
                    self._visit_block(statement)
                case tree.LetStmt():
                    symbol = self.analysis.symbols[statement.var]
                    self._sources[symbol] = self._reaching(statement.value)
                case tree.BufferView():
                    self._sources[self.analysis.symbols[statement.buffer]] = self._reaching(statement)
                case tree.IfThenElse():
                    self._around.append(statement)
                    self.visit(statement.then_case)
                    self.visit(statement.else_case)
                    self._around.pop()
                case tree.While():
                    self._around.append(statement)
                    self.visit(statement.body)
                    self._around.pop()
                case tree.Allocate() | tree.BufferStore() | tree.AssertStmt() | tree.CallExtern():
                    pass
                case tree.Break() | tree.Continue():
                    pass
                case _:
                    assert_never(statement)

    def _visit_for(self, loop: tree.For) -> None:
        self._around += [(loop, position) for position in range(len(loop.loop_vars))]
        self.visit(loop.body)
        del self._around[len(self._around) - len(loop.loop_vars) :]

    def _visit_block(self, block: tree.Block) -> None:
        for axis in block.axes:
            self._sources[self.analysis.symbols[axis.var]] = self._reaching(axis.value)
        reducing = self._reached_by([axis for axis in block.axes if axis.kind == "reduce"])
        if block.init is not None and reducing:
            self._add(block, reducing)
        self._around.append(block)
        self.visit(block.init or ())
        self.visit(block.body)
        self._around.pop()

    def _add(self, block: tree.Block, reducing: set[Symbol]) -> None:
        """Record a block whose reduce axes are reached by some loops."""
        first = next(at for at, item in enumerate(self._around) if self._variable(item) in reducing)
        inside = self._around[first:]
        loops = [item for item in inside if isinstance(item, tuple)]
        kept = self._reached_by(other_axes(block))
        only_reducing = [self._variable(loop) in reducing - kept for loop in loops]
        perfect = len(loops) == len(inside) and self._is_chain(loops, block)
        perfect = perfect and self._can_skip(block, loops, only_reducing)
        self.found.append(Reduction(block, loops, only_reducing, perfect))

    def _is_chain(self, loops: list[Loop], block: tree.Block) -> bool:
        """Return whether each loop contains the next one, the last one the block, and nothing else."""
        inner: tree.Stmt = block
        for loop, _ in reversed(loops):
            if loop is not inner and (len(loop.body) != 1 or loop.body[0] is not inner):
                return False
            inner = loop
        return True

    def _can_skip(self, block: tree.Block, loops: list[Loop], skipped: list[bool]) -> bool:
        """Return whether nothing that distinguishes instances needs a variable of a skipped loop."""
        gone = {self._variable(loop) for loop, skip in zip(loops, skipped, strict=True) if skip}
        gone |= {self.analysis.symbols[axis.var] for axis in block.axes if axis.kind == "reduce"}
        needed: list[Node] = [
            loop.ranges[at] for (loop, at), skip in zip(loops, skipped, strict=True) if not skip
        ]
        needed += [axis.value for axis in other_axes(block)]
        needed += [] if block.predicate is None else [block.predicate]
        needed += block.init or ()
        reached: set[Symbol] = set()
        for node in needed:
            reached |= self._reaching(node, loops_only=False)
        return gone.isdisjoint(reached)

    def _variable(self, item: Loop | Node) -> Symbol | None:
        return self.analysis.symbols[item[0].loop_vars[item[1]]] if isinstance(item, tuple) else None

    def _reached_by(self, axes: Iterable[tree.IterVar]) -> set[Symbol]:
        found: set[Symbol] = set()
        for axis in axes:
            found |= self._sources[self.analysis.symbols[axis.var]]
        return found

    def _reaching(self, node: Node, loops_only: bool = True) -> set[Symbol]:
        """Return the loop variables that an expression depends on; all names too, if asked."""
        found: set[Symbol] = set()
        for use in walk(node):
            symbol = self.analysis.symbols.get(use) if isinstance(use, tree.PrimVar) else None
            if symbol is None:
                continue
            if symbol.kind == LOOP or not loops_only:
                found.add(symbol)
            found |= self._sources.get(symbol, set())
        return found
