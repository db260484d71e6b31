"""What the PrimFuncs of `pooling.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import NONZERO, USUAL, Case, at, f32, wide, windows

LEAST = np.finfo(np.float32).min


def padded(x, value, after=(1, 1)):
    return np.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, after[0]), (1, after[1])], constant_values=value)


def ceil_pool(x):
    _, h, w = x.shape
    filled = np.pad(x, ((0, 0), (0, h % 2), (0, w % 2)), constant_values=-np.inf)
    return windows(filled, 2, 2)[:, ::2, ::2].max((-1, -2), initial=-np.inf)


def tiles(x, *factors):
    """Split the last axes into tiles; the places in the tile come last."""
    lead = x.ndim - len(factors)
    shape = list(x.shape[:lead])
    for size, factor in zip(x.shape[lead:], factors, strict=True):
        shape += [size // factor, factor]
    outer = [*range(lead), *range(lead, len(shape), 2)]
    return x.reshape(shape).transpose(*outer, *range(lead + 1, len(shape), 2))


def without_padding(x):
    total = windows(padded(wide(x), 0), 3, 3).sum((-1, -2))
    return total / windows(padded(np.ones(x.shape), 0), 3, 3).sum((-1, -2))


def adaptive(x, y):
    (c, w), k = x.shape, y.shape[1]
    columns = [wide(x[:, i * w // k : -(-(i + 1) * w // k)]).mean(1) for i in range(k)]
    return np.stack(columns, axis=1) if columns else np.zeros((c, 0))


def with_index(x):
    pairs = x.reshape(len(x), x.shape[1] // 2, 2)
    return pairs.max(-1), pairs.argmax(-1) + 2 * np.arange(pairs.shape[1])


def unpool(x, index):
    y = np.zeros((x.shape[0], 2 * x.shape[1]), np.float32)
    np.put_along_axis(y, index, x, axis=1)
    return y


def pair_places(numbers, shape, sizes):
    return 2 * np.arange(shape[1]) + numbers.integers(0, 2, shape)


def response_norm(x):
    squares = np.pad(wide(x) ** 2, ((1, 1), (0, 0), (0, 0)))
    total = squares[:-2] + squares[1:-1] + squares[2:]
    return f32(x / (2 + 0.5 * total) ** 0.75)


CASES = {
    "max_pool_padded": Case(lambda x: windows(padded(x, LEAST), 3, 3)[:, :, ::2, ::2].max((-1, -2)), ulps=0),
    "max_pool_ceil": Case(ceil_pool, at(c=(3, 1, 2, 0), h=(5, 1, 4, 3), w=(6, 1, 3, 2)), ulps=0),
    "max_pool_overlapping": Case(lambda x: windows(x, 3, 3).max((-1, -2)), ulps=0),
    "max_pool1d_dilated": Case(lambda x: windows(x, 5)[..., ::2].max(-1), ulps=0),
    "max_pool3d": Case(lambda x: tiles(x, 2, 2, 2).max((-1, -2, -3)), ulps=0),
    "min_pool_nhwc": Case(
        lambda x: tiles(x.transpose(0, 3, 1, 2), 2, 2).min((-1, -2)).transpose(0, 2, 3, 1), ulps=0
    ),
    "avg_pool1d": Case(lambda x: windows(x, 3).mean(-1)),
    "avg_pool_strided": Case(lambda x: tiles(x, 2, 2).mean((-1, -2))),
    "avg_pool_without_padding": Case(without_padding),
    "adaptive_avg_pool": Case(adaptive, at(c=(3, 1, 2, 0), w=(7, 1, 2, 5), k=(3, 1, 5, 2)), in_place=True),
    "global_avg_pool": Case(lambda x: x.mean((2, 3), keepdims=True)),
    "global_max_pool": Case(lambda x: x.max((1, 2)), ulps=0),
    "max_pool_with_index": Case(with_index, USUAL, outputs=2, ulps=0),
    "max_unpool": Case(unpool, inputs={"I": pair_places}, ulps=0),
    "power_pool": Case(lambda x: np.linalg.norm(x.reshape(len(x), x.shape[1] // 3, 3), axis=-1)),
    "local_response_norm": Case(response_norm, NONZERO),
}
