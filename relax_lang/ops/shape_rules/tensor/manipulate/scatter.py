"""Rules of `definitions.tensor.manipulate.scatter`: a copy of a tensor is written to; its shape and dtype stay."""

from __future__ import annotations

from functools import partial

from relax_lang.base.wording import counted
from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.broadcast import clash_text, same_dtype, same_shape
from relax_lang.ops.shape_rules.shared.dims import ceil_divide, number, subtract, value_of
from relax_lang.ops.shape_rules.shared.extents import (
    ZERO,
    at_least_rank,
    below,
    expands,
    integer,
    one_or,
    text,
)
from relax_lang.ops.shape_rules.tensor.manipulate.index import check_elements, indexed
from relax_lang.syntax.dtypes import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.syntax import tree

    Dim = tree.PrimExpr


def scatter_elements(call: Inference) -> tree.StructInfo:
    """Infer `scatter_elements`: `updates` lie as `indices` do. [OP.5-OP.7]"""
    data, indices, updates = call.tensor(0), call.tensor(1), call.tensor(2)
    same_dtype(call, data, updates, 0, 2)
    same_shape(call, indices, updates, 1, 2)
    at = None if data.rank is None else one_axis(call, call.attrs["axis"], data.rank)
    check_elements(call, data, indices, at)
    _no_bool(call, data)
    return call.like(data, data.dtype)


def scatter_nd(call: Inference) -> tree.StructInfo:
    """Infer `scatter_nd`: `updates` have the shape of `indices` but for its last axis, then what is left of `data`."""
    data, indices, updates = call.tensor(0), call.tensor(1), call.tensor(2)
    same_dtype(call, data, updates, 0, 2)
    _no_bool(call, data)
    at_least_rank(call, indices, 1, 1)
    if indices.dims:
        _check_depth(call, data, indices, updates)
    return call.like(data, data.dtype)


def _check_depth(call: Inference, data: Known, indices: Known, updates: Known) -> None:
    assert indices.dims is not None
    last = indices.dims[-1]
    if below(call, last, number(1)) or (data.rank is not None and below(call, number(data.rank), last)):
        rank = "" if data.rank is None else f", `data` has rank {data.rank}"
        call.bad_shape(f"the last axis of `indices` is {text(last)}{rank}", 0, 1)
        return
    depth = value_of(last)
    if depth is None or data.rank is None or updates.rank is None:
        return
    rank = len(indices.dims) - 1 + data.rank - depth
    if updates.rank != rank:
        call.bad_shape(f"`updates` has rank {updates.rank}, not {rank}", 1, 2)
    elif data.dims is not None and updates.dims is not None:
        wanted = (*indices.dims[:-1], *data.dims[depth:])
        for axis, (left, right) in enumerate(zip(wanted, updates.dims, strict=True)):
            reason = partial(clash_text, (axis, left, right), "`indices` and `data`", "`updates`")
            if call.clash(left, right, (1, 2), reason):
                return


def index_put(call: Inference) -> tree.StructInfo:
    """Infer `index_put`: one tensor of indices per axis; `values` are broadcast to them. [OP.6] [OP.7]"""
    data, indices, values = call.tensor(0), call.fields(1), call.tensor(2)
    same_dtype(call, data, values, 0, 2)
    if call.attrs["accumulate"] and data.dtype == BOOL:
        call.bad_attribute("accumulate", "bools are not added")
    if not indices or data.rank not in (None, len(indices)):
        wanted = "one tensor or more" if data.rank is None else counted(data.rank, "tensor")
        call.bad_argument(1, f"a tuple of {wanted}, one per axis")
        return call.like(data, data.dtype)
    ranks = [known.rank for known in indices if known.rank is not None]
    places = indexed(call, indices)
    if values.rank is not None and len(ranks) == len(indices) and values.rank > max(ranks):
        call.bad_shape(f"`values` has rank {values.rank}, the indices have rank {max(ranks)}", 2)
    elif places is not None and values.dims is not None:
        axis = expands(call, values.dims, places)
        if axis is not None:
            place = places[axis + len(places) - len(values.dims)]
            call.bad_shape(_value_text(axis, values.dims[axis], place), 2)
            return call.like(data, data.dtype)
        last = places[len(places) - len(values.dims) :]
        for at, (dim, place) in enumerate(zip(values.dims, last, strict=True)):
            one_or(call, dim, place, (2,), partial(_value_text, at, dim, place))
    return call.like(data, data.dtype)


def _value_text(axis: int, extent: Dim, place: Dim) -> str:
    return f"axis {axis} of `values` is {text(extent)}, not {text(place)}"


def slice_scatter(call: Inference) -> tree.StructInfo:
    """Infer `slice_scatter`: `src` has as many places on one axis as the range, else the extents of `input`. [OP.5]"""
    target, src = call.tensor(0), call.tensor(1)
    same_dtype(call, target, src, 0, 1)
    if target.rank is not None and src.rank is not None and target.rank != src.rank:
        call.bad_shape(f"`input` has rank {target.rank}, `src` has rank {src.rank}", 0, 1)
    at = None if target.rank is None else one_axis(call, call.attrs["axis"], target.rank)
    if at is not None and not call.findings:
        extent = None if target.dims is None else target.dims[at]
        places = _range(call, at, extent)
        if target.dims is not None and src.dims is not None and not call.findings:
            wanted = [places if axis == at else dim for axis, dim in enumerate(target.dims)]
            _check_source(call, wanted, src.dims)
    return call.like(target, target.dtype)


def _range(call: Inference, axis: int, extent: Dim | None) -> Dim | None:
    """Check the range; return how many places it has, if that is known."""
    start, end, step = call.scalar(2), call.scalar(3), call.scalar(4)
    if start is None or end is None or step is None:
        return None
    if below(call, step, number(1)):
        call.bad_scalar(4, f"the step is {text(step)}; it must be positive")
    elif (
        below(call, start, ZERO)
        or below(call, end, start)
        or (extent is not None and below(call, extent, end))
    ):
        within = "" if extent is None else f", whose extent is {text(extent)}"
        reason = f"from {text(start)} to {text(end)} is not a range within axis {axis}{within}"
        call.bad_scalar(2, reason)
    pace = integer(step)
    if pace is None or pace < 1:
        return None
    length = subtract(call, end, start)
    return length if pace == 1 else ceil_divide(call, length, number(pace))


def _check_source(call: Inference, wanted: list[Dim | None], dims: tuple[Dim, ...]) -> None:
    for axis, (left, right) in enumerate(zip(wanted, dims, strict=True)):
        reason = partial(clash_text, (axis, left, right), "the slice", "`src`") if left is not None else None
        if left is not None and reason is not None and call.clash(left, right, (0, 1), reason):
            return


def _no_bool(call: Inference, data: Known) -> None:
    reduction = call.attrs["reduction"]
    if data.dtype == BOOL and reduction != "update":
        call.bad_attribute("reduction", f'"{reduction}" of bool')
