"""Rules of `definitions.tensor.manipulate.index`: parts of a tensor that are read by index."""

from __future__ import annotations

import itertools
from functools import partial

from relax_lang.base.wording import counted
from relax_lang.ops.shape_rules.shared.axes import many_axes, one_axis
from relax_lang.ops.shape_rules.shared.broadcast import clash_text, clashes, joined
from relax_lang.ops.shape_rules.shared.dims import number, subtract, value_of
from relax_lang.ops.shape_rules.shared.extents import (
    ONE,
    ZERO,
    at_least_rank,
    below,
    integer,
    must_not_exceed,
    text,
)
from relax_lang.ops.shape_rules.shared.slices import inbound_extent, slice_extent
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import BOOL, FLOAT32, INT64, is_float

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference, Known

    Dim = tree.PrimExpr
    Dims = tuple[Dim, ...]


def take(call: Inference) -> tree.StructInfo:
    """Infer `take`: an axis is replaced by the shape of the indices. [OP.5]"""
    x, indices, axis = call.tensor(0), call.tensor(1), call.attrs["axis"]
    if axis is None and x.rank is not None and x.rank != 1:
        call.bad_argument(0, "a tensor of rank 1, without an axis")
    rank = 1 if axis is None else x.rank
    at = None if rank is None else one_axis(call, axis or 0, rank)
    if call.attrs["mode"] == "nan" and x.dtype is not None and not is_float(x.dtype):
        call.bad_attribute("mode", f'"nan" needs a float `x`, not {x.dtype}')
    if rank == 1 and at is not None:
        return call.like(indices, x.dtype)
    if rank is None or indices.rank is None:
        return call.of_rank(None, x.dtype)
    if at is None or x.dims is None or indices.dims is None:
        return call.of_rank(rank - 1 + indices.rank, x.dtype)
    return call.tensor_of((*x.dims[:at], *indices.dims, *x.dims[at + 1 :]), x.dtype)


def strided_slice(call: Inference) -> tree.StructInfo:
    """Infer `strided_slice`: sliced axes hold what lies between the bounds, as Python counts. [OP.5]

    Where a bound may be on either side of an end of the axis, and there is no short expression for it, the rank is all
    that is known.
    """
    x = call.tensor(0)
    axes, begin, end = call.scalars(1), call.scalars(2), call.scalars(3)
    strides = call.scalars(4) if call.given(4) else None
    if axes is None:
        return call.of_rank(x.rank, x.dtype)
    for index, given in ((2, begin), (3, end), (4, strides)):
        if given is not None and len(given) != len(axes):
            call.bad_argument(index, f"a tuple of {counted(len(axes), 'scalar')}, as many as `axes`")
    steps = [1] * len(axes) if not call.given(4) else [integer(step) for step in strides or ()]
    for at, step in enumerate(steps):
        if step == 0:
            call.bad_scalar(4, f"the stride of axis {text(axes[at])} is 0")
    places = _places(call, axes, x)
    if not axes:
        return call.like(x, x.dtype)
    if call.findings or places is None or x.dims is None or begin is None or end is None or not steps:
        return call.of_rank(x.rank, x.dtype)
    dims = list(x.dims)
    for at, low, high, step in zip(places, begin, end, steps, strict=True):
        extent = _sliced(call, low, high, step, at, dims[at])
        if extent is None:
            return call.of_rank(x.rank, x.dtype)
        dims[at] = extent
    return call.tensor_of(dims, x.dtype)


def _places(call: Inference, axes: Dims, x: Known) -> tuple[int, ...] | None:
    numbers = [number for number in [integer(axis) for axis in axes] if number is not None]
    if x.rank is None or len(numbers) < len(axes):
        return None
    found = len(call.findings)
    places = many_axes(call, numbers, x.rank, "axes")
    for finding in call.findings[found:]:  # `axes` is an argument here
        finding.argument, finding.attribute = 1, None
    return places


def _sliced(call: Inference, low: Dim, high: Dim, step: int | None, axis: int, extent: Dim) -> Dim | None:
    if step is None:
        return None
    if not call.attrs["assume_inbound"]:
        return slice_extent(call, low, high, step, extent)
    first, last = (ZERO, extent) if step > 0 else (number(-1), subtract(call, extent, ONE))
    ascending = (first, low, high, last) if step > 0 else (first, high, low, last)
    if any(below(call, after, before) for before, after in itertools.pairwise(ascending)):
        reason = f"from {text(low)} to {text(high)} is not within axis {axis}, whose extent is {text(extent)}"
        call.bad_shape(reason, 0)
        return None
    return inbound_extent(call, low, high, step)


def dynamic_strided_slice(call: Inference) -> tree.StructInfo:
    """Infer `dynamic_strided_slice`: the rank; bounds are known only when the program runs."""
    x = call.tensor(0)
    rank = x.rank
    for index in (1, 2, 3):
        bounds = call.tensor(index)
        count = None if bounds.dims is None else value_of(bounds.dims[0])
        if rank is None:
            rank = count
        elif bounds.dims is not None:
            wanted = f"a tensor of {counted(rank, 'element')}, one per axis"
            if call.different(bounds.dims[0], number(rank)):
                call.bad_argument(index, wanted)
            else:
                reason = partial(str, f"{call.name(index)} must be {wanted}")
                call.clash(bounds.dims[0], number(rank), (index,), reason)
    return call.of_rank(rank, x.dtype)


def gather_elements(call: Inference) -> tree.StructInfo:
    """Infer `gather_elements`: the shape of the indices. [OP.5]"""
    data, indices = call.tensor(0), call.tensor(1)
    rank = data.rank if indices.rank is None else indices.rank
    if rank is not None:
        at = one_axis(call, call.attrs["axis"], rank if data.rank is None else data.rank)
        check_elements(call, data, indices, at)
    if indices.rank is None:
        return call.of_rank(rank, data.dtype)
    return call.like(indices, data.dtype)


def check_elements(call: Inference, data: Known, indices: Known, at: int | None) -> None:
    """Note indices, argument 1, of another rank than `data`, or larger on an axis that is not indexed. [OP.6]"""
    if data.rank is None or indices.rank is None:
        return
    if data.rank != indices.rank:
        call.bad_shape(f"`data` has rank {data.rank}, `indices` has rank {indices.rank}", 0, 1)
    elif data.dims is not None and indices.dims is not None:
        for axis, (most, extent) in enumerate(zip(data.dims, indices.dims, strict=True)):
            reason = partial(clash_text, (axis, most, extent), "`data`", "`indices`")
            if axis != at and must_not_exceed(call, extent, most, (0, 1), reason):
                return


def gather_nd(call: Inference) -> tree.StructInfo:
    """Infer `gather_nd`: the indices without their last axis, then the axes of `data` that remain. [OP.6]"""
    data, indices, batch = call.tensor(0), call.tensor(1), call.attrs["batch_dims"]
    at_least_rank(call, data, 0, batch)
    at_least_rank(call, indices, 1, batch + 1)
    if call.findings or data.rank is None or indices.rank is None or indices.dims is None:
        return call.of_rank(None, data.dtype)
    if data.dims is not None:
        for axis in range(batch):
            left, right = data.dims[axis], indices.dims[axis]
            clash = axis, left, right
            if call.clash(left, right, (0, 1), partial(clash_text, clash, "`data`", "`indices`")):
                break
    most = data.rank - batch
    if below(call, number(most), indices.dims[-1]):
        shown = text(indices.dims[-1])
        call.bad_shape(f"the last axis of `indices` is {shown}, `data` has {most} axes to index", 0, 1)
    depth = value_of(indices.dims[-1])
    if depth is None or call.findings:
        return call.of_rank(None, data.dtype)
    if data.dims is None:
        return call.of_rank(indices.rank - 1 + most - depth, data.dtype)
    return call.tensor_of((*indices.dims[:-1], *data.dims[batch + depth :]), data.dtype)


def index_tensor(call: Inference) -> tree.StructInfo:
    """Infer `index_tensor`: what the indices broadcast to, then the axes of `data` that remain. [OP.6]"""
    data, indices = call.tensor(0), call.fields(1)
    if not indices or (data.rank is not None and len(indices) > data.rank):
        most = "" if data.rank is None else f", at most {data.rank}"
        call.bad_argument(1, f"a tuple of one tensor or more{most}")
        return call.of_rank(None, data.dtype)
    places = indexed(call, indices)
    ranks = [known.rank for known in indices if known.rank is not None]
    rank = data.rank
    if rank == len(indices) and len(indices) == 1:
        return call.like(indices[0], data.dtype)
    if rank is None or len(ranks) < len(indices):
        return call.of_rank(None, data.dtype)
    if places is None or data.dims is None:
        return call.of_rank(max(ranks) + rank - len(indices), data.dtype)
    return call.tensor_of((*places, *data.dims[len(indices) :]), data.dtype)


def indexed(call: Inference, indices: Sequence[Known]) -> Dims | None:
    """Return what the shapes of the indices, argument 1, broadcast to; None if that is open, or an error. [OP.6]"""
    shapes = [known.dims for known in indices]
    for j, right in enumerate(shapes):
        for i, left in enumerate(shapes[:j]):
            if left is not None and right is not None:
                names = call.name((1, i)), call.name((1, j))
                if clashes(call, left, right, ((1, i), (1, j)), names):
                    return None
    known = [shape for shape in shapes if shape is not None]
    return joined(call, known) if len(known) == len(shapes) else None


def one_hot(call: Inference) -> tree.StructInfo:
    """Infer `one_hot`: one axis more, of the extent `depth`; the dtype is that of the two values. [OP.5] [OP.7]"""
    indices, depth = call.tensor(0), number(call.attrs["depth"])
    on, off = scalar_dtype(call.scalar(1)), scalar_dtype(call.scalar(2))
    if on != off:
        call.bad_argument(2, f"a scalar like `on_value`, {on}")
    if indices.rank is None:
        return call.of_rank(None, on)
    at = one_axis(call, call.attrs["axis"], indices.rank + 1)
    if at is None or indices.dims is None:
        return call.of_rank(indices.rank + 1, on)
    return call.tensor_of((*indices.dims[:at], depth, *indices.dims[at:]), on)


def scalar_dtype(value: tree.PrimExpr | None) -> str:
    """Return the dtype of a scalar operand: int64 for integers, float32 for fractions. [OP.7]"""
    plain = value.a if isinstance(value, tree.Neg) else value
    if isinstance(plain, tree.FloatImm):
        return FLOAT32
    return BOOL if isinstance(plain, tree.BoolImm) else INT64
