"""Operators that rearrange the elements of one tensor. The dtype always stays.

Where the result is only another view of the same elements, it shares memory with the argument.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter

from relax_lang.base.wording import tuple_text
from relax_lang.ops.core.dtypes import name_of, numpy_dtype
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value, same_axis
from relax_lang.ops.core.registry import Family
from relax_lang.ops.numpy_kernels import lazy_numpy as np
from relax_lang.ops.numpy_kernels.compute_dtype import wide_dtype
from relax_lang.ops.numpy_kernels.shape_checks import along, at_least, elements, many_axes, one_axis, sizes
from relax_lang.ops.shape_rules import manipulate as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.calls.specialization import Run1, Run2, TensorSpec

    Shape = tuple[int, ...]

family = Family("manipulate", "Shapes and the order of elements")

_MATRIX = "const([[1, 2, 3], [4, 5, 6]])"
_SHARES = ("x",)


@family.planned(
    "broadcast_to",
    "x: tensor, shape: shape",
    infer=rules.broadcast_to,
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
    "expand_dims",
    "x: tensor",
    "axis: int|list[int]",
    aliases=_SHARES,
    infer=rules.expand_dims,
    example="expand_dims(const([1, 2]), axis=0)",
)
def expand_dims(x: TensorSpec, axis: int | Sequence[int]) -> Run1:
    """Insert axes of extent 1. `axis` counts in the result, whose rank is that of `x` plus the number of
    axes.
    """
    axes = [axis] if isinstance(axis, int) else axis
    places = many_axes(axes, x.ndim + len(axes))
    through = range(max(places, default=-1) + 1)
    return itemgetter(tuple([None if at in places else slice(None) for at in through]) or ...)


@family.planned(
    "squeeze",
    "x: tensor",
    "axis: int|list[int]|none = none",
    aliases=_SHARES,
    infer=rules.squeeze,
    example="squeeze(const([[[1], [2]]]), axis=0)",
)
def squeeze(x: TensorSpec, axis: int | Sequence[int] | None) -> Run1:
    """Drop axes of extent 1: those named, which must be of extent 1, or without `axis` all that are."""
    if axis is None:
        places = tuple([at for at, extent in enumerate(x.shape) if extent == 1])
    else:
        places = many_axes(axis, x.ndim)
    for at in places:
        if x.shape[at] != 1:
            raise bad_value(
                f"axis {at} has extent {x.shape[at]}; only axes of extent 1 can be dropped", axis=at
            )
    return lambda x: x.squeeze(places)


@family.planned("flatten", "x: tensor", aliases=_SHARES, infer=rules.flatten, example=f"flatten({_MATRIX})")
def flatten(x: TensorSpec) -> Run1:
    """Make a tensor of rank 1 of all elements, the last axis running fastest; of rank 0 it makes the shape
    (1,).
    """
    return _reshaped((x.size,))


def _reshaped(shape: Shape) -> Run1:
    return lambda x: x.reshape(shape)


@family.planned(
    "permute_dims",
    "x: tensor",
    "axes: list[int]|none = none",
    aliases=_SHARES,
    infer=rules.permute_dims,
    example=f"permute_dims({_MATRIX})",
)
def permute_dims(x: TensorSpec, axes: Sequence[int] | None) -> Run1:
    """Reorder the axes: axis i of the result is axis `axes[i]` of `x`. Without `axes` they are reversed."""
    if axes is None:
        return attrgetter("T")
    if len(axes) != x.ndim:
        raise bad_attribute("axes", f"{len(axes)} axes for a tensor of rank {x.ndim}")
    order = many_axes(axes, x.ndim)
    return lambda x: x.transpose(order)


@family.planned(
    "reshape",
    "x: tensor, shape: shape",
    aliases=_SHARES,
    infer=rules.reshape,
    example=f"reshape({_MATRIX}, shape(3, -1))",
)
def reshape(x: TensorSpec, shape: Shape) -> Run1:
    """Give the elements another shape; they keep their order, the last axis running fastest.

    The shape holds as many elements as `x`. One of its extents may be -1: it follows from the others. An
    extent 0 is 0.
    """
    free = [axis for axis, extent in enumerate(shape) if extent == -1]
    if not free:
        if elements(sizes(shape)) != x.size:
            raise bad_shape(x.shape, shape, f"{x.size} and {elements(shape)} elements")
        return _reshaped(shape)
    if len(free) > 1:
        raise bad_value("only one extent of `shape` can be -1")
    others = elements(sizes(shape[: free[0]] + shape[free[0] + 1 :]))
    if others == 0:
        raise bad_value(f"the extent -1 does not follow from the others in {tuple_text(shape)}")
    if x.size % others:
        raise bad_shape(x.shape, shape, f"{x.size} elements cannot be divided by {others}")
    return _reshaped((*shape[: free[0]], x.size // others, *shape[free[0] + 1 :]))


@family.planned(
    "repeat",
    "data: tensor",
    "repeats: int>=0, axis: int|none = none",
    since="later",
    infer=rules.repeat,
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
"""Up to so many, long strides take less time than NumPy does for single elements."""


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
    tier=2,
    since="later",
    infer=rules.flip,
    example=f"flip({_MATRIX}, axis=1)",
)
def flip(data: TensorSpec, axis: int) -> Run1:
    """Reverse the order of elements along an axis. The result has the shape of `data`."""
    reverse = along(one_axis(axis, data.ndim), slice(None, None, -1))
    return lambda data: data[reverse].copy()


@family.planned(
    "reverse_sequence",
    "data: tensor, seq_lengths: tensor(1-d integer)",
    "seq_axis: int = 1, batch_axis: int = 0",
    tier=2,
    since="later",
    infer=rules.reverse_sequence,
    example=f"reverse_sequence({_MATRIX}, const([2, 3]))",
)
def reverse_sequence(data: TensorSpec, seq_lengths: TensorSpec, seq_axis: int, batch_axis: int) -> Run2:
    """Reverse the first elements along `seq_axis`, for every place on `batch_axis` as many as
    `seq_lengths` says.

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
    tier=2,
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
    tier=2,
    since="later",
    infer=rules.collapse_sum,
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
    tier=2,
    infer=rules.layout_transform,
    example='layout_transform(const([1, 2, 3]), index_map="(i) -> (i // 2, i % 2)")',
)
def layout_transform(x: TensorSpec, index_map: str, pad_value: float | None) -> Run1:
    """Move every element to where a map sends its indices: `"(i, j) -> (i // 4, j, i % 4)"`.

    The map has one name per axis of `x`; the result has one axis per expression, large enough for the largest
    index it can give (four places for `i % 4`). Cells that nothing is sent to hold `pad_value`, or 0.
    """
    from relax_lang.ops.core.index_maps import check_padding, read_index_map  # only this operator has one

    moved = read_index_map(index_map, x.ndim)
    check_padding(pad_value, name_of(x.dtype))
    extents, shape, dtype = moved.extents(x.shape), x.shape, x.dtype

    def run(x: Any) -> Any:
        result = np.full(extents, pad_value or 0, dtype)
        places = moved.indices(np.indices(shape, sparse=True))
        result[tuple([np.broadcast_to(place, shape) for place in places])] = x
        return result

    return run


@family.planned(
    "memory.view",
    "x: tensor, shape: shape?, relative_byte_offset: prim(int)?",
    "dtype: dtype|none = none",
    tier=2,
    since="later",
    aliases=_SHARES,
    infer=rules.view,
    example="memory.view(const([1.0, 2.0]), dtype=int32)",
)
def view(x: TensorSpec, shape: Shape | None, relative_byte_offset: int | None, dtype: str | None) -> Run1:
    """Read the bytes of a tensor as another dtype or shape, from an offset in bytes on.

    The result has the shape and dtype given, or else those of `x`; it must not need more bytes than there
    are.
    """
    offset = relative_byte_offset or 0
    if offset < 0:
        raise bad_value(f"the offset is {offset}; it counts from the start of `x`")
    wanted = x.dtype if dtype is None else numpy_dtype(dtype)
    extents = x.shape if shape is None else sizes(shape)
    needed = elements(extents) * wanted.itemsize
    if needed + offset > x.nbytes:
        there = max(0, x.nbytes - offset)
        raise bad_value(f"the view needs {needed} bytes, there are {there} after the offset")
    if extents == x.shape and wanted.itemsize == x.itemsize:
        return lambda x: x.view(wanted)
    if offset % wanted.itemsize:
        return lambda x: np.frombuffer(x.tobytes()[offset : offset + needed], wanted).reshape(extents).copy()
    octets, contiguous = np.dtype(np.uint8), np.ascontiguousarray
    return lambda x: (
        contiguous(x).reshape(-1).view(octets)[offset : offset + needed].view(wanted).reshape(extents)
    )


@family.planned(
    "nn.batch_flatten",
    "data: tensor",
    tier=2,
    since="later",
    aliases=("data",),
    infer=rules.batch_flatten,
    example=f"nn.batch_flatten({_MATRIX})",
)
def batch_flatten(data: TensorSpec) -> Run1:
    """Keep the first axis and flatten all others into one. `data` must have rank 2 or more."""
    at_least(data, 2, "data")
    return _reshaped((data.shape[0], elements(data.shape[1:])))


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@family.planned(
    "nn.pad",
    "data: tensor",
    'pad_width: list[int>=0], pad_mode: "constant"|"reflect"|"replicate"|"circular"|none = "constant", '
    "pad_value: float|none = 0.0",
    since="later",
    infer=rules.pad,
    example="nn.pad(const([[1.0, 2.0]]), pad_width=[0, 1, 1, 1])",
)
def pad(data: TensorSpec, pad_width: Sequence[int], pad_mode: str | None, pad_value: float | None) -> Run1:
    """Surround a tensor: `pad_width` has two numbers per axis, how many cells before and how many after.

    The cells hold `pad_value` ("constant"), the elements mirrored at the border without repeating it
    ("reflect"), the border itself ("replicate") or the elements from the other side ("circular").
    """
    if len(pad_width) != 2 * data.ndim:
        raise bad_attribute(
            "pad_width", f"{len(pad_width)} numbers for a tensor of rank {data.ndim}; two per axis are needed"
        )
    befores, afters = pad_width[::2], pad_width[1::2]
    if pad_mode in (None, "constant") or not befores:
        return _pad_with(data, befores, afters, pad_value or 0)
    widths = list(zip(befores, afters, strict=True))
    for axis, (before, after) in enumerate(widths):
        least = 2 if pad_mode == "reflect" else 1
        if before + after and data.shape[axis] < least:
            raise bad_value(
                f"axis {axis} has extent {data.shape[axis]}; {pad_mode!r} needs at least {least}", axis=axis
            )
    return lambda data: np.pad(data, widths, mode=_PAD_MODES[pad_mode])


def _pad_with(data: TensorSpec, befores: Sequence[int], afters: Sequence[int], value: float) -> Run1:
    shape = [sum(extents) for extents in zip(befores, data.shape, afters, strict=True)]
    inside = tuple([slice(b, b + extent) for b, extent in zip(befores, data.shape, strict=True)])
    dtype, zeros, full = data.dtype, np.zeros, np.full

    def run(data: Any) -> Any:
        result = full(shape, value, dtype) if value else zeros(shape, dtype)
        result[inside] = data
        return result

    return run


@family.planned(
    "nn.pixel_shuffle",
    "data: tensor",
    "upscale_factor: int>0",
    tier=2,
    since="later",
    infer=rules.pixel_shuffle,
    example="nn.pixel_shuffle(const([[[1]], [[2]], [[3]], [[4]]]), upscale_factor=2)",
)
def pixel_shuffle(data: TensorSpec, upscale_factor: int) -> Run1:
    """Spread channels over space: (…, C · r², H, W) becomes (…, C, H · r, W · r) for the factor r.

    Element (c, h·r + i, w·r + j) of the result is element (c·r² + i·r + j, h, w) of `data`.
    """
    at_least(data, 3, "data")
    *batch, channels, height, width = data.shape
    r = upscale_factor
    if channels % (r * r):
        raise bad_value(f"{channels} channels (axis {data.ndim - 3}) cannot be divided by {r}² = {r * r}")
    n, fewer = len(batch), channels // (r * r)
    split, joined = (*batch, fewer, r, r, height, width), (*batch, fewer, height * r, width * r)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return lambda data: data.reshape(split).transpose(order).copy().reshape(joined)
