"""Which reductions a PrimFunc has, and where each begins: from the language page alone."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree


class Reduction:
    """The reduction of a block: from which loop on, which of the loops do not reduce, what has been started."""

    def __init__(self, block, first, kept, *, perfect: bool) -> None:
        self.block = block
        self.first = first
        self.kept = kept
        self.perfect = perfect
        self.started: set = set()


class Reductions:
    """When `init` runs: once for each combination of the other axes, from the outermost loop that reduces on.

    Where no loop has a step, and nothing but loops stands around the block, sums are started nevertheless.
    """

    def __init__(self, func: tree.PrimFunc) -> None:
        self.of: dict[int, Reduction] = {}
        self.at: dict[tuple[int, int], list[Reduction]] = {}
        self.sources: dict[str, set[str]] = {}
        self.visit(func.body, [])

    def names(self, node, *, inner: bool = False) -> set[str]:
        """Return the loop variables that reach an expression; the names between, too, if asked."""
        found: set[str] = set()
        for part in walk(node):
            if isinstance(part, tree.PrimVar):
                found |= self.sources.get(part.name, set())
                found |= {part.name} if inner else set()
        return found

    def visit(self, statements, around: list) -> None:
        for statement in statements:
            if isinstance(statement, tree.For):
                loops = [(statement, at) for at in range(len(statement.loop_vars))]
                self.sources |= {var.name: {var.name} for var in statement.loop_vars}
                self.visit(statement.body, [*around, *loops])
            elif isinstance(statement, tree.LetStmt):
                self.sources[statement.var.name] = self.names(statement.value)
            elif isinstance(statement, tree.IfThenElse):
                self.visit((*statement.then_case, *statement.else_case), [*around, None])
            elif isinstance(statement, tree.While):
                self.visit(statement.body, [*around, None])
            elif isinstance(statement, tree.Block):
                for axis in statement.axes:
                    self.sources[axis.var.name] = self.names(axis.value)
                self.note(statement, around)
                self.visit((*(statement.init or ()), *statement.body), [*around, None])

    def note(self, block, around: list) -> None:
        reducing = set().union(*[self.sources[a.var.name] for a in block.axes if a.kind == "reduce"])
        kept = set().union(*[self.sources[a.var.name] for a in block.axes if a.kind != "reduce"])
        variables = [one and one[0].loop_vars[one[1]].name for one in around]
        first = next((at for at, name in enumerate(variables) if name in reducing), None)
        if block.init is None or first is None:
            return
        inside = around[first:]
        others = [one for one in inside if one and one[0].loop_vars[one[1]].name not in reducing - kept]
        perfect = None not in inside and self.is_chain(inside, block)
        if perfect:
            gone = {variables[at] for at in range(first, len(around))} & (reducing - kept)
            gone |= {axis.var.name for axis in block.axes if axis.kind == "reduce"}
            needed = [loop.ranges[at] for loop, at in others]
            needed += [axis.value for axis in block.axes if axis.kind != "reduce"]
            needed += [*block.init, *([block.predicate] if block.predicate is not None else [])]
            perfect = not any(self.names(node, inner=True) & gone for node in needed)
        reduction = Reduction(block, around[first], others, perfect=perfect)
        self.of[id(block)] = reduction
        loop, at = around[first]
        self.at.setdefault((id(loop), at), []).append(reduction)

    def is_chain(self, inside, block) -> bool:
        inner = block
        for loop, _ in reversed(inside):
            if loop is not inner and (len(loop.body) != 1 or loop.body[0] is not inner):
                return False
            inner = loop
        return True

    def begin(self, loop, at: int) -> list[Reduction]:
        """Note that a loop begins; return the reductions that begin with it."""
        begun = self.at.get((id(loop), at), [])
        for reduction in begun:
            reduction.started = set()
        return begun
