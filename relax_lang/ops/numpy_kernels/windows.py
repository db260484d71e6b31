"""Windows of convolution and pooling: layouts, padding, and the places of windows.

Kernels work on arrays with the channels first: (N, C, spatial axes…).
"""

from __future__ import annotations

from relax_lang.ops.attribute_syntax.windows import order_of_axes
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_argument, bad_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, TensorSpec

    Ints = int | Sequence[int]
    Pads = list[tuple[int, int]]


def shape_in(x: TensorSpec, layout: str, wanted: str, attribute: str, name: str) -> tuple[int, ...]:
    """Return the shape of a tensor that has one layout with its axes in the order of another. [OP.4]"""
    order = order_of_axes(layout, wanted, attribute)
    if x.ndim != len(layout):
        raise bad_argument(
            f"`{name}` must have rank {len(layout)} for the layout {layout}, not {x.ndim}", argument=name
        )
    return tuple([x.shape[axis] for axis in order])


def in_layouts(run: Run, canonical: Sequence[str], layouts: Sequence[str], out_layout: str | None) -> Run:
    """Return `run`, which takes tensors in the canonical layouts and gives one in the first of them, for other layouts.

    The result has the layout of the first tensor unless `out_layout` names another.
    """
    wanted = layouts[0] if out_layout is None else out_layout
    order_of_axes(wanted, canonical[0], "out_layout")
    if (*layouts, wanted) == (*canonical, canonical[0]):
        return run
    orders = [
        [layout.index(letter) for letter in own] for own, layout in zip(canonical, layouts, strict=True)
    ]
    order = [canonical[0].index(letter) for letter in wanted]

    def turned(*tensors: Any) -> Any:
        return run(*[x.transpose(axes) for x, axes in zip(tensors, orders, strict=True)]).transpose(order)

    return turned


def window_extent(extent: int, size: int, stride: int, pad: tuple[int, int], dilation: int, axis: int) -> int:
    """Return how many windows fit on an axis. Raises OpError if none does. [OP.9]"""
    if size < 1:
        raise bad_value(f"the window has extent {size} on axis {axis}", axis=axis)
    there, needed = extent + pad[0] + pad[1], dilation * (size - 1) + 1
    if needed > there:
        raise bad_value(
            f"a window of {needed} does not fit axis {axis}, whose padded extent is {there}", axis=axis
        )
    return (there - needed) // stride + 1


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
