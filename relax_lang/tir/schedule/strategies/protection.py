"""No access of a kernel leaves its array: that is proved, required at the entry, or checked on the spot."""

from __future__ import annotations

from functools import reduce

from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.chosen_indices import ChosenIndices
from relax_lang.tir.analysis.lowered.statement_accesses import guard_facts
from relax_lang.tir.analysis.lowered.value_ranges import may_fail
from relax_lang.tir.analysis.lowered.vector_ir import Apply, NotVectorizable, all_loads
from relax_lang.tir.array_ir.nodes import ZERO, ScalarOp, at_least, conjunction
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Load, Space
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.footprint import Footprints


class Protection:
    """Protects the accesses of one PrimFunc."""

    def __init__(self, space: Space, entry: Guards, regions: Footprints) -> None:
        self._space = space
        self._entry = entry
        self._regions = regions
        self.conditional = False
        """Whether the statements at hand run under a `while`."""

    def protect(self, kernel: plan.Kernel, free: list[Loop]) -> None:
        """See to it that no access of a kernel leaves its array: proved, or to be checked."""
        stage = kernel.stage
        names = {loop.name for loop in free}
        indices = [part for load in used_loads(self._space, stage) for part in load.index]
        kernel.gathers = any(
            atom.vector.dims & names or all_loads(self._space, atom.vector)
            for part in indices
            for atom in self._space.atoms_in(part)
        )
        masked = any(guard.dims & names for guard in stage.guards)
        safe = [
            self._regions.is_safe(part, stage.loops, stage.facts) for part in (*stage.guards, kernel.operand)
        ]
        if masked and not all(safe) and not (all(safe[:-1]) and self._chose_indices(kernel, names)):
            kernel.lanes = True
        if masked and (
            kernel.strategy == plan.SCATTER or not self._is_inside(stage.target, stage.index, stage)
        ):
            kernel.lanes = True
        if kernel.lanes:
            kernel.nonempty = True
            return
        self._require(kernel, free)

    def _chose_indices(self, kernel: plan.Kernel, free: set[str]) -> bool:
        """Let a reduction compute its terms in all iterations, with other indices where its conditions do not
        hold; return whether it can. A term that is not wanted costs less than a list of those that are, unless one
        list does for all elements.
        """
        stage = kernel.stage
        if kernel.strategy != plan.REDUCTION or may_fail(kernel.operand):
            return False

        def is_inside(at: Polynomial, size: Polynomial) -> bool:
            return all(
                self._regions.follows(value, stage.facts, stage.loops) for value in (at, size - 1 - at)
            )

        condition = reduce(lambda a, b: Apply("&&", (a, b), dtypes.BOOL), stage.guards)
        indices = ChosenIndices(self._space, self._entry.fresh, condition, is_inside)
        if not indices.can_choose(kernel.operand):
            return False
        reduced = {loop.name for loop in kernel.reduced}
        if all(guard.dims & free <= reduced for guard in stage.guards):
            kernel.lists_reduced = True
            return True
        kernel.operand = indices.chosen(kernel.operand)
        kernel.stage = replaced(stage, value=indices.chosen(stage.value))
        return True

    def _is_inside(self, storage: Storage, index: Indices, stage: Stage) -> bool:
        return self._regions.is_inside(storage, index, stage.loops, stage.facts)

    def _require(self, kernel: plan.Kernel, free: list[Loop]) -> None:
        """Require all accesses of a kernel to be inside: at entry if nothing but sizes matters, else on the spot."""
        stage = kernel.stage
        touched = [
            (stage.target, stage.index),
            *[(load.storage, load.index) for load in used_loads(self._space, stage)],
        ]
        facts = guard_facts([part for guard in stage.guards for part in conjuncts(guard)])
        for storage, index in dict.fromkeys(touched):
            if not self._regions.is_inside(storage, index, stage.loops, stage.facts, may_be_empty=True):
                kernel.nonempty = True
            wanted = self._regions.conditions(storage, index, free, stage.loops, stage.facts)
            wanted = [value for value in wanted if not self._regions.follows(value, facts, stage.loops)]
            if wanted and not stage.guards and not self.conditional:
                wanted = self._at_entry(stage, storage, index, wanted)
            kernel.requires += [value for value in wanted if value not in kernel.requires]
            kernel.covered.add((id(storage), index))
        # Conditions are evaluated in every iteration, but what they read need not be there if there is none.
        for load in [load for guard in stage.guards for load in all_loads(self._space, guard)]:
            if not self._regions.is_inside(load.storage, load.index, stage.loops, may_be_empty=True):
                kernel.nonempty = True

    def _at_entry(
        self, stage: Stage, storage: Storage, index: Indices, wanted: list[Polynomial]
    ) -> list[Polynomial]:
        """Require an access to be inside when the function is called; return what can only be required later."""
        if any(self._space.atoms_in(part) for part in index):
            return wanted
        try:
            everywhere = self._regions.conditions(storage, index, stage.loops, stage.loops)
        except NotVectorizable:
            return wanted
        if not everywhere:
            return []
        sizes = [*everywhere, *[loop.extent for loop in stage.loops]]
        if any(self._space.varies(size) for size in sizes):
            return wanted
        empty = [ScalarOp("<=", (loop.extent, ZERO)) for loop in stage.loops if loop.extent.value is None]
        inside = conjunction([at_least(value) for value in everywhere])
        self._entry.require(ScalarOp("or", (*empty, inside)) if empty else inside)
        return []


def used_loads(space: Space, stage: Stage) -> list[Load]:
    """Return the loads of a stage that happen where its conditions hold."""
    parts = (stage.value, *space.atom_values(stage.index))
    return [load for part in parts for load in all_loads(space, part)]
