"""Padding, flattening and pixel shuffling. The dtype always stays."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_attribute, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import at_least, elements
from relax_lang.ops.shape_rules.nn import rearrange as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, TensorSpec

    Shape = tuple[int, ...]


family = Family(__name__, "Neural networks: padding and rearrangement")


@family.planned(
    "nn.batch_flatten",
    "data: tensor",
    since="later",
    aliases=("data",),
    infer=rules.batch_flatten,
    rows="first axis",
    also=("onnx.Flatten",),
    example="nn.batch_flatten(const([[1, 2, 3], [4, 5, 6]]))",
)
def batch_flatten(data: TensorSpec) -> Run1:
    """Keep the first axis and flatten all others into one. `data` must have rank 2 or more."""
    at_least(data, 2, "data")
    shape = data.shape[0], elements(data.shape[1:])
    return lambda data: data.reshape(shape)


_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@family.planned(
    "nn.pad",
    "data: tensor",
    'pad_width: list[int>=0], pad_mode: "constant"|"reflect"|"replicate"|"circular"|none = "constant", '
    "pad_value: float|none = 0.0",
    since="later",
    infer=rules.pad,
    rows="pad",
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
    since="later",
    infer=rules.pixel_shuffle,
    rows="but the last three axes",
    also=("onnx.DepthToSpace",),
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
