"""What Python loops get of arrays: lists of their elements, which are put back afterwards, or views of memory."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.interp.memory import Array

MOST_LISTED = 1 << 22
"""So many elements are held in a list: each takes 8 to 40 bytes."""
_FOR_EACH_STEP = 2
"""Lists have so many elements for each step of the loops: more take longer to list than they save."""

_QUIET = np.uint32(1 << 22)
"""The bit of a float32 that is not a number by which it does not signal."""


def list_pays(array: Array, steps: int | None) -> bool:
    """Return whether a list of all elements takes less time than it saves in so many steps; None: any number."""
    return array.size <= MOST_LISTED and (steps is None or array.size <= _FOR_EACH_STEP * steps + 16)


def empty_list(array: Array) -> list[Any]:
    """Return a list that has room for the elements of a new array."""
    return np.empty(array.shape, object).tolist()


def put_back(array: Array, elements: list[object]) -> None:
    """Store elements that a list holds."""
    if elements:
        array[...] = np.array(elements, array.dtype).reshape(array.shape)


def comes_back(array: Array) -> bool:
    """Return whether elements have the same bits when they are put back: not those of float32 that signal, as float64
    has none like them, and truth values that are bytes other than 0 and 1.
    """
    if array.dtype.kind == "b":
        return not (array.view(np.uint8) > 1).any()
    if array.dtype != np.float32:
        return True
    nans = array[np.isnan(array)]
    return not nans.size or bool((nans.view(np.uint32) & _QUIET).all())


def are_apart(arrays: Sequence[Array], stored: Sequence[bool]) -> bool:
    """Return whether each element of an array that is stored to is an element of that array alone, and only once."""
    for at, (array, is_stored) in enumerate(zip(arrays, stored, strict=True)):
        if not is_stored:
            continue
        if not (array.flags.c_contiguous or _is_injective(array)):
            return False
        owns = array.flags.owndata
        for other_at, other in enumerate(arrays):
            if other_at == at:
                continue
            if other is array or (not (owns and other.flags.owndata) and np.may_share_memory(array, other)):
                return False
    return True


def _is_injective(array: Array) -> bool:
    """Return whether no two elements are plainly at one place: each dimension steps over all smaller steps together."""
    reach = array.itemsize
    for step, size in sorted(
        [(abs(step), size) for step, size in zip(array.strides, array.shape, strict=True)]
    ):
        if size > 1 and step < reach:
            return False
        reach += step * max(size - 1, 0)
    return True
