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
from relax_lang.ops.rules import axes as rule_axes
from relax_lang.ops.rules import unary
from relax_lang.ops.rules.broadcast import same_dtype as one_dtype
from relax_lang.ops.rules.dims import number
from relax_lang.ops.shapes import one_axis, same_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.inference import Inference
    from relax_lang.syntax import tree

family = Family("activation", "Neural networks: activations")

_FLOAT = "data: tensor(float)"
_EXAMPLE = "(const([-1.0, 0.0, 2.0]))"


def _in_float32(compute: Callable[..., Any], data: Any, *more: Any) -> Any:
    if is_half(data.dtype):
        return compute(data.astype(np.float32), *more).astype(data.dtype)
    return compute(data, *more)


@family.operator("nn.relu", "data: tensor", infer=unary.same, example="nn.relu" + _EXAMPLE)
def relu(data: Any) -> Any:
    """Set negative elements to 0: `maximum(data, 0)`. nan stays nan; any dtype will do.

    The result has the shape and dtype of `data`.
    """
    if data.dtype.kind in "bu":
        return data.copy()
    return np.maximum(data, data.dtype.type(0))


@family.operator(
    "nn.relu6", "data: tensor(number)", tier=2, since="later", infer=unary.same, example="nn.relu6" + _EXAMPLE
)
def relu6(data: Any) -> Any:
    """Limit every element to 0 … 6: `clip(data, 0, 6)`. nan stays nan.

    The result has the shape and dtype of `data`.
    """
    return elementwise.clip(data, 0, 6)


@family.operator("nn.gelu", _FLOAT, infer=unary.same, example="nn.gelu" + _EXAMPLE)
def gelu(data: Any) -> Any:
    """Multiply with the normal distribution function: `data * (1 + erf(data / sqrt(2))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_gelu, data)


def _gelu(x: Any) -> Any:
    result = elementwise.erf(np.multiply(x, math.sqrt(0.5), out=np.empty_like(x)))
    result += 1
    result *= x
    result *= 0.5
    return result


@family.operator("nn.gelu_tanh", _FLOAT, since="later", infer=unary.same, example="nn.gelu_tanh" + _EXAMPLE)
def gelu_tanh(data: Any) -> Any:
    """Approximate `nn.gelu`: `data * (1 + tanh(sqrt(2/π) * (data + 0.044715 * data ** 3))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_gelu_tanh, data)


def _gelu_tanh(x: Any) -> Any:
    result = np.multiply(x, x, out=np.empty_like(x))
    result *= 0.044715
    result += 1
    result *= x
    result *= math.sqrt(2 / math.pi)
    np.tanh(result, out=result)
    result += 1
    result *= x
    result *= 0.5
    return result


@family.operator("nn.silu", _FLOAT, infer=unary.same, example="nn.silu" + _EXAMPLE)
def silu(data: Any) -> Any:
    """Multiply with the logistic function: `data * sigmoid(data)`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_silu, data)


def _silu(x: Any) -> Any:
    return elementwise.logistic(x, x)


@family.operator(
    "nn.leakyrelu",
    _FLOAT,
    "alpha: float = 0.01",
    since="later",
    infer=unary.same,
    example="nn.leakyrelu" + _EXAMPLE,
)
def leakyrelu(data: Any, alpha: float) -> Any:
    """Multiply elements that are not positive with `alpha`.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_leaky, data, alpha)


def _leaky(x: Any, alpha: float) -> Any:
    slope = x.dtype.type(alpha)
    scaled = np.multiply(x, slope, out=np.empty_like(x))
    if 0 < slope <= 1:  # then the larger one is right for either sign, and no element decides on its own
        return np.maximum(x, scaled, out=scaled)
    np.copyto(scaled, x, where=x > 0)
    return scaled


@family.operator("nn.selu", _FLOAT, tier=2, since="later", infer=unary.same, example="nn.selu" + _EXAMPLE)
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
    infer=unary.same,
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


def infer_prelu(call: Inference) -> tree.StructInfo:
    """Keep shape and dtype; there is one slope, or one per place of the axis."""
    data, alpha = call.tensor(0), call.tensor(1)
    one_dtype(call, data, alpha, 0, 1)
    if data.rank is None:
        return call.like(data, data.dtype)
    at = rule_axes.one_axis(call, call.attrs["axis"], data.rank)
    if at is not None and data.dims is not None and alpha.dims is not None:
        extent, slopes = data.dims[at], alpha.dims[0]
        if call.different(extent, slopes) and call.different(slopes, number(1)):
            call.bad_shape(_slopes(at, call.text(extent), call.text(slopes)), 0, 1)
    return call.like(data, data.dtype)


def _slopes(axis: int, extent: object, slopes: object) -> str:
    return f"axis {axis} of `data` is {extent}, `alpha` has {slopes} elements"


@family.operator(
    "nn.prelu",
    "data: tensor(float), alpha: tensor(1-d float)",
    "axis: int = 1",
    infer=infer_prelu,
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
        raise bad_shape(data.shape, alpha.shape, _slopes(at, data.shape[at], alpha.shape[0]))
    slope = widen(alpha).reshape([-1 if place == at else 1 for place in range(data.ndim)])
    wide = widen(data)
    return np.where(wide > 0, wide, wide * slope).astype(data.dtype, copy=False)


@family.operator(
    "nn.softmax", _FLOAT, "axis: int = -1", infer=unary.along_axis, example="nn.softmax" + _EXAMPLE
)
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
    result = x - np.maximum.reduce(x, axis, None, None, True)
    np.exp(result, out=result)
    result /= np.add.reduce(result, axis, None, None, True)
    return result


@family.operator(
    "nn.log_softmax",
    _FLOAT,
    "axis: int = -1",
    since="later",
    infer=unary.along_axis,
    example="nn.log_softmax" + _EXAMPLE,
)
def log_softmax(data: Any, axis: int) -> Any:
    """Compute the logarithm of `nn.softmax` along an axis without leaving the range of the dtype.

    The result has the shape and dtype of `data`.
    """
    return _in_float32(_log_softmax, data, one_axis(axis, data.ndim))


def _log_softmax(x: Any, axis: int) -> Any:
    if x.size == 0:
        return x.copy()
    shifted = x - np.maximum.reduce(x, axis, None, None, True)
    shifted -= np.log(np.add.reduce(np.exp(shifted), axis, None, None, True))
    return shifted


def infer_dropout(call: Inference) -> tree.StructInfo:
    """Two tensors of the shape and dtype of the argument."""
    same = unary.same(call)
    return call.tuple_of((same, same))


@family.operator(
    "nn.dropout", "data: tensor", "rate: float = 0.5", infer=infer_dropout, example="nn.dropout" + _EXAMPLE
)
def dropout(data: Any, rate: float) -> tuple[Any, Any]:
    """Return a pair of `data` and a mask of ones. Dropping elements is for training; here nothing is dropped.

    Both have the shape and dtype of `data`.
    """
    return data.copy(), np.ones_like(data)
