"""Axes as attributes name them: counted from the front, or from the back below zero; each one once. [OP.5]"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference


def one_axis(call: Inference, axis: int, rank: int, attribute: str = "axis") -> int | None:
    """Return an axis counted from the front; None after an error. [OP.5]"""
    if -rank <= axis < rank:
        return axis + rank if axis < 0 else axis
    call.bad_axis(axis, rank, attribute)
    return None


def many_axes(
    call: Inference, axes: int | Sequence[int] | None, rank: int | None, attribute: str = "axis"
) -> tuple[int, ...] | None:
    """Return axes counted from the front, in the order in which they are named. [OP.5]

    Without `axes` these are all, of an empty list none. None if the rank is not known, or after an error.
    """
    if rank is None:
        _check_twice(call, axes, attribute)
        return None
    if axes is None:
        return tuple(range(rank))
    if isinstance(axes, int):
        at = one_axis(call, axes, rank, attribute)
        return None if at is None else (at,)
    found: list[int] = []
    right = True
    for axis in axes:
        at = one_axis(call, axis, rank, attribute)
        if at is None:
            right = False
        elif at in found:
            call.same_axis(axis, attribute)
            right = False
        else:
            found.append(at)
    return tuple(found) if right else None


def _check_twice(call: Inference, axes: int | Sequence[int] | None, attribute: str) -> None:
    """Note an axis that is named twice in the same way: whatever the rank is, that is wrong. [OP.5]"""
    if axes is None or isinstance(axes, int):
        return
    for place, axis in enumerate(axes):
        if axis in axes[:place]:
            call.same_axis(axis, attribute)
            return
