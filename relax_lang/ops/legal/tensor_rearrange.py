"""Legal forms of the operators that repeat, reverse and collapse."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.tensor_binary import broadcasted
from relax_lang.te.tensor import compute
from relax_lang.topi.core import INT64, is_same, one_axis, stored, wide
from relax_lang.topi.moving import reshape
from relax_lang.topi.reduction import reduced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr
    from relax_lang.te.tensor import Tensor


def _broadcast_to(call: Legal) -> Tensor:
    return stored(broadcasted(call, [call.args[0]])[0])


def _collapsed(call: Legal) -> Tensor:
    x, shape = call.args[0], call.shape
    skipped = x.ndim - len(shape)
    axes = list(range(skipped))
    for at, extent in enumerate(shape):
        whole = x.shape[skipped + at]
        if is_same(extent, whole):
            continue
        if is_same(extent, 1):
            axes.append(skipped + at)
        else:
            call.require_equal(extent, whole, f"axis {at} of the shape does not fit")
    if not axes:
        return stored(x)
    total = reduced(te.sum, wide(x), axes, True, "total")
    rest = [te.const(0, INT64)] * skipped
    return compute(shape, lambda *at: te.cast(total[(*rest, *at)], x.dtype), "collapse_sum")


def _repeat(call: Legal) -> Tensor:
    x, repeats, axis = call.args[0], call.attrs["repeats"], call.attrs["axis"]
    if axis is None:
        x, axis = reshape(x, (call.shape[0] if repeats == 1 else _elements(x),)), 0
    at_axis = one_axis(axis, x.ndim)
    count = max(repeats, 1)
    return compute(
        call.shape, lambda *at: x[(*at[:at_axis], at[at_axis] // count, *at[at_axis + 1 :])], "repeat"
    )


def _elements(x: Tensor) -> Expr:
    from relax_lang.topi.core import size_of

    return size_of(x.shape)


def _reverse_sequence(call: Legal) -> Tensor:
    x, lengths = call.args
    seq, batch = one_axis(call.attrs["seq_axis"], x.ndim), one_axis(call.attrs["batch_axis"], x.ndim)
    call.require_equal(
        lengths.shape[0], x.shape[batch], "there is no length for each place of the batch axis"
    )

    def each(*at: Expr) -> Expr:
        length = te.minimum(te.cast(lengths[at[batch]], INT64), x.shape[seq])
        place = te.select(at[seq] < length, length - at[seq] - 1, at[seq])
        return x[(*at[:seq], place, *at[seq + 1 :])]

    return compute(x.shape, each, "reverse_sequence")


FORMS: dict[str, Form] = {
    "broadcast_to": _broadcast_to,
    "collapse_sum_like": _collapsed,
    "collapse_sum_to": _collapsed,
    "flip": lambda call: topi.flip(call.args[0], call.attrs["axis"]),
    "repeat": _repeat,
    "reverse_sequence": _reverse_sequence,
    "tile": lambda call: topi.tile(call.args[0], call.shape),
}

WITHOUT = {"layout_transform": "its index map has to be inverted"}
