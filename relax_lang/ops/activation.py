"""Activations of neural networks, softmax, dropout. The result has the shape and dtype of the argument.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math

from relax_lang.ops import _numpy as np
from relax_lang.ops import elementwise
from relax_lang.ops.dtypes import is_half, widen
from relax_lang.ops.refusal import bad_shape
from relax_lang.ops.registry import Family
from relax_lang.ops.shapes import one_axis, same_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

family = Family("activation", "Neural networks: activations")

_FLOAT = "data: tensor(float)"
_EXAMPLE = "(const([-1.0, 0.0, 2.0]))"


def _in_float32(compute: Callable[..., Any], data: Any, *more: Any) -> Any:
    if is_half(data.dtype):
        return compute(data.astype(np.float32), *more).astype(data.dtype)
    return compute(data, *more)


@family.operator("nn.relu", "data: tensor", example="nn.relu" + _EXAMPLE)
def relu(data: Any) -> Any:
    """Set negative elements to 0: `maximum(data, 0)`. nan stays nan; any dtype will do.

    The result has the shape and dtype of `data`.
    """
    if data.dtype.kind in "bu":
        return data.copy()
    return np.maximum(data, data.dtype.type(0))


@family.operator("nn.relu6", "data: tensor(number)", tier=2, since="later", example="nn.relu6" + _EXAMPLE)
def relu6(data: Any) -> Any:
    """Limit every element to 0 … 6: `clip(data, 0, 6)`. nan stays nan.

    The result has the shape and dtype of `data`.
    """
    return elementwise.clip(data, 0, 6)


@family.operator("nn.gelu", _FLOAT, example="nn.gelu" + _EXAMPLE)
def gelu(data: Any) -> Any:
    """Multiply with the normal distribution function: `data * (1 + erf(data / sqrt(2))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_gelu, data)


def _gelu(x: Any) -> Any:
    half = x.dtype.type(0.5)
    return half * x * (x.dtype.type(1) + elementwise.erf(np.asarray(x * x.dtype.type(math.sqrt(0.5)))))


@family.operator("nn.gelu_tanh", _FLOAT, since="later", example="nn.gelu_tanh" + _EXAMPLE)
def gelu_tanh(data: Any) -> Any:
    """Approximate `nn.gelu`: `data * (1 + tanh(sqrt(2/π) * (data + 0.044715 * data ** 3))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_gelu_tanh, data)


def _gelu_tanh(x: Any) -> Any:
    number = x.dtype.type
    inner = number(math.sqrt(2 / math.pi)) * x * (number(1) + number(0.044715) * x * x)
    return number(0.5) * x * (number(1) + np.tanh(inner))


@family.operator("nn.silu", _FLOAT, example="nn.silu" + _EXAMPLE)
def silu(data: Any) -> Any:
    """Multiply with the logistic function: `data * sigmoid(data)`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_silu, data)


def _silu(x: Any) -> Any:
    return x * elementwise.sigmoid(x)


@family.operator(
    "nn.leakyrelu", _FLOAT, "alpha: float = 0.01", since="later", example="nn.leakyrelu" + _EXAMPLE
)
def leakyrelu(data: Any, alpha: float) -> Any:
    """Multiply elements that are not positive with `alpha`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_leaky, data, alpha)


def _leaky(x: Any, alpha: float) -> Any:
    return np.where(x > 0, x, x * x.dtype.type(alpha))


@family.operator("nn.selu", _FLOAT, tier=2, since="later", example="nn.selu" + _EXAMPLE)
def selu(data: Any) -> Any:
    """Scale by 1.0507…; elements that are not positive become 1.0507… · 1.6732… · (exp(data) - 1).

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_selu, data)


def _selu(x: Any) -> Any:
    scale, alpha = x.dtype.type(1.0507009873554805), x.dtype.type(1.6732632423543772)
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


@family.operator(
    "nn.softplus",
    _FLOAT,
    "beta: float = 1.0, threshold: float = 20.0",
    tier=2,
    since="later",
    example="nn.softplus" + _EXAMPLE,
)
def softplus(data: Any, beta: float, threshold: float) -> Any:
    """Compute `log(1 + exp(beta * data)) / beta`, a smooth relu; where `beta * data` exceeds the
    threshold, `data`.
    The result has the shape and dtype of `data`.
    """
    return _in_float32(_softplus, data, beta, threshold)


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    scaled = x * x.dtype.type(beta)
    smooth = np.log1p(np.exp(np.minimum(scaled, x.dtype.type(threshold)))) / x.dtype.type(beta)
    return np.where(scaled > threshold, x, smooth)


@family.operator(
    "nn.prelu",
    "data: tensor(float), alpha: tensor(1-d float)",
    "axis: int = 1",
    tier=2,
    since="later",
    example="nn.prelu(const([[-1.0, -1.0]]), const([0.5, 0.25]))",
)
def prelu(data: Any, alpha: Any, axis: int) -> Any:
    """Multiply elements that are not positive with a slope per place on an axis.

    `alpha` has the dtype of `data` and as many elements as that axis, or one for all.
    The result has the shape and dtype of `data`.
    """
    same_dtype(data, alpha, ("data", "alpha"))
    at = one_axis(axis, data.ndim)
    if alpha.shape[0] not in (1, data.shape[at]):
        reason = f"axis {at} of `data` is {data.shape[at]}, `alpha` has {alpha.shape[0]} elements"
        raise bad_shape(data.shape, alpha.shape, reason)
    slope = widen(alpha).reshape([-1 if place == at else 1 for place in range(data.ndim)])
    wide = widen(data)
    return np.where(wide > 0, wide, wide * slope).astype(data.dtype, copy=False)


@family.operator("nn.softmax", _FLOAT, "axis: int = -1", example="nn.softmax" + _EXAMPLE)
def softmax(data: Any, axis: int) -> Any:
    """Turn the elements along an axis into positive ones whose sum is 1: `exp(data) / sum(exp(data))`.

    The largest is subtracted first, so that nothing overflows; if all are -inf, the result is nan.
    The result has the shape and dtype of `data`.
    """
    return _in_float32(stable_softmax, data, one_axis(axis, data.ndim))


def stable_softmax(x: Any, axis: int) -> Any:
    """Return the softmax of a float32 or float64 array."""
    if x.size == 0:
        return x.copy()
    result = np.exp(x - np.max(x, axis=axis, keepdims=True))
    result /= np.sum(result, axis=axis, keepdims=True)
    return result


@family.operator(
    "nn.log_softmax", _FLOAT, "axis: int = -1", since="later", example="nn.log_softmax" + _EXAMPLE
)
def log_softmax(data: Any, axis: int) -> Any:
    """Compute the logarithm of `nn.softmax` along an axis without leaving the range of the dtype.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_log_softmax, data, one_axis(axis, data.ndim))


def _log_softmax(x: Any, axis: int) -> Any:
    if x.size == 0:
        return x.copy()
    shifted = x - np.max(x, axis=axis, keepdims=True)
    shifted -= np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
    return shifted


@family.operator("nn.dropout", "data: tensor", "rate: float = 0.5", example="nn.dropout" + _EXAMPLE)
def dropout(data: Any, rate: float) -> tuple[Any, Any]:
    """Return a pair of `data` and a mask of ones. Dropping elements is for training; here nothing is dropped.

    Both have the shape and dtype of `data`.
    """
    return data.copy(), np.ones_like(data)
