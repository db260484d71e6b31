"""Loop fusion: what runs step by step over one loop, one after the other, runs in the steps of one loop.

A store that later iterations of such a loop repeat joins it as well: in its steps it needs no list of its iterations,
and what it reads is still in the cache.
"""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.statements import Extern
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.schedule.plan import SCATTER, Kernel, Sequential, statements_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.dependence_graph import Conflicts
    from relax_lang.tir.schedule.plan import Node


class LoopFusion:
    """The fusion of the loops of one PrimFunc, while its plan grows."""

    def __init__(
        self,
        lowering: Lowering,
        dependences: Dependences,
        conflicts: Callable[[Sequence[Statement]], Conflicts],
        plan: Callable[[Sequence[Statement], frozenset[str]], list[Node]],
    ) -> None:
        """Take what finds the statements that may depend on each other, and what plans some in loops that are fixed."""
        self._space = lowering.space
        self._entry = lowering.entry
        self._dependences = dependences
        self._conflicts = conflicts
        self._plan = plan

    def append(self, nodes: list[Node], node: Node, fixed: frozenset[str]) -> None:
        """Add a node to those of a plan; it becomes a part of a sequential loop before it if nothing changes places."""
        last = nodes[-1] if nodes else None
        if isinstance(last, Sequential):
            self._dependences.fixed = fixed
            inner = fixed | {last.loop.name}
            for one in self._steps(last, node, fixed, inner):
                self.append(last.body, one, inner)
                node = last
        if node is not last:
            nodes.append(node)

    def _steps(
        self, loop: Sequential, node: Node, fixed: frozenset[str], inner: frozenset[str]
    ) -> Sequence[Node]:
        """Return what a node does in the steps of a loop before it; nothing if it stays behind the loop."""
        before = statements_in(loop.body)
        if isinstance(node, Sequential) and node.loop is loop.loop:
            return () if self._changes_places(before, statements_in(node.body), loop.loop) else node.body
        if not isinstance(node, Kernel) or not self._is_repeated(node, loop.loop, fixed):
            return ()
        if self._changes_places(before, [node.stage], loop.loop):
            return ()
        mark = self._entry.mark()
        try:
            return self._plan([node.stage], inner)
        except NotVectorizable:
            self._entry.restore(mark)
            return ()

    def _is_repeated(self, kernel: Kernel, loop: Loop, fixed: frozenset[str]) -> bool:
        """Return whether each iteration of a loop stores to the same elements, of which there are many."""
        stage = kernel.stage
        if kernel.strategy != SCATTER or stage.op != "=" or loop not in stage.loops:
            return False
        if any(map(self._space.atoms_in, stage.index)):
            return False
        chosen = {name for part in stage.index for name in self._space.dims(part)} - fixed
        return bool(chosen) and loop.name not in chosen

    def _changes_places(self, first: list[Statement], second: list[Statement], loop: Loop) -> bool:
        """Return whether a later step of one statement has to do with an earlier step of one that came after it."""
        both = [*first, *second]
        if any(isinstance(statement, Extern) for statement in both):
            return True
        pairs = self._conflicts(both).pairs
        return any(
            self._dependences.meets_later(meeting, loop)
            for (one, other), meeting in pairs.items()
            if one < len(first) <= other
        )
