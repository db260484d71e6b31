"""Operators that write into a copy of a tensor by index. Nothing is ever written outside of it.

Where an index occurs more than once, "update" keeps the last value written and the other reductions take all.
Negative indices count from the end.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import wide_dtype
from relax_lang.ops.numpy_kernels.indexing import (
    at_places,
    coordinate_places,
    element_places,
    leading_places,
    leading_shape,
)
from relax_lang.ops.numpy_kernels.shape_checks import along, broadcast, one_axis, same_dtype, same_extents
from relax_lang.ops.shape_rules.tensor.manipulate import scatter as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run2, Run3, TensorSpec

family = Family(__name__, "Writing by index", since="later")

_REDUCTION = 'reduction: "update"|"add"|"mul"|"min"|"max" = "update"'
_UFUNCS = {"add": "add", "mul": "multiply", "min": "minimum", "max": "maximum"}


def _writing(dtype: Any, reduction: str) -> Run3:
    """Plan to write values at an index into a copy of a tensor."""
    if reduction == "update":

        def write(data: Any, index: Any, values: Any) -> Any:
            result = data.copy()
            result[index] = values
            return result

        return write
    if dtype.kind == "b":
        raise bad_attribute("reduction", f'"{reduction}" of bool')
    combine_at, wide = getattr(np, _UFUNCS[reduction]).at, wide_dtype(dtype)

    def combine(data: Any, index: Any, values: Any) -> Any:
        result = data.astype(wide)
        combine_at(result, index, values.astype(wide, copy=False))
        return result.astype(dtype, copy=False)

    return combine


@family.planned(
    "scatter_elements",
    "data: tensor, indices: tensor(integer), updates: tensor",
    f"axis: int = 0, {_REDUCTION}",
    infer=rules.scatter_elements,
    rows="same rows",
    also=("np.put_along_axis", "torch.scatter", "torch.scatter_add", "onnx.Scatter"),
    example="scatter_elements(const([[1, 2], [3, 4]]), const([[1, 0]]), const([[7, 8]]), axis=0)",
)
def scatter_elements(
    data: TensorSpec, indices: TensorSpec, updates: TensorSpec, axis: int, reduction: str
) -> Run3:
    """Write every element of `updates` at its own place in a copy of `data`, but for `axis`, where it is
    the index.

    `updates` has the shape of `indices` and the dtype of `data`; all ranks are the same. The result has the
    shape of `data`. Unless `reduction` is "update", the old and the new element, which are not bool, are added,
    multiplied, or the smaller or greater one of both is kept.
    """
    same_dtype(data, updates, ("data", "updates"))
    same_extents(indices.shape, updates.shape, ("indices", "updates"))
    places = element_places(data.shape, indices, one_axis(axis, data.ndim))
    return at_places(data, [indices], places, _writing(data.dtype, reduction))


@family.planned(
    "scatter_nd",
    "data: tensor, indices: tensor(integer), updates: tensor",
    _REDUCTION,
    infer=rules.scatter_nd,
    rows="scatter nd",
    example="scatter_nd(const([1, 2, 3]), const([[2], [0]]), const([7, 8]))",
)
def scatter_nd(data: TensorSpec, indices: TensorSpec, updates: TensorSpec, reduction: str) -> Run3:
    """Write slices into a copy of `data` at coordinates, which are the last axis of `indices`.

    `updates` has the shape of `indices` without its last axis, then the axes of `data` that remain, and the
    dtype of `data`. The result has the shape of `data`. `reduction` is as in `scatter_elements`.
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
    return at_places(data, [indices], coordinate_places(data.shape, indices), _writing(data.dtype, reduction))


@family.planned(
    "index_put",
    "data: tensor, indices: tensors(integer), values: tensor",
    "accumulate: bool = false",
    infer=rules.index_put,
    rows="index put",
    example="index_put(const([1, 2, 3]), (const([2, 0]),), const([7, 8]))",
)
def index_put(
    data: TensorSpec, indices: tuple[TensorSpec, ...], values: TensorSpec, accumulate: bool
) -> Run3:
    """Write elements into a copy of `data`, one tensor of indices per axis, as NumPy's `data[i, j, …] =
    values` does.

    The shapes of the indices are broadcast, and `values`, of the dtype of `data`, is broadcast to that shape.
    With `accumulate` the values, which are not bool, are added to what is there. The result has the shape of `data`.
    """
    same_dtype(data, values, ("data", "values"))
    if accumulate and data.dtype.kind == "b":
        raise bad_attribute("accumulate", "bools are not added")
    if len(indices) != data.ndim:
        raise bad_argument(
            f"`indices` has {len(indices)} fields, `data` has rank {data.ndim}", argument="indices"
        )
    places = leading_shape(data.shape, indices)
    if broadcast(places, values.shape, ("indices", "values")) != places:
        raise bad_shape(places, values.shape, "`values` is larger than `indices`")
    write = _writing(data.dtype, "add" if accumulate else "update")
    return at_places(data, indices, leading_places(data.shape), write)


@family.planned(
    "slice_scatter",
    "input: tensor, src: tensor, start: prim(int), end: prim(int), step: prim(int)",
    "axis: int = 0",
    tvm="input_tensor src start end step axis",
    infer=rules.slice_scatter,
    rows="same rows",
    also=("jax.dynamic_update_slice",),
    example="slice_scatter(const([1, 2, 3, 4]), const([7, 8]), 0, 4, 2)",
)
def slice_scatter(target: TensorSpec, src: TensorSpec, start: int, end: int, step: int, axis: int) -> Run2:
    """Write `src` into a copy of `input` at the indices from `start` to `end` by `step` of one axis.

    The extent of `src` on that axis is ceil((end - start) / step), the others and the dtype are those of
    `input`. The bounds count from 0 and lie within the axis; the step is positive.
    """
    same_dtype(target, src, ("input", "src"))
    at = one_axis(axis, target.ndim)
    extent = target.shape[at]
    if step < 1 or not 0 <= start <= end <= extent:
        reason = f"from {start} to {end} by {step} is not a range within axis {at}, whose extent is {extent}"
        raise bad_value(reason, axis=at, extent=extent)
    extents = (*target.shape[:at], len(range(start, end, step)), *target.shape[at + 1 :])
    same_extents(extents, src.shape, ("the slice", "src"))
    write, place = _writing(target.dtype, "update"), along(at, slice(start, end, step))
    return lambda target, src: write(target, place, src)
