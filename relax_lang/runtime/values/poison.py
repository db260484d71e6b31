"""What new tensors hold under `--strict-effects` and `--nan`, so that a result that nothing wrote is noticed. [O.7]

Floats are nan with a payload of their own, which no computation makes but one that takes such a nan: so each element
that nothing wrote is found, and those computed from it. Integers have no such value: they hold a fixed
sequence of bytes, which is taken for untouched only where all of it is there, and it is long enough.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tensor = np.ndarray[Any, np.dtype[Any]]

_NAN = {"float16": 0x7EA5, "bfloat16": 0x7FE5, "float32": 0x7FE5A5A5, "float64": 0x7FFDA5A5A5A5A5A5}
_BITS = {2: np.uint16, 4: np.uint32, 8: np.uint64}
_ENOUGH = 64
"""So many bits are never equal by chance."""


def poison(tensor: Tensor) -> None:
    """Fill a new tensor."""
    pattern = _NAN.get(tensor.dtype.name)
    if pattern is None:
        tensor[...] = _sequence(tensor)
    else:
        tensor.view(_BITS[tensor.dtype.itemsize])[...] = pattern


def is_untouched(tensor: Tensor) -> bool:
    """Return whether a tensor certainly holds nothing but what `poison` filled it with."""
    if not tensor.size:
        return False
    pattern = _NAN.get(tensor.dtype.name)
    if pattern is None:
        bits = 1 if tensor.dtype == bool else 8 * tensor.dtype.itemsize
        return tensor.size * bits >= _ENOUGH and bool((tensor == _sequence(tensor)).all())
    return bool((np.ascontiguousarray(tensor).view(_BITS[tensor.dtype.itemsize]) == pattern).all())


def untouched_elements(tensor: Tensor) -> tuple[tuple[int, ...], int] | None:
    """Return the first element of floats that holds what `poison` filled it with, and how many do; None if none does.

    Of integers nothing is known element by element.
    """
    pattern = _NAN.get(tensor.dtype.name)
    if pattern is None or not tensor.size:
        return None
    found = np.ascontiguousarray(tensor).view(_BITS[tensor.dtype.itemsize]) == pattern
    count = int(found.sum())
    if not count:
        return None
    first = np.unravel_index(int(found.argmax()), tensor.shape)
    return tuple([int(at) for at in first]), count


def _sequence(tensor: Tensor) -> Tensor:
    """Return numbers in the shape and dtype of a tensor that look random but are always the same."""
    mixed = np.arange(1, tensor.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    if tensor.dtype == bool:
        return (mixed & np.uint64(1)).astype(bool).reshape(tensor.shape)
    return mixed.astype(tensor.dtype).reshape(tensor.shape)
