"""Reductions, running totals, extremes, sorting, distinct elements."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import is_float, numpy_dtype
from tests.ops.reference.base import (
    Index,
    axes_of,
    divided,
    fit,
    get,
    grouped,
    indices,
    largest,
    made,
    replaced,
    smallest,
    toward_zero,
    without,
)

Axes = int | Sequence[int] | None


def _reduced(x: Any, axis: Axes, keepdims: bool, dtype: Any, compute: Callable[[list[Any]], Any]) -> Any:
    axes = axes_of(axis, x.ndim)
    found = {key: compute(values) for key, values in grouped(x, axes).items()}
    shape = [1 if at in axes else extent for at, extent in enumerate(x.shape) if keepdims or at not in axes]
    return made(shape, dtype, lambda index: found[without(index, axes) if keepdims else index])


def _reduction(compute: Callable[[list[Any]], Any], dtype: str = "") -> Callable[..., Any]:
    return lambda x, axis, keepdims: _reduced(x, axis, keepdims, dtype or x.dtype, compute)


def _sum(values: list[Any]) -> Any:
    return any(values) if values and isinstance(values[0], bool) else sum(values)


def _prod(values: list[Any]) -> Any:
    return all(values) if values and isinstance(values[0], bool) else math.prod(values)


def _mean(values: list[Any]) -> Any:
    if values and isinstance(values[0], int):
        return toward_zero(sum(values), len(values))
    return divided(sum(values), len(values))


def _variance(values: list[Any]) -> Any:
    if values and isinstance(values[0], int):
        exact = [Fraction(value) for value in values]
        mean = sum(exact) / len(exact)
        return float(sum([(value - mean) ** 2 for value in exact]) / len(exact))
    mean = divided(sum(values), len(values))
    return divided(sum([(value - mean) ** 2 for value in values]), len(values))


def _std(values: list[Any]) -> float:
    return math.sqrt(_variance(values))


def _scan(step: Callable[[Any, Any], Any], first: int) -> Callable[..., Any]:
    def second(data: Any, axis: int | None, dtype: str | None, exclusive: bool) -> Any:
        wanted = numpy_dtype(dtype) if dtype else data.dtype
        x = data.reshape(-1) if axis is None else data
        (at,) = axes_of(axis or 0, x.ndim)
        result = np.zeros(x.shape, wanted)
        for key in indices(without(x.shape, [at])):
            total: Any = first
            for place in range(x.shape[at]):
                index = (*key[:at], place, *key[at:])
                if exclusive:
                    result[index] = fit(total, wanted)
                value = fit(get(x, index), wanted)
                total = step(total, float(value) if is_float(wanted) else int(value))
                if not exclusive:
                    result[index] = fit(total, wanted)
        return result

    return second


def _place(best: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    def place(values: list[Any]) -> int:
        wanted = best(values)
        return next(at for at, value in enumerate(values) if value == wanted or value != value)

    def second(x: Any, axis: int | None, keepdims: bool) -> Any:
        return _reduced(x, axis, keepdims, "int64", place)

    return second


def _order(values: Sequence[Any], descending: bool) -> list[int]:
    """Return the places of the values in order: equal ones as they were, nan last."""
    numbers = [at for at, value in enumerate(values) if value == value]
    numbers.sort(key=lambda at: -values[at] if descending else values[at])
    return numbers + [at for at, value in enumerate(values) if value != value]


def _sorted(data: Any, axis: int, descending: bool, k: int, part: str, dtype: Any) -> Any:
    (at,) = axes_of(axis, data.ndim)
    lines = grouped(data, [at])
    orders = {key: _order(values, descending) for key, values in lines.items()}
    extent = min(k, data.shape[at]) if k >= 1 else data.shape[at]

    def element(index: Index) -> Any:
        key = without(index, [at])
        place = orders[key][index[at]]
        return place if part == "place" else lines[key][place]

    return made(replaced(data.shape, at, extent), dtype, element)


def sort(data: Any, axis: int, descending: bool) -> Any:
    return _sorted(data, axis, descending, 0, "value", data.dtype)


def argsort(data: Any, axis: int, descending: bool, dtype: str) -> Any:
    return _sorted(data, axis, descending, 0, "place", dtype)


def topk(data: Any, k: int, axis: int, ret_type: str, largest: bool, dtype: str) -> Any:
    values = _sorted(data, axis, largest, k, "value", data.dtype)
    places = _sorted(data, axis, largest, k, "place", dtype)
    return {"both": (values, places), "values": values, "indices": places}[ret_type]


def unique(x: Any, in_order: Any, index: Any, inverse: Any, counts: Any, axis: int | None) -> Any:
    flat = x.reshape(-1) if axis is None else x
    (at,) = axes_of(axis or 0, flat.ndim)
    rest = list(indices(without(flat.shape, [at])))
    slices = [[get(flat, (*key[:at], place, *key[at:])) for key in rest] for place in range(flat.shape[at])]
    keys = [tuple([(value != value, 0 if value != value else value) for value in each]) for each in slices]
    firsts = [place for place, key in enumerate(keys) if key not in keys[:place]]
    if in_order is None or in_order:
        firsts.sort(key=lambda place: keys[place])
    shape = replaced(flat.shape, at, len(firsts))
    values = made(shape, x.dtype, lambda i: get(flat, replaced(i, at, firsts[i[at]])))
    groups = [[place for place, key in enumerate(keys) if key == keys[first]] for first in firsts]
    places = [next(at for at, group in enumerate(groups) if place in group) for place in range(len(keys))]
    more = [
        np.array(part, np.int64)
        for part, asked in ((firsts, index), (places, inverse), ([len(group) for group in groups], counts))
        if asked
    ]
    return (values, *more) if more else values


def median(data: Any, axis: Any, keepdims: bool) -> Any:
    def middle(values: list[Any]) -> int:
        return _order(values, False)[(len(values) - 1) // 2]

    values = _reduced(data, axis, keepdims, data.dtype, lambda each: each[middle(each)])
    if axis is None:
        return values
    return values, _reduced(data, axis, keepdims, "int64", middle)


def nonzero(x: Any) -> Any:
    x = x.reshape(1) if x.ndim == 0 else x
    found = [index for index in indices(x.shape) if get(x, index)]
    return made((x.ndim, len(found)), "int64", lambda index: found[index[1]][index[0]])


def bucketize(x: Any, bounds: Any, out_int32: bool, right: bool) -> Any:
    limits = [get(bounds, (at,)) for at in range(bounds.size)]

    def bucket(index: Index) -> int:
        value = get(x, index)
        return len(
            list(itertools.takewhile(lambda limit: limit <= value if right else limit < value, limits))
        )

    return made(x.shape, "int32" if out_int32 else "int64", bucket)


REFERENCE: dict[str, Any] = {
    "sum": _reduction(_sum),
    "prod": _reduction(_prod),
    "max": _reduction(largest),
    "min": _reduction(smallest),
    "mean": _reduction(_mean),
    "variance": _reduction(_variance),
    "std": _reduction(_std),
    "median": median,
    "cumsum": _scan(lambda total, value: total + value, 0),
    "cumprod": _scan(lambda total, value: total * value, 1),
    "argmax": _place(largest),
    "argmin": _place(smallest),
    "sort": sort,
    "argsort": argsort,
    "topk": topk,
    "unique": unique,
    "nonzero": nonzero,
    "bucketize": bucketize,
}
