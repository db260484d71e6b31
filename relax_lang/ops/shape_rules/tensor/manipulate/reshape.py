"""Rules of `definitions.tensor.manipulate.reshape`."""

from __future__ import annotations

from relax_lang.base.python.plain_functions import partial
from relax_lang.ops.shape_rules.shared.axes import many_axes
from relax_lang.ops.shape_rules.shared.dims import add, multiply, number, product, value_of
from relax_lang.ops.shape_rules.shared.extents import (
    ONE,
    divides,
    exact_quotient,
    integer,
    must_divide,
    must_not_exceed,
    negative,
    same_counts,
    sizes,
    text,
)
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import BOOL, FLOATS, INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference, Known

    Dim = tree.PrimExpr
    Dims = tuple[Dim, ...]


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
        if call.clash(x.dims[at], ONE, (0,), partial(_dropped_text, at, x.dims[at])):
            break
    return call.tensor_of([dim for at, dim in enumerate(x.dims) if at not in places], x.dtype)


def _dropped_text(axis: int, extent: Dim) -> str:
    return f"axis {axis} has extent {text(extent)}; only axes of extent 1 can be dropped"


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
    follows = _following(call, product(call, x.dims), fixed)
    dims = [follows if at in free else dim for at, dim in enumerate(target.dims)]
    return call.tensor_of(dims, x.dtype)


def _following(call: Inference, count: Dim, fixed: Dims) -> Dim:
    """Return the extent that -1 is replaced by, for `count` elements in all; none of the others is 0 then."""
    others = product(call, fixed)
    if divides(call, others, count) is False:
        call.bad_shape(f"{text(count)} elements cannot be divided by {text(others)}", 0, 1)
    else:
        must_divide(call, others, count, 0, str)
    return exact_quotient(call, count, fixed)


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
        after = "" if integer(offset) == 0 else f" from byte {text(offset)} on"
        must_not_exceed(
            call,
            add(call, needed, offset),
            there,
            (0,),
            lambda: f"the view needs {text(needed)} bytes{after}, there are {text(there)}",
        )
    if seen.dims is not None and call.given(1):
        sizes(call, 1, seen.dims)
    return call.like(seen, dtype)


def bytes_of(dtype: str) -> int:
    """Return how many bytes an element takes."""
    bits = FLOATS.get(dtype) or INTEGERS.get(dtype)
    assert bits is not None or dtype == BOOL
    return 1 if bits is None else bits // 8
