"""Checks of shapes and axes for kernels. Errors name the axis and both extents. Each raises OpError."""

from __future__ import annotations

from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.errors import (
    bad_argument,
    bad_axis,
    bad_shape,
    bad_value,
    different_dtypes,
    same_axis,
    too_large,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Shape = tuple[int, ...]


MOST_ELEMENTS = 1 << 56
"""The largest number of elements: NumPy cannot count the bytes of more, and no machine has them."""


def one_axis(axis: int, ndim: int) -> int:
    """Return an axis counted from the front. [OP.5]"""
    if not -ndim <= axis < ndim:
        raise bad_axis(axis, -ndim, ndim - 1)
    return axis + ndim if axis < 0 else axis


def many_axes(axes: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front; all of them for None, none of them for an empty list. [OP.5]"""
    if axes is None:
        return tuple(range(ndim))
    if isinstance(axes, int):
        return (one_axis(axes, ndim),)
    if len(axes) == 1:
        return (one_axis(axes[0], ndim),)
    found: list[int] = []
    for axis in axes:
        at = one_axis(axis, ndim)
        if at in found:
            raise same_axis(axis)
        found.append(at)
    return tuple(found)


def broadcast(left: Shape, right: Shape, names: Sequence[str] = ("x1", "x2")) -> Shape:
    """Return the shape that two shapes broadcast to, aligned at the last axis. [OP.6] [OP.9]"""
    if left == right:
        return left
    n = max(len(left), len(right))
    result: list[int] = []
    for axis in range(n):
        a = left[axis - n + len(left)] if axis >= n - len(left) else 1
        b = right[axis - n + len(right)] if axis >= n - len(right) else 1
        if a != b and 1 not in (a, b):
            shown = axis if len(left) == len(right) else axis - n
            reason = f"axis {shown} is {a} in `{names[0]}` and {b} in `{names[1]}`"
            raise bad_shape(left, right, reason)
        result.append(b if a == 1 else a)
    return tuple(result)


def same_extents(left: Shape, right: Shape, names: Sequence[str], skip: Sequence[int] = ()) -> None:
    """Require two shapes to be the same, but for the axes in `skip`. [OP.9]"""
    if len(left) != len(right):
        reason = f"`{names[0]}` has rank {len(left)}, `{names[1]}` has rank {len(right)}"
        raise bad_shape(left, right, reason)
    for axis, (a, b) in enumerate(zip(left, right, strict=True)):
        if a != b and axis not in skip:
            raise bad_shape(left, right, f"axis {axis} is {a} in `{names[0]}` and {b} in `{names[1]}`")


def same_dtype(left: Any, right: Any, names: Sequence[str] = ("x1", "x2")) -> None:
    """Require two tensors to have one dtype. [OP.7]"""
    if left.dtype != right.dtype:
        raise different_dtypes(name_of(left.dtype), name_of(right.dtype), names)


def at_least(x: Any, ndim: int, name: str) -> None:
    """Require a tensor to have some rank at least. [OP.3]"""
    if x.ndim < ndim:
        raise bad_argument(f"`{name}` must have rank {ndim} or more, not {x.ndim}", argument=name)


def sizes(shape: Shape, name: str = "shape") -> Shape:
    """Require every extent of a shape to be a size. [OP.9]"""
    if shape and min(shape) < 0:
        axis, extent = next((axis, extent) for axis, extent in enumerate(shape) if extent < 0)
        raise bad_value(f"axis {axis} of `{name}` is {extent}; a size is never negative", axis=axis)
    if elements(shape) > MOST_ELEMENTS:
        raise too_large(shape)
    return shape


def elements(shape: Shape) -> int:
    """Return the number of elements of a tensor of that shape."""
    count = 1
    for extent in shape:
        count *= extent
    return count


def along(axis: int, index: Any) -> tuple[Any, ...]:
    """Return the NumPy index that takes `index` on one axis and everything of the axes before it."""
    return (slice(None),) * axis + (index,)
