"""Operators that repeat, reorder or sum up the elements of one tensor. The dtype stays; the result is new memory."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.errors import bad_shape, bad_value, same_axis
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.compute_dtype import wide_dtype
from relax_lang.ops.numpy_kernels.shape_checks import along, elements, one_axis, sizes
from relax_lang.ops.shape_rules.tensor.manipulate import rearrange as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, Run2, TensorSpec

    Shape = tuple[int, ...]

family = Family(__name__, "Repeating and reordering elements")

_MATRIX = "const([[1, 2, 3], [4, 5, 6]])"


@family.planned(
    "broadcast_to",
    "x: tensor, shape: shape",
    infer=rules.broadcast_to,
    rows="broadcast",
    also=("torch.expand", "onnx.Expand", "jax.broadcast_in_dim"),
    example="broadcast_to(const([1, 2, 3]), shape(2, 3))",
)
def broadcast_to(x: TensorSpec, shape: Shape) -> Run1:
    """Repeat a tensor along axes of extent 1, and along new leading axes, until it has the given shape.

    Aligned at the last axis, every extent of `x` is 1 or that of the shape.
    """
    offset = len(sizes(shape)) - x.ndim
    if offset < 0:
        raise bad_shape(x.shape, shape, f"`x` has rank {x.ndim}, the shape has rank {len(shape)}")
    for axis, extent in enumerate(x.shape):
        if extent not in (1, shape[axis + offset]):
            raise bad_shape(
                x.shape, shape, f"axis {axis} of `x` is {extent}, where {shape[axis + offset]} is wanted"
            )
    empty, dtype = np.empty, x.dtype

    def run(x: Any) -> Any:
        result = empty(shape, dtype)
        result[...] = x
        return result

    return run


@family.planned(
    "repeat",
    "data: tensor",
    "repeats: int>=0, axis: int|none = none",
    since="later",
    infer=rules.repeat,
    rows="repeat",
    also=("torch.repeat_interleave",),
    example="repeat(const([1, 2]), repeats=2)",
)
def repeat(data: TensorSpec, repeats: int, axis: int | None) -> Run1:
    """Repeat every element `repeats` times in place along an axis, whose extent is multiplied by it.

    Without `axis`, `data` is taken as one row of all its elements.
    """
    at = None if axis is None else one_axis(axis, data.ndim)
    one_by_one = at is None or elements(data.shape[at + 1 :]) == 1
    if data.size > _MANY and one_by_one and 1 < repeats <= _FEW_COPIES:
        return _repeat_strided(data, repeats, at)
    return lambda data: data.repeat(repeats, at)


_MANY = 1 << 14
_FEW_COPIES = 4
"""Up to this number of copies, long strides take less time than NumPy does for single elements."""


def _repeat_strided(data: TensorSpec, repeats: int, axis: int | None) -> Run1:
    """Write all first copies, then all second ones, …, each to its place on an axis between two of `data`."""
    shape = data.shape if axis is not None else (data.size,)
    at = (axis or 0) + 1
    spread = (*shape[:at], repeats, *shape[at:])
    together = (*shape[: at - 1], shape[at - 1] * repeats, *shape[at:])
    places = [(*(slice(None),) * at, copy) for copy in range(repeats)]
    empty, dtype = np.empty, data.dtype

    def run(data: Any) -> Any:
        source, result = data.reshape(shape), empty(spread, dtype)
        for place in places:
            result[place] = source
        return result.reshape(together)

    return run


@family.planned(
    "tile",
    "data: tensor",
    "repeats: int>=0|list[int>=0]",
    since="later",
    infer=rules.tile,
    rows="tile",
    also=("torch.repeat",),
    example="tile(const([1, 2]), repeats=[2, 2])",
)
def tile(data: TensorSpec, repeats: int | Sequence[int]) -> Run1:
    """Lay a tensor side by side with itself, `repeats` times per axis, aligned at the last axis.

    The rank is the larger of that of `data` and the number of repeats; extents are multiplied.
    """
    counts = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = max(len(counts), data.ndim)
    counts = [1] * (rank - len(counts)) + counts
    extents = (1,) * (rank - data.ndim) + data.shape
    # An axis for every count before the axis it repeats: NumPy repeats along those while it copies.
    laid_out: list[int] = []
    source: list[int] = []
    for count, extent in zip(counts, extents, strict=True):
        laid_out += [extent] if count == 1 else [count, extent]
        source += [extent] if count == 1 else [1, extent]
    shape = [count * extent for count, extent in zip(counts, extents, strict=True)]
    if shape == laid_out:  # no count but 1
        return lambda data: data.reshape(source).copy()
    empty, dtype = np.empty, data.dtype

    def run(data: Any) -> Any:
        laid = empty(laid_out, dtype)
        laid[...] = data.reshape(source)
        return laid.reshape(shape)

    return run


@family.planned(
    "flip",
    "data: tensor",
    "axis: int",
    since="later",
    infer=rules.flip,
    rows="along axis",
    also=("np.fliplr", "np.flipud", "jax.rev", "tvm.reverse"),
    example=f"flip({_MATRIX}, axis=1)",
)
def flip(data: TensorSpec, axis: int) -> Run1:
    """Reverse the order of elements along an axis. The result has the shape of `data`."""
    reverse = along(one_axis(axis, data.ndim), slice(None, None, -1))
    return lambda data: data[reverse].copy()


@family.planned(
    "reverse_sequence",
    "data: tensor, seq_lengths: tensor(1-d index)",
    "seq_axis: int = 1, batch_axis: int = 0",
    since="later",
    infer=rules.reverse_sequence,
    rows="reverse sequence",
    example=f"reverse_sequence({_MATRIX}, const([2, 3]))",
)
def reverse_sequence(data: TensorSpec, seq_lengths: TensorSpec, seq_axis: int, batch_axis: int) -> Run2:
    """Reverse the first elements along `seq_axis`, for every place on `batch_axis` as many as
    `seq_lengths` gives.

    A length beyond the extent means all of it. The result has the shape of `data`.
    """
    seq, batch = one_axis(seq_axis, data.ndim), one_axis(batch_axis, data.ndim)
    if seq == batch:
        raise same_axis(seq_axis)
    if seq_lengths.shape[0] != data.shape[batch]:
        count = seq_lengths.shape[0]
        reason = f"axis {batch} of `data` is {data.shape[batch]}, `seq_lengths` has {count} elements"
        raise bad_shape(data.shape, seq_lengths.shape, reason)
    order = (batch, seq, *[axis for axis in range(data.ndim) if axis not in (batch, seq)])

    def run(data: Any, seq_lengths: Any) -> Any:
        result = data.copy()
        source, target = data.transpose(order), result.transpose(order)
        for row, length in enumerate(seq_lengths.tolist()):
            if length < 0:
                raise bad_value(f"the sequence length at {row} is {length}")
            target[row, :length] = source[row, :length][::-1]
        return result

    return run


@family.planned(
    "collapse_sum_like",
    "data: tensor(number), collapse_target: tensor",
    since="later",
    infer=rules.collapse_sum,
    example=f"collapse_sum_like({_MATRIX}, const([0, 0, 0]))",
)
def collapse_sum_like(data: TensorSpec, collapse_target: TensorSpec) -> Run2:
    """Sum the axes along which broadcasting `collapse_target` to `data` would repeat it; see
    `collapse_sum_to`.

    The result has the shape of `collapse_target` and the dtype of `data`.
    """
    run = _collapse(data, collapse_target.shape)
    return lambda data, collapse_target: run(data)


@family.planned(
    "collapse_sum_to",
    "data: tensor(number), shape: shape",
    since="later",
    infer=rules.collapse_sum,
    also=("torch.sum_to_size",),
    example=f"collapse_sum_to({_MATRIX}, shape(2, 1))",
)
def collapse_sum_to(data: TensorSpec, shape: Shape) -> Run1:
    """Sum `data` down to a shape that would broadcast to that of `data`: the reverse of broadcasting.

    Aligned at the last axis, every extent of the shape is 1 or that of `data`.
    """
    return _collapse(data, sizes(shape))


def _collapse(data: TensorSpec, shape: Shape) -> Run1:
    offset = data.ndim - len(shape)
    if offset < 0:
        raise bad_shape(data.shape, shape, f"the target has rank {len(shape)}, `data` has rank {data.ndim}")
    axes = list(range(offset))
    for axis, extent in enumerate(shape):
        if extent == 1 != data.shape[axis + offset]:
            axes.append(axis + offset)
        elif extent != data.shape[axis + offset]:
            raise bad_shape(
                data.shape, shape, f"axis {axis} of the target is {extent}, not {data.shape[axis + offset]}"
            )
    dtype, wide = data.dtype, wide_dtype(data.dtype)
    add, together, same_rank = np.add.reduce, tuple(axes), not offset
    if wide is dtype and (same_rank or len(axes) == offset):
        return lambda data: add(data, together, wide, None, same_rank)
    return lambda data: add(data, together, wide).reshape(shape).astype(dtype, copy=False)


@family.planned(
    "layout_transform",
    "x: tensor",
    "index_map: str, pad_value: int|float|bool|none = none",
    infer=rules.layout_transform,
    rows="layout transform",
    example='layout_transform(const([1, 2, 3]), index_map="(i) -> (i // 2, i % 2)")',
)
def layout_transform(x: TensorSpec, index_map: str, pad_value: float | None) -> Run1:
    """Move every element to where a map sends its indices: `"(i, j) -> (i // 4, j, i % 4)"`.

    The map has one name per axis of `x`; the result has one axis per expression, large enough for the largest
    index it can give (four places for `i % 4`). Cells that nothing is sent to hold `pad_value`, or 0.
    """
    from relax_lang.ops.attribute_syntax.index_map import (
        check_padding,
        read_index_map,
    )  # only this operator has one

    moved = read_index_map(index_map, x.ndim)
    check_padding(pad_value, name_of(x.dtype))
    extents, shape, dtype = moved.extents(x.shape), x.shape, x.dtype

    def run(x: Any) -> Any:
        result = np.full(extents, pad_value or 0, dtype)
        places = moved.indices(np.indices(shape, sparse=True))
        result[tuple([np.broadcast_to(place, shape) for place in places])] = x
        return result

    return run
