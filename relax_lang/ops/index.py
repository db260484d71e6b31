"""Operators that read parts of a tensor by index. Nothing is ever read outside of it.

`take` counts from 0; the operators that came later also take negative indices, which count from the end.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.create import scalar_tensors_dtype
from relax_lang.ops.dtypes import is_float, name_of
from relax_lang.ops.refusal import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import index as rules
from relax_lang.ops.shapes import broadcast, many_axes, one_axis, same_extents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family("index", "Reading by index")

_MATRIX = "const([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])"


def in_range(indices: Any, extent: int, axis: int, name: str = "indices", negative: bool = True) -> Any:
    """Return indices counted from the front; refuse those outside of the axis. [OP.9]"""
    if indices.size == 0:
        return indices.astype(np.int64)
    low, high = int(indices.min()), int(indices.max())
    lowest = -extent if negative else 0
    if low < lowest or high >= extent:
        wrong = low if low < lowest else high
        reason = f"index {wrong} in `{name}` is outside of axis {axis}, whose extent is {extent}"
        raise bad_value(reason, index=wrong, axis=axis, extent=extent)
    wide = indices.astype(np.int64)
    return np.where(wide < 0, wide + extent, wide) if low < 0 else wide


@family.operator(
    "take",
    "x: tensor, indices: tensor(integer)",
    'axis: int|none = none, mode: "fast"|"wrap"|"clip"|"nan" = "fast"',
    infer=rules.take,
    example=f"take({_MATRIX}, const([2, 0]), axis=0)",
)
def take(x: Any, indices: Any, axis: int | None, mode: str) -> Any:
    """Pick places along an axis: that axis is replaced by the shape of `indices`, so that one of rank 0
    drops it.

    Without `axis`, `x` must have rank 1. An index outside of 0 … n - 1 ends the program, unless `mode` says
    otherwise: "wrap" counts on from the other side, "clip" takes the nearest place, "nan" (floats only) makes
    nan.
    """
    if axis is None and x.ndim != 1:
        raise bad_argument(f"without an axis `x` must have rank 1, not {x.ndim}")
    at = one_axis(axis or 0, x.ndim)
    extent = x.shape[at]
    if mode == "fast":
        if indices.size and np.minimum.reduce(indices, None) >= 0:  # above, NumPy looks itself
            try:
                return x.take(indices, at)
            except (IndexError, TypeError):  # too large, or uint64, which NumPy takes for no index
                pass
        return x.take(in_range(indices, extent, at, negative=False), at)
    wide = indices.astype(np.int64)
    if extent == 0 and indices.size:
        raise bad_value(f"axis {at} has extent 0; there is nothing to take", axis=at, extent=0)
    if mode == "wrap":
        return np.take(x, wide % max(1, extent), axis=at)
    result = np.take(x, np.clip(wide, 0, max(0, extent - 1)), axis=at)
    if mode == "nan":
        if not is_float(x.dtype):
            raise bad_attribute("mode", f'"nan" needs a float `x`, not {name_of(x.dtype)}')
        outside = (wide < 0) | (wide >= extent)
        result[(slice(None),) * at + (outside,)] = np.nan
    return result


@family.operator(
    "strided_slice",
    "x: tensor, axes: prims(int), begin: prims(int), end: prims(int), strides: prims(int)?",
    "assume_inbound: bool = false",
    aliases=("x",),
    infer=rules.strided_slice,
    example=f"strided_slice({_MATRIX}, (0,), (0,), (3,), (2,))",
)
def strided_slice(
    x: Any,
    axes: tuple[int, ...],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...] | None,
    assume_inbound: bool,
) -> Any:
    """Take a slice on some axes, as Python's `x[begin:end:stride]` does; strides are 1 if left out.

    Negative bounds count from the end, and bounds outside of the axis are brought to its ends, unless
    `assume_inbound` claims that there are none: then such a bound ends the program. The extent of a sliced
    axis is max(0, ceil((end - begin) / stride)) of the bounds so found. A stride of 0 is refused.
    """
    steps = (1,) * len(axes) if strides is None else strides
    for name, given in (("begin", begin), ("end", end), ("strides", steps)):
        if len(given) != len(axes):
            raise bad_argument(f"`{name}` has {len(given)} fields, `axes` has {len(axes)}", argument=name)
    if not assume_inbound and axes == tuple(range(len(axes))) and len(axes) <= x.ndim and 0 not in steps:
        return x[tuple(map(slice, begin, end, steps))]
    index: list[Any] = [slice(None)] * x.ndim
    for at, low, high, step in zip(many_axes(axes, x.ndim), begin, end, steps, strict=True):
        extent = x.shape[at]
        if assume_inbound and not (0 <= low <= extent and -(step < 0) <= high <= extent):
            reason = f"from {low} to {high} is not within axis {at}, whose extent is {extent}"
            raise bad_value(reason, axis=at, extent=extent)
        if assume_inbound and high == -1:  # just below the first element, for a negative stride
            high = -extent - 1
        index[at] = _slice(low, high, step, at)
    return x[tuple(index)]


def _slice(low: int, high: int, step: int, axis: int) -> slice:
    if step == 0:
        raise bad_value(f"the stride of axis {axis} is 0", axis=axis)
    return slice(low, high, step)


_BOUNDS = "begin: tensor(1-d int), end: tensor(1-d int), strides: tensor(1-d int)"


@family.operator(
    "dynamic_strided_slice",
    f"x: tensor, {_BOUNDS}",
    tier=2,
    since="later",
    aliases=("x",),
    infer=rules.dynamic_strided_slice,
    example="dynamic_strided_slice(const([1, 2]), const([0], int64), const([1], int64), const([1], int64))",
)
def dynamic_strided_slice(x: Any, begin: Any, end: Any, strides: Any) -> Any:
    """Take a slice on every axis, with bounds and strides that are tensors of rank 1, one element per axis.

    Bounds mean what they mean in `strided_slice`; the extents are known only when the program runs.
    """
    for name, given in (("begin", begin), ("end", end), ("strides", strides)):
        if given.shape[0] != x.ndim:
            raise bad_argument(
                f"`{name}` has {given.shape[0]} elements, `x` has rank {x.ndim}", argument=name
            )
    bounds = zip(begin.tolist(), end.tolist(), strides.tolist(), range(x.ndim), strict=True)
    return x[tuple([_slice(low, high, step, axis) for low, high, step, axis in bounds])]


@family.operator(
    "gather_elements",
    "data: tensor, indices: tensor(integer)",
    "axis: int = 0",
    tier=2,
    since="later",
    infer=rules.gather_elements,
    example=f"gather_elements({_MATRIX}, const([[0, 2]]), axis=0)",
)
def gather_elements(data: Any, indices: Any, axis: int) -> Any:
    """Pick elements one by one: at every place of `indices`, the element of `data` there, but for `axis`.

    On `axis` the index says which; it may be negative. Both have the same rank; the result has the shape of
    `indices`, whose other extents are at most those of `data`.
    """
    at = one_axis(axis, data.ndim)
    index = element_index(data.shape, indices, at)
    return data[index]


def element_index(shape: tuple[int, ...], indices: Any, at: int) -> tuple[Any, ...]:
    """Return the NumPy index of the elements that `indices` names along one axis."""
    if indices.ndim != len(shape):
        raise bad_shape(
            shape, indices.shape, f"`data` has rank {len(shape)}, `indices` has rank {indices.ndim}"
        )
    for axis, (most, extent) in enumerate(zip(shape, indices.shape, strict=True)):
        if axis != at and extent > most:
            raise bad_shape(
                shape, indices.shape, f"axis {axis} is {most} in `data` and {extent} in `indices`"
            )
    places: list[Any] = list(np.indices(indices.shape, sparse=True))
    places[at] = in_range(indices, shape[at], at)
    return tuple(places)


@family.operator(
    "gather_nd",
    "data: tensor, indices: tensor(integer)",
    "batch_dims: int>=0 = 0",
    tier=2,
    since="later",
    infer=rules.gather_nd,
    example=f"gather_nd({_MATRIX}, const([[0, 1], [2, 0]]))",
)
def gather_nd(data: Any, indices: Any, batch_dims: int) -> Any:
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
    batch = np.indices(indices.shape[:batch_dims], sparse=True) if batch_dims else ()
    rest = indices.ndim - 1 - batch_dims
    places = [place.reshape(place.shape + (1,) * rest) for place in batch]
    places += coordinates(data.shape, indices, batch_dims)
    # Without any index there is nothing to pick by: every place of `indices` stands for all of `data`.
    if not places:
        return np.broadcast_to(data, indices.shape[:-1] + data.shape).copy()
    places[0] = np.broadcast_to(places[0], indices.shape[:-1])
    return data[tuple(places)]


def coordinates(shape: tuple[int, ...], indices: Any, first: int = 0) -> list[Any]:
    """Return the columns of the last axis of `indices`, each in range of its axis of `shape`."""
    return [in_range(indices[..., i], shape[first + i], first + i) for i in range(indices.shape[-1])]


@family.operator(
    "index_tensor",
    "data: tensor, indices: tensors(integer)",
    tier=2,
    since="later",
    infer=rules.index_tensor,
    example=f"index_tensor({_MATRIX}, (const([0, 2]), const([1, 0])))",
)
def index_tensor(data: Any, indices: tuple[Any, ...]) -> Any:
    """Index the leading axes, one tensor of integers per axis, as NumPy's `data[i, j, …]` does.

    The shapes of the tensors are broadcast; the result has that shape, then the axes of `data` that remain.
    Indices may be negative.
    """
    return data[leading_index(data.shape, indices)]


def leading_index(shape: tuple[int, ...], indices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the NumPy index for the leading axes; the shapes of the indices must broadcast."""
    if not indices or len(indices) > len(shape):
        raise bad_argument(
            f"`indices` has {len(indices)} fields, `data` has rank {len(shape)}", argument="indices"
        )
    together = indices[0].shape
    for index, other in enumerate(indices[1:], 1):
        together = broadcast(together, other.shape, ("indices[0]", f"indices[{index}]"))
    return tuple([in_range(each, shape[axis], axis, f"indices[{axis}]") for axis, each in enumerate(indices)])


@family.operator(
    "one_hot",
    "indices: tensor(integer), on_value: prim, off_value: prim",
    "depth: int>0, axis: int = -1",
    since="later",
    infer=rules.one_hot,
    example="one_hot(const([2, 0]), 1.0, 0.0, depth=3)",
)
def one_hot(indices: Any, on_value: float, off_value: float, depth: int, axis: int) -> Any:
    """Insert an axis of extent `depth` that holds `on_value` at the place the index says and `off_value`
    elsewhere.

    An index outside of 0 … depth - 1 has `off_value` everywhere. `axis` counts in the result. The dtype is
    that of both values: int64 for integers, float32 for fractions.
    """
    wanted = scalar_tensors_dtype(on_value, off_value, ("on_value", "off_value"))
    at = one_axis(axis, indices.ndim + 1)
    # Rows of the result, so that the place of every `on_value` is one number.
    rows = np.zeros((indices.size, depth), wanted)
    if off_value:
        rows[...] = off_value
    flat = indices.reshape(-1).astype(np.int64, copy=False).view(np.uint64)  # so that negative ones are large
    starts = np.arange(0, rows.size, depth, np.uint64)
    if indices.size and np.maximum.reduce(flat) >= depth:
        inside = flat < depth
        starts, flat = starts[inside], flat[inside]
    rows.reshape(-1)[(starts + flat).view(np.int64)] = on_value
    result = rows.reshape((*indices.shape, depth))
    return result if at == indices.ndim else np.moveaxis(result, -1, at)
