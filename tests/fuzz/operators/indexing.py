"""Operators that read and write by index, and slices."""

from __future__ import annotations

from math import ceil
from typing import Any

from tests.fuzz.operators.drawing import (
    KINDS,
    Arg,
    Call,
    Draw,
    Drawer,
    T,
    axis_of,
    broadcast,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    product,
    replaced,
    same_dtype,
    without,
)


def _indices(source: Draw, dims: Any, kind: str = "integer") -> Arg:
    """Add a tensor of indices, all of them 0."""
    return source.tensor(dims, source.dtype(kind), "zeros")


def _take(source: Draw) -> Call:
    x = source.tensor(source.dims(0 if source.slip() else 1, 3))
    axis = None if x.rank == 1 and source.chance(0.5) else source.axis(x.rank)
    if source.slip(0.1):
        axis = None
    indices = _indices(source, source.dims(0, 2))
    attrs = {} if axis is None else {"axis": axis}
    attrs |= source.some(mode=source.one("fast", "wrap", "clip", "nan"))
    mode = attrs.get("mode", "fast")

    def rule(a: T, b: T) -> T:
        is_kind(b, "integer")
        need(axis is not None or a.rank == 1)
        need(mode != "nan" or a.dtype in KINDS["float"])
        at = axis_of(axis or 0, a.rank)
        shape = (*a.shape[:at], *b.shape, *a.shape[at + 1 :])
        if not a.shape[at] and mode != "nan":
            data(not product(b.shape), "nothing to take")
        return T(shape, a.dtype)

    return call("take", [x, indices], attrs, rule, may_fail=True)


def _gather_elements(source: Draw) -> Call:
    dims = source.dims(0 if source.slip() else 1, 3)
    x = source.tensor(dims)
    axis = source.axis(len(dims))
    other = list(dims)
    if other:
        other[axis if -len(dims) <= axis < len(dims) else 0] = source.dim()
    if other and source.slip(0.3):
        other[source.int(0, len(other) - 1)] = source.dim()
    indices = _indices(source, other)

    def rule(a: T, b: T) -> T:
        is_kind(b, "integer")
        need(a.rank == b.rank)
        at = axis_of(axis, a.rank)
        for place in range(a.rank):
            fits(place == at or b.shape[place] <= a.shape[place])
        data(a.shape[at] > 0 or not product(b.shape))
        return T(b.shape, a.dtype)

    return call("gather_elements", [x, indices], {"axis": axis}, rule, may_fail=True)


def _gather_nd(source: Draw) -> Call:
    dims = source.dims(1, 4)
    x = source.tensor(dims)
    batch = source.int(0, min(1, len(dims) - 1)) if source.chance(0.5) else 0
    depth = source.int(1, len(dims) - batch)
    if source.slip(0.1):
        depth += 3
    lead = [*dims[:batch], *source.dims(0, 1)]
    if source.slip(0.2) and lead:
        lead[0] = source.dim()
    indices = _indices(source, [*lead, number(depth)])
    attrs = {"batch_dims": batch} if batch or source.chance(0.2) else {}

    def rule(a: T, b: T) -> T:
        is_kind(b, "integer")
        need(b.rank > batch and a.rank >= batch)
        fits(a.shape[:batch] == b.shape[:batch])
        deep = b.shape[-1]
        fits(batch + deep <= a.rank)
        data(not product(b.shape) or product(a.shape[batch : batch + deep]) > 0)
        return T((*b.shape[:-1], *a.shape[batch + deep :]), a.dtype)

    return call("gather_nd", [x, indices], attrs, rule, may_fail=True)


def _index_tensor(source: Draw) -> Call:
    dims = source.dims(0 if source.slip() else 1, 4)
    x = source.tensor(dims)
    shape = source.dims(0, 2)
    args = [
        _indices(source, shape if not at else source.broadcastable(shape))
        for at in range(source.int(1, max(1, len(dims))) + source.slip(0.1))
    ]

    def rule(a: T, given: tuple[T, ...]) -> T:
        for one in given:
            is_kind(one, "integer")
        need(len(given) <= a.rank)
        joined = broadcast(*[one.shape for one in given])
        data(not product(joined) or product(a.shape[: len(given)]) > 0)
        return T((*joined, *a.shape[len(given) :]), a.dtype)

    return call("index_tensor", [x, source.tuple(args)], {}, rule, may_fail=True)


def _index_put(source: Draw) -> Call:
    dims = source.dims(1, 3)
    x = source.tensor(dims)
    shape = source.dims(0, 2)
    count = len(dims) if not source.slip(0.2) else source.int(1, 4)
    args = [_indices(source, shape if not at else source.broadcastable(shape)) for at in range(count)]
    dtype = source.dtype() if source.slip(0.1) else source.params[0].dtype
    values = source.tensor(source.dims() if source.slip(0.2) else shape, dtype)
    attrs = source.some(accumulate=source.one(True, False))

    def rule(a: T, given: tuple[T, ...], b: T) -> T:
        for one in given:
            is_kind(one, "integer")
        same_dtype(a, b)
        need(len(given) == a.rank)
        need(a.dtype != "bool" or not attrs.get("accumulate"))
        joined = (*broadcast(*[one.shape for one in given]), *a.shape[len(given) :])
        need(b.rank <= len(joined))
        fits(broadcast(b.shape, joined) == joined)
        data(not product(joined) or product(a.shape) > 0)
        return a

    return call("index_put", [x, source.tuple(args), values], attrs, rule, may_fail=True)


def _one_hot(source: Draw) -> Call:
    indices = _indices(source, source.dims(0, 3))
    depth = 0 if source.slip(0.1) else source.int(1, 4)
    on, off = source.one(("1", "0"), ("1.0", "0.0"), ("5", "-1"))
    attrs = {"depth": depth, **source.some(axis=source.axis(indices.rank + 1))}

    def rule(a: T, _on: Any, _off: Any) -> T:
        is_kind(a, "integer")
        need(depth > 0)
        at = axis_of(attrs.get("axis", -1), a.rank + 1)
        return T((*a.shape[:at], depth, *a.shape[at:]), "float32" if "." in on else "int64")

    return call(
        "one_hot",
        [indices, Arg(on, lambda _: 0), Arg(off, lambda _: 0)],
        attrs,
        rule,
    )


def _strided_slice(source: Draw) -> Call:
    x = source.tensor(source.dims(1, 3))
    count = source.int(0, x.rank)
    places = source.random.sample(range(x.rank), count)
    if source.slip() and places:
        places[0] = source.one(x.rank, -x.rank - 1, places[-1])
    axes = [one - x.rank if source.chance(0.3) and one >= 0 else one for one in places]
    begin = [source.scalar() for _ in range(count + source.slip(0.1))]
    end = [source.one(source.scalar(), Arg("9223372036854775807", lambda _: 2**63 - 1)) for _ in range(count)]
    steps = [source.one(1, 2, -1, -2, 3, 0 if source.slip(0.3) else 1) for _ in range(count)]
    args: list[Arg | None] = [
        x,
        source.tuple([Arg(str(one), lambda _, one=one: one) for one in axes]),  # type: ignore[misc]
        source.tuple(begin),
        source.tuple(end),
    ]
    if source.chance(0.5):
        args.append(source.tuple([Arg(str(one), lambda _, one=one: one) for one in steps]))  # type: ignore[misc]
    else:
        steps = [1] * count

    def rule(a: T, at: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...], _by: Any = None) -> T:
        need(len(at) == len(low) == len(high))
        found = [axis_of(one, a.rank) for one in at]
        need(len(set(found)) == len(found))
        need(0 not in steps)
        shape = list(a.shape)
        for axis, start, stop, step in zip(found, low, high, steps, strict=True):
            shape[axis] = len(range(*slice(start, stop, step).indices(shape[axis])))
        return T(tuple(shape), a.dtype)

    extents = [source.params[0].dims[one].text for one in places if 0 <= one < len(source.params[0].dims)]
    bounds = [one.text for one in (*begin, *end)]
    # Where a bound may be on either side of an end of the axis, the rank is all that is inferred.
    is_loose = any(one.isalpha() for text in (*extents, *bounds) for one in text)
    return call("strided_slice", args, {}, rule, is_loose=is_loose)


def _inbound(source: Draw) -> Call:
    dims = source.dims(1, 3)
    x = source.tensor(dims)
    axis = source.int(0, len(dims) - 1)
    step = source.one(1, 2, -1)
    low, high = source.scalar(-1, 4), source.scalar(-1, 4)

    def rule(a: T, _axes: Any, begin: tuple[int], end: tuple[int], _by: Any) -> T:
        need(axis < a.rank)
        extent = a.shape[axis]
        if step > 0:
            data(0 <= begin[0] <= end[0] <= extent)
        else:
            data(-1 <= end[0] <= begin[0] < extent)
        return T(replaced(a.shape, axis, ceil((end[0] - begin[0]) / step)), a.dtype)

    numbers = [Arg(f"({one},)", lambda _, one=one: (one,)) for one in (axis, step)]  # type: ignore[misc]
    bounds = [source.tuple([low]), source.tuple([high])]
    return call(
        "strided_slice",
        [x, numbers[0], *bounds, numbers[1]],
        {"assume_inbound": True},
        rule,
        is_loose=True,
    )


def _dynamic_slice(source: Draw) -> Call:
    x = source.tensor(source.dims(1, 3))
    extent = number(source.int(0, 4)) if source.slip(0.2) else number(x.rank)
    bounds = [source.tensor([extent], source.dtype("int64"), fill) for fill in ("zeros", "ones", "ones")]

    def rule(a: T, *given: T) -> T:
        for one in given:
            need(one.dtype == "int64" and one.rank == 1)
            fits(one.shape[0] == a.rank)
        return T(tuple([min(1, one) for one in a.shape]), a.dtype)

    return call("dynamic_strided_slice", [x, *bounds], {}, rule, is_loose=True)


def _scatter_elements(source: Draw) -> Call:
    dims = source.dims(0 if source.slip() else 1, 3)
    x = source.tensor(dims)
    axis = source.axis(len(dims))
    other = list(dims)
    if other:
        other[axis if -len(dims) <= axis < len(dims) else 0] = source.dim()
    indices = _indices(source, other)
    updates = source.tensor(
        source.dims() if source.slip() else other,
        source.dtype() if source.slip(0.1) else source.params[0].dtype,
    )
    attrs = source.some(reduction=source.one("update", "add", "mul", "min", "max"))

    def rule(a: T, b: T, c: T) -> T:
        is_kind(b, "integer")
        same_dtype(a, c)
        need(a.dtype != "bool" or attrs.get("reduction", "update") == "update")
        need(a.rank == b.rank == c.rank)
        at = axis_of(axis, a.rank)
        fits(b.shape == c.shape)
        for place in range(a.rank):
            data(place == at or b.shape[place] <= a.shape[place])
        data(a.shape[at] > 0 or not product(b.shape))
        return a

    return call("scatter_elements", [x, indices, updates], {"axis": axis, **attrs}, rule, may_fail=True)


def _scatter_nd(source: Draw) -> Call:
    dims = source.dims(1, 3)
    x = source.tensor(dims)
    depth = source.int(1, len(dims)) + 3 * source.slip(0.1)
    lead = source.dims(0, 2)
    indices = _indices(source, [*lead, number(depth)])
    updates = source.tensor(
        source.dims() if source.slip() else [*lead, *dims[depth:]],
        source.dtype() if source.slip(0.1) else source.params[0].dtype,
    )
    attrs = source.some(reduction=source.one("update", "add", "mul", "min", "max"))

    def rule(a: T, b: T, c: T) -> T:
        is_kind(b, "integer")
        same_dtype(a, c)
        need(a.dtype != "bool" or attrs.get("reduction", "update") == "update")
        need(b.rank > 0)
        deep = b.shape[-1]
        fits(deep <= a.rank)
        wanted = (*b.shape[:-1], *a.shape[deep:])
        need(c.rank == len(wanted))
        fits(c.shape == wanted)
        data(not product(b.shape) or product(a.shape[:deep]) > 0)
        return a

    return call("scatter_nd", [x, indices, updates], attrs, rule, may_fail=True)


def _slice_scatter(source: Draw) -> Call:
    dims = list(source.dims(1, 3))
    axis = source.axis(len(dims))
    at = axis % len(dims)
    low, high, step = source.int(0, 2), source.int(0, 4), source.int(1, 2)
    if source.slip(0.2):
        step = source.one(0, -1)
    dims[at] = number(source.int(max(low, high) - source.slip(0.2), 5))
    x = source.tensor(dims)
    part = list(dims)
    part[at] = number(max(0, -(-(high - low) // max(step, 1))))
    if source.slip(0.2):
        part[source.int(0, len(part) - 1)] = source.dim()
    src = source.tensor(part, source.dtype() if source.slip(0.1) else source.params[0].dtype)

    def rule(a: T, b: T, *_: Any) -> T:
        same_dtype(a, b)
        need(a.rank == b.rank)
        place = axis_of(axis, a.rank)
        need(step > 0)
        fits(without(a.shape, [place]) == without(b.shape, [place]))
        fits(low <= high <= a.shape[place])
        fits(b.shape[place] == ceil((high - low) / step))
        return a

    numbers = [Arg(str(one), lambda _: 0) for one in (low, high, step)]
    return call("slice_scatter", [x, src, *numbers], {"axis": axis}, rule)


def _two(*drawers: Drawer) -> Drawer:
    return lambda source: source.one(*drawers)(source)


DRAWERS: dict[str, Drawer] = {
    "take": _take,
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "index_tensor": _index_tensor,
    "index_put": _index_put,
    "one_hot": _one_hot,
    "strided_slice": _two(_strided_slice, _strided_slice, _inbound),
    "dynamic_strided_slice": _dynamic_slice,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "slice_scatter": _slice_scatter,
}
