"""Reductions over boxes: sums as products of matrices, small windows one term after the other, all else by `reduce`."""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.strategies.reductions.contractions import (
    contraction,
    counted,
    is_masked_product,
    terms_of,
)
from relax_lang.tir.schedule.strategies.reductions.windows import is_small, separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.footprint import Footprints
    from relax_lang.tir.schedule.plan import Node
    from relax_lang.tir.schedule.strategies.protection import Protection


class Reductions:
    """Plans the reductions of one PrimFunc whose iterations may run in any order."""

    def __init__(self, lowering: Lowering, regions: Footprints, protection: Protection) -> None:
        self._lowering = lowering
        self._regions = regions
        self._protection = protection

    def over_box(
        self, stage: Stage, kept: list[Loop], combination: tuple[str, bool], fixed: frozenset[str]
    ) -> list[Node]:
        """Return the plan for a reduction over a box, whose `kept` loops distinguish the elements."""
        combine, negated = combination
        free = [loop for loop in stage.loops if loop.name not in fixed]
        reduced = [loop for loop in free if loop not in kept]
        factors = contraction(stage.value, reduced) if combine == "+" else []
        if combine == "+":
            terms = self._products(stage, reduced, factors)
            if terms:
                return [
                    node
                    for term, is_taken in terms
                    for node in self.over_box(term, kept, ("+", is_taken != negated), fixed)
                ]
        kernel = plan.Kernel(stage, plan.REDUCTION, stage.value, kept, reduced, combine, negated=negated)
        if combine == "+":
            kernel.factors = factors
            if stage.guards and not is_masked_product(kernel):
                kernel.factors = []
            if kernel.factors:
                kernel.strategy = plan.CONTRACTION
        self._protection.protect(kernel, free)
        masked = any(guard.dims & {loop.name for loop in free} for guard in stage.guards)
        if kernel.lanes and kernel.factors:  # no product, but perhaps one list does for all
            kernel = plan.Kernel(stage, plan.REDUCTION, stage.value, kept, reduced, combine, negated=negated)
            self._protection.protect(kernel, free)
        if kernel.strategy == plan.REDUCTION and is_small(kernel) and not masked:
            kernel.strategy = plan.WINDOW
            return list(separated(self._lowering, kernel))
        return [kernel]

    def _products(self, stage: Stage, reduced: list[Loop], factors: list[Vector]) -> list[tuple[Stage, bool]]:
        """Return the terms of a sum that is made of several products of matrices, or of one that is written as a count
        under conditions, and whether each is subtracted; nothing for other sums. `factors` are those of the sum itself.
        """
        if stage.target.dtype in dtypes.HALVES:
            return []
        if stage.guards:
            product = counted(stage)
            if product is None or not (contraction(product, reduced) or terms_of(product, reduced)):
                return []
            is_safe = all(self._regions.is_safe(guard, stage.loops, stage.facts) for guard in stage.guards)
            return [(replaced(stage, value=product, guards=()), False)] if is_safe else []
        if factors:
            return []
        return [(replaced(stage, value=term), is_taken) for term, is_taken in terms_of(stage.value, reduced)]
