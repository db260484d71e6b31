"""Operators that read parts of a tensor by index. Nothing is ever read outside of it.

`take` counts from 0; the operators that came later also take negative indices, which count from the end.
"""

from __future__ import annotations

from operator import getitem, itemgetter

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float, name_of
from relax_lang.ops.core.errors import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.indexing import (
    at_places,
    coordinate_places,
    element_places,
    in_range,
    leading_places,
    leading_shape,
)
from relax_lang.ops.numpy_kernels.scalars import scalar_tensors_dtype
from relax_lang.ops.numpy_kernels.shape_checks import along, many_axes, one_axis, same_extents
from relax_lang.ops.shape_rules.tensor.manipulate import index as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, Run2, TensorSpec

    Shape = tuple[int, ...]

family = Family(__name__, "Reading by index")

_MATRIX = "const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])"


@family.planned(
    "take",
    "x: tensor, indices: tensor(integer)",
    'axis: int|none = none, mode: "fast"|"wrap"|"clip"|"nan" = "fast"',
    infer=rules.take,
    rows="take",
    also=("torch.index_select", "torch.select", "torch.embedding", "onnx.Gather"),
    example=f"take({_MATRIX}, const([2, 0]), axis=0)",
)
def take(x: TensorSpec, indices: TensorSpec, axis: int | None, mode: str) -> Run2:
    """Pick places along an axis: that axis is replaced by the shape of `indices`, so that one of rank 0
    drops it.

    Without `axis`, `x` must have rank 1. An index outside of 0 … n - 1 ends the program, also where the result has
    no elements, unless `mode` says otherwise: "wrap" counts on from the other side, "clip" takes the nearest
    place, "nan" (floats only) makes nan.
    """
    if axis is None and x.ndim != 1:
        raise bad_argument(f"without an axis `x` must have rank 1, not {x.ndim}")
    at = one_axis(axis or 0, x.ndim)
    extent = x.shape[at]
    if mode == "fast":
        return _take_inside(x, indices, at)
    if extent == 0 and indices.size:
        raise bad_value(f"axis {at} has extent 0; there is nothing to take", axis=at, extent=0)
    int64, nan = np.dtype(np.int64), mode == "nan"
    if mode == "wrap":
        return lambda x, indices: x.take(indices.astype(int64, copy=False) % max(1, extent), at)
    if nan and not is_float(x.dtype):
        raise bad_attribute("mode", f'"nan" needs a float `x`, not {name_of(x.dtype)}')

    def run(x: Any, indices: Any) -> Any:
        wide = indices.astype(int64, copy=False)
        result = np.asarray(x.take(wide.clip(0, max(0, extent - 1)), at))
        if nan:
            result[along(at, (wide < 0) | (wide >= extent))] = np.nan
        return result

    return run


def _take_inside(x: TensorSpec, indices: TensorSpec, axis: int) -> Run2:
    """Plan to take places that are looked at before: below 0 by `argmin`, above by NumPy itself, but where there is
    nothing to take.
    """
    extent = x.shape[axis]
    directly = x.size and indices.size and indices.dtype != np.uint64  # which NumPy takes for no index

    def run(x: Any, indices: Any) -> Any:
        if directly and indices.item(indices.argmin()) >= 0:
            try:
                return x.take(indices, axis)
            except IndexError:  # so there is one to refuse
                pass
        return x.take(in_range(indices, extent, axis, negative=False), axis)

    return run


@family.planned(
    "strided_slice",
    "x: tensor, axes: prims(int), begin: prims(int), end: prims(int), strides: prims(int)?",
    "assume_inbound: bool = false",
    aliases=("x",),
    infer=rules.strided_slice,
    rows="slice",
    also=("torch.narrow", "jax.slice", "jax.slice_in_dim", "onnx.Slice"),
    example=f"strided_slice({_MATRIX}, (0,), (0,), (3,), (2,))",
)
def strided_slice(
    x: TensorSpec,
    axes: tuple[int, ...],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...] | None,
    assume_inbound: bool,
) -> Run1:
    """Take a slice on some axes, as Python's `x[begin:end:stride]` does; strides are 1 if left out.

    Negative bounds count from the end, and bounds outside of the axis are brought to its ends. The extent of a sliced
    axis is max(0, ceil((end - begin) / stride)) of the bounds so found. A stride of 0 is refused.

    `assume_inbound` claims that bounds are within the axis and in the order of the stride, so that the extent is
    ceil((end - begin) / stride): 0 <= begin <= end <= extent, or -1 <= end <= begin < extent for a negative stride.
    Any other bound ends the program.
    """
    steps = (1,) * len(axes) if strides is None else strides
    for name, given in (("begin", begin), ("end", end), ("strides", steps)):
        if len(given) != len(axes):
            raise bad_argument(f"`{name}` has {len(given)} fields, `axes` has {len(axes)}", argument=name)
    index: list[Any] = [slice(None)] * x.ndim
    for at, low, high, step in zip(many_axes(axes, x.ndim), begin, end, steps, strict=True):
        extent = x.shape[at]
        if assume_inbound:
            if not (0 <= low <= high <= extent if step > 0 else -1 <= high <= low < extent):
                reason = f"from {low} to {high} is not within axis {at}, whose extent is {extent}"
                raise bad_value(reason, axis=at, extent=extent)
            if low == high:  # also -1, just below the first element
                low = high = 0
            elif high == -1:
                high = -extent - 1
        index[at] = _slice(low, high, step, at)
    while index and index[-1] == slice(None):
        del index[-1]
    return itemgetter(tuple(index) or ...)


def _slice(low: int, high: int, step: int, axis: int) -> slice:
    if step == 0:
        raise bad_value(f"the stride of axis {axis} is 0", axis=axis)
    return slice(low, high, step)


_BOUNDS = "begin: tensor(1-d int64), end: tensor(1-d int64), strides: tensor(1-d int64)"


@family.planned(
    "dynamic_strided_slice",
    f"x: tensor, {_BOUNDS}",
    since="later",
    aliases=("x",),
    infer=rules.dynamic_strided_slice,
    also=("jax.dynamic_slice",),
    example="dynamic_strided_slice(const([1, 2]), const([0], int64), const([1], int64), const([1], int64))",
)
def dynamic_strided_slice(x: TensorSpec, begin: TensorSpec, end: TensorSpec, strides: TensorSpec) -> Run:
    """Take a slice on every axis, with bounds and strides that are tensors of rank 1, one element per axis.

    Bounds mean what they mean in `strided_slice`; the extents are known only when the program runs.
    """
    for name, given in (("begin", begin), ("end", end), ("strides", strides)):
        if given.shape[0] != x.ndim:
            raise bad_argument(
                f"`{name}` has {given.shape[0]} elements, `x` has rank {x.ndim}", argument=name
            )
    axes = range(x.ndim)

    def run(x: Any, begin: Any, end: Any, strides: Any) -> Any:
        slices = map(_slice, begin.tolist(), end.tolist(), strides.tolist(), axes)
        return x[(*slices, ...)]

    return run


@family.planned(
    "gather_elements",
    "data: tensor, indices: tensor(integer)",
    "axis: int = 0",
    since="later",
    infer=rules.gather_elements,
    rows="same rows",
    also=("np.take_along_axis", "torch.gather", "torch.take_along_dim"),
    example=f"gather_elements({_MATRIX}, const([[0, 2]]), axis=0)",
)
def gather_elements(data: TensorSpec, indices: TensorSpec, axis: int) -> Run2:
    """Pick elements one by one: at every place of `indices`, the element of `data` there, but for `axis`.

    On `axis` the index selects it; it may be negative. Both have the same rank; the result has the shape of
    `indices`, whose other extents are at most those of `data`.
    """
    places = element_places(data.shape, indices, one_axis(axis, data.ndim))
    return at_places(data, [indices], places, getitem)


@family.planned(
    "gather_nd",
    "data: tensor, indices: tensor(integer)",
    "batch_dims: int>=0 = 0",
    since="later",
    infer=rules.gather_nd,
    rows="gather nd",
    example=f"gather_nd({_MATRIX}, const([[0, 1], [2, 0]]))",
)
def gather_nd(data: TensorSpec, indices: TensorSpec, batch_dims: int) -> Run2:
    """Pick slices by coordinates: the last axis of `indices` holds l of them, for the l axes after
    `batch_dims`.

    The result has the shape of `indices` without its last axis, then the axes of `data` that remain. The
    first `batch_dims` extents are the same in both and run together. Indices may be negative.
    """
    if indices.ndim == 0 or indices.ndim <= batch_dims or data.ndim < batch_dims:
        raise bad_argument(f"`indices` must have rank {batch_dims + 1} or more, not {indices.ndim}")
    same_extents(data.shape[:batch_dims], indices.shape[:batch_dims], ("data", "indices"))
    depth = indices.shape[-1]
    if depth > data.ndim - batch_dims:
        reason = f"the last axis of `indices` is {depth}, `data` has {data.ndim - batch_dims} axes to index"
        raise bad_shape(data.shape, indices.shape, reason)
    outer = indices.shape[:-1]
    # Without any index there is nothing to pick by: every place of `indices` selects all of `data`.
    if not batch_dims and not depth:
        shape = outer + data.shape
        return lambda data, indices: np.broadcast_to(data, shape).copy()
    return at_places(data, [indices], coordinate_places(data.shape, indices, batch_dims), getitem)


@family.planned(
    "index_tensor",
    "data: tensor, indices: tensors(integer)",
    since="later",
    infer=rules.index_tensor,
    also=("torch.index",),
    example=f"index_tensor({_MATRIX}, (const([0, 2]), const([1, 0])))",
)
def index_tensor(data: TensorSpec, indices: tuple[TensorSpec, ...]) -> Run2:
    """Index the leading axes, one tensor of integers per axis, as NumPy's `data[i, j, …]` does.

    The shapes of the tensors are broadcast; the result has that shape, then the axes of `data` that remain.
    Indices may be negative.
    """
    leading_shape(data.shape, indices)
    return at_places(data, indices, leading_places(data.shape), getitem)


@family.planned(
    "one_hot",
    "indices: tensor(integer), on_value: prim, off_value: prim",
    "depth: int>0, axis: int = -1",
    since="later",
    infer=rules.one_hot,
    rows="one hot",
    example="one_hot(const([2, 0]), 1.0, 0.0, depth=3)",
)
def one_hot(indices: TensorSpec, on_value: float, off_value: float, depth: int, axis: int) -> Run1:
    """Insert an axis of extent `depth` that holds `on_value` at the place of the index and `off_value`
    elsewhere.

    An index outside of 0 … depth - 1 has `off_value` everywhere. `axis` counts in the result. The dtype is
    that of both values: int64 for integers, float32 for fractions.
    """
    wanted = scalar_tensors_dtype(on_value, off_value, ("on_value", "off_value"))
    at, last = one_axis(axis, indices.ndim + 1), indices.ndim
    rows = _rows_by_table if depth <= _TABLE else _rows_by_places
    run = rows(indices, wanted, (on_value, off_value), depth)
    return run if at == last else lambda indices: np.moveaxis(run(indices), last, at)


_TABLE = 64
"""Up to this depth the rows of `one_hot` are copied out of a table."""


def _rows_by_table(_indices: TensorSpec, dtype: Any, values: tuple[float, float], depth: int) -> Run1:
    """Take row index + 1 of the unit matrix between two rows for all indices outside."""
    table = np.full((depth + 2, depth), values[1], dtype)
    np.fill_diagonal(table[1:], values[0])
    take, add, one, int64 = table.take, np.add, np.ones((), np.int64), np.dtype(np.int64)

    def run(indices: Any) -> Any:
        return take(add(indices.astype(int64, copy=False), one), 0, None, "clip")

    return run


def _rows_by_places(indices: TensorSpec, dtype: Any, values: tuple[float, float], depth: int) -> Run1:
    """Write `on_value` at the places of the result, numbered from its first to its last element."""
    count, shape = indices.size, (*indices.shape, depth)

    def run(indices: Any) -> Any:
        rows = np.full(count * depth, values[1], dtype) if values[1] else np.zeros(count * depth, dtype)
        flat = (
            indices.reshape(-1).astype(np.int64, copy=False).view(np.uint64)
        )  # so that negative ones are large
        starts = np.arange(0, count * depth, depth, np.uint64)
        if count and np.maximum.reduce(flat) >= depth:
            inside = flat < depth
            starts, flat = starts[inside], flat[inside]
        rows[(starts + flat).view(np.int64)] = values[0]
        return rows.reshape(shape)

    return run
