"""One call of every common operator, and the best NumPy code for it that one would write by hand, and in torch.

A row is: the operator, what makes its arguments, its attributes, NumPy code, a torch expression or "". The code names
the arguments `a`, `b`, `c`, … in order; several statements are separated by `;`, the last one is the result. It gives
the same dtype and the same values (but for rounding) as the operator, and may assume what holds for these arguments.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.ops.core.signature import DTypeName
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Make = Callable[[int], list[Any]]
    Row = tuple[str, Make, dict[str, Any], str, str]

SMALL, LARGE = 32, 1024
"""Rows and columns of what most operators get; `size // 8` and the like where the work grows faster."""

_NUMBERS = np.random.default_rng(0)


def f(*shape: int, dtype: str = "float32") -> Any:
    """Return normally distributed numbers."""
    return _NUMBERS.standard_normal(shape).astype(dtype)


def p(*shape: int) -> Any:
    """Return positive numbers."""
    return (_NUMBERS.random(shape) + 0.5).astype(np.float32)


def i(low: int, high: int, *shape: int, dtype: str = "int32") -> Any:
    """Return integers from `low` to `high - 1`."""
    return _NUMBERS.integers(low, high, shape).astype(dtype)


def b(*shape: int) -> Any:
    """Return bools."""
    return _NUMBERS.random(shape) < 0.5


def _one(n: int) -> list[Any]:
    return [f(n, n)]


def _positive(n: int) -> list[Any]:
    return [p(n, n)]


def _two(n: int) -> list[Any]:
    return [f(n, n), p(n, n)]


def _bools(n: int) -> list[Any]:
    return [b(n, n), b(n, n)]


def _heads(n: int) -> list[Any]:
    return [f(2, n // 4 or 1, 4, 64) for _ in range(3)]


def _image(n: int) -> list[Any]:
    return [f(1, 16, n // 4, n // 4)]


_F32 = DTypeName("float32")
_ERF = (
    "t = 1 / (1 + np.float32(0.3275911) * np.abs({0})); "
    "q = ((((np.float32(1.061405429) * t - np.float32(1.453152027)) * t + np.float32(1.421413741)) * t "
    "- np.float32(0.284496736)) * t + np.float32(0.254829592)) * t; "
    "e = np.copysign(1 - q * np.exp(-({0} * {0})), {0})"
)
_ROOT = f"np.float32({math.sqrt(0.5)})"
_SCORES = (
    "q = a.transpose(0, 2, 1, 3); s = np.matmul(q, b.transpose(0, 2, 3, 1)); s *= np.float32(0.125); {0}"
    "s -= np.maximum.reduce(s, -1, keepdims=True); np.exp(s, out=s); s /= np.add.reduce(s, -1, keepdims=True); "
    "np.ascontiguousarray(np.matmul(s, c.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3))"
)
_NORM = (
    "n = np.float32(a.shape[{0}]); m = np.add.reduce(a, {0}, keepdims=True); m /= n; d = a - m; "
    "v = np.add.reduce(d * d, {0}, keepdims=True); v /= n; v += np.float32(1e-5); "
    "np.sqrt(v, out=v); d /= v; d *= {1}; d += {2}; d"
)
_VARIANCE = (
    "m = np.add.reduce(a, axis={0}, keepdims=True); m /= a.shape[{0}]; d = a - m; d *= d; "
    "v = np.add.reduce(d, axis={0}); v /= a.shape[{0}]; "
)
_TORCH_HEADS = "a.transpose(1, 2), b.transpose(1, 2), c.transpose(1, 2)"

_UNARY: list[Row] = [
    (name, _positive if name in ("log", "sqrt") else _one, {}, f"np.{name}(a)", f"torch.{name}(a)")
    for name in (
        "abs",
        "ceil",
        "cos",
        "exp",
        "floor",
        "log",
        "negative",
        "sign",
        "sin",
        "sqrt",
        "square",
        "tanh",
    )
]
_BINARY: list[Row] = [
    (name, _two, {}, f"np.{numpy}(a, b)", f"torch.{torch}(a, b)")
    for name, numpy, torch in (
        ("add", "add", "add"),
        ("subtract", "subtract", "sub"),
        ("multiply", "multiply", "mul"),
        ("divide", "true_divide", "div"),
        ("floor_divide", "floor_divide", "floor_divide"),
        ("mod", "fmod", "fmod"),
        ("floor_mod", "mod", "remainder"),
        ("maximum", "maximum", "maximum"),
        ("minimum", "minimum", "minimum"),
        *[(name, name, torch) for name, torch in (
            ("equal", "eq"), ("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"),
            ("greater_equal", "ge"))],
    )
]  # fmt: skip

ROWS: list[Row] = [
    *_UNARY,
    ("erf", _one, {}, _ERF.format("a") + "; e", "torch.erf(a)"),
    ("round", _one, {}, "np.rint(a)", "torch.round(a)"),
    ("rsqrt", _positive, {}, "r = np.sqrt(a); np.reciprocal(r, out=r)", "torch.rsqrt(a)"),
    ("sigmoid", _one, {}, "e = np.negative(a); np.exp(e, out=e); e += 1; np.reciprocal(e, out=e)",
     "torch.sigmoid(a)"),
    ("logical_not", lambda n: [b(n, n)], {}, "np.logical_not(a)", "torch.logical_not(a)"),
    ("clip", lambda n: [f(n, n), -0.5, 0.5], {}, "a.clip(np.float32(b), np.float32(c))",
     "torch.clamp(a, b, c)"),
    *_BINARY,
    ("power", lambda n: [p(n, n), f(n, n)], {}, "np.power(a, b)", "torch.pow(a, b)"),
    ("logical_and", _bools, {}, "np.logical_and(a, b)", "torch.logical_and(a, b)"),
    ("logical_or", _bools, {}, "np.logical_or(a, b)", "torch.logical_or(a, b)"),
    ("where", lambda n: [b(n, n), f(n, n), f(n, n)], {}, "np.where(a, b, c)", "torch.where(a, b, c)"),
    # Reductions.
    ("sum", _one, {"axis": -1}, "np.add.reduce(a, axis=-1)", "torch.sum(a, -1)"),
    ("prod", _one, {"axis": 0}, "np.multiply.reduce(a, axis=0)", "torch.prod(a, 0)"),
    ("max", _one, {"axis": -1}, "np.maximum.reduce(a, axis=-1)", "torch.amax(a, -1)"),
    ("min", _one, {"axis": 0}, "np.minimum.reduce(a, axis=0)", "torch.amin(a, 0)"),
    ("mean", _one, {"axis": [-1]}, "r = np.add.reduce(a, axis=-1); r /= a.shape[-1]; r", "torch.mean(a, -1)"),
    ("variance", _one, {"axis": [-1]}, _VARIANCE.format(-1) + "v", "torch.var(a, -1, correction=0)"),
    ("std", _one, {"axis": [0]}, _VARIANCE.format(0) + "np.sqrt(v, out=v)", "torch.std(a, 0, correction=0)"),
    ("cumsum", _one, {"axis": 1}, "np.add.accumulate(a, axis=1)", "torch.cumsum(a, 1)"),
    ("argmax", _one, {"axis": -1}, "a.argmax(-1)", "torch.argmax(a, -1)"),
    ("argmin", _one, {"axis": 0}, "a.argmin(0)", "torch.argmin(a, 0)"),
    # Creation and conversion.
    ("full", lambda n: [ShapeValue((n, n)), np.array(1.5, np.float32)], {},
     "r = np.empty(a.values, np.float32); r[...] = b; r", "torch.full(a.values, 1.5)"),
    ("full_like", lambda n: [f(n, n), np.array(7, np.int32)], {}, "r = np.empty(a.shape, a.dtype); r[...] = b; r",
     "torch.full_like(a, 7)"),
    ("ones", lambda n: [ShapeValue((n, n))], {"dtype": _F32}, "r = np.empty(a.values, np.float32); r.fill(1); r",
     "torch.ones(a.values)"),
    ("ones_like", _one, {}, "r = np.empty(a.shape, a.dtype); r.fill(1); r", "torch.ones_like(a)"),
    ("zeros", lambda n: [ShapeValue((n, n))], {"dtype": _F32}, "np.zeros(a.values, np.float32)",
     "torch.zeros(a.values)"),
    ("zeros_like", _one, {}, "np.zeros(a.shape, a.dtype)", "torch.zeros_like(a)"),
    ("arange", lambda n: [3, n * n, 2], {}, "np.arange(a, b, c, np.int64)", "torch.arange(a, b, c)"),
    ("tril", _one, {}, "np.tril(a)", "torch.tril(a)"),
    ("triu", lambda n: [f(n, n), 1], {}, "np.triu(a, b)", "torch.triu(a, b)"),
    ("astype", _one, {"dtype": DTypeName("int32")}, "a.astype(np.int32)", "a.to(torch.int32)"),
    # Order of elements.
    ("broadcast_to", lambda n: [f(n), ShapeValue((n, n))], {}, "r = np.empty(b.values, a.dtype); r[...] = a; r",
     "torch.broadcast_to(a, b.values).clone()"),
    ("repeat", _one, {"repeats": 2, "axis": 1}, "a.repeat(2, axis=1)", "torch.repeat_interleave(a, 2, 1)"),
    ("tile", _one, {"repeats": [2, 1]}, "np.concatenate((a, a))", "torch.tile(a, (2, 1))"),
    ("nn.pad", _one, {"pad_width": [1, 1, 1, 1]},
     "r = np.zeros((a.shape[0] + 2, a.shape[1] + 2), a.dtype); r[1:-1, 1:-1] = a; r",
     "torch.nn.functional.pad(a, (1, 1, 1, 1))"),
    ("concat", lambda n: [(f(n, n), f(n, n))], {"axis": 1}, "np.concatenate(a, axis=1)", "torch.cat(a, 1)"),
    ("stack", lambda n: [(f(n, n), f(n, n))], {"axis": 0},
     "r = np.empty((2, *a[0].shape), a[0].dtype); r[0], r[1] = a; r", "torch.stack(a)"),
    ("take", lambda n: [f(n, n), i(0, n, n, dtype="int64")], {"axis": 0}, "a.take(b, axis=0)",
     "torch.index_select(a, 0, b)"),
    ("one_hot", lambda n: [i(0, 32, n * n // 32, dtype="int64"), 1.0, 0.0], {"depth": 32},
     "r = np.zeros((a.size, 32), np.float32); r[np.arange(a.size), a] = 1; r",
     "torch.nn.functional.one_hot(a, 32).float()"),
    ("sort", _one, {}, 'r = a.copy(); r.sort(kind="stable"); r', "torch.sort(a, stable=True).values"),
    ("argsort", _one, {}, 'a.argsort(kind="stable").astype(np.int32)', "torch.argsort(a, stable=True)"),
    ("topk", _one, {"k": 5},
     ('o = np.negative(a).argsort(kind="stable")[:, :5]; '
      "a.reshape(-1).take(o + np.arange(0, a.size, a.shape[1])[:, None]), o.astype(np.int32)"),
     "torch.topk(a, 5)"),
    ("unique", lambda n: [i(0, 999, n * n)], {}, "np.unique(a)", "torch.unique(a)"),
    # Linear algebra.
    ("matmul", lambda n: [f(n // 2, n // 2), f(n // 2, n // 2)], {}, "a.dot(b)", "torch.matmul(a, b)"),
    ("matmul", lambda n: [f(n // 2, n // 2, dtype="float16"), f(n // 2, n // 2, dtype="float16")], {},
     "a.astype(np.float32).dot(b.astype(np.float32)).astype(np.float16)", ""),
    ("matmul", lambda n: [i(-9, 9, n // 2, n // 2, dtype="int8"), i(-9, 9, n // 2, n // 2, dtype="int8")],
     {"out_dtype": DTypeName("int32")},
     "a.astype(np.float32).dot(b.astype(np.float32)).astype(np.int32)", ""),
    ("linear", lambda n: [f(n // 2, n // 2), f(n // 2, n // 2), f(n // 2)], {},
     "r = a.dot(b.T); r += c; r", "torch.nn.functional.linear(a, b, c)"),
    ("einsum", lambda n: [(f(8, n // 4, n // 4), f(8, n // 4, n // 4))], {"subscripts": "bij,bjk->bik"},
     "np.matmul(a[0], a[1])", 'torch.einsum("bij,bjk->bik", *a)'),
    # Neural networks.
    ("nn.relu", _one, {}, "np.maximum(a, np.float32(0))", "torch.relu(a)"),
    ("nn.gelu", _one, {}, f"h = a * {_ROOT}; " + _ERF.format("h") + "; e += 1; e *= a; e *= np.float32(0.5); e",
     "torch.nn.functional.gelu(a)"),
    ("nn.gelu_tanh", _one, {},
     ("h = a * a; h *= np.float32(0.044715); h += 1; h *= a; h *= np.float32(0.7978845608028654); "
     "np.tanh(h, out=h); h += 1; h *= a; h *= np.float32(0.5); h"),
     'torch.nn.functional.gelu(a, approximate="tanh")'),
    ("nn.silu", _one, {}, "e = np.negative(a); np.exp(e, out=e); e += 1; np.divide(a, e, out=e)",
     "torch.nn.functional.silu(a)"),
    ("nn.leakyrelu", _one, {}, "np.maximum(a, a * np.float32(0.01))", "torch.nn.functional.leaky_relu(a)"),
    ("nn.softmax", _one, {},
     ("e = a - np.maximum.reduce(a, axis=-1, keepdims=True); np.exp(e, out=e); "
     "e /= np.add.reduce(e, axis=-1, keepdims=True); e"),
     "torch.softmax(a, -1)"),
    ("nn.log_softmax", _one, {},
     ("e = a - np.maximum.reduce(a, axis=-1, keepdims=True); "
     "e -= np.log(np.add.reduce(np.exp(e), axis=-1, keepdims=True)); e"),
     "torch.log_softmax(a, -1)"),
    ("nn.dropout", _one, {}, "m = np.empty(a.shape, a.dtype); m.fill(1); a.copy(), m", "a.clone(), torch.ones_like(a)"),
    ("nn.layer_norm", lambda n: [f(n, n), f(n), f(n)], {"axes": [-1]}, _NORM.format(-1, "b", "c"),
     "torch.nn.functional.layer_norm(a, a.shape[-1:], b, c)"),
    ("nn.rms_norm", lambda n: [f(n, n), f(n)], {"axes": [-1]},
     ("v = np.add.reduce(a * a, -1, keepdims=True); v /= np.float32(a.shape[-1]); v += np.float32(1e-5); "
      "np.sqrt(v, out=v); r = a / v; r *= b; r"),
     "torch.nn.functional.rms_norm(a, a.shape[-1:], b, 1e-5)"),
    ("nn.batch_norm", lambda n: [f(8, 16, n // 8 or 1, n // 8 or 1), f(16), f(16), f(16), p(16)], {"axis": 1},
     ("s = b / np.sqrt(e + np.float32(1e-5)); t = c - d * s; r = a * s[:, None, None]; r += t[:, None, None]; "
     "r, d.copy(), e.copy()"),
     "torch.nn.functional.batch_norm(a, d, e, b, c)"),
    ("nn.group_norm", lambda n: [f(8, 16, n // 8 or 1, n // 8 or 1), f(16), f(16)],
     {"num_groups": 4, "channel_axis": 1, "axes": [2, 3]},
     ("g = a.reshape(a.shape[0], 4, -1); n = np.float32(g.shape[-1]); m = np.add.reduce(g, -1, keepdims=True); "
     "m /= n; d = g - m; v = np.add.reduce(d * d, -1, keepdims=True); v /= n; v += np.float32(1e-5); "
     "np.sqrt(v, out=v); d /= v; d = d.reshape(a.shape); "
     "d *= b[:, None, None]; d += c[:, None, None]; d"),
     "torch.nn.functional.group_norm(a, 4, b, c)"),
    ("nn.attention", _heads, {}, _SCORES.format(""),
     f"torch.nn.functional.scaled_dot_product_attention({_TORCH_HEADS}).transpose(1, 2)"),
    ("nn.attention_bias", lambda n: [*_heads(n), f(1, 1, n // 4 or 1, n // 4 or 1)], {},
     _SCORES.format("s += d; "),
     f"torch.nn.functional.scaled_dot_product_attention({_TORCH_HEADS}, d).transpose(1, 2)"),
    ("nn.conv1d", lambda n: [f(1, 16, 8 * n), f(32, 16, 3)], {"padding": 1},
     ("x = np.zeros((1, 16, a.shape[2] + 2), a.dtype); x[:, :, 1:-1] = a; "
     "s, t = x.strides[1:]; w = np.ndarray((16, 3, a.shape[2]), a.dtype, x, 0, (s, t, t)).reshape(48, -1); "
     "b.reshape(32, 48).dot(w)[None]"),
     "torch.nn.functional.conv1d(a, b, padding=1)"),
    ("nn.conv2d", lambda n: [*_image(n), f(32, 16, 3, 3)], {"padding": [1, 1]},
     ("h = a.shape[2]; x = np.zeros((1, 16, h + 2, h + 2), a.dtype); x[:, :, 1:-1, 1:-1] = a; "
     "s, t, u = x.strides[1:]; w = np.ndarray((16, 3, 3, h, h), a.dtype, x, 0, (s, t, u, t, u)).reshape(144, -1); "
     "b.reshape(32, 144).dot(w).reshape(1, 32, h, h)"),
     "torch.nn.functional.conv2d(a, b, padding=1)"),
    ("nn.max_pool2d", _image, {"pool_size": [2, 2], "strides": [2, 2]},
     "m = np.maximum(a[:, :, ::2], a[:, :, 1::2]); np.maximum(m[..., ::2], m[..., 1::2])",
     "torch.nn.functional.max_pool2d(a, 2)"),
    ("nn.avg_pool2d", _image, {"pool_size": [2, 2], "strides": [2, 2]},
     "m = a[:, :, ::2] + a[:, :, 1::2]; m = m[..., ::2] + m[..., 1::2]; m *= np.float32(0.25); m",
     "torch.nn.functional.avg_pool2d(a, 2)"),
    ("nn.adaptive_avg_pool2d", _image, {"output_size": [1, 1]},
     "r = np.add.reduce(a, (2, 3), keepdims=True); r /= np.float32(a.shape[2] * a.shape[3]); r",
     "torch.nn.functional.adaptive_avg_pool2d(a, 1)"),
    ("image.resize2d", lambda n: [*_image(n), ShapeValue((n // 2, n // 2))], {"method": "nearest_neighbor",
     "coordinate_transformation_mode": "asymmetric", "rounding_method": "floor"},
     "a.repeat(2, axis=2).repeat(2, axis=3)", "torch.nn.functional.interpolate(a, scale_factor=2)"),
]  # fmt: skip
"""What computes or moves elements."""

VIEWS: list[Row] = [
    ("expand_dims", _one, {"axis": 0}, "a[None]", "a[None]"),
    ("squeeze", lambda n: [f(1, n, n)], {"axis": 0}, "a.squeeze(0)", "a.squeeze(0)"),
    ("flatten", _one, {}, "a.reshape(-1)", "a.reshape(-1)"),
    ("permute_dims", _one, {}, "a.transpose()", "a.T"),
    ("reshape", lambda n: [f(n, n), ShapeValue((n * n,))], {}, "a.reshape(b.values)", "a.reshape(b.values)"),
    ("split", _one, {"indices_or_sections": 2, "axis": 1},
     "h = a.shape[1] // 2; (a[:, :h], a[:, h:])", "torch.chunk(a, 2, 1)"),
    ("strided_slice", lambda n: [f(n, n), (0,), (0,), (n,), (2,)], {}, "a[0:a.shape[0]:2]", "a[::2]"),
    ("shape_of", _one, {}, "ShapeValue(a.shape)", ""),
    ("shape_to_tensor", lambda n: [ShapeValue((n, n))], {}, "np.array(a.values, np.int64)", ""),
    ("tensor_to_shape", lambda n: [np.array([n, n])], {}, "ShapeValue(tuple(a.tolist()))", ""),
]  # fmt: skip
"""What makes another view of the same elements, or touches none: its time is the cost of a call, whatever the size."""

WITHOUT = frozenset(
    (
        "assert_op",
        "dynamic_strided_slice",
        "hint_on_device",
        "image.affine_grid",
        "image.grid_sample",
        "image.resize3d",
        "layout_transform",
        "multinomial_from_uniform",
        "nn.adaptive_avg_pool3d",
        "nn.attention_var_len",
        "nn.avg_pool3d",
        "nn.conv1d_transpose",
        "nn.conv2d_transpose",
        "nn.conv3d_transpose",
        "nn.max_pool3d",
        "null_value",
        "prim_value",
        "print",
        "reverse_sequence",
        "scalar",
        "shape_equals",
        "to_vdevice",
        "wrap_param",
    )
)
"""Operators with a kernel that do no work to measure, or that NumPy has no natural form of."""
WITHOUT_FAMILIES = ("builtin.", "ccl.", "dist.", "grad.", "inspect.", "memory.", "vision.", "vm.")
"""What the names of families begin with all of whose operators are like that."""


def code(text: str, library: str, count: int) -> Callable[..., Any]:
    """Return the function of so many arguments that a row's code is."""
    return repeated(text, library, count, 1)


def repeated(text: str, library: str, count: int, times: int) -> Callable[..., Any]:
    """Return the function of so many arguments that does so many times what a row's code says."""
    *statements, result = text.split("; ")
    names = ", ".join("abcdefg"[:count])
    once = [f"    {line}" for line in statements]
    lines = [f"def by_hand({names}):"]
    for _ in range(times - 1):
        lines += [*once, f"    {result}"]
    lines += [*once, f"    return {result}"]
    from importlib import import_module

    namespace: dict[str, Any] = {"np": np, "ShapeValue": ShapeValue, library: import_module(library)}
    exec("\n".join(lines), namespace)
    return namespace["by_hand"]
