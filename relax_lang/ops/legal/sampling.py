"""What resizing and sampling share: which elements are mixed, with which weights, as tables of a row per neighbour.

A table of one axis has the shape (neighbours, places…): for every neighbour and place of the result, where the element
is in the source, and what it counts. A result is then the sum over the neighbours of all axes.
"""

from __future__ import annotations

from relax_lang import te
from relax_lang.te.tensor import compute
from relax_lang.topi.core import FLOAT32, INT64, is_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor

    Dims = tuple[Expr, ...]


class Table:
    """One axis: `place` has the indices in the source, `weight` the weights, both (neighbours, places…)."""

    __slots__ = ("count", "place", "weight")

    def __init__(self, place: Tensor, weight: Tensor, count: int) -> None:
        self.place = place
        self.weight = weight
        self.count = count


def if_single(extent: Expr, a: Expr, b: Expr) -> Expr:
    """Return `a` for an axis of one element and `b` for others; decided at once where the extent is known."""
    known = is_same(extent, 1)
    return te.select(extent == 1, a, b) if known is None else (a if known else b)


def clipped(where: Expr, extent: Expr) -> Expr:
    """Bring a whole place into 0 … extent - 1; floats stay floats."""
    assert where.dtype is not None
    last = te.cast(extent, where.dtype) - te.const(1, where.dtype)
    return te.minimum(te.maximum(where, te.const(0, where.dtype)), last)


def cubic_weight(tap: Expr, share: Expr, alpha: float, dtype: str) -> Expr:
    """Return the weight of neighbour 0 … 3 of a place `share` behind neighbour 1: the cubic kernel of `alpha`."""
    one, number = te.const(1, dtype), te.cast(tap, dtype)
    ahead = te.select(tap < 2, share + (one - number), (number - one) - share)
    a = te.const(alpha, dtype)
    two, three, four, five, eight = (te.const(value, dtype) for value in (2, 3, 4, 5, 8))
    near = ((a + two) * ahead - (a + three)) * ahead * ahead + one
    far = ((a * ahead - five * a) * ahead + eight * a) * ahead - four * a
    return te.select((tap == 0) | (tap == 3), far, near)


def linear_weight(tap: Expr, share: Expr, dtype: str) -> Expr:
    """Return the weight of neighbour 0 or 1 of a place `share` behind neighbour 0."""
    return te.select(tap == 0, te.const(1, dtype) - share, share)


def resized(x: Tensor, axis: int, extent: Expr, where: Tensor, attrs: dict[str, Any]) -> Tensor:
    """Return a tensor with one axis resized; `where` has the coordinate in the source of each place of the result."""
    source = x.shape[axis]
    shape = (*x.shape[:axis], extent, *x.shape[axis + 1 :])
    if attrs["method"] == "nearest_neighbor":
        rounded = _ROUND[_rounding(attrs)]

        def place(at: Expr) -> Expr:
            return te.cast(clipped(rounded(where[at]), source), INT64)

        def nearest(*at: Expr) -> Expr:
            return x[(*at[:axis], index[at[axis]], *at[axis + 1 :])]

        index = compute((extent,), place, "place")
        return compute(shape, nearest, "resized")
    table = _mixed(source, extent, where, attrs)
    tap = te.reduce_axis(table.count, "tap")

    def mixed(*at: Expr) -> Any:
        element = x[(*at[:axis], table.place[tap, at[axis]], *at[axis + 1 :])]
        return te.sum(te.cast(element, FLOAT32) * table.weight[tap, at[axis]], axis=tap)

    return compute(shape, mixed, "resized")


def coordinates(source: Expr, target: Expr, mode: str, region: tuple[float, float]) -> Tensor:
    """Return the float32 coordinate in the source of each place of the result."""

    def each(at: Expr) -> Expr:
        return _coordinate(at, source, target, mode, region)

    return compute((target,), each, "where")


def _coordinate(place: Expr, source: Expr, target: Expr, mode: str, region: tuple[float, float]) -> Expr:
    dtype = FLOAT32
    at, from_, to = te.cast(place, dtype), te.cast(source, dtype), te.cast(target, dtype)
    zero, one, half = te.const(0, dtype), te.const(1, dtype), te.const(0.5, dtype)
    if mode == "align_corners":
        return at * ((from_ - one) / te.maximum(one, to - one))
    if mode == "tf_crop_and_resize":
        start, end = te.const(region[0], dtype), te.const(region[1], dtype)
        middle = half * (start + end) * (from_ - one)
        step = (end - start) * (from_ - one) / te.maximum(one, to - one)
        return if_single(target, middle, start * (from_ - one) + at * step)
    scale = from_ / to
    if mode == "asymmetric":
        return at * scale
    if mode == "tf_half_pixel_for_nn":
        return (at + half) * scale
    centred = (at + half) * scale - half
    return if_single(target, zero, centred) if mode == "pytorch_half_pixel" else centred


def _rounding(attrs: dict[str, Any]) -> str:
    usual = "round" if attrs["coordinate_transformation_mode"] == "align_corners" else "floor"
    return attrs["rounding_method"] or usual


def _shifted(of: Callable[[Expr], Expr], by: float) -> Callable[[Expr], Expr]:
    return lambda where: of(where + te.const(by, FLOAT32))


_ROUND: dict[str, Callable[[Expr], Expr]] = {
    "round": te.nearbyint,
    "round_prefer_floor": _shifted(te.ceil, -0.5),
    "round_prefer_ceil": _shifted(te.floor, 0.5),
    "floor": _shifted(te.floor, 1e-5),
    "ceil": _shifted(te.ceil, -1e-5),
}
"""How `rounding_method` chooses a place; the small amounts keep a coordinate that should be whole from falling to the
other side."""


def _mixed(source: Expr, extent: Expr, where: Tensor, attrs: dict[str, Any]) -> Table:
    is_linear = attrs["method"] == "linear"
    count, before = (2, 0) if is_linear else (4, 1)
    shape = (te.const(count, INT64), extent)

    def neighbour(tap: Expr, at: Expr) -> Expr:
        return te.cast(te.floor(where[at]), INT64) + (tap - before if before else tap)

    def weight(tap: Expr, at: Expr) -> Expr:
        share = where[at] - te.floor(where[at])
        if is_linear:
            return linear_weight(tap, share, FLOAT32)
        found = cubic_weight(tap, share, attrs["cubic_alpha"], FLOAT32)
        if not attrs["cubic_exclude"]:
            return found
        element = neighbour(tap, at)
        return te.select((element >= 0) & (element < source), found, te.const(0, FLOAT32))

    def place(tap: Expr, at: Expr) -> Expr:
        return clipped(neighbour(tap, at), source)

    places = compute(shape, place, "place")
    weights = compute(shape, weight, "weight")
    if is_linear or not attrs["cubic_exclude"]:
        return Table(places, weights, count)
    every = te.reduce_axis(count, "every")

    def sum_of_all(at: Expr) -> Any:
        return te.sum(weights[every, at], axis=every)

    def normalized(tap: Expr, at: Expr) -> Expr:
        return weights[tap, at] / total[at]

    total = compute((extent,), sum_of_all, "total")
    return Table(places, compute(shape, normalized, "share"), count)


class Sampler:
    """How the places of a grid are read from an image, in one of the ways to go on outside of it."""

    __slots__ = ("align_corners", "dtype", "method", "padding")

    def __init__(self, attrs: dict[str, Any], dtype: str) -> None:
        self.padding: str = attrs["padding_mode"]
        self.align_corners: bool = attrs["align_corners"]
        self.method: str = attrs["method"]
        self.dtype = dtype

    def table(self, grid: Tensor, number: int, extent: Expr) -> Table:
        """Return the neighbours along an axis that coordinate `number` of a grid (n, axes, places…) names."""

        def place(batch: Expr, *at: Expr) -> Expr:
            return self._place(grid[(batch, te.const(number, INT64), *at)], extent)

        where = compute((grid.shape[0], *grid.shape[2:]), place, "where")
        count, before = {"nearest": (1, 0), "bilinear": (2, 0), "bicubic": (4, 1)}[self.method]
        shape = (te.const(count, INT64), *where.shape)
        dtype = self.dtype
        if self.method != "bicubic":
            where = self._inside(where, extent)

        def neighbour(tap: Expr, *at: Expr) -> Expr:
            if self.method == "nearest":
                return te.nearbyint(where[at])
            return te.floor(where[at]) + te.cast(tap - before if before else tap, dtype)

        found = compute(shape, neighbour, "neighbour")
        if self.method == "bicubic":  # two neighbours may be outside, wherever the place is
            moved = self._inside(found, extent)
            found = compute(shape, lambda *at: te.nearbyint(moved[at]), "neighbour")

        def index(*at: Expr) -> Expr:
            known = te.select(te.isnan(found[at]), te.const(0, dtype), clipped(found[at], extent))
            return te.cast(known, INT64)

        def weight(tap: Expr, *at: Expr) -> Expr:
            one, near = te.const(1, dtype), found[(tap, *at)]
            valid = (near >= te.const(0, dtype)) & (near <= te.cast(extent, dtype) - one)
            counted = te.select(valid, one, te.const(0, dtype))
            if self.method == "nearest":
                return counted
            share = where[at] - te.floor(where[at])
            if self.method == "bilinear":
                return counted * linear_weight(tap, share, dtype)
            return counted * cubic_weight(tap, share, -0.75, dtype)

        return Table(compute(shape, index, "place"), compute(shape, weight, "weight"), count)

    def _place(self, coordinate: Expr, extent: Expr) -> Expr:
        """Turn -1 … 1 into places counted in elements."""
        given, size = te.cast(coordinate, self.dtype), te.cast(extent, self.dtype)
        one, two = te.const(1, self.dtype), te.const(2, self.dtype)
        if self.align_corners:
            return (given + one) * (size - one) / two
        return ((given + one) * size - one) / two

    def _inside(self, where: Tensor, extent: Expr) -> Tensor:
        """Bring places into the image, unless there are zeros outside of it."""
        if self.padding == "zeros":
            return where
        known = self._mirrored(where, extent) if self.padding == "reflection" else where
        return compute(where.shape, lambda *at: clipped(known[at], extent), "inside")

    def _mirrored(self, where: Tensor, extent: Expr) -> Tensor:
        """Reflect places at the edges, as often as it takes."""
        size, edge = te.cast(extent, self.dtype), 0.0 if self.align_corners else 0.5
        below, high = te.const(edge, self.dtype), size - te.const(1 - edge, self.dtype)
        span = size - te.const(1, self.dtype) if self.align_corners else size
        offset = compute(where.shape, lambda *at: te.abs(where[at] + below if edge else where[at]), "offset")
        turns = compute(where.shape, lambda *at: te.floor(offset[at] / span), "turns")
        zero, two = te.const(0, self.dtype), te.const(2, self.dtype)

        def each(*at: Expr) -> Expr:
            rest = offset[at] - turns[at] * span
            is_even = turns[at] - two * te.floor(turns[at] / two) == zero
            found = te.select(is_even, rest - below if edge else rest, high - rest)
            return if_single(extent, zero, found) if self.align_corners else found

        return compute(where.shape, each, "mirrored")


def sampled(image: Tensor, tables: list[Table], shape: Dims, dtype: str) -> Tensor:
    """Return weighted sums of elements of an image (n, c, axes…), which tables of (neighbours, n, places…) select."""
    taps = [te.reduce_axis(table.count, "tap") for table in tables]

    def each(batch: Expr, channel: Expr, *at: Expr) -> Any:
        value: Expr | None = None
        for table, tap in zip(tables, taps, strict=True):
            share = table.weight[(tap, batch, *at)]
            value = share if value is None else value * share
        index = [table.place[(tap, batch, *at)] for table, tap in zip(tables, taps, strict=True)]
        assert value is not None
        return te.sum(te.cast(image[(batch, channel, *index)], dtype) * value, axis=tuple(taps))

    return compute(shape, each, "sampled")
