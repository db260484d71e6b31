"""Operators that write into a copy of a tensor by index. Nothing is ever written outside of it.

Where an index occurs more than once, "update" keeps the last value written and the other reductions take all.
Negative indices count from the end.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import is_half
from relax_lang.ops.index import coordinates, element_index, leading_index
from relax_lang.ops.refusal import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import scatter as rules
from relax_lang.ops.shapes import along, broadcast, one_axis, same_dtype, same_extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("scatter", "Writing by index", tier=2, since="later")

_REDUCTION = 'reduction: "update"|"add"|"mul"|"min"|"max" = "update"'
_UFUNCS = {"add": "add", "mul": "multiply", "min": "minimum", "max": "maximum"}


def _write(data: Any, index: tuple[Any, ...], values: Any, reduction: str) -> Any:
    if reduction == "update":
        result = data.copy()
        result[index] = values
        return result
    if data.dtype.kind == "b":
        raise bad_attribute("reduction", f'"{reduction}" of bool')
    wide = data.astype(np.float32) if is_half(data.dtype) else data.copy()
    getattr(np, _UFUNCS[reduction]).at(wide, index, values.astype(wide.dtype))
    return wide.astype(data.dtype, copy=False)


@family.operator(
    "scatter_elements",
    "data: tensor, indices: tensor(integer), updates: tensor",
    f"axis: int = 0, {_REDUCTION}",
    infer=rules.scatter_elements,
    example="scatter_elements(const([[1, 2], [3, 4]]), const([[1, 0]]), const([[7, 8]]), axis=0)",
)
def scatter_elements(data: Any, indices: Any, updates: Any, axis: int, reduction: str) -> Any:
    """Write every element of `updates` at its own place in a copy of `data`, but for `axis`, where the
    index says.

    `updates` has the shape of `indices` and the dtype of `data`; all ranks are the same. The result has the
    shape of `data`. Unless `reduction` is "update", the old and the new element are added, multiplied or
    compared.
    """
    same_dtype(data, updates, ("data", "updates"))
    same_extents(indices.shape, updates.shape, ("indices", "updates"))
    at = one_axis(axis, data.ndim)
    return _write(data, element_index(data.shape, indices, at), updates, reduction)


@family.operator(
    "scatter_nd",
    "data: tensor, indices: tensor(integer), updates: tensor",
    _REDUCTION,
    infer=rules.scatter_nd,
    example="scatter_nd(const([1, 2, 3]), const([[2], [0]]), const([7, 8]))",
)
def scatter_nd(data: Any, indices: Any, updates: Any, reduction: str) -> Any:
    """Write slices into a copy of `data` at coordinates, which are the last axis of `indices`.

    `updates` has the shape of `indices` without its last axis, then the axes of `data` that remain, and the
    dtype of `data`. The result has the shape of `data`.
    """
    same_dtype(data, updates, ("data", "updates"))
    if indices.ndim == 0:
        raise bad_argument("`indices` must have rank 1 or more, not 0", argument="indices")
    depth = indices.shape[-1]
    if depth == 0 or depth > data.ndim:
        reason = f"the last axis of `indices` is {depth}, `data` has rank {data.ndim}"
        raise bad_shape(data.shape, indices.shape, reason)
    wanted = indices.shape[:-1] + data.shape[depth:]
    same_extents(wanted, updates.shape, ("indices and data", "updates"))
    return _write(data, tuple(coordinates(data.shape, indices)), updates, reduction)


@family.operator(
    "index_put",
    "data: tensor, indices: tensors(integer), values: tensor",
    "accumulate: bool = false",
    infer=rules.index_put,
    example="index_put(const([1, 2, 3]), (const([2, 0]),), const([7, 8]))",
)
def index_put(data: Any, indices: tuple[Any, ...], values: Any, accumulate: bool) -> Any:
    """Write elements into a copy of `data`, one tensor of indices per axis, as NumPy's `data[i, j, …] =
    values` does.

    The shapes of the indices are broadcast, and `values`, of the dtype of `data`, is broadcast to that shape.
    With `accumulate` the values are added to what is there. The result has the shape of `data`.
    """
    same_dtype(data, values, ("data", "values"))
    if accumulate and data.dtype.kind == "b":
        raise bad_attribute("accumulate", "bools are not added")
    if len(indices) != data.ndim:
        raise bad_argument(
            f"`indices` has {len(indices)} fields, `data` has rank {data.ndim}", argument="indices"
        )
    index = leading_index(data.shape, indices)
    places = np.broadcast_shapes(*[each.shape for each in index])
    if broadcast(places, values.shape, ("indices", "values")) != places:
        raise bad_shape(places, values.shape, "`values` is larger than `indices`")
    return _write(data, index, values, "add" if accumulate else "update")


@family.operator(
    "slice_scatter",
    "input: tensor, src: tensor, start: prim(int), end: prim(int), step: prim(int)",
    "axis: int = 0",
    infer=rules.slice_scatter,
    example="slice_scatter(const([1, 2, 3, 4]), const([7, 8]), 0, 4, 2)",
)
def slice_scatter(target: Any, src: Any, start: int, end: int, step: int, axis: int) -> Any:
    """Write `src` into a copy of `input` at the indices from `start` to `end` by `step` of one axis.

    The extent of `src` on that axis is ceil((end - start) / step), the others and the dtype are those of
    `input`. The bounds count from 0 and lie within the axis; the step is positive.
    """
    same_dtype(target, src, ("input", "src"))
    at = one_axis(axis, target.ndim)
    extent = target.shape[at]
    if step < 1 or not 0 <= start <= end <= extent:
        reason = f"from {start} to {end} by {step} is no range within axis {at}, whose extent is {extent}"
        raise bad_value(reason, axis=at, extent=extent)
    result = target.copy()
    place = along(at, slice(start, end, step))
    same_extents(result[place].shape, src.shape, ("the slice", "src"))
    result[place] = src
    return result
