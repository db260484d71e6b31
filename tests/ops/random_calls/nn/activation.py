"""Random calls of activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.ops.strategies import Call, Draw


def _unary(dtypes: str) -> Callable[[Draw], Call]:
    return lambda draw: ([draw.tensor(draw.shape(), draw.dtype(dtypes))], {})


def _softmax(draw: Draw) -> Call:
    x = draw.tensor(draw.shape(1), draw.dtype("float"))
    return [x], draw.some(axis=draw.axis(x.ndim))


def _prelu(draw: Draw) -> Call:
    dtype, x = draw.dtype("float"), draw.shape(1)
    at = draw.axis(len(x))
    attrs = {"axis": at} if len(x) < 2 or draw.chance(0.7) else {}
    extent = draw.one_of(1, x[attrs.get("axis", 1)])
    return [draw.tensor(x, dtype), draw.tensor((extent,), dtype)], attrs


CALLS: dict[str, Any] = {
    "nn.relu": _unary(""),
    "nn.relu6": _unary("number"),
    "nn.gelu": _unary("float"),
    "nn.gelu_tanh": _unary("float"),
    "nn.silu": _unary("float"),
    "nn.leakyrelu": _unary("float"),
    "nn.selu": _unary("float"),
    "nn.softplus": _unary("float"),
    "nn.dropout": _unary(""),
    "nn.prelu": _prelu,
    "nn.softmax": _softmax,
    "nn.log_softmax": _softmax,
}
