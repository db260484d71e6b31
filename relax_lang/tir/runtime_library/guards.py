"""Guards: where a call is outside of what compiled code was proved for, the scalar interpreter takes over."""

# Types of arrays are left open: what a function returns has the dtype of what it was given.
# pyright: basic
from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NotVectorized(Exception):  # noqa: N818 - no error: the scalar interpreter takes over
    """The arrays at hand are outside of what the vectorized code was proved for."""


def require(condition: Any) -> None:
    """Hand the call over to the scalar interpreter where a condition does not hold."""
    if not condition:
        raise NotVectorized("a condition of the vectorized code does not hold")


def are_apart(stored: Any, others: Any) -> bool:
    """Return whether arrays that are stored to share no memory with each other and with others, as far as the bounds of
    their bytes say: what `np.may_share_memory` says of each pair, without looking at each pair.
    """
    arrays = [*[(array, True) for array in stored], *[(array, False) for array in others]]
    bounds = [(*np.lib.array_utils.byte_bounds(array), stores) for array, stores in arrays if array.size]
    end = end_of_stored = 0  # of what begins before
    for first, last, stores in sorted(bounds):
        if first < (end if stores else end_of_stored):
            return False
        end = max(end, last)
        if stores:
            end_of_stored = max(end_of_stored, last)
    return True


def nonzero(divisor: Any) -> Any:
    """Return a divisor; if there is a 0 in it the scalar interpreter takes over, to fail where it must."""
    # count_nonzero is a function of C; `np.all` takes ten times as long for few numbers
    if not divisor if isinstance(divisor, int) else np.count_nonzero(divisor) != divisor.size:
        raise NotVectorized("division by zero")
    return divisor


def all_finite(values: Any) -> bool:
    """Return whether all elements of an array, or a number, are finite."""
    found = np.isfinite(values)
    if not isinstance(found, np.ndarray):
        return bool(found)
    return np.count_nonzero(found) == found.size  # a function of C; `all` takes twice as long for few numbers


def inside(index: Any, size: int) -> Any:
    """Return indices; if one lies outside of a dimension the scalar interpreter takes over, to fail where it must."""
    if isinstance(index, int):
        outside = not 0 <= index < size
    elif not index.size:
        outside = False
    elif index.size < 1024:  # of few numbers two searches take less time than a view of them
        outside = index.item(index.argmax()) >= size or index.item(index.argmin()) < 0
    elif index.dtype == np.int64:  # as unsigned numbers negative ones are the greatest: one pass finds both
        numbers = index.view(np.uint64)
        if numbers.flags.c_contiguous:  # else it copies; of few numbers it takes half the time of a reduction
            outside = numbers.item(numbers.argmax()) >= size
        else:
            outside = np.maximum.reduce(numbers, axis=None) >= size
    else:
        outside = index.min() < 0 or index.max() >= size
    if outside:
        raise NotVectorized("an index is outside of its array")
    return index


def inside_few(index: Any, size: int) -> Any:
    """Return an array of some indices, but not of many; likewise."""
    if index.item(index.argmax()) >= size or index.item(index.argmin()) < 0:
        raise NotVectorized("an index is outside of its array")
    return index
