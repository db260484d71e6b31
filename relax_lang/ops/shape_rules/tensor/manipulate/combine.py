"""Rules of `definitions.tensor.manipulate.combine`: tensors that are joined, and one that is taken apart."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.broadcast import clash_text
from relax_lang.ops.shape_rules.shared.dims import add, ceil_divide, multiply, number, smallest, subtract
from relax_lang.ops.shape_rules.shared.extents import pick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Dim = tree.PrimExpr


def concat(call: Inference) -> tree.StructInfo:
    """Infer `concat`: the extents of one axis added, all others alike. [OP.5-OP.7]"""
    tensors, axis = call.fields(0), call.attrs["axis"]
    if not tensors:
        return _nothing(call)
    dtype = _dtype(call, tensors)
    rank = _rank_one(call, tensors) if axis is None else _rank(tensors)
    at = None if rank is None else one_axis(call, axis or 0, rank)
    if at is not None or rank is None:  # not after a wrong axis, from which all else would follow
        _alike(call, tensors, at)
    shapes = [known.dims for known in tensors if known.dims is not None]
    if len(tensors) == 1:
        return call.like(tensors[0], dtype)
    if call.findings or at is None or rank is None or len(shapes) < len(tensors):
        return call.of_rank(rank, dtype)
    dims = [pick(call, [shape[axis] for shape in shapes]) for axis in range(rank)]
    dims[at] = shapes[0][at]
    for shape in shapes[1:]:
        dims[at] = add(call, dims[at], shape[at])
    return call.tensor_of(dims, dtype)


def stack(call: Inference) -> tree.StructInfo:
    """Infer `stack`: tensors of one shape along a new axis. [OP.5-OP.7]"""
    tensors, axis = call.fields(0), call.attrs["axis"]
    if not tensors:
        return _nothing(call)
    dtype = _dtype(call, tensors)
    rank = _rank(tensors)
    at = None if rank is None else one_axis(call, axis or 0, rank + 1)
    _alike(call, tensors)
    shapes = [known.dims for known in tensors if known.dims is not None]
    if rank is None or at is None or not shapes or call.findings:
        return call.of_rank(None if rank is None else rank + 1, dtype)
    dims = [pick(call, [shape[axis] for shape in shapes]) for axis in range(rank)]
    return call.tensor_of([*dims[:at], number(len(tensors)), *dims[at:]], dtype)


def _nothing(call: Inference) -> tree.StructInfo:
    call.bad_argument(0, "a tuple of one tensor or more")
    return call.of_rank(None, None)


def _dtype(call: Inference, tensors: Sequence[Known]) -> str | None:
    """Return the one dtype of all tensors; None if any is unknown, or they differ. [OP.7]"""
    known = [(at, tensor.dtype) for at, tensor in enumerate(tensors) if tensor.dtype is not None]
    for at, dtype in known[1:]:
        if dtype != known[0][1]:
            call.different_dtypes((0, known[0][0]), (0, at))
            return None
    return known[0][1] if len(known) == len(tensors) else None


def _rank(tensors: Sequence[Known]) -> int | None:
    """Return the rank of the first tensor of which it is known: all have one rank."""
    for known in tensors:
        if known.rank is not None:
            return known.rank
    return None


def _rank_one(call: Inference, tensors: Sequence[Known]) -> int:
    """Require rank 1 of all tensors, and return it. [OP.3]"""
    for at, tensor in enumerate(tensors):
        if tensor.rank is not None and tensor.rank != 1:
            call.bad_argument((0, at), "a tensor of rank 1, without an axis")
    return 1


def _alike(call: Inference, tensors: Sequence[Known], skip: int | None = None) -> None:
    """Note two tensors that provably have not the same extents, but for one axis. [OP.6]"""
    ranked = [(at, known.rank) for at, known in enumerate(tensors) if known.rank is not None]
    for at, rank in ranked[1:]:
        first, wanted = ranked[0]
        if rank != wanted:
            i, j = (0, first), (0, at)
            call.bad_shape(f"{call.name(i)} has rank {wanted}, {call.name(j)} has rank {rank}", i, j)
            return
    shaped = [(at, known.dims) for at, known in enumerate(tensors) if known.dims is not None]
    for place, (j, dims) in enumerate(shaped):
        for i, others in shaped[: place if place < 4 else 1]:  # all against all is for a few, else the first
            for axis, (left, right) in enumerate(zip(others, dims, strict=True)):
                if axis == skip:
                    continue
                names = call.name((0, i)), call.name((0, j))
                reason = partial(clash_text, (axis, left, right), *names)
                if call.clash(left, right, ((0, i), (0, j)), reason):
                    return


MOST_PIECES = 10_000
"""The largest number of pieces: all of them are listed, and a larger number is likely to be a typing error."""


def split(call: Inference) -> tree.StructInfo:
    """Infer `split`: a tuple of the pieces of one axis. [OP.4] [OP.5]"""
    x, parts, axis = call.tensor(0), call.attrs["indices_or_sections"], call.attrs["axis"]
    count = parts if isinstance(parts, int) else len(parts) + 1
    if count > MOST_PIECES:
        call.bad_attribute("indices_or_sections", f"nothing is split into more than {MOST_PIECES:,} pieces")
        return call.tuple_of(())
    at = None if x.rank is None else one_axis(call, axis, x.rank)
    if not isinstance(parts, int) and parts != sorted(parts):
        call.bad_attribute("indices_or_sections", "the indices must ascend")
    if at is None or x.dims is None or call.findings:
        return call.tuple_of([call.of_rank(x.rank, x.dtype)] * count)
    before, after = x.dims[:at], x.dims[at + 1 :]
    extents = _pieces(call, x.dims[at], parts)
    return call.tuple_of([call.tensor_of((*before, extent, *after), x.dtype) for extent in extents])


def _pieces(call: Inference, extent: Dim, parts: int | list[int]) -> list[Dim]:
    if isinstance(parts, int):
        size = ceil_divide(call, extent, number(parts)) if parts > 1 else extent
        cuts = [smallest(call, extent, multiply(call, size, number(piece))) for piece in range(1, parts)]
    else:
        cuts = [smallest(call, extent, number(max(0, index))) for index in parts]
    bounds = zip([number(0), *cuts], [*cuts, extent], strict=True)
    return [subtract(call, high, low) for low, high in bounds]


def meshgrid(call: Inference) -> tree.StructInfo:
    """Infer `meshgrid`: as many tensors as there are, of the shape that their lengths make. [OP.7]"""
    tensors = call.fields(0)
    if not tensors:
        call.bad_argument(0, "a tuple of one tensor or more")
        return call.tuple_of(())
    dtype = _dtype(call, tensors)
    lengths = [known.dims[0] for known in tensors if known.dims is not None]
    if len(lengths) < len(tensors):
        one = call.of_rank(len(tensors), dtype)
    else:
        if call.attrs["indexing"] == "xy" and len(lengths) > 1:
            lengths[:2] = lengths[1::-1]
        one = call.tensor_of(lengths, dtype)
    return call.tuple_of([one] * len(tensors))
