"""The passes over a store on its own, before its strategy is selected: loops coalesced, short loops unrolled.

A store that a pass has changed goes through all of them again.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.schedule.loops.loop_coalescing import coalesced
from relax_lang.tir.schedule.loops.loop_unrolling import chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering

COALESCING = "coalescing"
UNROLLING = "unrolling"
TRIANGLES = "triangles"
SPLITTING = "index-set-splitting"
SCHEDULING = "affine-scheduling"
STATEMENT_PASSES = (COALESCING, UNROLLING, TRIANGLES, SPLITTING, SCHEDULING)
"""The passes over single statements or those of one component, which distribution runs before it takes a strategy."""
_SHORT = "it is short, and within a step indices are slices"
_SUMMED = "within a step, a condition is a bound of another loop"


class StatementPasses:
    """The passes over the stores of one PrimFunc; those named in `without` are left out."""

    def __init__(self, lowering: Lowering, without: Collection[str] = ()) -> None:
        self._space = lowering.space
        self._entry = lowering.entry
        self.without = without
        self.changed: dict[str, list[Stage]] = {}
        """What each pass has made of stores."""
        self.clear()

    def clear(self) -> None:
        """Forget what has been changed: distribution begins anew."""
        self.changed = {name: [] for name in STATEMENT_PASSES}

    def coalesced(self, stage: Stage, free: Sequence[Loop]) -> Stage:
        """Return a store whose iterations may run in any order over as few loops as it can have."""
        if COALESCING in self.without:
            return stage
        made = coalesced(self._space, self._entry, stage, free)
        if made is not stage:
            self.changed[COALESCING].append(made)
        return made

    def unrolled(
        self,
        stage: Stage,
        free: Sequence[Loop],
        kept: Collection[str],
        conditions: Sequence[Vector],
        *,
        is_safe: bool,
    ) -> tuple[Stage, list[tuple[Loop, str]]]:
        """Return a store in loops that stay Python loops because that makes it simpler, outermost first, and why."""
        loops: list[Loop] = []
        if UNROLLING not in self.without:
            loops = chosen(self._space, stage, free, kept, conditions, is_safe=is_safe)
        if not loops:
            return stage, []
        steps = {loop.name: Loop(self._entry.fresh(loop.name), loop.extent, loop.node) for loop in loops}
        self._space.loops.update({loop.name: loop for loop in steps.values()})
        values = {name: Polynomial.name(loop.name) for name, loop in steps.items()}
        made = stage.over(self._space, tuple([steps.get(loop.name, loop) for loop in stage.loops]), values)
        self.changed[UNROLLING].append(made)
        return made, [(loop, _SHORT if loop.extent.value else _SUMMED) for loop in steps.values()]
