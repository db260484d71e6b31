"""Gradients of activations."""

from __future__ import annotations

import math

from relax_lang.ops.core.terms import Term, apply, where
from relax_lang.ops.gradient.core import Missing
from relax_lang.ops.gradient.tensor.elementwise import times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule


def _positive(x: Term) -> Term:
    return apply("greater", x, 0.0)


def _relu(call: Backward) -> list[Term]:
    return [where(_positive(call.args[0]), call.grad, 0.0)]


def _relu6(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    return [where(apply("logical_and", _positive(x), apply("less", x, 6.0)), call.grad, 0.0)]


def _leakyrelu(call: Backward) -> list[Term]:
    return [where(_positive(call.args[0]), call.grad, call.grad * float(call.attrs["alpha"]))]


def _prelu(call: Backward) -> list[Any]:
    x, alpha = call.args
    positive, ndim = _positive(x), call.rank(x)
    axis = call.axes(call.attrs["axis"], ndim)[0]
    others = [at for at in range(ndim) if at != axis]
    slopes = apply("expand_dims", alpha, axis=list(range(1, ndim - axis))) if axis < ndim - 1 else alpha
    first = where(positive, call.grad, call.grad * slopes)
    found = where(positive, 0.0, call.grad * x)
    if others:
        found = apply("sum", found, axis=others)
    if alpha.dims is None:
        return [first, Missing("the shape of the slopes is not known")]
    return [first, apply("collapse_sum_to", found, call.shape_of(alpha))]


_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772


def _selu(x: Term, y: Term) -> Term:
    return where(_positive(x), _SCALE, y + _SCALE * _ALPHA)


def _silu(x: Term, y: Term) -> Term:
    s = apply("sigmoid", x)
    return s + y * (1.0 - s)


def _softplus(call: Backward) -> list[Term]:
    x: Term = call.args[0]
    scaled = x * float(call.attrs["beta"])
    linear = apply("greater", scaled, float(call.attrs["threshold"]))
    return [where(linear, call.grad, call.grad * apply("sigmoid", scaled))]


def _gelu(x: Term, _y: Term) -> Term:
    below = 0.5 * (apply("erf", x * math.sqrt(0.5)) + 1.0)
    return below + x * (apply("exp", -0.5 * (x * x)) / math.sqrt(2 * math.pi))


def _gelu_tanh(x: Term, _y: Term) -> Term:
    scale = math.sqrt(2 / math.pi)
    squared = x * x
    bent = apply("tanh", scale * (x * (1.0 + 0.044715 * squared)))
    slope = scale * (1.0 + 3 * 0.044715 * squared)
    return 0.5 * (1.0 + bent) + 0.5 * (x * ((1.0 - bent * bent) * slope))


def _softmax(call: Backward) -> list[Term]:
    y, axis = call.result, call.attrs["axis"]
    weighted = call.grad * y
    return [weighted - y * apply("sum", weighted, axis=axis, keepdims=True)]


def _log_softmax(call: Backward) -> list[Term]:
    total = apply("sum", call.grad, axis=call.attrs["axis"], keepdims=True)
    return [call.grad - apply("exp", call.result) * total]


def _dropout(call: Backward) -> list[Term]:
    return [call.field_grad(0)]


GRADIENTS: dict[str, Rule] = {
    "nn.dropout": _dropout,
    "nn.gelu": times(_gelu),
    "nn.gelu_tanh": times(_gelu_tanh),
    "nn.leakyrelu": _leakyrelu,
    "nn.log_softmax": _log_softmax,
    "nn.prelu": _prelu,
    "nn.relu": _relu,
    "nn.relu6": _relu6,
    "nn.selu": times(_selu),
    "nn.silu": times(_silu),
    "nn.softmax": _softmax,
    "nn.softplus": _softplus,
}
