"""Stores of one value where a loop variable is what data choose, and of another one everywhere else.

`Y[i, v] = if_then_else(v == K[i], a, b)` is a store of b to all elements, and then one of a for each i.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, all_loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.domains import Domains
    from relax_lang.tir.schedule.footprint import Footprints


def pinned_stores(
    space: Space, domains: Domains, regions: Footprints, entry: Guards, stage: Stage, kept: list[Loop]
) -> list[Stage]:
    """Return a choice by `v == x`, with x not depending on v, as a store of the other side everywhere and one of
    this side where v is x; none if a store is not such a choice.
    """
    value = stage.value
    if stage.op != "=" or not isinstance(value, Apply) or value.op not in ("select", "if_then_else"):
        return []
    condition, yes, no = value.args
    found = domains.pinned(condition, kept)
    if found is None or any(not regions.is_safe(part, stage.loops) for part in (yes, no)):
        return []
    loop, place = found
    if any(load.storage is stage.target for part in (yes, no, condition) for load in all_loads(space, part)):
        return []
    at = space.atom(place, entry.fresh("at"))
    dims = space.dims(at)
    bounds = (Index(at, dims), Index(Polynomial.constant(0), frozenset()), Index(loop.extent, frozenset()))
    inside = [Apply(">=", bounds[:2], dtypes.BOOL), Apply("<", (bounds[0], bounds[2]), dtypes.BOOL)]
    loops = tuple([other for other in stage.loops if other is not loop])
    chosen = stage.over(space, loops, {loop.name: at}, [*stage.guards, *inside])
    chosen.value = space.replaced(yes, {loop.name: at})
    return [*domains.pieces(replaced(stage, value=no), kept), chosen]
