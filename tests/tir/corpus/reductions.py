"""What the PrimFuncs of `reductions.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import Case, at, between, f32, uniform, wide, wrapped
from tests.tir.corpus.norms import SOME

INT32, INT64 = np.iinfo(np.int32), np.iinfo(np.int64)


def total(*axes):
    return Case(lambda x: wide(x).sum(axes), ulps=16)


def argmax(x):
    return x.argmax(1) if x.shape[1] else np.full(len(x), -1)


def argmin(x):
    if not len(x):
        return np.full(x.shape[1], -1), np.full(x.shape[1], INT32.max)
    return x.argmin(0), x.min(0)


def argmax_last(x):
    return x.shape[1] - 1 - x[:, ::-1].argmax(1) if x.shape[1] else np.zeros(len(x))


def argmax_everything(x):
    return (x.argmax(), x.max()) if x.size else (-1, -np.inf)


def two_greatest(x):
    filled = np.pad(x, ((0, 0), (2, 0)), constant_values=INT32.min)
    return np.sort(filled, axis=1)[:, :-3:-1]


def mean_and_spread(x):
    return x.mean(1), x.std(1)


def masked_maximum(x, mask, y):
    return np.maximum(y, np.where(mask, x, -np.inf).max(1, initial=-np.inf))


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-np.inf))
    return f32(e / e.sum(-1, keepdims=True))


def layer_norm(x, g, b):
    wide = x.astype(np.float64)
    mean, variance = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
    return f32((wide - mean) / np.sqrt(variance + 1e-5) * g + b)


def count_down(x):
    return np.array([int(v).bit_length() if v > 0 else 0 for v in x], np.int64)


def pooled(x):
    n, m = x.shape[0] // 2, x.shape[1] // 2
    return x.reshape(n, 2, m, 2).max((1, 3), initial=-np.inf)


def even_columns(x):
    return x[:, : x.shape[1] // 2 * 2].sum(1)


CASES = {
    "sum_over_0": total(0),
    "sum_over_1": total(1),
    "sum_over_2": total(2),
    "sum_over_01": total(0, 1),
    "sum_over_02": total(0, 2),
    "sum_over_12": total(1, 2),
    "sum_over_012": total(0, 1, 2),
    "max_over_02": Case(lambda x: x.max((0, 2), initial=np.finfo(np.float32).min), ulps=0),
    "min_over_1": Case(lambda x: x.min(1, initial=INT64.max)),
    "product_over_01": Case(lambda x: x.prod((0, 1)), inputs={"X": uniform(0.5, 1.5)}, ulps=32),
    "any_over_01": Case(lambda x: x.any((0, 1))),
    "all_over_2": Case(lambda x: x.all(2)),
    "sum_keepdims": Case(lambda x: x.sum(1, keepdims=True), ulps=16),
    "argmax_rows": Case(argmax),
    "argmin_columns": Case(argmin, inputs={"X": between(-3, 3)}, outputs=2),
    "argmax_last": Case(argmax_last, inputs={"X": between(-2, 2)}),
    "argmax_everything": Case(argmax_everything, outputs=2, ulps=0),
    "extremes": Case(lambda x: (x.min(1, initial=np.inf), x.max(1, initial=-np.inf)), outputs=2, ulps=0),
    "two_greatest": Case(two_greatest, inputs={"X": between(-4, 4)}),
    "count_positive": Case(lambda x: (x > 0).sum(1)),
    "count_by_branch": Case(lambda x: np.count_nonzero(x % 2 == 0, axis=0)),
    "norm_one": Case(lambda x: np.abs(wide(x)).sum(), ulps=16),
    "norm_two": Case(lambda x: np.linalg.norm(wide(x)), ulps=16),
    "squared_error": Case(lambda a, b: ((wide(a) - b) ** 2).sum(1), ulps=16),
    "parity_bits": Case(lambda x: np.bitwise_xor.reduce(x, axis=1), inputs={"X": between(0, 255)}),
    "common_bits": Case(
        lambda x: (np.bitwise_and.reduce(x, axis=0), np.bitwise_or.reduce(x, axis=0)),
        inputs={"X": between(0, 2**32 - 1)},
        outputs=2,
    ),
    "trace": Case(np.trace),
    "triangle_sum": Case(lambda x: np.tril(x).sum(1)),
    "every_third": Case(lambda x: 100 - x[2::3].sum(), at(n=(8, 1, 3, 0))),
    "byte_sum": Case(lambda x: x.sum(1, dtype=np.int64), inputs={"X": between(0, 255)}),
    "narrow_sum": Case(lambda x: wrapped(x.sum(1, dtype=np.int64), "int8")),
    "partial_sums": Case(lambda x: wide(x)[: len(x) // 4 * 4].sum(), at(n=(12, 4, 7, 0)), ulps=16),
    "with_predicate": Case(lambda x: wide(x).sum(1), at(n=(4, 1, 0), m=(6, 1, 3)), ulps=16),
    "mean_and_spread": Case(mean_and_spread, SOME, outputs=2, ulps=64),
    "greatest_difference": Case(lambda a, b: np.abs(np.subtract.outer(a, b)).max(1, initial=0), ulps=0),
    "masked_maximum": Case(masked_maximum, in_place=True, ulps=0),
    "same_rows": Case(
        np.array_equal, at(n=(2, 1, 0, 3), m=(2, 1, 3, 0)), inputs={"A": between(0, 1), "B": between(0, 1)}
    ),
    "row_sum": Case(lambda x: x.sum(1)),
    "column_sum": Case(lambda x: x.sum(0, dtype=np.int32)),
    "total": Case(lambda x: x.sum()),
    "row_max": Case(lambda x: x.max(1, initial=-np.inf), ulps=0),
    "row_min": Case(lambda x: x.min(1, initial=32767)),
    "product": Case(lambda x: x.prod(1, dtype=np.int8)),
    "any": Case(lambda x: x.any(1)),
    "all": Case(lambda x: x.all(0)),
    "accumulate": Case(lambda x, y: y + 2 * x.sum(1), ulps=16, in_place=True),
    "subtract_all": Case(lambda x, y: y - x.sum(1), in_place=True),
    "mean": Case(lambda x: x.mean(1), SOME),
    "variance": Case(lambda x: x.var(1), SOME, ulps=16),
    "softmax": Case(softmax, SOME, ulps=16),
    "fused_softmax": Case(softmax, SOME, ulps=16),
    "layer_norm": Case(layer_norm, SOME, ulps=64),
    "rms_norm": Case(
        lambda x: f32(x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-3)), SOME
    ),
    "max_pool": Case(pooled, ulps=0),
    "masked_sum": Case(lambda x: np.where(x > 0, x, 0).sum(1)),
    "half_sum": Case(lambda x: f32(x).sum(1).astype(np.float16)),
    "split_reduce": Case(even_columns),
    "cumsum": Case(lambda x: np.cumsum(x, 1)),
    "argmax": Case(lambda x: x.argmax(1), SOME),
    "count_down": Case(count_down),
}
