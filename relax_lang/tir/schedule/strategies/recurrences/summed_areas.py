"""Summed areas: each element is a new value, the elements above and to the left, less the one above and to the left.

`S[i + 1, j + 1] = X[i, j] + S[i, j + 1] + S[i + 1, j] - S[i, j]` is a running sum down the columns, and then one along
the rows, beside the first row and the first column: a sum of the loops, whose terms may be added in any order.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Load, all_loads
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.strategies.recurrences.scans import combined, terms_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

    Offset = tuple[int | None, ...]


def summed_area(space: Space, stage: Stage, kept: list[Loop]) -> plan.Kernel | None:
    """Return the kernel of a store that sums up areas; None if it does something else. Its last two loops run down the
    columns and along the rows.
    """
    names = {loop.name for loop in kept}
    if stage.op != "=" or not isinstance(stage.value, Apply) or stage.target.dtype in dtypes.HALVES:
        return None
    if stage.value.dtype != stage.target.dtype or any(guard.dims & names for guard in stage.guards):
        return None
    others: list[tuple[Vector, bool]] = []
    moved: dict[Offset, bool] = {}
    for term, negated in terms_of(stage.value):
        if isinstance(term, Load) and term.storage is stage.target:
            offset = tuple([(own - part).value for own, part in zip(stage.index, term.index, strict=True)])
            if offset in moved:
                return None
            moved[offset] = negated
        else:
            others.append((term, negated))
    area = _area(space, stage, kept, moved)
    if area is None or not any(not negated for _, negated in others):
        return None
    if any(load.storage is stage.target for term, _ in others for load in all_loads(space, term)):
        return None
    value = combined(others, "+")
    loops = [*[loop for loop in kept if loop not in area], *area]
    kernel = plan.Kernel(stage, plan.SUMMED_AREA, value, loops, [], "+")
    kernel.nonempty = True
    return kernel


def _area(
    space: Space, stage: Stage, kept: list[Loop], moved: dict[Offset, bool]
) -> tuple[Loop, Loop] | None:
    """Return the loops over the rows and the columns of the areas that a store sums up, by how far its target is from
    what it reads of it, and whether that is subtracted.
    """
    if len(moved) != 3 or any(part is None for offset in moved for part in offset):
        return None
    corner = next((offset for offset, negated in moved.items() if negated), None)
    if corner is None or len(corner) < 2 or corner[-1] == 0:
        return None
    row = (*corner[:-1], 0)
    column = (*([0] * (len(corner) - 1)), corner[-1])
    if moved != {corner: True, row: False, column: False}:
        return None
    places = [at for at, part in enumerate(corner) if part]
    if len(places) != 2:
        return None
    found: list[Loop] = []
    for at in places:
        loops = [loop for loop in kept if loop.name in space.dims(stage.index[at])]
        factor = stage.index[at].coefficient(loops[0].name) if len(loops) == 1 else None
        if factor is None or factor.value not in (1, -1) or factor.value != corner[at]:
            return None
        found.append(loops[0])
    elsewhere = [part for at, part in enumerate(stage.index) if at not in places]
    if any(space.dims(part) & {loop.name for loop in found} for part in elsewhere):
        return None
    return found[0], found[1]
