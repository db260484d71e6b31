"""Legal forms of the operators that read parts of a tensor by index."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.core import Refused
from relax_lang.te.expr import constant_value
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, one_axis
from relax_lang.topi.moving import strided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def from_the_end(place: Expr, extent: Expr) -> Expr:
    """Return an index that may be negative as a place from the front."""
    return te.select(place < 0, place + extent, place)


def _take(call: Legal) -> Tensor:
    x, indices = call.args
    axis = 0 if call.attrs["axis"] is None else one_axis(call.attrs["axis"], x.ndim)
    mode = call.attrs["mode"]
    if mode != "nan":
        return topi.take(x, indices, axis, mode)
    extent = x.shape[axis]

    def each(*at: Expr) -> Expr:
        place = te.cast(indices[at[axis : axis + indices.ndim]], INT64)
        inside = (place >= 0) & (place < extent)
        value = x[(*at[:axis], place, *at[axis + indices.ndim :])]
        return te.if_then_else(inside, value, te.const(float("nan"), x.dtype))

    return compute(call.shape, each, "take")


def _strided_slice(call: Legal) -> Tensor:
    x, axes, begin, _, strides = call.args
    cuts: dict[int, tuple[Expr | int, Expr | int]] = {}
    for number, axis in enumerate(axes):
        at = constant_value(axis)
        step = 1 if strides is None else constant_value(strides[number])
        if at is None or step is None:
            raise Refused("an axis or a stride is not a number")
        at = one_axis(at, x.ndim)
        extent, first = x.shape[at], begin[number]
        if not call.attrs["assume_inbound"]:
            known, size = constant_value(first), constant_value(extent)
            if known is not None and known >= 0 and size is None and step > 0:
                first = te.minimum(first, extent) if known else first
            elif known is not None and size is not None:
                place = known + size if known < 0 else known
                first = te.const(
                    min(max(place, 0), size) if step > 0 else min(max(place, -1), size - 1), INT64
                )
            else:
                place = te.select(first < 0, first + extent, first)
                low, high = (0, extent) if step > 0 else (-1, extent - 1)
                first = te.maximum(te.minimum(place, high), low)
        cuts[at] = first, step
    return strided(x, cuts, call.shape)


def _gather_elements(call: Legal) -> Tensor:
    data, indices = call.args
    axis = one_axis(call.attrs["axis"], data.ndim)

    def each(*at: Expr) -> Expr:
        place = from_the_end(te.cast(indices[at], INT64), data.shape[axis])
        return data[(*at[:axis], place, *at[axis + 1 :])]

    return compute(call.shape, each, "gather_elements")


def _gather_nd(call: Legal) -> Tensor:
    data, indices = call.args
    batch = call.attrs["batch_dims"]
    depth = constant_value(indices.shape[-1])
    if depth is None:
        raise Refused("how many axes are indexed is not known")
    lead = indices.ndim - 1

    def each(*at: Expr) -> Expr:
        places = [
            from_the_end(te.cast(indices[(*at[:lead], te.const(one, INT64))], INT64), data.shape[batch + one])
            for one in range(depth)
        ]
        return data[(*at[:batch], *places, *at[lead:])]

    return compute(call.shape, each, "gather_nd")


def _index_tensor(call: Legal) -> Tensor:
    from relax_lang.topi.core import broadcast_index, broadcast_shape

    data, indices = call.args
    shape = broadcast_shape(*[one.shape for one in indices])

    def each(*at: Expr) -> Expr:
        lead = at[: len(shape)]
        places = [
            from_the_end(te.cast(one[broadcast_index(one, shape, lead)], INT64), data.shape[number])
            for number, one in enumerate(indices)
        ]
        return data[(*places, *at[len(shape) :])]

    return compute(call.shape, each, "index_tensor")


def _one_hot(call: Legal) -> Tensor:
    indices, on, off = call.args
    values = te.cast(on, call.dtype), te.cast(off, call.dtype)
    return topi.one_hot(indices, call.attrs["depth"], values[0], values[1], call.attrs["axis"])


FORMS: dict[str, Form] = {
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "index_tensor": _index_tensor,
    "one_hot": _one_hot,
    "strided_slice": _strided_slice,
    "take": _take,
}

WITHOUT = {"dynamic_strided_slice": "the shape of its result depends on data"}
