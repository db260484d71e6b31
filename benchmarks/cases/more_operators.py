"""Calls of less common operators with the NumPy code that one would write by hand; rows as in `operator_cases`."""

from __future__ import annotations

import numpy as np

from benchmarks.cases.operators import b, f, i, p
from relax_lang.ops.core.signature import DTypeName
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from benchmarks.cases.operators import Row


def _one(n: int) -> list[Any]:
    return [f(n, n)]


def _within(n: int) -> list[Any]:
    return [(p(n, n) - np.float32(0.5)) * np.float32(0.9)]


def _integers(n: int) -> list[Any]:
    return [i(0, 99, n, n), i(0, 9, n, n)]


_UNARY: list[Row] = [
    (name, _within if name in ("acos", "asin", "atanh") else _one, {}, f"np.{numpy}(a)", "")
    for name, numpy in (
        ("acos", "arccos"),
        ("asin", "arcsin"),
        ("asinh", "arcsinh"),
        ("atan", "arctan"),
        ("atanh", "arctanh"),
        ("cosh", "cosh"),
        ("sinh", "sinh"),
        ("tan", "tan"),
        ("trunc", "trunc"),
        ("isfinite", "isfinite"),
        ("isinf", "isinf"),
        ("isnan", "isnan"),
    )
]
_BINARY: list[Row] = [
    ("atan2", lambda n: [f(n, n), f(n, n)], {}, "np.arctan2(a, b)", ""),
    ("log_add_exp", lambda n: [f(n, n), f(n, n)], {}, "np.logaddexp(a, b)", ""),
    ("logical_xor", lambda n: [b(n, n), b(n, n)], {}, "np.logical_xor(a, b)", ""),
    *[
        (name, _integers, {}, f"np.{name}(a, b)", "")
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
    ],
]

MORE: list[Row] = [
    *_UNARY,
    *_BINARY,
    ("acosh", lambda n: [p(n, n) + np.float32(1)], {}, "np.arccosh(a)", ""),
    ("bitwise_not", lambda n: _integers(n)[:1], {}, "np.invert(a)", ""),
    ("ewise_fma", lambda n: [f(n, n), f(n, n), f(n, n)], {}, "r = a * b; r += c; r", ""),
    ("masked_fill", lambda n: [f(n, n), b(n, n), np.array(2, np.float32)], {}, "np.where(b, c, a)", ""),
    ("nn.relu6", _one, {}, "r = np.maximum(a, np.float32(0)); np.minimum(r, np.float32(6), out=r)", ""),
    ("nn.prelu", lambda n: [f(n, n), f(n)], {}, "np.where(a > 0, a, a * b)", ""),
    ("nn.selu", _one, {},
     ("r = np.minimum(a, 0); np.expm1(r, out=r); r *= np.float32(1.6732632423543772); r += np.maximum(a, 0); "
      "r *= np.float32(1.0507009873554805); r"), ""),
    ("nn.softplus", _one, {}, "np.where(a > 20, a, np.logaddexp(a, np.float32(0)))", ""),
    ("nn.instance_norm", lambda n: [f(8, 16, n // 8 or 1, n // 8 or 1), f(16), f(16)],
     {"channel_axis": 1, "axes": [2, 3]},
     ("d = a - a.mean((2, 3), keepdims=True); v = np.square(d).mean((2, 3), keepdims=True); v += np.float32(1e-5); "
      "d /= np.sqrt(v); d *= b[:, None, None]; d += c[:, None, None]; d"), ""),
    ("nn.cross_entropy_with_logits", lambda n: [f(n, n), p(n, n)], {},
     "np.asarray(-np.vdot(a, b) / np.float32(a.shape[0]))", ""),
    ("nn.nll_loss", lambda n: [f(n, n), i(0, n, n, dtype="int64")], {},
     "np.asarray(-a[np.arange(a.shape[0]), b].mean())", ""),
    ("cumprod", lambda n: [p(n, n)], {"axis": 1}, "np.multiply.accumulate(a, axis=1)", ""),
    ("median", _one, {"axis": 1},
     ('o = np.argsort(a, axis=1, kind="stable")[:, (a.shape[1] - 1) // 2]; '
      "np.take_along_axis(a, o[:, None], 1)[:, 0], o"), ""),
    ("collapse_sum_to", lambda n: [f(n, n), ShapeValue((n,))], {}, "np.add.reduce(a, axis=0)", ""),
    ("collapse_sum_like", lambda n: [f(n, n), f(n, 1)], {}, "np.add.reduce(a, axis=1, keepdims=True)", ""),
    ("bucketize", lambda n: [f(n, n), np.sort(f(16))], {}, "np.searchsorted(b, a)", ""),
    ("eye", lambda n: [n], {}, "np.eye(a, dtype=np.float32)", ""),
    ("eye_like", _one, {}, "np.eye(a.shape[0], a.shape[1], dtype=a.dtype)", ""),
    ("hamming_window", lambda n: [n * n, False], {"dtype": DTypeName("float32")},
     "np.hamming(a).astype(np.float32)", ""),
    ("meshgrid", lambda n: [(f(n), f(n))], {}, 'tuple(np.meshgrid(*a, indexing="ij"))', ""),
    ("outer", lambda n: [f(n), f(n)], {}, "np.multiply.outer(a, b)", ""),
    ("flip", _one, {"axis": 1}, "a[:, ::-1].copy()", ""),
    ("nn.pixel_shuffle", lambda n: [f(16, n // 4, n // 4)], {"upscale_factor": 2},
     ("h = a.shape[1]; r = a.reshape(4, 2, 2, h, h).transpose(0, 3, 1, 4, 2); "
      "np.ascontiguousarray(r).reshape(4, 2 * h, 2 * h)"), ""),
    ("gather_elements", lambda n: [f(n, n), i(0, n, n, n, dtype="int64")], {"axis": 1},
     "np.take_along_axis(a, b, 1)", ""),
    ("gather_nd", lambda n: [f(n, n), i(0, n, n * n, 2, dtype="int64")], {}, "a[b[:, 0], b[:, 1]]", ""),
    ("index_tensor", lambda n: [f(n, n), (i(0, n, n * n, dtype="int64"), i(0, n, n * n, dtype="int64"))], {},
     "a[b[0], b[1]]", ""),
    ("index_put", lambda n: [f(n, n), (i(0, n, n, dtype="int64"), i(0, n, n, dtype="int64")), f()], {},
     "r = a.copy(); r[b[0], b[1]] = c; r", ""),
    ("scatter_elements", lambda n: [f(n, n), np.tile(np.arange(n), (n, 1)), f(n, n)], {"axis": 1},
     "r = a.copy(); np.put_along_axis(r, b, c, 1); r", ""),
    ("scatter_nd", lambda n: [f(n, n), np.arange(0, n, 2)[:, None], f((n + 1) // 2, n)], {},
     "r = a.copy(); r[b[:, 0]] = c; r", ""),
    ("slice_scatter", lambda n: [f(n, n), f(n // 2, n), 0, n, 2], {}, "r = a.copy(); r[c:d:e] = b; r", ""),
    ("nonzero", lambda n: [i(0, 2, n, n)], {}, "np.stack(a.nonzero())", ""),
    ("quantize", lambda n: [f(n, n), np.array(0.1, np.float32), np.array(3, np.int8)], {},
     ("r = a / b; np.rint(r, out=r); r += np.float32(c); np.clip(r, -128, 127, out=r); r.astype(np.int8)"), ""),
    ("dequantize", lambda n: [i(-99, 99, n, n, dtype="int8"), np.array(0.1, np.float32), np.array(3, np.int8)], {},
     "r = a.astype(np.float32); r -= np.float32(c); r *= b; r", ""),
    ("nn.max_pool1d", lambda n: [f(1, 16, n * n // 16)], {"pool_size": 2, "strides": 2},
     "np.maximum(a[:, :, ::2], a[:, :, 1::2])", ""),
    ("nn.avg_pool1d", lambda n: [f(1, 16, n * n // 16)], {"pool_size": 2, "strides": 2},
     "r = a[:, :, ::2] + a[:, :, 1::2]; r *= np.float32(0.5); r", ""),
    ("nn.adaptive_avg_pool1d", lambda n: [f(1, 16, n * n // 16)], {"output_size": 1}, "a.mean(2, keepdims=True)", ""),
    ("nn.conv3d", lambda n: [f(1, 8, n // 4, 8, 8), f(8, 8, 3, 1, 1)], {},
     ("w = np.lib.stride_tricks.sliding_window_view(a[0], 3, axis=1).transpose(0, 4, 1, 2, 3).reshape(24, -1); "
      "np.matmul(b.reshape(8, 24), w).reshape(1, 8, -1, 8, 8)"), ""),
    ("size", _one, {}, "np.asarray(a.size)", ""),
    ("nn.batch_flatten", lambda n: [f(4, n // 2, n // 2)], {}, "a.reshape(a.shape[0], -1)", ""),
    ("memory.view", _one, {"dtype": DTypeName("int32")}, "a.view(np.int32)", ""),
]  # fmt: skip
"""Tier-2 operators that NumPy has a natural form of."""
