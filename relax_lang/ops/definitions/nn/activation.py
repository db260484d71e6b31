"""Activations of neural networks, softmax, dropout. The result has the shape and dtype of the argument.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_shape
from relax_lang.ops.core.operator import Family
from relax_lang.ops.definitions.tensor import elementwise
from relax_lang.ops.numpy_kernels.compute_dtype import LOWEST, computed_wide, constant, wide_dtype, widened
from relax_lang.ops.numpy_kernels.logistic import logistic
from relax_lang.ops.numpy_kernels.shape_checks import one_axis, same_dtype
from relax_lang.ops.shape_rules.shared import axes as rule_axes
from relax_lang.ops.shape_rules.shared import unary
from relax_lang.ops.shape_rules.shared.broadcast import same_dtype as one_dtype
from relax_lang.ops.shape_rules.shared.extents import one_or

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.specialization import Run1, Run2, TensorSpec
    from relax_lang.syntax import tree

family = Family(__name__, "Neural networks: activations", rows="elementwise")

_MANY = 1 << 13
"""From so many elements on NumPy's `clip` is faster than `maximum` with a number, which is not vectorized."""

_FLOAT = "data: tensor(float)"
_EXAMPLE = "(const([-1.0, 0.0, 2.0]))"


@family.planned("nn.relu", "data: tensor", infer=unary.same, example="nn.relu" + _EXAMPLE)
def relu(data: TensorSpec) -> Run1:
    """Set negative elements to 0: `maximum(data, 0)`. nan stays nan; every dtype is accepted.

    The result has the shape and dtype of `data`.
    """
    if data.dtype.kind in "bu":
        return np.ndarray.copy
    maximum, zero = np.maximum, constant(0, data.dtype)
    if data.size >= _MANY and data.dtype.kind == "f" and data.dtype.itemsize >= 4:
        endless = constant(math.inf, data.dtype)
        return lambda data: data.clip(zero, endless)
    return lambda data: maximum(data, zero)


@family.planned(
    "nn.relu6", "data: tensor(number)", since="later", infer=unary.same, example="nn.relu6" + _EXAMPLE
)
def relu6(data: TensorSpec) -> Run1:
    """Limit every element to 0 … 6: `clip(data, 0, 6)`. nan stays nan.

    The result has the shape and dtype of `data`.
    """
    return elementwise.clip(data, 0, 6)


@family.planned("nn.gelu", _FLOAT, infer=unary.same, example="nn.gelu" + _EXAMPLE)
def gelu(data: TensorSpec) -> Run1:
    """Multiply with the normal distribution function: `data * (1 + erf(data / sqrt(2))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return computed_wide(data, lambda dtype: _gelu(dtype, data.size))


def _gelu(dtype: Any, size: int) -> Run1:
    from relax_lang.ops.numpy_kernels import erf as erf_kernel  # only programs that use it need its tables

    erf, root = erf_kernel.erf(dtype, size), constant(math.sqrt(0.5), dtype)
    one, half = constant(1, dtype), constant(0.5, dtype)

    def run(x: Any) -> Any:
        result = erf(x * root)
        result += one
        result *= x
        result *= half
        return result

    return run


@family.planned("nn.gelu_tanh", _FLOAT, since="later", infer=unary.same, example="nn.gelu_tanh" + _EXAMPLE)
def gelu_tanh(data: TensorSpec) -> Run1:
    """Approximate `nn.gelu`: `data * (1 + tanh(sqrt(2/π) * (data + 0.044715 * data ** 3))) / 2`.

    The result has the shape and dtype of `data`.
    """
    return computed_wide(data, _gelu_tanh)


def _gelu_tanh(dtype: Any) -> Run1:
    tanh, one, half = np.tanh, constant(1, dtype), constant(0.5, dtype)
    cubic, scale = constant(0.044715, dtype), constant(math.sqrt(2 / math.pi), dtype)

    def run(x: Any) -> Any:
        result = x * x
        result *= cubic
        result += one
        result *= x
        result *= scale
        tanh(result, result)
        result += one
        result *= x
        result *= half
        return result

    return run


@family.planned(
    "nn.silu", _FLOAT, infer=unary.same, also=("jax.swish", "onnx.Swish"), example="nn.silu" + _EXAMPLE
)
def silu(data: TensorSpec) -> Run1:
    """Multiply with the logistic function: `data * sigmoid(data)`.

    The result has the shape and dtype of `data`.
    """
    return logistic(data, times_x=True)


@family.planned(
    "nn.leakyrelu",
    _FLOAT,
    "alpha: float = 0.01",
    since="later",
    infer=unary.same,
    example="nn.leakyrelu" + _EXAMPLE,
)
def leakyrelu(data: TensorSpec, alpha: float) -> Run1:
    """Multiply elements that are not positive with `alpha`.

    The result has the shape and dtype of `data`.
    """
    return computed_wide(data, lambda dtype: _leaky(dtype, alpha))


def _leaky(dtype: Any, alpha: float) -> Run1:
    slope, zero = constant(alpha, dtype), constant(0, dtype)
    maximum, copyto = np.maximum, np.copyto

    def run_by_maximum(x: Any) -> Any:
        scaled = x * slope
        return maximum(x, scaled, out=scaled)

    def run(x: Any) -> Any:
        scaled = x * slope
        copyto(scaled, x, where=x > zero)
        return scaled

    # With such a slope the larger one is right for either sign, and no element decides on its own.
    return run_by_maximum if 0 < slope <= 1 else run


@family.planned("nn.selu", _FLOAT, since="later", infer=unary.same, example="nn.selu" + _EXAMPLE)
def selu(data: TensorSpec) -> Run1:
    """Scale by 1.0507…; elements that are not positive become 1.0507… · 1.6732… · (exp(data) - 1).

    The result has the shape and dtype of `data`.
    """
    return computed_wide(data, _selu)


def _selu(dtype: Any) -> Run1:
    scale, alpha, zero = [constant(value, dtype) for value in (1.0507009873554805, 1.6732632423543772, 0)]
    expm1, maximum, minimum = np.expm1, np.maximum, np.minimum

    def run(x: Any) -> Any:
        result = minimum(x, zero)
        expm1(result, result)
        result *= alpha
        result += maximum(x, zero)
        result *= scale
        return result

    return run


@family.planned(
    "nn.softplus",
    _FLOAT,
    "beta: float = 1.0, threshold: float = 20.0",
    since="later",
    infer=unary.same,
    example="nn.softplus" + _EXAMPLE,
)
def softplus(data: TensorSpec, beta: float, threshold: float) -> Run1:
    """Compute `log(1 + exp(beta * data)) / beta`, a smooth relu; where `beta * data` exceeds the
    threshold, `data`.
    The result has the shape and dtype of `data`.
    """
    return computed_wide(data, lambda dtype: _softplus(dtype, beta, threshold))


def _softplus(dtype: Any, beta: float, threshold: float) -> Run1:
    factor, limit = constant(beta, dtype), constant(threshold, dtype)

    def run(x: Any) -> Any:
        scaled = x * factor
        smooth = np.log1p(np.exp(np.minimum(scaled, limit))) / factor
        return np.where(scaled > limit, x, smooth)

    return run


def infer_prelu(call: Inference) -> tree.StructInfo:
    """Keep shape and dtype; there is one slope, or one per place of the axis."""
    data, alpha = call.tensor(0), call.tensor(1)
    one_dtype(call, data, alpha, 0, 1)
    if data.rank is None:
        return call.like(data, data.dtype)
    at = rule_axes.one_axis(call, call.attrs["axis"], data.rank)
    if at is not None and data.dims is not None and alpha.dims is not None:
        extent, slopes = data.dims[at], alpha.dims[0]
        one_or(call, slopes, extent, (0, 1), lambda: _slopes(at, call.text(extent), call.text(slopes)))
    return call.like(data, data.dtype)


def _slopes(axis: int, extent: object, slopes: object) -> str:
    return f"axis {axis} of `data` is {extent}, `alpha` has {slopes} elements"


@family.planned(
    "nn.prelu",
    "data: tensor(float), alpha: tensor(1-d float)",
    "axis: int = 1",
    infer=infer_prelu,
    rows="per channel",
    since="later",
    example="nn.prelu(const([[-1.0, -1.0]]), const([0.5, 0.25]))",
)
def prelu(data: TensorSpec, alpha: TensorSpec, axis: int) -> Run2:
    """Multiply elements that are not positive with a slope per place on an axis.

    `alpha` has the dtype of `data` and as many elements as that axis, or one for all.
    The result has the shape and dtype of `data`.
    """
    same_dtype(data, alpha, ("data", "alpha"))
    at = one_axis(axis, data.ndim)
    if alpha.shape[0] not in (1, data.shape[at]):
        raise bad_shape(data.shape, alpha.shape, _slopes(at, data.shape[at], alpha.shape[0]))
    shape, zero, where = (-1, *(1,) * (data.ndim - at - 1)), constant(0, wide_dtype(data.dtype)), np.where

    def run(x: Any, alpha: Any) -> Any:
        return where(x > zero, x, x * alpha.reshape(shape))

    return widened(data.dtype, run)


@family.planned(
    "nn.softmax",
    _FLOAT,
    "axis: int = -1",
    infer=unary.along_axis,
    rows="along axis",
    example="nn.softmax" + _EXAMPLE,
)
def softmax(data: TensorSpec, axis: int) -> Run1:
    """Turn the elements along an axis into positive ones whose sum is 1: `exp(data) / sum(exp(data))`.

    The largest is subtracted first, so that nothing overflows; if all are -inf, the result is nan.
    The result has the shape and dtype of `data`.
    """
    run = softmax_of(one_axis(axis, data.ndim), data.size)
    return computed_wide(data, lambda _: run)


def softmax_of(axis: int, size: int) -> Run1:
    """Plan the softmax of float32 or float64 arrays of `size` elements."""
    if size == 0:
        return np.ndarray.copy
    exp, add, most = np.exp, np.add.reduce, np.maximum.reduce

    def run(x: Any) -> Any:
        result = x - most(x, axis, None, None, True, LOWEST)
        exp(result, result)
        result /= add(result, axis, None, None, True)
        return result

    return run


@family.planned(
    "nn.log_softmax",
    _FLOAT,
    "axis: int = -1",
    since="later",
    infer=unary.along_axis,
    rows="along axis",
    example="nn.log_softmax" + _EXAMPLE,
)
def log_softmax(data: TensorSpec, axis: int) -> Run1:
    """Compute the logarithm of `nn.softmax` along an axis without leaving the range of the dtype.

    The result has the shape and dtype of `data`.
    """
    at = one_axis(axis, data.ndim)
    if data.size == 0:
        return np.ndarray.copy
    exp, log, add, most = np.exp, np.log, np.add.reduce, np.maximum.reduce

    def run(x: Any) -> Any:
        result = x - most(x, at, None, None, True, LOWEST)
        result -= log(add(exp(result), at, None, None, True))
        return result

    return computed_wide(data, lambda _: run)


def infer_dropout(call: Inference) -> tree.StructInfo:
    """Two tensors of the shape and dtype of the argument."""
    same = unary.same(call)
    return call.tuple_of((same, same))


@family.planned(
    "nn.dropout", "data: tensor", "rate: float = 0.5", infer=infer_dropout, example="nn.dropout" + _EXAMPLE
)
def dropout(data: TensorSpec, rate: float) -> Run1:
    """Return a pair of `data` and a mask of ones. Dropping elements is for training; here nothing is dropped.

    Both have the shape and dtype of `data`.
    """
    empty, shape, dtype = np.empty, data.shape, data.dtype

    def run(data: Any) -> tuple[Any, Any]:
        mask = empty(shape, dtype)
        mask.fill(1)
        return data.copy(), mask

    return run
