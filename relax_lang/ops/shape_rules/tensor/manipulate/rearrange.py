"""Rules of `definitions.tensor.manipulate.rearrange`."""

from __future__ import annotations

from functools import partial

from relax_lang.arith.prover import FIRST, NEITHER
from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.dims import multiply, number, product
from relax_lang.ops.shape_rules.shared.extents import ONE, expands, sizes, text
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference

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
        else:
            _defer_expansion(call, x.dims, target.dims, "axis {} of `x` is {}, where {} is wanted")
    if target.dims is not None:
        sizes(call, 1, target.dims)
    return call.like(target, x.dtype)


def _defer_expansion(call: Inference, small: Dims, large: Dims, words: str) -> None:
    """Note the axes of which nothing says that they are 1 or those of the larger shape."""
    for axis, (dim, wanted) in enumerate(zip(small, large[len(large) - len(small) :], strict=True)):
        or_one = NEITHER if call.equal(wanted, ONE) else FIRST  # the other way round nothing is repeated
        call.clash(dim, wanted, (0, 1), partial(_axis_text, words, axis, dim, wanted), or_one=or_one)


def _axis_text(words: str, axis: int, dim: Dim, wanted: Dim) -> str:
    return words.format(axis, text(dim), text(wanted))


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
            call.clash(
                extent,
                count,
                (0, 1),
                lambda: f"axis {batch} of `data` is {text(extent)}, `seq_lengths` has {text(count)} elements",
            )
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
        else:
            _defer_expansion(call, target.dims, data.dims, "axis {} of the target is {}, not {}")
    if target.dims is not None and isinstance(target.info, tree.ShapeStructInfo):
        sizes(call, 1, target.dims)
    return call.like(target, data.dtype)


def layout_transform(call: Inference) -> tree.StructInfo:
    """Infer `layout_transform`: as many places as the map can send an index to. [OP.4]"""
    from relax_lang.ops.shape_rules.tensor.manipulate.index_map import (
        layout_transform,  # only this operator has a map
    )

    return layout_transform(call)
