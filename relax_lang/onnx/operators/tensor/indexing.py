"""Reading and writing by index."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axes_of, axis_of, imports, known_array
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.values import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

_FAR = 1 << 62
"""From here on the bound of a slice means the end, whatever its direction."""
_END = 10**9
"""No axis has as many elements: it is what exporters write for the end."""


@imports("Gather")
def gather(node: Node) -> Value:
    """Slices by index; negative indices count from the end."""
    b, x, indices = node.builder, node.input(0), node.input(1)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    found = known_array(indices)
    if isinstance(x, Sizes) and not x.scalar and found is not None and found.ndim <= 1:
        length = len(x.items)
        places = [int(one) for one in found.reshape(-1)]
        if any(not -length <= one < length for one in places):
            raise Invalid(f"an index is outside of [{-length}, {length})")
        return Sizes(tuple([x.items[one] for one in places]), scalar=found.ndim == 0, dtype=x.dtype)
    return b.op("take", x, positive(node, indices, x.dims[axis]), axis=axis)


def positive(node: Node, indices: Value, extent: dims.Dim) -> Value:
    """Return indices that count from 0."""
    b = node.builder
    found = known_array(indices)
    if found is not None:
        if not found.size or int(found.min()) >= 0:
            return indices
        length = dims.number(extent)
        if length is not None:
            import numpy as np

            return b.constant(np.where(found < 0, found + length, found), indices.dtype)
        if found.ndim <= 1:
            places = [dims.add(extent, int(one)) if one < 0 else dim(int(one)) for one in found.reshape(-1)]
            return Sizes(tuple(places), scalar=found.ndim == 0, dtype=indices.dtype)
    size = b.cast(Sizes((extent,), scalar=True), indices.dtype)
    zero = b.like(0, indices)
    return b.op("where", b.op("less", indices, zero), b.op("add", indices, size), indices)


@imports("GatherElements")
def gather_elements(node: Node) -> Value:
    """The index replaces one coordinate of each element."""
    x = node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    return node.builder.op("gather_elements", x, node.input(1), axis=axis)


@imports("GatherND")
def gather_nd(node: Node) -> Value:
    """Slices at coordinates, which are the last axis of the indices."""
    return node.builder.op("gather_nd", node.input(0), node.input(1), batch_dims=node.int("batch_dims", 0))


_REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


@imports("Scatter", "ScatterElements")
def scatter_elements(node: Node) -> Value:
    """Elements are written where the indices say, or combined with what is there."""
    x = node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    how = _REDUCTIONS.get(node.string("reduction", "none"), "update")
    return node.builder.op("scatter_elements", x, node.input(1), node.input(2), axis=axis, reduction=how)


@imports("ScatterND")
def scatter_nd(node: Node) -> Value:
    """Slices are written at coordinates."""
    how = _REDUCTIONS.get(node.string("reduction", "none"), "update")
    return node.builder.op("scatter_nd", node.input(0), node.input(1), node.input(2), reduction=how)


@imports("Slice")
def slice_(node: Node) -> Value:
    """Bounds are clamped as Python does; attributes before opset 10."""
    b, x = node.builder, node.input(0)
    rank = len(x.dims)
    if node.opset < 10:
        starts, ends = node.ints("starts") or [], node.ints("ends") or []
        axes: list[int] | None = node.ints("axes")
        steps: list[int] | None = None
        bounds = tuple([dim(one) for one in starts]), tuple([dim(one) for one in ends])
    else:
        axes, steps = node.known_ints(3, "the axes"), None
        found = b.known_sizes(node.input(1)), b.known_sizes(node.input(2))
        given = node.optional(4)
        known = None if given is None else known_array(given)
        first, last = found
        if first is None or last is None or (given is not None and known is None):
            return _slice_by_data(node, axes)
        steps = None if known is None else [int(one) for one in known.reshape(-1)]
        bounds = first, last
    axes = axes_of(list(range(len(bounds[0]))) if axes is None else axes, rank)
    steps = steps or [1] * len(axes)
    if isinstance(x, Sizes) and not x.scalar:
        numbers = dims.numbers([bounds[0][0], bounds[1][0]])
        if numbers is not None:
            return Sizes(x.items[numbers[0] : _python_end(numbers[1], steps[0]) : steps[0]], dtype=x.dtype)
    begins = [
        _clamped(one, x.dims[axis], step, first=True)
        for one, axis, step in zip(bounds[0], axes, steps, strict=True)
    ]
    ends_ = [
        _clamped(one, x.dims[axis], step, first=False)
        for one, axis, step in zip(bounds[1], axes, steps, strict=True)
    ]
    kept = [
        at
        for at, axis in enumerate(axes)
        if not (steps[at] == 1 and dims.number(begins[at]) == 0 and dims.equal(ends_[at], x.dims[axis]))
    ]
    if not kept:
        return x
    return b.slice(
        x,
        [axes[at] for at in kept],
        [begins[at] for at in kept],
        [ends_[at] for at in kept],
        [steps[at] for at in kept],
    )


def _python_end(end: int, step: int) -> int | None:
    return None if step < 0 and end < -_FAR else end


def _clamped(bound: dims.Dim, extent: dims.Dim, step: int, *, first: bool) -> dims.Dim:
    """Return a bound within an axis: beyond its end it is the end; of a length that is known all are numbers."""
    value, length = dims.number(bound), dims.number(extent)
    if value is None:
        return bound
    if length is not None and step > 0:
        return dim(min(max(value + length if value < 0 else value, 0), length))
    if value >= _FAR or (value >= _END and step > 0):
        return extent if step > 0 else dims.sub(extent, 1)
    if value < 0 and step > 0 and dims.not_below(extent, -value):
        return dims.add(extent, value)
    if first or value >= -_FAR:
        return bound
    return dim(-(2**31)) if length is None else dim(-length - 1)


def _slice_by_data(node: Node, axes: list[int] | None) -> Value:
    """Slice by tensors: bounds of all axes in one tensor each."""
    b, x = node.builder, node.input(0)
    rank = len(x.dims)
    length = dims.number(node.input(1).dims[0])
    if length is None:
        raise Refused("the number of its bounds follows from data")
    axes = axes_of(list(range(length)) if axes is None else axes, rank)
    places = b.constant(axes, "int64")
    begin = _into(node, b.constant([0] * rank, "int64"), places, b.cast(node.input(1), "int64"))
    end = _into(node, Sizes(x.dims), places, b.cast(node.input(2), "int64"))
    step = node.optional(4)
    strides: Value = b.constant([1] * rank, "int64")
    if step is not None:
        strides = _into(node, strides, places, b.cast(step, "int64"))
    sliced = set(axes)
    shape = [None if at in sliced else one for at, one in enumerate(x.dims)]
    return b.op("dynamic_strided_slice", x, begin, end, strides, dims=shape)


def _into(node: Node, default: Value, places: Value, values: Value) -> Value:
    found = known_array(values), known_array(default), known_array(places)
    if len(default.dims) == len(values.dims) and found[2] is not None:
        rank = dims.number(default.dims[0])
        if list(found[2]) == list(range(rank or 0)):
            return values
    return node.builder.op("scatter_elements", default, places, values, axis=0)


@imports("Compress")
def compress(node: Node) -> Value:
    """The slices whose flag is set."""
    b, x, flags = node.builder, node.input(0), node.input(1)
    if "axis" in node.definition.attrs:
        axis = axis_of(node.int("axis"), len(x.dims))
    else:
        x, axis = b.reshape(x, [dims.product(x.dims)]), 0
    places = b.op("nonzero", flags, dims=[dim(1), None])
    return b.op("take", x, b.reshape(places, [places.dims[1]]), axis=axis)


@imports("NonZero")
def nonzero(node: Node) -> Value:
    """The coordinates of all elements that are not 0."""
    x = node.input(0)
    return node.builder.op("nonzero", x, dims=[dim(max(len(x.dims), 1)), None])


@imports("Unique")
def unique(node: Node) -> list[Value]:
    """The distinct elements or slices, their first places, the place of each element, and how often each occurs."""
    b, x = node.builder, node.input(0)
    in_order = bool(node.int("sorted", 1))
    axis = dim(axis_of(node.int("axis"), len(x.dims))) if "axis" in node.definition.attrs else None
    if axis is None:
        x = b.reshape(x, [dims.product(x.dims)]) if len(x.dims) != 1 else x
    flags = [in_order, True, True, True]
    made: list[Value] = b.op("unique", x, *flags, axis)
    return made[: max(node.n_outputs, 1)]


@imports("TensorScatter")
def tensor_scatter(node: Node) -> Value:
    """Rows are written into a cache from a place on that each batch has of its own."""
    b = node.builder
    cache, update = node.input(0), node.input(1)
    axis = axis_of(node.int("axis", -2), len(cache.dims))
    count = update.dims[axis]
    rank = len(cache.dims)
    steps = b.reshape(b.arange(count), [count, *[1] * (rank - axis - 1)])
    places: Value = steps
    if node.given(2):
        start = b.reshape(b.cast(node.input(2), "int64"), [cache.dims[0], *[1] * (rank - 1)])
        places = b.op("add", start, steps)
    if node.string("mode", "linear") == "circular":
        places = b.op("floor_mod", places, Sizes((cache.dims[axis],), scalar=True))
    places = b.op("broadcast_to", places, update.dims)
    return b.op("scatter_elements", cache, places, update, axis=axis)
