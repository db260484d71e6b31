"""Legal forms of activations."""

from __future__ import annotations

from relax_lang import te, topi
from relax_lang.ops.legal.tensor.elementwise import clipped
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import INT64, is_same, one_axis, stored, wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr


def _prelu(call: Legal) -> Tensor:
    x, alpha = call.args
    axis = one_axis(call.attrs["axis"], x.ndim)
    values, slopes = wide(x), wide(alpha)
    extent = alpha.shape[0]
    if is_same(extent, x.shape[axis]) is None and not is_same(extent, 1):
        call.require(
            (extent == x.shape[axis]) | (extent == 1), "there is no slope for each place of the axis"
        )

    def each(*at: Expr) -> Expr:
        one = te.const(0, INT64)
        place = one if is_same(extent, 1) else at[axis] if is_same(extent, x.shape[axis]) else None
        if place is None:
            place = te.select(extent == 1, one, at[axis])
        return te.cast(te.select(values[at] > 0.0, values[at], values[at] * slopes[place]), x.dtype)

    return compute(x.shape, each, "prelu")


def _dropout(call: Legal) -> tuple[Tensor, Tensor]:
    x: Tensor = call.args[0]
    return stored(x), compute(x.shape, lambda *_: te.const(1, x.dtype), "mask")


FORMS: dict[str, Form] = {
    "nn.relu": lambda call: topi.relu(call.args[0]),
    "nn.relu6": lambda call: clipped(call, te.const(0, INT64), te.const(6, INT64)),
    "nn.gelu": lambda call: topi.gelu(call.args[0]),
    "nn.gelu_tanh": lambda call: topi.gelu_tanh(call.args[0]),
    "nn.silu": lambda call: topi.silu(call.args[0]),
    "nn.leakyrelu": lambda call: topi.leaky_relu(call.args[0], float(call.attrs["alpha"])),
    "nn.selu": lambda call: topi.selu(call.args[0]),
    "nn.softplus": lambda call: topi.softplus(
        call.args[0], float(call.attrs["beta"]), float(call.attrs["threshold"])
    ),
    "nn.prelu": _prelu,
    "nn.softmax": lambda call: topi.softmax(call.args[0], call.attrs["axis"]),
    "nn.log_softmax": lambda call: topi.softmax(call.args[0], call.attrs["axis"], log=True),
    "nn.dropout": _dropout,
}
