"""Sorting. Equal elements keep their order in both directions, and nan comes last in both."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float, is_half, numpy_dtype, widen
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import along, elements, one_axis
from relax_lang.ops.shape_rules.shared import axes as rule_axes
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.ops.shape_rules.shared.dims import number, smallest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run1, Run2, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Sorting", since="later", rows="along axis")

_EXAMPLE = "(const([3.0, 1.0, 2.0]))"


def _turned(x: Any) -> Any:
    """Return keys that sort the other way round: nothing overflows, and nan stays nan."""
    return np.negative(x) if is_float(x.dtype) else np.invert(x)


def _ordering(data: TensorSpec, axis: int, descending: bool) -> Run1:
    """Plan the places that the elements of a sorted axis come from."""
    if descending:
        return lambda data: _turned(widen(data)).argsort(axis, "stable")
    if is_half(data.dtype):
        return lambda data: widen(data).argsort(axis, "stable")
    return lambda data: data.argsort(axis, "stable")


@family.planned(
    "sort",
    "data: tensor",
    "axis: int = -1, descending: bool = false",
    tvm="x axis descending",
    infer=unary.along_axis,
    example="sort" + _EXAMPLE,
)
def sort(data: TensorSpec, axis: int, descending: bool) -> Run1:
    """Sort the elements along an axis, ascending or `descending`; nan comes last. The shape stays."""
    at, dtype, same = one_axis(axis, data.ndim), data.dtype, not descending and not is_half(data.dtype)

    def run(data: Any) -> Any:
        keys = data.copy() if same else _turned(widen(data)) if descending else widen(data)
        keys.sort(at, None if _alike_if_equal(keys) else "stable")
        return keys if same else (_turned(keys) if descending else keys).astype(dtype, copy=False)

    return run


def _alike_if_equal(keys: Any) -> bool:
    """Return whether equal elements are the same bits: then their order does not show, and may be any."""
    if keys.dtype.kind != "f":
        return keys.dtype.itemsize > 2  # small ones are counted rather than compared, if that is to be stable
    return (
        keys.size > _MANY and not bool(np.signbit(keys[keys == 0]).any()) and not bool(np.isnan(keys).any())
    )


_MANY = 1 << 12


@family.planned(
    "argsort",
    "data: tensor",
    "axis: int = -1, descending: bool = false, dtype: dtype(integer) = int32",
    infer=unary.along_axis,
    example="argsort" + _EXAMPLE,
)
def argsort(data: TensorSpec, axis: int, descending: bool, dtype: str) -> Run1:
    """Find the places that the elements of a sorted axis come from; equal elements keep their order, nan
    comes last.

    The result has the shape of `data` and the dtype `dtype`.
    """
    order, wanted = _ordering(data, one_axis(axis, data.ndim), descending), numpy_dtype(dtype)
    return lambda data: order(data).astype(wanted, copy=False)


def infer_topk(call: Inference) -> tree.StructInfo:
    """The axis becomes k, or stays if it is smaller or k is below 1; there are values, places, or both."""
    data, k, asked = call.tensor(0), call.attrs["k"], call.attrs["ret_type"]
    at = None if data.rank is None else rule_axes.one_axis(call, call.attrs["axis"], data.rank)
    dims = data.dims
    if k >= 1 and dims is not None and at is not None:
        dims = (*dims[:at], smallest(call, dims[at], number(k)), *dims[at + 1 :])

    def part(dtype: str | None) -> tree.StructInfo:
        if k < 1:
            return call.like(data, dtype)
        return call.of_rank(data.rank, dtype) if dims is None else call.tensor_of(dims, dtype)

    values, places = part(data.dtype), part(call.attrs["dtype"])
    if asked == "both":
        return call.tuple_of((values, places))
    return values if asked == "values" else places


@family.planned(
    "topk",
    "data: tensor",
    'k: int = 1, axis: int = -1, ret_type: "both"|"values"|"indices" = "both", largest: bool = true, '
    "dtype: dtype(integer) = int32",
    infer=infer_topk,
    example="topk(const([3.0, 1.0, 2.0]), k=2)",
)
def topk(data: TensorSpec, k: int, axis: int, ret_type: str, largest: bool, dtype: str) -> Run1:
    """Take the k largest (or smallest) elements along an axis, sorted, and their places; nan comes last.

    The extent of the axis becomes k, or stays if it is smaller or k is below 1. The result is a pair of the
    values and the places, of dtype `dtype`, or one of them, as `ret_type` selects. Of equal elements the first
    is taken.
    """
    at, wanted = one_axis(axis, data.ndim), numpy_dtype(dtype)
    all_places, pick = _ordering(data, at, largest), _picking(data, at)
    kept = along(at, slice(0, k if k >= 1 else None))
    few = 1 <= k * _FEW <= data.shape[at]

    def run(data: Any) -> Any:
        order = _first(data, at, largest, k) if few else None
        if order is None:
            order = all_places(data)[kept]
        if ret_type == "values":
            return pick(data, order)
        places = order.astype(wanted)
        return places if ret_type == "indices" else (pick(data, order), places)

    return run


def _picking(data: TensorSpec, axis: int) -> Run2:
    """Plan to take the elements at places along an axis: those of the last one by their numbers among all."""
    rows, extent = elements(data.shape[:axis]), data.shape[axis]
    if axis < data.ndim - 1 or rows > _MANY:
        return lambda data, places: np.take_along_axis(data, places, axis)
    starts = (np.arange(rows) * extent).reshape(*data.shape[:axis], 1)
    add = np.add
    return lambda data, places: data.reshape(-1).take(add(places, starts))


_FEW = 8
"""So small a part of an axis is worth finding before it is sorted."""


def _first(data: Any, axis: int, largest: bool, k: int) -> Any:
    """Return the places of the first k in the order, or None if elements equal to the last of them are left over."""
    keys = np.moveaxis(widen(data), axis, -1)
    keys = _turned(keys) if largest else keys
    last = np.partition(keys, k - 1, axis=-1)[..., k - 1 : k]
    chosen = keys <= last  # nothing is, if `last` is nan
    if not (np.count_nonzero(chosen, axis=-1) == k).all():
        return None
    places = np.nonzero(chosen)[-1].reshape(*keys.shape[:-1], k)
    order = np.argsort(np.take_along_axis(keys, places, -1), axis=-1, kind="stable")
    return np.moveaxis(np.take_along_axis(places, order, -1), -1, axis)
