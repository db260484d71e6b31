"""Reading and making arrays, one element at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import is_float, is_half, numpy_dtype

Index = tuple[int, ...]


def indices(shape: Sequence[int]) -> Iterable[Index]:
    return itertools.product(*[range(extent) for extent in shape])


def get(x: Any, index: Index) -> Any:
    """Return an element as a Python number, of an array that broadcasts to where the index is from."""
    own = index[len(index) - x.ndim :]
    value = x[tuple([0 if extent == 1 else at for at, extent in zip(own, x.shape, strict=True)])]
    return float(value) if is_float(x.dtype) else value.item()


def fit(value: Any, dtype: Any) -> Any:
    """Round or wrap a number to a dtype; halves are rounded from float32."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.kind in "iu":
        bits = dtype.itemsize * 8
        wrapped = int(value) % (1 << bits)
        return wrapped - (1 << bits) if dtype.kind == "i" and wrapped >> (bits - 1) else wrapped
    wide = np.asarray(float(value)) if not isinstance(value, int) else np.asarray(value, np.float64)
    return wide.astype(np.float32).astype(dtype) if is_half(dtype) else wide.astype(dtype)


def made(shape: Sequence[int], dtype: Any, compute: Callable[[Index], Any]) -> Any:
    """Return an array whose elements are computed from their indices."""
    wanted = numpy_dtype(dtype) if isinstance(dtype, str) else dtype
    result = np.zeros(tuple(shape), wanted)
    for index in indices(shape):
        result[index] = fit(compute(index), wanted)
    return result


def broadcast(*shapes: Sequence[int]) -> Index:
    rank = max([len(shape) for shape in shapes])
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple([next((e for e in extents if e != 1), 1) for extents in zip(*padded, strict=True)])


def axes_of(axis: int | Sequence[int] | None, rank: int) -> list[int]:
    if axis is None:
        return list(range(rank))
    return [each % rank for each in ([axis] if isinstance(axis, int) else axis)]


def without(index: Sequence[int], axes: Sequence[int]) -> Index:
    return tuple([at for axis, at in enumerate(index) if axis not in axes])


def replaced(index: Sequence[int], axis: int, *at: int) -> Index:
    return (*index[:axis], *at, *index[axis + 1 :])


def grouped(x: Any, axes: Sequence[int]) -> dict[Index, list[Any]]:
    """Return the elements that go into each element of a reduction, in order."""
    groups: dict[Index, list[Any]] = {
        index: [] for index in indices([e for a, e in enumerate(x.shape) if a not in axes])
    }
    for index in indices(x.shape):
        groups[without(index, axes)].append(get(x, index))
    return groups


def safely(compute: Callable[..., float], *args: float) -> float:
    """Compute as IEEE does: nan outside of the domain, inf beyond the range."""
    try:
        return compute(*args)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


def divided(x: float, y: float) -> float:
    if y != 0:
        return x / y
    return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)


def largest(values: Iterable[Any]) -> Any:
    """Return the largest; nan if there is one."""
    values = list(values)
    return next((value for value in values if value != value), max(values))


def smallest(values: Iterable[Any]) -> Any:
    values = list(values)
    return next((value for value in values if value != value), min(values))


def toward_zero(numerator: int, denominator: int) -> int:
    quotient = abs(numerator) // abs(denominator)
    return -quotient if (numerator < 0) != (denominator < 0) else quotient


def softmax(values: Sequence[float]) -> list[float]:
    top = largest(values)
    powers = [safely(math.exp, value - top) for value in values]
    total = sum(powers)
    return [divided(power, total) for power in powers]
