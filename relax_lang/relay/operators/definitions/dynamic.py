"""Operators whose shapes are in tensors: `dyn.*`, and slices that are written into. [R.33] [R.34]

The sizes are computed by operators on integers and become extents by `tensor_to_shape`, which names them.
"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, Refused, declare
from relax_lang.relay.operators.dims import (
    MOST_AXES,
    axis_of,
    cast,
    element,
    extent,
    ints,
    positions,
    ranked,
    reshaped,
    times,
)
from relax_lang.relay.operators.relations import by_lowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.relay.operators.core import Dim, Emitter, Value

FAR = 2**63 - 1


def _length(to: Emitter, vector: Value, name: str, argument: int) -> int:
    """Return the length of a tensor of rank 1, which is the rank of something else."""
    (count,) = ranked(to, vector, 1, name, argument)
    if not isinstance(count, int):
        raise NotLowered(f"the length of `{name}`, which is a rank, has to be known")
    return count


def _sizes(to: Emitter, vector: Value, name: str, argument: int) -> list[Dim]:
    count = _length(to, vector, name, argument)
    return to.extents(cast(to, vector, "int64"), count)


def _own_shape(to: Emitter, data: Value) -> Value:
    """Return the shape of a tensor as an int64 tensor of rank 1."""
    return to.call("shape_to_tensor", to.call("shape_of", data))


def _part(to: Emitter, vector: Value, begin: int, end: int) -> Value:
    return to.call("strided_slice", vector, *[to.prims([one]) for one in (0, begin, end, 1)])


def _reshape(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """0 copies the extent at its place, -1 is what is left over."""
    data, wanted = args
    count, rank = _length(to, wanted, "newshape", 1), len(to.dims(data))
    one, rest = to.const(1, "int64"), to.const(-1, "int64")
    codes, own = cast(to, wanted, "int64"), _own_shape(to, data)
    total = to.call("prod", own)
    if not attrs["allowzero"] and rank and count:
        aligned = own
        if rank < count:
            aligned = to.call("concat", to.fields([own, to.const([0] * (count - rank), "int64")]))
        elif rank > count:
            aligned = _part(to, own, 0, count)
        codes = to.call("where", to.call("equal", codes, to.const(0, "int64")), aligned, codes)
    inferred = to.call("equal", codes, rest)
    others = to.call("prod", to.call("where", inferred, one, codes))
    left = to.call("floor_divide", total, to.call("maximum", others, one))
    sizes = to.call("where", inferred, left, codes)
    return reshaped(to, data, to.extents(sizes, count))


def _broadcast_to(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("broadcast_to", args[0], to.shape(_sizes(to, args[1], "shape", 1)))


def _collapse_sum_to(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    return to.call("collapse_sum_to", args[0], to.shape(_sizes(to, args[1], "shape", 1)))


def _tile(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, reps = args
    counts, own = _sizes(to, reps, "reps", 1), to.dims(data)
    rank = max(len(counts), len(own))
    counts = [1] * (rank - len(counts)) + counts
    own = [1] * (rank - len(own)) + own
    apart = reshaped(to, data, [dim for one in own for dim in (1, one)])
    pairs = list(zip(counts, own, strict=True))
    more = to.call("broadcast_to", apart, to.shape([dim for pair in pairs for dim in pair]))
    return reshaped(to, more, [times(count, one) for count, one in pairs])


declare(
    "dyn.reshape",
    "data newshape",
    "newshape: any? = None, allowzero: bool = 0",
    relation=by_lowering,
    lower=_reshape,
)
declare(
    "dyn.broadcast_to",
    "data shape",
    'shape: any? = None, dtype: str = ""',
    relation=by_lowering,
    lower=_broadcast_to,
)
declare(
    "collapse_sum_to",
    "data shape",
    'shape: any? = None, dtype: str = ""',
    relation=by_lowering,
    lower=_collapse_sum_to,
)
declare("dyn.tile", "data reps", "reps: any? = None", relation=by_lowering, lower=_tile)


def _filled(name: str) -> Callable[..., Value]:
    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        sizes = _sizes(to, args[0], "shape", 0)
        return to.call(name, to.shape(sizes), dtype=attrs["dtype"] or "float32")

    return lower


def _full(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    sizes = _sizes(to, args[1], "shape", 1)
    return to.call("full", to.shape(sizes), args[0], dtype=attrs["dtype"] or to.dtype(args[0]))


_INIT = 'shape: any? = None, dtype: str = ""'
declare("dyn.zeros", "shape", _INIT, relation=by_lowering, lower=_filled("zeros"))
declare("dyn.ones", "shape", _INIT, relation=by_lowering, lower=_filled("ones"))
declare("dyn.full", "fill_value shape", _INIT, relation=by_lowering, lower=_full)


def _expand_dims(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """The axis is data, so the new shape is computed: places before it, ones, places after it."""
    data, axis = args
    count, rank = attrs["num_newaxis"], len(to.dims(data))
    if not 0 <= count <= MOST_AXES:
        raise Refused(f"`num_newaxis` is 0 to {MOST_AXES}", attribute="num_newaxis", rule="attribute_value")
    own = to.call("concat", to.fields([_own_shape(to, data), to.const([1], "int64")]))
    at = cast(to, reshaped(to, axis, []), "int64")
    behind = to.call("add", at, to.const(rank + 1, "int64"))
    at = to.call("where", to.call("less", at, to.const(0, "int64")), behind, at)
    place = positions(to, rank + count)
    after = to.call("subtract", place, to.const(count, "int64"))
    inside = to.call("less", place, to.call("add", at, to.const(count, "int64")))
    source = to.call("where", inside, to.const(rank, "int64"), after)
    source = to.call("where", to.call("less", place, at), place, source)
    return reshaped(to, data, to.extents(to.call("take", own, source, axis=0), rank + count))


def _squeeze(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """The axes that stay come first in the order of `place + rank * dropped`."""
    data, axes = args
    count, rank = _length(to, axes, "axis", 1), len(to.dims(data))
    if count > rank:
        raise Refused(f"`axis` has {count} elements, and `data` has {rank} axes", argument=1)
    size = to.const(rank, "int64")
    given = to.call("floor_mod", cast(to, axes, "int64"), size)
    place = positions(to, rank)
    equal = to.call("equal", reshaped(to, place, [rank, 1]), reshaped(to, given, [1, count]))
    dropped = to.call("max", cast(to, equal, "int64"), axis=[1])
    order = to.call("argsort", to.call("add", place, to.call("multiply", dropped, size)), dtype="int64")
    kept = _part(to, order, 0, rank - count)
    return reshaped(to, data, to.extents(to.call("take", _own_shape(to, data), kept, axis=0), rank - count))


declare("dyn.expand_dims", "data axis", "num_newaxis: int = 1", relation=by_lowering, lower=_expand_dims)
declare("dyn.squeeze", "data axis", "axis: any? = None", relation=by_lowering, lower=_squeeze)


def _strided_slice(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data = args[0]
    names = ("begin", "end", "strides")
    counts = [
        _length(to, one, name, 1 + at) for at, (one, name) in enumerate(zip(args[1:], names, strict=True))
    ]
    rank = len(to.dims(data))
    axes = (
        list(range(counts[0]))
        if attrs["axes"] is None
        else [axis_of(one, rank, "axes") for one in ints(attrs["axes"])]
    )
    if len(set(counts)) > 1 or len(axes) != counts[0] or counts[0] > rank:
        message = f"`begin`, `end` and `strides` have {counts[0]}, {counts[1]} and {counts[2]} elements"
        raise Refused(f"{message}, for {len(axes)} of {rank} axes", argument=1)
    begin, end, strides = [cast(to, one, "int64") for one in args[1:]]
    if attrs["slice_mode"] == "size":
        zero = to.const(0, "int64")
        end = to.call("where", to.call("less", end, zero), to.const(FAR, "int64"), to.call("add", begin, end))
        strides = to.call("ones_like", strides)
    if axes != list(range(rank)):
        begin, end, strides = [
            _on_all_axes(to, one, axes, rank, filler)
            for one, filler in ((begin, 0), (end, FAR), (strides, 1))
        ]
    return to.call("dynamic_strided_slice", data, begin, end, strides)


def _on_all_axes(to: Emitter, vector: Value, axes: list[int], rank: int, filler: int) -> Value:
    """Return a vector over some axes as one over all axes."""
    parts = [
        _part(to, vector, axes.index(axis), axes.index(axis) + 1)
        if axis in axes
        else to.const([filler], "int64")
        for axis in range(rank)
    ]
    return to.call("concat", to.fields(parts))


declare(
    "dyn.strided_slice",
    "data begin end strides",
    'begin: any? = None, end: any? = None, strides: any? = None, slice_mode: str = "end", axes: ints? = None',
    relation=by_lowering,
    lower=_strided_slice,
)


def _topk(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    data, k = args
    dims = to.dims(data)
    axis = axis_of(attrs["axis"], len(dims))
    count = cast(to, reshaped(to, k, [1]), "int64")
    most = extent(to, dims[axis])
    limited = to.call("minimum", count, most)
    count = to.call("where", to.call("less", count, to.const(1, "int64")), most, limited)
    (size,) = to.extents(count, 1)
    order = {"axis": axis, "descending": not attrs["is_ascend"]}
    parts = [to.prims([one]) for one in (axis, 0, size, 1)]
    made: list[Value] = []
    if attrs["ret_type"] != "indices":
        made.append(to.call("strided_slice", to.call("sort", data, **order), *parts))
    if attrs["ret_type"] != "values":
        indices = to.call("argsort", data, dtype=attrs["dtype"] or "int32", **order)
        made.append(to.call("strided_slice", indices, *parts))
    return made[0] if len(made) == 1 else to.fields(made)


declare(
    "dyn.topk",
    "data k",
    'k: any? = None, axis: int = -1, ret_type: str = "both", is_ascend: bool = False, dtype: str = ""',
    relation=by_lowering,
    lower=_topk,
)


def one_hot(to: Emitter, args: Sequence[Value], depth: Dim, axis: int, dtype: str) -> Value:
    """Return `on` where the position on a new axis is the index, and `off` elsewhere."""
    indices, on, off = args
    rank = len(to.dims(indices))
    axis = axis_of(axis, rank + 1)
    place = positions(to, depth, to.dtype(indices))
    place = reshaped(to, place, [depth, *[1] * (rank - axis)])
    hit = to.call("equal", to.call("expand_dims", indices, axis=[axis]), place)
    return cast(to, to.call("where", hit, on, off), dtype or to.dtype(on))


def _one_hot(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    (depth,) = to.extents(cast(to, reshaped(to, args[3], [1]), "int64"), 1)
    return one_hot(to, args[:3], depth, attrs["axis"], attrs["dtype"])


declare(
    "dyn.one_hot",
    "indices on_value off_value depth",
    'depth: int = 1, axis: int = -1, dtype: str = ""',
    relation=by_lowering,
    lower=_one_hot,
)


def _strided_set(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Each element of `v` has its place on an axis: `begin + stride * index`."""
    data, value, begin, _, strides = args
    own, new = to.dims(data), to.dims(value)
    rank = len(own)
    if len(new) != rank:
        raise Refused(f"`v` has {len(new)} axes, and `data` has {rank}", argument=1)
    given = min(_length(to, begin, "begin", 2), _length(to, strides, "strides", 4))
    zero = to.const(0, "int64")
    places: list[Value] = []
    for axis in range(rank):
        place = positions(to, new[axis])
        if axis < given:
            size = extent(to, own[axis])
            first, step = [cast(to, element(to, one, axis), "int64") for one in (begin, strides)]
            counted = to.call("where", to.call("less", first, zero), to.call("add", first, size), first)
            last = to.call("subtract", size, to.const(1, "int64"))
            inside = to.call("maximum", to.call("minimum", counted, last), zero)
            place = to.call("add", inside, to.call("multiply", place, step))
        places.append(reshaped(to, place, [new[axis] if one == axis else 1 for one in range(rank)]))
    return to.call("index_put", data, to.fields(places), value)


declare("strided_set", "data v begin end strides", relation=by_lowering, lower=_strided_set)
