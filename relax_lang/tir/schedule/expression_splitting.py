"""A store whose terms depend on boxes of its loops as one store after the other: each term where it differs.

`if_then_else(i > 0, X[i - 1, j], 0) + if_then_else(j > 0, X[i, j - 1], 0)` is 4 boxes, a stencil with four neighbours
is 16. Run as a store of the first term and one that adds the next, each has the boxes of its own conditions alone, and
those that change nothing (`+ 0`, `|| false`) are left out.
"""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Const,
    Index,
    Load,
    all_loads,
    parts_of,
    same_access,
    with_parts,
)
from relax_lang.tir.schedule.plan import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.domains import Domains
    from relax_lang.tir.schedule.footprint import Footprints

_FEW = 4
"""So many boxes cost no more than storing the terms one after the other."""
_LAZY = ("&&", "||", "if_then_else")
_WITH_IDENTITY = ("+", "|", "^", "*")
_WITHOUT_EFFECT_OF_ZERO = ("-", "<<", ">>")
"""Of these 0 on the right changes nothing."""
_OF_FLOATS = ("*",)
"""`x + 0.0` is 0.0 where x is -0.0."""


class ExpressionSplitting:
    """Divides the stores of one PrimFunc."""

    def __init__(self, space: Space, entry: Guards, regions: Footprints, domains: Domains) -> None:
        self._space = space
        self._entry = entry
        self._regions = regions
        self._domains = domains

    def stores(self, stage: Stage, free: Sequence[Loop]) -> list[Stage]:
        """Return the stores over boxes that a store consists of, in order, but for those without iterations."""
        boxes = _nonempty(self._domains.pieces(stage, free))
        if len(boxes) <= _FEW or not self._may_store_parts(stage):
            return boxes
        values = self._parts(stage, stage.value, free)
        if len(values) < 2:
            return boxes
        mark = self._entry.mark()
        stores: list[Stage] = []
        for value in values:
            found = _nonempty(self._domains.pieces(replaced(stage, value=value), free))
            if any(isinstance(part, Apply) and part.op in _LAZY for part in parts_of(value)) and not all(
                self._regions.is_safe(one.value, one.loops, one.facts) for one in found
            ):
                self._entry.restore(mark)
                return boxes
            stores += [one for one in found if not _changes_nothing(one)]
        if len(stores) >= len(boxes):
            self._entry.restore(mark)
            return boxes
        return stores

    def _may_store_parts(self, stage: Stage) -> bool:
        """Return whether a part of the value can be in the target until the rest is known."""
        read = [
            load.storage for part in (stage.value, *stage.guards) for load in all_loads(self._space, part)
        ]
        return stage.op == "=" and stage.target not in read and stage.target.dtype not in dtypes.HALVES

    def _parts(self, stage: Stage, value: Vector, free: Sequence[Loop]) -> list[Vector]:
        """Return the values of the stores, one after the other, of which the last one is a value."""
        if not isinstance(value, Apply) or self._domains.is_chosen_by_box(value, free):
            return [value]
        inner = [arg for arg in value.args if arg.dtype == stage.target.dtype and self._has_box(arg, free)]
        if not inner or (value.op == "if_then_else" and value.args[0] in inner):
            return [value]
        before = stage.current(self._space)
        earlier = self._parts(stage, inner[0], free)
        rest = with_parts(value, {inner[0].key: before})
        if len(earlier) > 1 and not self._has_box(earlier[-1], free) and not self._has_box(rest, free):
            return [*earlier[:-1], with_parts(value, {inner[0].key: earlier[-1]})]
        return [*earlier, rest]

    def _has_box(self, value: Vector, free: Sequence[Loop]) -> bool:
        """Return whether some part of a value is chosen by a box of the loops."""
        return any(
            isinstance(part, Apply) and self._domains.is_chosen_by_box(part, free) for part in parts_of(value)
        )


def _nonempty(stages: Sequence[Stage]) -> list[Stage]:
    return [stage for stage in stages if all(loop.extent.value != 0 for loop in stage.loops)]


def _changes_nothing(stage: Stage) -> bool:
    """Return whether a store leaves each element as it is."""
    value = stage.value
    if isinstance(value, Apply) and len(value.args) == 2:
        first, second = value.args
        if _is_identity(value, second, is_right=True):
            value = first
        elif _is_identity(value, first, is_right=False):
            value = second
    return isinstance(value, Load) and same_access(value, stage.target, stage.index)


def _is_identity(value: Apply, arg: Vector, *, is_right: bool) -> bool:
    """Return whether an operation gives its other argument, whatever that is."""
    number = arg.polynomial.value if isinstance(arg, Index) else arg.value if isinstance(arg, Const) else None
    if number is None or (dtypes.is_float(value.dtype) and value.op not in _OF_FLOATS):
        return False
    if value.op in _WITH_IDENTITY:
        return number == identity(value.op, value.dtype)
    return is_right and value.op in _WITHOUT_EFFECT_OF_ZERO and number == 0
