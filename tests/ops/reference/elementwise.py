"""Element by element: functions of one tensor, operators of several, activations, conversions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from relax_lang.ops.core.dtypes import is_float, numpy_dtype
from tests.ops.reference.base import (
    axes_of,
    broadcast,
    divided,
    fit,
    get,
    grouped,
    indices,
    largest,
    made,
    replaced,
    safely,
    smallest,
    softmax,
    toward_zero,
)

ROOT_2 = math.sqrt(2)


def _unary(compute: Callable[[Any], Any], dtype: str = "") -> Callable[..., Any]:
    return lambda x: made(x.shape, dtype or x.dtype, lambda index: compute(get(x, index)))


def _log(x: float) -> float:
    return -math.inf if x == 0 else safely(math.log, x)


def _whole(rounded: Callable[[float], int]) -> Callable[[Any], Any]:
    return lambda x: rounded(x) if isinstance(x, int) or math.isfinite(x) else x


def _sign(x: Any) -> Any:
    return x if x != x else (x > 0) - (x < 0)


def _sigmoid(x: float) -> float:
    return x if math.isnan(x) else safely(math.exp, x) if x < -40 else 1 / (1 + safely(math.exp, -x))


def _tanh_gelu(x: float) -> float:
    inner = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)
    return 0.5 * x * (1 + math.tanh(inner))


UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "ceil": _whole(math.ceil),
    "cos": lambda x: safely(math.cos, x),
    "erf": math.erf,
    "exp": lambda x: safely(math.exp, x),
    "floor": _whole(math.floor),
    "log": _log,
    "logical_not": lambda x: not x,
    "negative": lambda x: -x,
    "nn.gelu": lambda x: 0.5 * x * (1 + math.erf(x / ROOT_2)),
    "nn.gelu_tanh": _tanh_gelu,
    "nn.relu": lambda x: x if x != x or x > 0 else 0,
    "nn.silu": lambda x: x * _sigmoid(x),
    "round": _whole(round),
    "rsqrt": lambda x: divided(1.0, safely(math.sqrt, x)),
    "sigmoid": _sigmoid,
    "sign": _sign,
    "sin": lambda x: safely(math.sin, x),
    "sqrt": lambda x: safely(math.sqrt, x),
    "square": lambda x: x * x,
    "tanh": math.tanh,
    # Tier 2.
    "acos": lambda x: safely(math.acos, x),
    "acosh": lambda x: safely(math.acosh, x),
    "asin": lambda x: safely(math.asin, x),
    "asinh": math.asinh,
    "atan": math.atan,
    "atanh": lambda x: math.copysign(math.inf, x) if abs(x) == 1 else safely(math.atanh, x),
    "bitwise_not": lambda x: not x if isinstance(x, bool) else ~x,
    "cosh": lambda x: safely(math.cosh, x),
    "nn.relu6": lambda x: x if x != x else min(max(x, 0), 6),
    "nn.selu": lambda x: 1.0507009873554805 * (x if not x <= 0 else 1.6732632423543772 * math.expm1(x)),
    "sinh": lambda x: math.copysign(safely(math.sinh, abs(x)), x),
    "tan": lambda x: safely(math.tan, x),
    "trunc": _whole(math.trunc),
}
PREDICATES: dict[str, Callable[[Any], bool]] = {
    "isfinite": math.isfinite,
    "isinf": math.isinf,
    "isnan": math.isnan,
}


def _binary(compute: Callable[[Any, Any], Any], dtype: str = "") -> Callable[..., Any]:
    def second(x1: Any, x2: Any) -> Any:
        shape = broadcast(x1.shape, x2.shape)
        return made(shape, dtype or x1.dtype, lambda index: compute(get(x1, index), get(x2, index)))

    return second


def _divide(x: Any, y: Any) -> Any:
    return divided(x, y) if isinstance(x, float) else toward_zero(x, y)


def _floor_divide(x: Any, y: Any) -> Any:
    if isinstance(x, int):
        return x // y
    if y == 0 or not math.isfinite(x):
        return math.nan if math.isinf(x) and y != 0 else divided(x, y)
    return x // y


def _mod(x: Any, y: Any) -> Any:
    return safely(math.fmod, x, y) if isinstance(x, float) else x - y * toward_zero(x, y)


def _floor_mod(x: Any, y: Any) -> Any:
    if isinstance(x, float) and (y == 0 or not math.isfinite(x)):
        return math.nan
    return x % y


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, int):
        return pow(x, y, 1 << 64)
    if x == 0 and y < 0:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    try:
        return math.pow(x, y)
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x or y if isinstance(x, bool) else x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": _divide,
    "floor_divide": _floor_divide,
    "mod": _mod,
    "floor_mod": _floor_mod,
    "power": _power,
    "maximum": lambda x, y: largest([x, y]),
    "minimum": lambda x, y: smallest([x, y]),
    "logical_and": lambda x, y: x and y,
    "logical_or": lambda x, y: x or y,
    "atan2": math.atan2,
    "logical_xor": lambda x, y: x != y,
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "bitwise_xor": lambda x, y: x ^ y,
    "left_shift": lambda x, y: x << y,
    "right_shift": lambda x, y: x >> y,
    "outer": lambda x, y: x * y,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
}


def where(condition: Any, x1: Any, x2: Any) -> Any:
    shape = broadcast(condition.shape, x1.shape, x2.shape)
    return made(shape, x1.dtype, lambda index: get(x1 if get(condition, index) else x2, index))


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    fill = astype(value, x.dtype)
    return where(mask, fill, x)


def ewise_fma(x1: Any, x2: Any, x3: Any) -> Any:
    return made(x1.shape, x1.dtype, lambda index: get(x1, index) * get(x2, index) + get(x3, index))


def clip(x: Any, low: Any, high: Any) -> Any:
    if is_float(x.dtype):
        low, high = float(fit(low, x.dtype)), float(fit(high, x.dtype))
    else:
        low, high = int(low), int(high)
        if x.dtype.kind == "u":
            low, high = max(low, 0), max(high, 0)

    def limited(index: tuple[int, ...]) -> Any:
        value = get(x, index)
        return value if value != value else max(min(value, high), low)

    return made(x.shape, x.dtype, limited)


def leakyrelu(data: Any, alpha: float) -> Any:
    return _unary(lambda x: x if not x <= 0 else x * alpha)(data)


def softplus(data: Any, beta: float, threshold: float) -> Any:
    return _unary(lambda x: x if x * beta > threshold else math.log1p(safely(math.exp, x * beta)) / beta)(
        data
    )


def prelu(data: Any, alpha: Any, axis: int) -> Any:
    at = axis % data.ndim

    def compute(index: tuple[int, ...]) -> float:
        value = get(data, index)
        return value if not value <= 0 else value * get(alpha, (index[at],))

    return made(data.shape, data.dtype, compute)


def dropout(data: Any, rate: float) -> Any:
    return made(data.shape, data.dtype, lambda i: get(data, i)), made(data.shape, data.dtype, lambda i: 1)


def _along(x: Any, axis: int, compute: Callable[[list[float]], list[float]]) -> Any:
    at = axis % x.ndim
    lines = {key: compute(values) for key, values in grouped(x, [at]).items() if values}
    return made(x.shape, x.dtype, lambda index: lines[index[:at] + index[at + 1 :]][index[at]])


def _log_softmax(values: list[float]) -> list[float]:
    top = largest(values)
    total = sum([safely(math.exp, value - top) for value in values])
    return [value - top - (_log(total) if total == total else math.nan) for value in values]


def astype(x: Any, dtype: Any) -> Any:
    wanted = numpy_dtype(dtype) if isinstance(dtype, str) else dtype
    return made(x.shape, wanted, lambda index: get(x, index))


def full(shape: Any, fill_value: Any, dtype: str | None) -> Any:
    return made(shape.values, dtype or fill_value.dtype, lambda index: get(fill_value, ()))


def full_like(x: Any, fill_value: Any, dtype: str | None) -> Any:
    return made(x.shape, dtype or x.dtype, lambda index: get(fill_value, ()))


def scalar(value: Any, like: Any) -> Any:
    own = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
    is_kept = like is None or own == "bool" or like.dtype == numpy_dtype("bool")
    wanted = own if is_kept or (own == "float32" and not is_float(like.dtype)) else like.dtype
    return made((), wanted, lambda index: value)


def prim_value(value: Any, dtype: str | None) -> Any:
    own = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
    kept = int(value) if dtype == "int64" else value
    return made((), dtype or own, lambda index: kept)


def arange(start: Any, end: Any, step: Any, dtype: str | None) -> Any:
    if end is None:
        start, end = 0, start
    step = 1 if step is None else step
    whole = not any(isinstance(each, float) for each in (start, end, step))
    wanted = dtype or ("int64" if whole else "float32")
    values = []
    while (start + len(values) * step < end) if step > 0 else (start + len(values) * step > end):
        values.append(start + len(values) * step)
    return made((len(values),), wanted, lambda index: values[index[0]])


def _triangle(kept: Callable[[int, int], bool]) -> Callable[..., Any]:
    def second(x: Any, k: int | None) -> Any:
        return made(x.shape, x.dtype, lambda i: get(x, i) if kept(i[-1] - i[-2], k or 0) else 0)

    return second


def one_hot(indices_: Any, on: Any, off: Any, depth: int, axis: int) -> Any:
    at = axis % (indices_.ndim + 1)
    dtype = "bool" if isinstance(on, bool) else "int64" if isinstance(on, int) else "float32"
    result = made(
        replaced((*indices_.shape[:at], 0, *indices_.shape[at:]), at, depth), dtype, lambda index: off
    )
    for index in indices(indices_.shape):
        place = get(indices_, index)
        if 0 <= place < depth:
            result[(*index[:at], place, *index[at:])] = on
    return result


def _quantized(x: Any, data: Any, axis: int) -> Callable[[tuple[int, ...]], Any]:
    if x.size == 1:
        return lambda index: get(x.reshape(()), ())
    (at,) = axes_of(axis, data.ndim)
    return lambda index: get(x, (index[at],))


REFERENCE: dict[str, Any] = {
    **{name: _unary(compute) for name, compute in UNARY.items()},
    **{name: _unary(compute, "bool") for name, compute in PREDICATES.items()},
    **{name: _binary(compute) for name, compute in BINARY.items()},
    **{name: _binary(compute, "bool") for name, compute in COMPARISONS.items()},
    "outer": lambda x1, x2: made((x1.size, x2.size), x1.dtype, lambda i: get(x1, i[:1]) * get(x2, i[1:])),
    "where": where,
    "masked_fill": masked_fill,
    "ewise_fma": ewise_fma,
    "clip": clip,
    "nn.leakyrelu": leakyrelu,
    "nn.softplus": softplus,
    "nn.prelu": prelu,
    "nn.dropout": dropout,
    "nn.softmax": lambda data, axis: _along(data, axis, softmax),
    "nn.log_softmax": lambda data, axis: _along(data, axis, _log_softmax),
    "astype": astype,
    "full": full,
    "full_like": full_like,
    "ones": lambda shape, dtype: made(shape.values, dtype, lambda index: 1),
    "ones_like": lambda x, dtype: made(x.shape, dtype or x.dtype, lambda index: 1),
    "zeros": lambda shape, dtype: made(shape.values, dtype, lambda index: 0),
    "zeros_like": lambda x, dtype: made(x.shape, dtype or x.dtype, lambda index: 0),
    "arange": arange,
    "scalar": scalar,
    "prim_value": prim_value,
    "tril": _triangle(lambda offset, k: offset <= k),
    "triu": _triangle(lambda offset, k: offset >= k),
    "one_hot": one_hot,
}
