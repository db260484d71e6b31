"""Arithmetic of views of buffers: shapes, and the indices of an element by its number."""

from __future__ import annotations

from relax_lang.base.node import same
from relax_lang.syntax import tree


def is_zero(node: tree.PrimExpr) -> bool:
    """Return whether an index is 0."""
    return isinstance(node, tree.IntImm) and node.value == 0


def is_same_shape(left: tuple[tree.PrimExpr, ...], right: tuple[tree.PrimExpr, ...]) -> bool:
    """Return whether two shapes are written alike."""
    return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))


def count(shape: tuple[tree.PrimExpr, ...]) -> int | None:
    """Return how many elements a buffer has, if its sizes are numbers."""
    total = 1
    for size in shape:
        if not isinstance(size, tree.IntImm):
            return None
        total *= size.value
    return total


def element(number: int, shape: tuple[tree.PrimExpr, ...], span: tuple[int, int]) -> list[tree.PrimExpr]:
    """Return the indices of an element of a buffer whose sizes are numbers."""
    indices: list[tree.PrimExpr] = []
    for size in reversed(shape):
        assert isinstance(size, tree.IntImm)
        number, at = divmod(number, size.value)
        indices.insert(0, tree.IntImm(at, None, str(at), *span))
    return indices


def unravelled(
    linear: tree.PrimExpr, shape: tuple[tree.PrimExpr, ...], span: tuple[int, int]
) -> list[tree.RegionIndex]:
    """Return the indices of an element by its number."""
    indices: list[tree.RegionIndex] = []
    step = 1
    for axis in range(len(shape) - 1, -1, -1):
        size = shape[axis]
        assert isinstance(size, tree.IntImm)
        one = linear
        if step > 1:
            one = tree.FloorDiv(linear, tree.IntImm(step, None, str(step), *span), *span)
        if axis > 0:
            one = tree.FloorMod(one, tree.IntImm(size.value, None, str(size.value), *span), *span)
        indices.insert(0, one)
        step *= size.value
    return indices
