"""Sorting. Equal elements keep their order in both directions, and nan comes last in both."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_float, numpy_dtype, widen
from relax_lang.ops.registry import Family
from relax_lang.ops.shapes import along, one_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("sort", "Sorting", since="later")

_EXAMPLE = "(const([3.0, 1.0, 2.0]))"


def _turned(x: Any) -> Any:
    """Return keys that sort the other way round: nothing overflows, and nan stays nan."""
    return np.negative(x) if is_float(x.dtype) else np.invert(x)


def _order(data: Any, axis: int, descending: bool) -> Any:
    keys = widen(data)
    return np.argsort(_turned(keys) if descending else keys, axis=axis, kind="stable")


@family.operator(
    "sort", "data: tensor", "axis: int = -1, descending: bool = false", example="sort" + _EXAMPLE
)
def sort(data: Any, axis: int, descending: bool) -> Any:
    """Sort the elements along an axis, ascending or `descending`; nan comes last. The shape stays."""
    at = one_axis(axis, data.ndim)
    keys = widen(data)
    if not descending:
        return np.sort(keys, axis=at, kind="stable").astype(data.dtype, copy=False)
    return _turned(np.sort(_turned(keys), axis=at, kind="stable")).astype(data.dtype, copy=False)


@family.operator(
    "argsort",
    "data: tensor",
    "axis: int = -1, descending: bool = false, dtype: dtype(integer) = int32",
    example="argsort" + _EXAMPLE,
)
def argsort(data: Any, axis: int, descending: bool, dtype: str) -> Any:
    """Find the places that the elements of a sorted axis come from; equal elements keep their order, nan
    comes last.

    The result has the shape of `data` and the dtype `dtype`.
    """
    return _order(data, one_axis(axis, data.ndim), descending).astype(numpy_dtype(dtype), copy=False)


@family.operator(
    "topk",
    "data: tensor",
    'k: int = 1, axis: int = -1, ret_type: "both"|"values"|"indices" = "both", largest: bool = true, '
    "dtype: dtype(integer) = int32",
    example="topk(const([3.0, 1.0, 2.0]), k=2)",
)
def topk(data: Any, k: int, axis: int, ret_type: str, largest: bool, dtype: str) -> Any:
    """Take the k largest (or smallest) elements along an axis, sorted, and their places; nan comes last.

    The extent of the axis becomes k, or stays if it is smaller or k is below 1. The result is a pair of the
    values and the places, of dtype `dtype`, or one of them, as `ret_type` says. Of equal elements the first
    is taken.
    """
    at = one_axis(axis, data.ndim)
    order = _order(data, at, largest)
    if k >= 1:
        order = order[along(at, slice(0, k))]
    places = order.astype(numpy_dtype(dtype))
    if ret_type == "indices":
        return places
    values = np.take_along_axis(data, order, at)
    return values if ret_type == "values" else (values, places)
