"""Operators that rearrange the elements of one tensor. The dtype always stays.

Where the result is only another view of the same elements, it shares memory with the argument.
"""

from __future__ import annotations

from relax_lang.base.wording import tuple_text
from relax_lang.ops import _numpy as np
from relax_lang.ops.dtypes import name_of, numpy_dtype, widen
from relax_lang.ops.refusal import (
    bad_attribute,
    bad_shape,
    bad_value,
    same_axis,
)
from relax_lang.ops.registry import Family
from relax_lang.ops.rules import manipulate as rules
from relax_lang.ops.shapes import at_least, elements, many_axes, one_axis, sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Shape = tuple[int, ...]

family = Family("manipulate", "Shapes and the order of elements")

_MATRIX = "const([[1, 2, 3], [4, 5, 6]])"
_SHARES = ("x",)


@family.operator(
    "broadcast_to",
    "x: tensor, shape: shape",
    infer=rules.broadcast_to,
    example="broadcast_to(const([1, 2, 3]), shape(2, 3))",
)
def broadcast_to(x: Any, shape: Shape) -> Any:
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
    result = np.empty(shape, x.dtype)
    result[...] = x
    return result


@family.operator(
    "expand_dims",
    "x: tensor",
    "axis: int|list[int]",
    aliases=_SHARES,
    infer=rules.expand_dims,
    example="expand_dims(const([1, 2]), axis=0)",
)
def expand_dims(x: Any, axis: int | Sequence[int]) -> Any:
    """Insert axes of extent 1. `axis` counts in the result, whose rank is that of `x` plus the number of
    axes.
    """
    if isinstance(axis, int):
        at = one_axis(axis, x.ndim + 1)
        return x.reshape((*x.shape[:at], 1, *x.shape[at:]))
    count = len(axis)
    rank = x.ndim + count
    places = many_axes(axis, rank)
    extents = iter(x.shape)
    return x.reshape([1 if at in places else next(extents) for at in range(rank)])


@family.operator(
    "squeeze",
    "x: tensor",
    "axis: int|list[int]|none = none",
    aliases=_SHARES,
    infer=rules.squeeze,
    example="squeeze(const([[[1], [2]]]), axis=0)",
)
def squeeze(x: Any, axis: int | Sequence[int] | None) -> Any:
    """Drop axes of extent 1: those named, which must be of extent 1, or without `axis` all that are."""
    if axis is None:
        return x.reshape([extent for extent in x.shape if extent != 1])
    places = many_axes(axis, x.ndim)
    for at in places:
        if x.shape[at] != 1:
            raise bad_value(
                f"axis {at} has extent {x.shape[at]}; only axes of extent 1 can be dropped", axis=at
            )
    return x.reshape([extent for at, extent in enumerate(x.shape) if at not in places])


@family.operator("flatten", "x: tensor", aliases=_SHARES, infer=rules.flatten, example=f"flatten({_MATRIX})")
def flatten(x: Any) -> Any:
    """Make a tensor of rank 1 of all elements, the last axis running fastest; of rank 0 it makes the shape
    (1,).
    """
    return x.reshape(-1)


@family.operator(
    "permute_dims",
    "x: tensor",
    "axes: list[int]|none = none",
    aliases=_SHARES,
    infer=rules.permute_dims,
    example=f"permute_dims({_MATRIX})",
)
def permute_dims(x: Any, axes: Sequence[int] | None) -> Any:
    """Reorder the axes: axis i of the result is axis `axes[i]` of `x`. Without `axes` they are reversed."""
    if axes is None:
        return x.transpose()
    if len(axes) != x.ndim:
        raise bad_attribute("axes", f"{len(axes)} axes for a tensor of rank {x.ndim}")
    return x.transpose(many_axes(axes, x.ndim))


@family.operator(
    "reshape",
    "x: tensor, shape: shape",
    aliases=_SHARES,
    infer=rules.reshape,
    example=f"reshape({_MATRIX}, shape(3, -1))",
)
def reshape(x: Any, shape: Shape) -> Any:
    """Give the elements another shape; they keep their order, the last axis running fastest.

    The shape holds as many elements as `x`. One of its extents may be -1: it follows from the others. An
    extent 0 is 0.
    """
    if not shape or min(shape) >= 0:
        try:
            return x.reshape(shape)
        except ValueError:  # another number of elements
            pass
    free = [axis for axis, extent in enumerate(shape) if extent == -1]
    if not free:
        if elements(sizes(shape)) != x.size:
            raise bad_shape(x.shape, shape, f"{x.size} and {elements(shape)} elements")
        return x.reshape(shape)
    if len(free) > 1:
        raise bad_value("only one extent of `shape` can be -1")
    others = elements(sizes(shape[: free[0]] + shape[free[0] + 1 :]))
    if others == 0:
        raise bad_value(f"the extent -1 does not follow from the others in {tuple_text(shape)}")
    if x.size % others:
        raise bad_shape(x.shape, shape, f"{x.size} elements cannot be divided by {others}")
    return x.reshape(shape)


@family.operator(
    "repeat",
    "data: tensor",
    "repeats: int>=0, axis: int|none = none",
    since="later",
    infer=rules.repeat,
    example="repeat(const([1, 2]), repeats=2)",
)
def repeat(data: Any, repeats: int, axis: int | None) -> Any:
    """Repeat every element `repeats` times in place along an axis, whose extent is multiplied by it.

    Without `axis`, `data` is taken as one row of all its elements.
    """
    return data.repeat(repeats, None if axis is None else one_axis(axis, data.ndim))


@family.operator(
    "tile",
    "data: tensor",
    "repeats: int>=0|list[int>=0]",
    since="later",
    infer=rules.tile,
    example="tile(const([1, 2]), repeats=[2, 2])",
)
def tile(data: Any, repeats: int | Sequence[int]) -> Any:
    """Lay a tensor side by side with itself, `repeats` times per axis, aligned at the last axis.

    The rank is the larger of that of `data` and the number of repeats; extents are multiplied.
    """
    counts = [repeats] if isinstance(repeats, int) else list(repeats)
    rank = max(len(counts), data.ndim)
    counts = [1] * (rank - len(counts)) + counts
    extents = (1,) * (rank - data.ndim) + data.shape
    # One axis for every count before every axis of `data`: NumPy repeats along those while it copies.
    laid = np.empty([each for pair in zip(counts, extents, strict=True) for each in pair], data.dtype)
    laid[...] = data.reshape([each for extent in extents for each in (1, extent)])
    return laid.reshape([count * extent for count, extent in zip(counts, extents, strict=True)])


@family.operator(
    "flip",
    "data: tensor",
    "axis: int",
    tier=2,
    since="later",
    infer=rules.flip,
    example=f"flip({_MATRIX}, axis=1)",
)
def flip(data: Any, axis: int) -> Any:
    """Reverse the order of elements along an axis. The result has the shape of `data`."""
    return np.flip(data, one_axis(axis, data.ndim)).copy()


@family.operator(
    "reverse_sequence",
    "data: tensor, seq_lengths: tensor(1-d integer)",
    "seq_axis: int = 1, batch_axis: int = 0",
    tier=2,
    since="later",
    infer=rules.reverse_sequence,
    example=f"reverse_sequence({_MATRIX}, const([2, 3]))",
)
def reverse_sequence(data: Any, seq_lengths: Any, seq_axis: int, batch_axis: int) -> Any:
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
    result = data.copy()
    for row, length in enumerate(seq_lengths.tolist()):
        if length < 0:
            raise bad_value(f"the sequence length at {row} is {length}")
        source, target = np.moveaxis(data, (batch, seq), (0, 1)), np.moveaxis(result, (batch, seq), (0, 1))
        target[row, :length] = source[row, :length][::-1]
    return result


@family.operator(
    "collapse_sum_like",
    "data: tensor(number), collapse_target: tensor",
    tier=2,
    since="later",
    infer=rules.collapse_sum,
    example=f"collapse_sum_like({_MATRIX}, const([0, 0, 0]))",
)
def collapse_sum_like(data: Any, collapse_target: Any) -> Any:
    """Sum the axes along which broadcasting `collapse_target` to `data` would repeat it; see
    `collapse_sum_to`.

    The result has the shape of `collapse_target` and the dtype of `data`.
    """
    return _collapse(data, collapse_target.shape)


@family.operator(
    "collapse_sum_to",
    "data: tensor(number), shape: shape",
    tier=2,
    since="later",
    infer=rules.collapse_sum,
    example=f"collapse_sum_to({_MATRIX}, shape(2, 1))",
)
def collapse_sum_to(data: Any, shape: Shape) -> Any:
    """Sum `data` down to a shape that would broadcast to that of `data`: the reverse of broadcasting.

    Aligned at the last axis, every extent of the shape is 1 or that of `data`.
    """
    return _collapse(data, sizes(shape))


def _collapse(data: Any, shape: Shape) -> Any:
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
    wide = widen(data)
    return (
        np.add.reduce(wide, axis=tuple(axes), dtype=wide.dtype).reshape(shape).astype(data.dtype, copy=False)
    )


@family.operator(
    "layout_transform",
    "x: tensor",
    "index_map: str, pad_value: int|float|bool|none = none",
    tier=2,
    infer=rules.layout_transform,
    example='layout_transform(const([1, 2, 3]), index_map="(i) -> (i // 2, i % 2)")',
)
def layout_transform(x: Any, index_map: str, pad_value: float | None) -> Any:
    """Move every element to where a map sends its indices: `"(i, j) -> (i // 4, j, i % 4)"`.

    The map has one name per axis of `x`; the result has one axis per expression, large enough for the largest
    index it can give (four places for `i % 4`). Cells that nothing is sent to hold `pad_value`, or 0.
    """
    from relax_lang.ops.indexmap import check_padding, read_index_map  # only this operator has one

    moved = read_index_map(index_map, x.ndim)
    check_padding(pad_value, name_of(x.dtype))
    result = np.full(moved.extents(x.shape), pad_value or 0, x.dtype)
    places = moved.indices(np.indices(x.shape, sparse=True))
    result[tuple([np.broadcast_to(place, x.shape) for place in places])] = x
    return result


@family.operator(
    "memory.view",
    "x: tensor, shape: shape?, relative_byte_offset: prim(int)?",
    "dtype: dtype|none = none",
    tier=2,
    since="later",
    infer=rules.view,
    example="memory.view(const([1.0, 2.0]), dtype=int32)",
)
def view(x: Any, shape: Shape | None, relative_byte_offset: int | None, dtype: str | None) -> Any:
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
    content = x.tobytes()[offset : offset + needed]
    return np.frombuffer(content, wanted).reshape(extents).copy()


@family.operator(
    "nn.batch_flatten",
    "data: tensor",
    tier=2,
    since="later",
    aliases=("data",),
    infer=rules.batch_flatten,
    example=f"nn.batch_flatten({_MATRIX})",
)
def batch_flatten(data: Any) -> Any:
    """Keep the first axis and flatten all others into one. `data` must have rank 2 or more."""
    at_least(data, 2, "data")
    return data.reshape(data.shape[0], elements(data.shape[1:]))


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@family.operator(
    "nn.pad",
    "data: tensor",
    'pad_width: list[int>=0], pad_mode: "constant"|"reflect"|"replicate"|"circular"|none = "constant", '
    "pad_value: float|none = 0.0",
    since="later",
    infer=rules.pad,
    example="nn.pad(const([[1.0, 2.0]]), pad_width=[0, 1, 1, 1])",
)
def pad(data: Any, pad_width: Sequence[int], pad_mode: str | None, pad_value: float | None) -> Any:
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
        shape = [sum(extents) for extents in zip(befores, data.shape, afters, strict=True)]
        result = np.full(shape, pad_value, data.dtype) if pad_value else np.zeros(shape, data.dtype)
        result[tuple([slice(b, b + e) for b, e in zip(befores, data.shape, strict=True)])] = data
        return result
    widths = list(zip(befores, afters, strict=True))
    for axis, (before, after) in enumerate(widths):
        least = 2 if pad_mode == "reflect" else 1
        if before + after and data.shape[axis] < least:
            raise bad_value(
                f"axis {axis} has extent {data.shape[axis]}; {pad_mode!r} needs at least {least}", axis=axis
            )
    return np.pad(data, widths, mode=_PAD_MODES[pad_mode])


@family.operator(
    "nn.pixel_shuffle",
    "data: tensor",
    "upscale_factor: int>0",
    tier=2,
    since="later",
    infer=rules.pixel_shuffle,
    example="nn.pixel_shuffle(const([[[1]], [[2]], [[3]], [[4]]]), upscale_factor=2)",
)
def pixel_shuffle(data: Any, upscale_factor: int) -> Any:
    """Spread channels over space: (…, C · r², H, W) becomes (…, C, H · r, W · r) for the factor r.

    Element (c, h·r + i, w·r + j) of the result is element (c·r² + i·r + j, h, w) of `data`.
    """
    at_least(data, 3, "data")
    *batch, channels, height, width = data.shape
    r = upscale_factor
    if channels % (r * r):
        raise bad_value(f"{channels} channels (axis {data.ndim - 3}) cannot be divided by {r}² = {r * r}")
    split = data.reshape(*batch, channels // (r * r), r, r, height, width)
    n = len(batch)
    moved = split.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return moved.copy().reshape(*batch, channels // (r * r), height * r, width * r)
