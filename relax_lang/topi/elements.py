"""Functions of elements: activations and arithmetic, with broadcasting."""

from __future__ import annotations

import math

from relax_lang import te
from relax_lang.syntax import dtypes
from relax_lang.te.expr import Expr
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.core import BOOL, broadcast_shape, broadcast_to, elementwise, literal, wide, wide_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Elementwise = Callable[[Expr, Expr], Expr] | Callable[[Expr, Expr, Expr], Expr]


def of_any(function: Any) -> Callable[..., Expr]:
    """Return a function of elements as one of any number of them."""
    return function


def broadcast(
    function: Elementwise, *tensors: Tensor, name: str = "compute", dtype: str | None = None
) -> Tensor:
    """Return a function of the elements of several tensors, whose shapes are broadcast."""
    shape = broadcast_shape(*[x.shape for x in tensors])
    inner = [broadcast_to(wide(x), shape) for x in tensors]
    wanted, run = dtype or tensors[0].dtype, of_any(function)
    return compute(shape, lambda *at: te.cast(run(*[x[at] for x in inner]), wanted), name)


def add(a: Tensor, b: Tensor) -> Tensor:
    """`a + b`; of bool the logical or."""
    return broadcast(lambda x, y: x | y if a.dtype == BOOL else x + y, a, b, name="add")


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """`a - b`."""
    return broadcast(lambda x, y: x - y, a, b, name="subtract")


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """`a * b`; of bool the logical and."""
    return broadcast(lambda x, y: x & y if a.dtype == BOOL else x * y, a, b, name="multiply")


def divide(a: Tensor, b: Tensor) -> Tensor:
    """`a / b`; integers round toward zero."""
    return broadcast(
        lambda x, y: x / y if dtypes.is_float(a.dtype) else te.truncdiv(x, y), a, b, name="divide"
    )


def maximum(a: Tensor, b: Tensor) -> Tensor:
    """The greater one of both; nan if either is."""
    return broadcast(lambda x, y: x | y if a.dtype == BOOL else te.maximum(x, y), a, b, name="maximum")


def minimum(a: Tensor, b: Tensor) -> Tensor:
    """The smaller one of both; nan if either is."""
    return broadcast(lambda x, y: x & y if a.dtype == BOOL else te.minimum(x, y), a, b, name="minimum")


def power(a: Tensor, b: Tensor) -> Tensor:
    """`a ** b` of floats."""
    return broadcast(te.pow, a, b, name="power")


def where(condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """`a` where the condition holds, else `b`."""
    return broadcast(te.select, condition, a, b, name="where", dtype=a.dtype)


def relu(x: Tensor) -> Tensor:
    """`max(x, 0)`."""
    if x.dtype == BOOL or x.dtype.startswith("uint"):
        return elementwise(lambda v: v, x, "relu")
    return elementwise(lambda v: te.maximum(v, literal(0, wide_dtype(x.dtype))), x, "relu")


def sigmoid(x: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return elementwise(te.sigmoid, x, "sigmoid")


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return elementwise(te.tanh, x, "tanh")


def exp(x: Tensor) -> Tensor:
    """The number e to the power of `x`."""
    return elementwise(te.exp, x, "exp")


def sqrt(x: Tensor) -> Tensor:
    """The square root."""
    return elementwise(te.sqrt, x, "sqrt")


def silu(x: Tensor) -> Tensor:
    """`x * sigmoid(x)`."""
    return elementwise(lambda v: v * te.sigmoid(v), x, "silu")


def gelu(x: Tensor) -> Tensor:
    """`x * (1 + erf(x / sqrt(2))) / 2`."""
    return elementwise(lambda v: (te.erf(v * math.sqrt(0.5)) + 1.0) * v * 0.5, x, "gelu")


def gelu_tanh(x: Tensor) -> Tensor:
    """`x * (1 + tanh(sqrt(2/π) * (x + 0.044715 * x ** 3))) / 2`."""
    scale = math.sqrt(2 / math.pi)
    return elementwise(
        lambda v: (te.tanh((v * v * 0.044715 + 1.0) * v * scale) + 1.0) * v * 0.5, x, "gelu_tanh"
    )


def leaky_relu(x: Tensor, alpha: float = 0.01) -> Tensor:
    """`x` where it is positive, else `alpha * x`."""
    return elementwise(lambda v: te.select(v > 0.0, v, v * alpha), x, "leaky_relu")


def selu(x: Tensor) -> Tensor:
    """1.0507… · x where it is positive, else 1.0507… · 1.6732… · (exp(x) - 1)."""
    return elementwise(
        lambda v: (
            (te.expm1(te.minimum(v, 0.0)) * 1.6732632423543772 + te.maximum(v, 0.0)) * 1.0507009873554805
        ),
        x,
        "selu",
    )


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta * x)) / beta`; above the threshold `x`."""

    def each(v: Expr) -> Expr:
        scaled = v * beta
        return te.select(scaled > threshold, v, te.log1p(te.exp(te.minimum(scaled, threshold))) / beta)

    return elementwise(each, x, "softplus")


def cast(x: Tensor, dtype: str) -> Tensor:
    """Convert every element."""
    return compute(x.shape, lambda *at: te.cast(x[at], dtype), "cast")
