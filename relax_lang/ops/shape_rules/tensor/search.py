"""Rules of operators that search. How much is found often follows from values: then only the rank is known."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.shape_rules.shared.axes import one_axis
from relax_lang.ops.shape_rules.shared.dims import number, product, value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference

    Dim = tree.PrimExpr


def bucketize(call: Inference) -> tree.StructInfo:
    """Infer a place among the boundaries for every element."""
    return call.like(call.tensor(0), "int32" if call.attrs["out_int32"] else "int64")


def nonzero(call: Inference) -> tree.StructInfo:
    """Infer coordinates: (rank, count), of which the count is not known."""
    return call.of_rank(2, "int64")


def unique(call: Inference) -> tree.StructInfo:
    """Infer the distinct elements, or slices along an axis, and what the flags ask for."""
    x = call.tensor(0)
    asked = [_flag(call, index) for index in (2, 3, 4)]
    axis = call.scalar(5) if call.given(5) else None
    at = None
    if axis is not None and x.rank is not None:
        place = value_of(axis)
        at = None if place is None else one_axis(call, place, x.rank)
        if place is not None and at is None:
            call.findings[-1].argument = 5
            return call.of_rank(x.rank, x.dtype)
    compared = None  # how many elements or slices are compared
    if x.dims is not None and (axis is None or at is not None):
        compared = product(call, x.dims) if at is None else x.dims[at]
    count = _distinct(call, compared)
    found = _row(call, count, x.dtype)
    if at is not None and x.dims is not None and count is not None:
        found = call.tensor_of((*x.dims[:at], count, *x.dims[at + 1 :]), x.dtype)
    elif axis is not None:
        found = call.of_rank(x.rank, x.dtype)
    if None in asked:
        return tree.ObjectStructInfo(call.call.pos, call.call.end)
    places, inverse = _row(call, count, "int64"), _row(call, compared, "int64")
    more = [info for info, flag in zip((places, inverse, places), asked, strict=True) if flag]
    return call.tuple_of((found, *more)) if more else found


def _flag(call: Inference, index: int) -> bool | None:
    """Return a flag, which is false unless it is given; None if it depends on shape variables."""
    flag = call.scalar(index) if call.given(index) else tree.BoolImm(False)
    return bool(flag.value) if isinstance(flag, tree.BoolImm | tree.IntImm | tree.FloatImm) else None


def _distinct(call: Inference, compared: Dim | None) -> Dim | None:
    """Return how many distinct ones there are: one of one, none of none, else that is not known."""
    for count in (1, 0):
        if compared is not None and call.equal(compared, number(count)):
            return number(count)
    return None


def _row(call: Inference, extent: Dim | None, dtype: str | None) -> tree.StructInfo:
    return call.of_rank(1, dtype) if extent is None else call.tensor_of((extent,), dtype)


def multinomial_from_uniform(call: Inference) -> tree.StructInfo:
    """Infer (n, 1) categories from (n, 1) random numbers and (n, 1) rows."""
    prob, dtype = call.tensor(0), call.attrs["dtype"]
    sample, rows = call.tensor(1), call.tensor(2)
    if prob.dims is not None and call.equal(prob.dims[1], number(0)):
        call.bad_shape("there is no category: axis 1 of `prob` has extent 0", 0)
    for index, known in ((1, sample), (2, rows)):
        if known.dims is not None:
            reason = partial(str, f"{call.name(index)} must have the shape (n, 1)")
            call.clash(known.dims[1], number(1), (index,), reason)
    if sample.dims is not None and rows.dims is not None:
        reason = partial(str, "`sample_indices` must have the shape (n, 1)")
        call.clash(sample.dims[0], rows.dims[0], (1, 2), reason)
    given = sample.dims or rows.dims
    return call.of_rank(2, dtype) if given is None else call.tensor_of((given[0], number(1)), dtype)
