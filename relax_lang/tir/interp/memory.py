"""The arrays of the scalar interpreter: where they are made, and how single elements are read and written."""

from __future__ import annotations

from math import prod
from typing import cast

import numpy as np

from relax_lang.syntax import dtypes
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

    from relax_lang.tir.interp.expressions import Frame

    Array = np.ndarray[Any, np.dtype[Any]]
    Allocate = Callable[[tuple[int, ...], np.dtype[Any]], Array]


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return a new array of undefined contents."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError):
        size = prod(shape) * dtype.itemsize
        raise RunFailure("out-of-memory", f"cannot allocate {size} bytes", bytes=size) from None


def is_array(value: object) -> TypeGuard[Array]:
    """Return whether a value is a NumPy array."""
    return isinstance(value, np.ndarray)


def plain(value: object) -> object:
    """Return a NumPy scalar as a Python number, anything else as it is."""
    return cast("np.generic[Any]", value).item() if isinstance(value, np.generic) else value


def put_buffer(frame: Frame, slot: int, array: Array) -> None:
    """Put an array into the slots of its buffer."""
    frame[slot] = element_view(array)
    frame[slot + 1] = array
    frame[slot + 2 : slot + 2 + array.ndim] = array.shape


def element_view(array: Array) -> Any:
    """Return what gives and takes elements of an array as Python numbers, fast."""
    if array.dtype.itemsize == 2 and array.dtype.name in dtypes.HALVES:  # the name takes long to find out
        return _HalfView(array)
    if not array.flags.aligned:
        return _UnalignedView(array)
    if (
        array.dtype.byteorder == "<"
    ):  # the order of this machine, but named: a memoryview does not know it then
        array = array.view(array.dtype.newbyteorder("="))
    return memoryview(array)  # pyright: ignore[reportArgumentType]


class _HalfView:
    """Elements of a float16 or bfloat16 array as Python floats; a memoryview does not know these types."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> float:
        return float(self.array[index])

    def __setitem__(self, index: Any, value: float) -> None:
        self.array[index] = value


class _UnalignedView:
    """Elements at addresses that are no multiples of their size as Python numbers; a memoryview does not know them."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> Any:
        return self.array[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value


def poison_of(dtype: str) -> float | int | bool:
    """Return a value that shows when it is used: nan, the greatest integer, true. [TIR.18]"""
    if dtypes.is_float(dtype):
        return float("nan")
    return True if dtype == dtypes.BOOL else dtypes.INT_RANGES[dtype][1]
