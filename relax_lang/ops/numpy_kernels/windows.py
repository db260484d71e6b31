"""Windows of convolution and pooling: layouts, padding, and the places of windows.

Kernels work on arrays with the channels first: (N, C, spatial axes…).
"""

from __future__ import annotations

import math

from relax_lang.ops.attribute_syntax.layouts import axis_in, parse_layout
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_shape, bad_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from relax_lang.ops.attribute_syntax.layouts import Layout
    from relax_lang.ops.core.specialization import Run, Run1, TensorSpec

    Ints = int | Sequence[int]
    Pads = list[tuple[int, int]]


def shape_in(x: TensorSpec, layout: str, wanted: str, attribute: str, name: str) -> tuple[int, ...]:
    """Return the shape of a tensor that has one layout with its axes in the order of another. [OP.4]"""
    own = parse_layout(layout, wanted, attribute)
    if x.ndim != len(own.axes):
        raise bad_argument(
            f"`{name}` must have rank {len(own.axes)} for the layout {layout}, not {x.ndim}", argument=name
        )
    for letter, block in own.blocks.items():
        inner = x.shape[own.axes.index(letter.lower())]
        if inner != block:
            reason = f"the blocks of {letter} have {inner} elements in `{name}`, {block} in {layout}"
            raise bad_shape(x.shape, x.shape, reason)
    return tuple([math.prod([x.shape[at] for at in group]) for group in own.groups()])


def in_layouts(run: Run, canonical: Sequence[str], layouts: Sequence[str], out_layout: str | None) -> Run:
    """Return `run`, which takes tensors in the canonical layouts and gives one in the first of them, for other layouts.

    The result has the layout of the first tensor unless `out_layout` names another.
    """
    wanted = layouts[0] if out_layout is None else out_layout
    out = parse_layout(wanted, canonical[0], "out_layout")
    if (*layouts, wanted) == (*canonical, canonical[0]):
        return run
    own = [parse_layout(layout, axes, "layout") for axes, layout in zip(canonical, layouts, strict=True)]

    def turned(*tensors: Any) -> Any:
        result = run(*[to_canonical(x, layout) for x, layout in zip(tensors, own, strict=True)])
        return from_canonical(result, out)

    return turned


def to_canonical(x: Any, layout: Layout) -> Any:
    """Return an array with its axes in the canonical order, blocks joined."""
    groups = layout.groups()
    turned = x.transpose([at for group in groups for at in group])
    if not layout.blocks:
        return turned
    return turned.reshape([math.prod([x.shape[at] for at in group]) for group in groups])


def from_canonical(x: Any, layout: Layout) -> Any:
    """Return an array with its axes as a layout has them. Raises OpError where blocks do not divide an axis."""
    undivided = layout.undivided(x.shape)
    if undivided:
        extent = x.shape[layout.canonical.index(undivided)]
        reason = f"the extent {extent} of {undivided} is not made of blocks of {layout.blocks[undivided]}"
        raise bad_shape(x.shape, x.shape, reason)
    if layout.blocks:
        x = x.reshape(layout.split(x.shape))
    places = [at for group in layout.groups() for at in group]
    return x.transpose([places.index(at) for at in range(len(places))])


def window_extent(
    extent: int, size: int, stride: int, pad: tuple[int, int], dilation: int, axis: int, of_size: int
) -> int:
    """Return how many windows fit on an axis; messages call it `axis`, and that of the size `of_size`.

    Raises OpError if none does. [OP.9]
    """
    if size < 1:
        raise bad_value(f"the window has extent {size} on axis {of_size}", axis=of_size)
    there, needed = extent + pad[0] + pad[1], dilation * (size - 1) + 1
    if needed > there:
        raise bad_value(
            f"a window of {needed} does not fit axis {axis}, whose padded extent is {there}", axis=axis
        )
    return (there - needed) // stride + 1


def spatial_axes(layout: str, canonical: str) -> list[int]:
    """Return which axes of a layout are the spatial ones of the canonical order."""
    return [axis_in(layout, canonical, letter) for letter in canonical[2:]]


def padding(shape: Sequence[int], pads: Sequence[tuple[int, int]], value: Any) -> Run1 | None:
    """Plan to surround the spatial axes of an array by cells of a value; None if there are none."""
    if not any(before or after for before, after in pads):
        return None
    whole = [
        *shape[:2],
        *[before + extent + after for extent, (before, after) in zip(shape[2:], pads, strict=True)],
    ]
    spans = [slice(before, before + extent) for extent, (before, _) in zip(shape[2:], pads, strict=True)]
    inner, empty, zeros = (slice(None), slice(None), *spans), np.empty, np.zeros

    def run(x: Any) -> Any:
        if value:
            result = empty(whole, x.dtype)
            result.fill(value)
        else:
            result = zeros(whole, x.dtype)
        result[inner] = x
        return result

    return run


def offsets(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every place of a window, the last axis fastest."""
    from itertools import product

    return product(*[range(size) for size in sizes])


def shifted(
    place: Sequence[int], out: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> tuple[Any, ...]:
    """Return the index of the elements that lie at one place of all windows: (…, spatial axes)."""
    axes = zip(place, out, strides, dilation, strict=True)
    spans = [slice(at * d, at * d + stride * (n - 1) + 1, stride) for at, n, stride, d in axes]
    return (slice(None), slice(None), *spans)
