"""Struct info rules of the operators that rearrange the elements of one tensor; see `ops.manipulate`."""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.axes import many_axes, one_axis
from relax_lang.ops.shape_rules.shared.dims import add, multiply, number, product, value_of
from relax_lang.ops.shape_rules.shared.extents import (
    ONE,
    at_least_rank,
    below,
    divides,
    expands,
    integer,
    negative,
    quotient,
    same_counts,
    sizes,
    text,
)
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import BOOL, FLOATS, INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.shape_rules.shared.call_info import Inference, Known

    Dim = tree.PrimExpr
    Dims = tuple[Dim, ...]


def broadcast_to(call: Inference) -> tree.StructInfo:
    """Infer `broadcast_to`: the shape that is given. [OP.6]"""
    x, target = call.tensor(0), call.tensor(1)
    if x.rank is not None and target.rank is not None and x.rank > target.rank:
        call.bad_shape(f"`x` has rank {x.rank}, the shape has rank {target.rank}", 0, 1)
    elif x.dims is not None and target.dims is not None:
        axis = expands(call, x.dims, target.dims)
        if axis is not None:
            wanted = text(target.dims[axis + len(target.dims) - len(x.dims)])
            call.bad_shape(f"axis {axis} of `x` is {text(x.dims[axis])}, where {wanted} is wanted", 0, 1)
    if target.dims is not None:
        sizes(call, 1, target.dims)
    return call.like(target, x.dtype)


def expand_dims(call: Inference) -> tree.StructInfo:
    """Infer `expand_dims`: more axes of extent 1; `axis` counts in the result. [OP.5]"""
    x, axis = call.tensor(0), call.attrs["axis"]
    count = 1 if isinstance(axis, int) else len(axis)
    if count == 0:
        return call.like(x, x.dtype)
    if x.rank is None:
        return call.of_rank(None, x.dtype)
    rank = x.rank + count
    places = many_axes(call, axis, rank)
    if places is None or x.dims is None:
        return call.of_rank(rank, x.dtype)
    rest = iter(x.dims)
    return call.tensor_of([ONE if at in places else next(rest) for at in range(rank)], x.dtype)


def squeeze(call: Inference) -> tree.StructInfo:
    """Infer `squeeze`: fewer axes. Without `axis` the rank is known only if every extent is known to be 1 or not."""
    x = call.tensor(0)
    axis: int | list[int] | None = call.attrs["axis"]
    if axis is None:
        return _all_ones_dropped(call, x)
    if isinstance(axis, list) and not axis:
        return call.like(x, x.dtype)
    if x.rank is None:
        return call.of_rank(None, x.dtype)
    places = many_axes(call, axis, x.rank)
    if places is None:
        return call.of_rank(None, x.dtype)
    if x.dims is None:
        return call.of_rank(x.rank - len(places), x.dtype)
    for at in places:
        if call.different(x.dims[at], ONE):
            reason = f"axis {at} has extent {text(x.dims[at])}; only axes of extent 1 can be dropped"
            call.bad_shape(reason, 0)
            break
    return call.tensor_of([dim for at, dim in enumerate(x.dims) if at not in places], x.dtype)


def _all_ones_dropped(call: Inference, x: Known) -> tree.StructInfo:
    if x.dims is None:
        return call.of_rank(None, x.dtype)
    kept: list[Dim] = []
    for dim in x.dims:
        if call.different(dim, ONE):
            kept.append(dim)
        elif not call.equal(dim, ONE):
            return call.of_rank(None, x.dtype)
    return call.tensor_of(kept, x.dtype)


def flatten(call: Inference) -> tree.StructInfo:
    """Infer `flatten`: one axis of all elements."""
    x = call.tensor(0)
    if x.rank == 1:
        return call.like(x, x.dtype)
    if x.dims is None:
        return call.of_rank(1, x.dtype)
    return call.tensor_of([product(call, x.dims)], x.dtype)


def permute_dims(call: Inference) -> tree.StructInfo:
    """Infer `permute_dims`: the axes in another order, reversed without `axes`. [OP.5]"""
    x, axes = call.tensor(0), call.attrs["axes"]
    if axes is None:
        if x.rank is not None and x.rank < 2:
            return call.like(x, x.dtype)
        return call.of_rank(x.rank, x.dtype) if x.dims is None else call.tensor_of(x.dims[::-1], x.dtype)
    if x.rank is not None and len(axes) != x.rank:
        call.bad_attribute("axes", f"{len(axes)} axes for a tensor of rank {x.rank}")
        return call.of_rank(x.rank, x.dtype)
    places = many_axes(call, axes, len(axes), "axes")
    if places is None:
        return call.of_rank(len(axes), x.dtype)
    if x.rank is not None and places == tuple(range(x.rank)):
        return call.like(x, x.dtype)
    if x.dims is None:
        return call.of_rank(len(axes), x.dtype)
    return call.tensor_of([x.dims[at] for at in places], x.dtype)


def reshape(call: Inference) -> tree.StructInfo:
    """Infer `reshape`: the shape that is given, with one -1 that follows from the others. [OP.6]"""
    x, target = call.tensor(0), call.tensor(1)
    if target.dims is None:
        return call.like(target, x.dtype)
    free = [at for at, dim in enumerate(target.dims) if integer(dim) == -1]
    fixed = tuple([dim for dim in target.dims if integer(dim) != -1])
    if len(free) > 1:
        call.bad_shape("only one extent can be -1", 1)
    else:
        sizes(call, 1, fixed)
    if call.findings:
        return call.of_rank(len(target.dims), x.dtype)
    if not free:
        if x.dims is not None:
            same_counts(call, x.dims, target.dims, 0, 1)
        return call.tensor_of(target.dims, x.dtype)
    others = product(call, fixed)
    if value_of(others) == 0:
        call.bad_shape("the extent -1 does not follow from the others", 1)
    if x.dims is None or call.findings:
        return call.of_rank(len(target.dims), x.dtype)
    follows = _following(call, product(call, x.dims), others)
    dims = [follows if at in free else dim for at, dim in enumerate(target.dims)]
    return call.tensor_of(dims, x.dtype)


def _following(call: Inference, count: Dim, others: Dim) -> Dim:
    """Return the extent that -1 stands for, among so many elements."""
    if divides(call, others, count) is False:
        call.bad_shape(f"{text(count)} elements cannot be divided by {text(others)}", 0, 1)
    return quotient(call, count, others)


def repeat(call: Inference) -> tree.StructInfo:
    """Infer `repeat`: an extent times the number of repeats, or all elements times it. [OP.5]"""
    data, repeats, axis = call.tensor(0), number(call.attrs["repeats"]), call.attrs["axis"]
    if axis is None:
        if data.dims is None:
            return call.of_rank(1, data.dtype)
        return call.tensor_of([multiply(call, product(call, data.dims), repeats)], data.dtype)
    at = None if data.rank is None else one_axis(call, axis, data.rank)
    if at is None or data.dims is None:
        return call.of_rank(data.rank, data.dtype)
    dims = list(data.dims)
    dims[at] = multiply(call, dims[at], repeats)
    return call.tensor_of(dims, data.dtype)


def tile(call: Inference) -> tree.StructInfo:
    """Infer `tile`: extents times repeats, aligned at the last axis."""
    data, repeats = call.tensor(0), call.attrs["repeats"]
    times = [repeats] if isinstance(repeats, int) else list(repeats)
    if data.rank is None:
        return call.of_rank(None, data.dtype)
    rank = max(data.rank, len(times))
    if data.dims is None:
        return call.of_rank(rank, data.dtype)
    times = [1] * (rank - len(times)) + times
    dims = (ONE,) * (rank - data.rank) + data.dims
    return call.tensor_of(
        [multiply(call, dim, number(n)) for dim, n in zip(dims, times, strict=True)], data.dtype
    )


def flip(call: Inference) -> tree.StructInfo:
    """Infer `flip`: the shape stays. [OP.5]"""
    data = call.tensor(0)
    if data.rank is not None:
        one_axis(call, call.attrs["axis"], data.rank)
    return call.like(data, data.dtype)


def reverse_sequence(call: Inference) -> tree.StructInfo:
    """Infer `reverse_sequence`: the shape stays; one length per place on the batch axis. [OP.5]"""
    data, lengths = call.tensor(0), call.tensor(1)
    if data.rank is not None:
        seq = one_axis(call, call.attrs["seq_axis"], data.rank, "seq_axis")
        batch = one_axis(call, call.attrs["batch_axis"], data.rank, "batch_axis")
        if seq is not None and seq == batch:
            call.same_axis(call.attrs["seq_axis"], "seq_axis")
        elif batch is not None and data.dims is not None and lengths.dims is not None:
            extent, count = data.dims[batch], lengths.dims[0]
            if call.different(extent, count):
                reason = f"axis {batch} of `data` is {text(extent)}, `seq_lengths` has {text(count)} elements"
                call.bad_shape(reason, 0, 1)
    return call.like(data, data.dtype)


def collapse_sum(call: Inference) -> tree.StructInfo:
    """Infer `collapse_sum_like` and `collapse_sum_to`: the shape of the target. [OP.6]"""
    data, target = call.tensor(0), call.tensor(1)
    if data.rank is not None and target.rank is not None and target.rank > data.rank:
        call.bad_shape(f"the target has rank {target.rank}, `data` has rank {data.rank}", 0, 1)
    elif data.dims is not None and target.dims is not None:
        axis = expands(call, target.dims, data.dims)
        if axis is not None:
            extent = data.dims[axis + len(data.dims) - len(target.dims)]
            call.bad_shape(
                f"axis {axis} of the target is {text(target.dims[axis])}, not {text(extent)}", 0, 1
            )
    if target.dims is not None and isinstance(target.info, tree.ShapeStructInfo):
        sizes(call, 1, target.dims)
    return call.like(target, data.dtype)


def view(call: Inference) -> tree.StructInfo:
    """Infer `memory.view`: the shape and dtype that are given, or else those of `x`."""
    x = call.tensor(0)
    seen = call.tensor(1) if call.given(1) else x
    dtype = call.attrs["dtype"] or x.dtype
    offset = call.scalar(2) if call.given(2) else number(0)
    if offset is None or isinstance(offset, tree.FloatImm):
        return call.like(seen, dtype)
    if negative(call, offset):
        call.bad_scalar(2, f"the offset is {text(offset)}; it counts from the start of `x`")
    elif seen.dims is not None and x.dims is not None and x.dtype is not None and dtype is not None:
        there = multiply(call, product(call, x.dims), number(bytes_of(x.dtype)))
        needed = multiply(call, product(call, seen.dims), number(bytes_of(dtype)))
        if below(call, there, add(call, needed, offset)):
            after = "" if integer(offset) == 0 else f" from byte {text(offset)} on"
            call.bad_shape(f"the view needs {text(needed)} bytes{after}, there are {text(there)}", 0)
    if seen.dims is not None and call.given(1):
        sizes(call, 1, seen.dims)
    return call.like(seen, dtype)


def bytes_of(dtype: str) -> int:
    """Return how many bytes an element takes."""
    bits = FLOATS.get(dtype) or INTEGERS.get(dtype)
    assert bits is not None or dtype == BOOL
    return 1 if bits is None else bits // 8


def batch_flatten(call: Inference) -> tree.StructInfo:
    """Infer `nn.batch_flatten`: the first axis, and one of all the others."""
    data = call.tensor(0)
    at_least_rank(call, data, 0, 2)
    if data.rank == 2:
        return call.like(data, data.dtype)
    if data.dims is None or call.findings:
        return call.of_rank(2, data.dtype)
    return call.tensor_of([data.dims[0], product(call, data.dims[1:])], data.dtype)


def pad(call: Inference) -> tree.StructInfo:
    """Infer `nn.pad`: every extent and two widths. [OP.4]"""
    data, widths, mode = call.tensor(0), call.attrs["pad_width"], call.attrs["pad_mode"]
    rank = data.rank
    if rank is None and len(widths) % 2:
        call.bad_attribute("pad_width", f"{len(widths)} numbers; two per axis are needed")
        return call.of_rank(None, data.dtype)
    if rank is not None and len(widths) != 2 * rank:
        reason = f"{len(widths)} numbers for a tensor of rank {rank}; two per axis are needed"
        call.bad_attribute("pad_width", reason)
        return call.of_rank(rank, data.dtype)
    if data.dims is None:
        return call.of_rank(len(widths) // 2, data.dtype)
    if mode not in (None, "constant"):
        _check_mirrored(call, data.dims, widths, 2 if mode == "reflect" else 1)
    dims = [
        add(call, dim, number(widths[2 * axis] + widths[2 * axis + 1])) for axis, dim in enumerate(data.dims)
    ]
    return call.tensor_of(dims, data.dtype)


def _check_mirrored(call: Inference, dims: Dims, widths: list[int], least: int) -> None:
    """Note an axis too short to take cells from for its padding."""
    for axis, dim in enumerate(dims):
        if widths[2 * axis] + widths[2 * axis + 1] and below(call, dim, number(least)):
            mode = call.attrs["pad_mode"]
            call.bad_shape(f'axis {axis} has extent {text(dim)}; "{mode}" needs at least {least}', 0)


def pixel_shuffle(call: Inference) -> tree.StructInfo:
    """Infer `nn.pixel_shuffle`: (…, C · r², H, W) becomes (…, C, H · r, W · r)."""
    data, r = call.tensor(0), call.attrs["upscale_factor"]
    at_least_rank(call, data, 0, 3)
    if data.dims is None or call.findings:
        return call.of_rank(data.rank, data.dtype)
    *batch, channels, height, width = data.dims
    if divides(call, number(r * r), channels) is False:
        axis = len(data.dims) - 3
        call.bad_shape(f"{text(channels)} channels (axis {axis}) cannot be divided by {r}² = {r * r}", 0)
    fewer = quotient(call, channels, number(r * r))
    larger = [multiply(call, height, number(r)), multiply(call, width, number(r))]
    return call.tensor_of([*batch, fewer, *larger], data.dtype)


def layout_transform(call: Inference) -> tree.StructInfo:
    """Infer `layout_transform`: as many places as the map can send an index to. [OP.4]"""
    from relax_lang.ops.shape_rules.index_map import layout_transform  # only this operator has a map

    return layout_transform(call)
