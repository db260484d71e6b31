"""Tensors, shapes and functions in plain Python, for `written_and_evaluated`."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

DTYPES = ("int32", "int64", "float32", "bool")


class T:
    """A tensor: dtype, shape, elements in order."""

    def __init__(self, dtype: str, shape: tuple[int, ...], items: list[Any]) -> None:
        self.dtype, self.shape, self.items = dtype, shape, items
        assert len(items) == math.prod(shape)

    def at(self, index: tuple[int, ...]) -> Any:
        """Return an element, as broadcasting takes it: from the right, sizes of 1 repeated."""
        place = 0
        for size, one in zip(self.shape, index[len(index) - len(self.shape) :], strict=True):
            place = place * size + (0 if size == 1 else one)
        return self.items[place]


class S(tuple):
    """A shape."""

    __slots__ = ()


class F:
    """A function of one tensor: how it is written, and what it computes."""

    def __init__(self, compute: Callable[[T], T], dtype: str) -> None:
        self.compute, self.dtype = compute, dtype


class NotTamed(Exception):  # noqa: N818 - an answer
    """A number becomes too large to be worked out exactly: another expression is tried."""


def tamed(value: Any, dtype: str) -> Any:
    """Return a number of a dtype if it is small and exact."""
    if dtype == "bool":
        return bool(value)
    if abs(value) > 1 << 20 or value * 64 % 1:
        raise NotTamed
    return float(value) if dtype == "float32" else int(value)


def elementwise(dtype: str, compute: Callable[..., Any], *operands: T) -> T:
    """Combine tensors that broadcast."""
    rank = max([len(one.shape) for one in operands])
    shape = tuple(
        [
            next(
                (
                    one.shape[at - rank]
                    for one in operands
                    if len(one.shape) >= rank - at and one.shape[at - rank] != 1
                ),
                1,
            )
            for at in range(rank)
        ]
    )
    places = product(*[range(size) for size in shape])
    return T(dtype, shape, [tamed(compute(*[one.at(place) for one in operands]), dtype) for place in places])


def reduced(x: T, axis: int, compute: Callable[[list[Any]], Any], *, keep: bool) -> T:
    """Reduce one axis."""
    shape = tuple(
        [1 if at == axis and keep else size for at, size in enumerate(x.shape) if at != axis or keep]
    )
    rest = [range(size) if at != axis else range(1) for at, size in enumerate(x.shape)]
    rows = [[x.at((*at[:axis], i, *at[axis + 1 :])) for i in range(x.shape[axis])] for at in product(*rest)]
    return T(x.dtype, shape, [tamed(compute(row), x.dtype) for row in rows])


def moved(x: T, axes: list[int]) -> T:
    """Permute the axes."""
    shape = tuple([x.shape[axis] for axis in axes])
    items = []
    for place in product(*[range(size) for size in shape]):
        source = [0] * len(axes)
        for axis, one in zip(axes, place, strict=True):
            source[axis] = one
        items.append(x.at(tuple(source)) if axes else x.items[0])
    return T(x.dtype, shape, items)


def info_of(value: Any) -> str | None:
    """Return the struct info of a value; None if a function is in it."""
    if isinstance(value, T):
        dims = [str(size) for size in value.shape]
        return f"Tensor[({', '.join(dims)}{',' * (len(dims) == 1)}), {value.dtype}]"
    if isinstance(value, S):
        return f"Shape[({', '.join([str(size) for size in value])}{',' * (len(value) == 1)})]"
    if isinstance(value, tuple):
        parts = [info_of(one) for one in value]
        if None in parts:
            return None
        return f"({', '.join([str(part) for part in parts])}{',' * (len(parts) == 1)})"
    return None
