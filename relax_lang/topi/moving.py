"""Elements at other places: transposition, reshaping, joining, cutting, padding, gathering."""

from __future__ import annotations

from relax_lang import te
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import (
    INT64,
    flat_index,
    is_same,
    many_axes,
    one_axis,
    unravelled,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.syntax import tree
    from relax_lang.te.expr import Expr
    from relax_lang.topi.core import Dims


def transpose(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """Turn axes: without `axes` all of them are reversed."""
    order = tuple(reversed(range(x.ndim))) if axes is None else many_axes(axes, x.ndim)
    shape = tuple([x.shape[axis] for axis in order])

    def each(*at: Expr) -> Expr:
        places = dict(zip(order, at, strict=True))
        return x[tuple([places[axis] for axis in range(x.ndim)])]

    return compute(shape, each, "transpose")


def reshape(x: Tensor, shape: Dims) -> Tensor:
    """Take the elements, row by row, in another shape of as many elements."""
    if any(is_same(extent, 0) for extent in x.shape):  # there is none, and no place among none
        return compute(shape, lambda *_: te.const(0, x.dtype), "reshape")
    return compute(shape, lambda *at: x[unravelled(flat_index(at, shape), x.shape)], "reshape")


def concatenate(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Join tensors along an axis."""
    first = tensors[0]
    at_axis = one_axis(axis, first.ndim)
    ends: list[Expr] = []
    total = te.const(0, INT64) * 1
    for each in tensors:
        total = each.shape[at_axis] if not ends else total + each.shape[at_axis]
        ends.append(total)
    shape = (*first.shape[:at_axis], total, *first.shape[at_axis + 1 :])

    def element(*at: Expr) -> Expr:
        place = at[at_axis]

        def of(number: int) -> Expr:
            inner = place if number == 0 else place - ends[number - 1]
            return tensors[number][(*at[:at_axis], inner, *at[at_axis + 1 :])]

        found = of(len(tensors) - 1)
        for number in reversed(range(len(tensors) - 1)):
            found = te.if_then_else(place < ends[number], of(number), found)
        return found

    return compute(shape, element, "concatenate")


def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Join tensors along a new axis."""
    first = tensors[0]
    at_axis = one_axis(axis, first.ndim + 1)
    shape = (*first.shape[:at_axis], te.const(len(tensors), INT64), *first.shape[at_axis:])

    def element(*at: Expr) -> Expr:
        inner = (*at[:at_axis], *at[at_axis + 1 :])
        found = tensors[-1][inner]
        for number in reversed(range(len(tensors) - 1)):
            found = te.if_then_else(at[at_axis] == number, tensors[number][inner], found)
        return found

    return compute(shape, element, "stack")


def strided(x: Tensor, cuts: dict[int, tuple[Expr | int, Expr | int]], shape: Dims) -> Tensor:
    """Return a tensor of a shape, whose place i on an axis is the place `begin + i * step` of `x`."""

    def element(*at: Expr) -> Expr:
        places = [
            place * cuts[axis][1] + cuts[axis][0] if axis in cuts else place for axis, place in enumerate(at)
        ]
        return x[tuple(places)]

    return compute(shape, element, "strided_slice")


def pad(
    x: Tensor, before: Sequence[int], after: Sequence[int], value: Expr, *, inline: bool = False
) -> Tensor:
    """Add a border of one value."""
    shape = tuple([a + extent + b for a, extent, b in zip(before, x.shape, after, strict=True)])

    def element(*at: Expr) -> Expr:
        places = tuple([place - first for place, first in zip(at, before, strict=True)])
        inside: list[Expr] = []
        for place, extent, first, last in zip(places, x.shape, before, after, strict=True):
            if first > 0:
                inside.append(place >= 0)
            if last > 0:
                inside.append(place < extent)
        if not inside:
            return x[places]
        condition = inside[0]
        for one in inside[1:]:
            condition = condition & one
        return te.if_then_else(condition, x[places], value)

    return compute(shape, element, "pad", inline=inline)


def flip(x: Tensor, axis: int) -> Tensor:
    """Reverse an axis."""
    at_axis = one_axis(axis, x.ndim)
    return strided(x, {at_axis: (x.shape[at_axis] - 1, -1)}, x.shape)


def take(x: Tensor, indices: Tensor, axis: int, mode: str = "fast") -> Tensor:
    """Take places along an axis; `mode` is fast (all are inside), wrap or clip."""
    at_axis = one_axis(axis, x.ndim)
    extent = x.shape[at_axis]
    shape = (*x.shape[:at_axis], *indices.shape, *x.shape[at_axis + 1 :])

    def element(*at: Expr) -> Expr:
        place = te.cast(indices[at[at_axis : at_axis + indices.ndim]], INT64)
        if mode == "wrap":
            place = place % extent
        elif mode == "clip":
            place = te.maximum(te.minimum(place, extent - 1), te.const(0, INT64))
        return x[(*at[:at_axis], place, *at[at_axis + indices.ndim :])]

    return compute(shape, element, "take")


def tile(x: Tensor, shape: Dims) -> Tensor:
    """Repeat a tensor until it fills a shape, whose extents are multiples of its own."""
    skipped = len(shape) - x.ndim

    def element(*at: Expr) -> Expr:
        return x[tuple([place % extent for place, extent in zip(at[skipped:], x.shape, strict=True)])]

    return compute(shape, element, "tile")


def one_hot(indices: Tensor, depth: int, on: Expr, off: Expr, axis: int = -1) -> Tensor:
    """Return `on` at the place that an index names on a new axis, `off` elsewhere."""
    at_axis = one_axis(axis, indices.ndim + 1)
    shape = (*indices.shape[:at_axis], te.const(depth, INT64), *indices.shape[at_axis:])

    def element(*at: Expr) -> Expr:
        index = te.cast(indices[(*at[:at_axis], *at[at_axis + 1 :])], INT64)
        return te.select(index == at[at_axis], on, off)

    return compute(shape, element, "one_hot")


def cumulative(x: Tensor, axis: int, dtype: str, *, product: bool = False, exclusive: bool = False) -> Tensor:
    """Return running sums or products along an axis, in `dtype`."""
    st = te.statements
    at_axis = one_axis(axis, x.ndim)
    others = [x.shape[each] for each in range(x.ndim) if each != at_axis]
    start: float = 1 if product else 0

    def body(out: Tensor) -> list[tree.Stmt]:
        def row(*outer: Expr) -> list[tree.Stmt]:
            total, allocated = st.local((), dtype, "total")

            def step(i: Expr) -> list[tree.Stmt]:
                at = (*outer[:at_axis], i, *outer[at_axis:])
                value = te.cast(x[at], dtype)
                more = st.store(total, (), total[()] * value if product else total[()] + value)
                kept = st.store(out, at, total[()])
                return [kept, more] if exclusive else [more, kept]

            return [allocated, st.store(total, (), start), st.loop(x.shape[at_axis], step, "k")]

        return st.grid(others, row)

    return te.extern([(x.shape, dtype)], [x], body, "cumprod" if product else "cumsum")[0]
