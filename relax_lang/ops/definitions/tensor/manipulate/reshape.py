"""Other shapes for the same elements, which share memory with the argument. The dtype stays, but for `memory.view`."""

from __future__ import annotations

from operator import attrgetter, itemgetter

from relax_lang.base.wording import tuple_text
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import elements, many_axes, sizes
from relax_lang.ops.shape_rules.tensor.manipulate import reshape as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.specialization import Run1, TensorSpec

    Shape = tuple[int, ...]


family = Family(__name__, "Shapes of tensors")

_MATRIX = "const([[1, 2, 3], [4, 5, 6]])"


_SHARES = ("x",)


@family.planned(
    "expand_dims",
    "x: tensor",
    "axis: int|list[int]",
    aliases=_SHARES,
    infer=rules.expand_dims,
    rows="expand dims",
    also=("torch.unsqueeze", "onnx.Unsqueeze"),
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
    rows="squeeze",
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


@family.planned(
    "flatten",
    "x: tensor",
    aliases=_SHARES,
    infer=rules.flatten,
    rows="reshape",
    also=("np.ravel", "torch.ravel"),
    example=f"flatten({_MATRIX})",
)
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
    rows="permute dims",
    also=(
        "np.T",
        "np.transpose",
        "np.swapaxes",
        "np.moveaxis",
        "torch.T",
        "torch.t",
        "torch.permute",
        "torch.transpose",
        "torch.swapaxes",
        "torch.movedim",
        "onnx.Transpose",
        "tvm.transpose",
    ),
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
    rows="reshape",
    also=("torch.view",),
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
    "memory.view",
    "x: tensor, shape: shape?, relative_byte_offset: prim(int)?",
    "dtype: dtype|none = none",
    since="later",
    aliases=_SHARES,
    tvm="data shape dtype relative_byte_offset",
    infer=rules.view,
    also=("jax.bitcast_convert_type",),
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
