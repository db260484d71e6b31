"""What the PrimFuncs of `norms.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import USUAL, Case, f32, indices, uniform, wide

SOME = tuple([sizes for sizes in USUAL if 0 not in sizes.values()])
"""Sizes at which nothing that is divided by is empty."""


def normalized(x, axes, epsilon=1e-5):
    x = wide(x)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def channels(v):
    return v[:, None, None]


def batch_norm(x, mean, variance, g, b):
    return (x - channels(mean)) / np.sqrt(channels(variance) + 1e-5) * channels(g) + channels(b)


def training(x):
    return normalized(x, (0, 2)), wide(x).mean((0, 2)), wide(x).var((0, 2))


def flat_groups(x):
    parts = x.reshape(len(x), 2, 3, x.shape[2])
    return (parts - parts.mean((2, 3), keepdims=True)).reshape(x.shape)


def rms_norm(x, g):
    x = f32(x)
    return f32(x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5)) * g


def softmax(x, axis=-1):
    e = np.exp(wide(x) - x.max(axis, keepdims=True, initial=-1e30))
    return e / e.sum(axis, keepdims=True)


def min_max(x):
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    return (x - low) / (high - low + np.float32(0.5))


def log_probabilities(x):
    e = np.exp(wide(x) * 0.5)
    total = e.sum(1)
    return total, np.log(e / total[:, None]) - x


CASES = {
    "batch_norm": Case(batch_norm, inputs={"V": uniform(0.1, 2)}, ulps=16),
    "batch_norm_training": Case(training, SOME, outputs=3, ulps=32),
    "group_norm": Case(
        lambda x, g, b: normalized(x, (2, 3), 1e-3) * g[..., None] + b[..., None],
        SOME,
        inputs={"X": uniform(-2, 2)},
        ulps=256,
    ),
    "group_norm_flat": Case(flat_groups, SOME, ulps=16),
    "instance_norm": Case(lambda x: normalized(x, (2, 3)), SOME, ulps=32),
    "rms_norm_half": Case(rms_norm, SOME, ulps=2),
    "layer_norm_residual": Case(lambda x, r: normalized(x + r, 1), SOME, ulps=128),
    "welford": Case(lambda x: (x.mean(1), x.var(1) * x.shape[1]), SOME, outputs=2, ulps=32),
    "l2_normalize": Case(
        lambda x: x / np.maximum(np.linalg.norm(wide(x), axis=1, keepdims=True), 1e-6), ulps=16
    ),
    "log_softmax": Case(lambda x: np.log(softmax(x)), ulps=16),
    "softmax_columns": Case(lambda x: softmax(x, 0), ulps=16),
    "softmax_temperature": Case(lambda x, t: softmax(x / np.float32(t)), scalars=(0.7,), ulps=16),
    "online_softmax": Case(softmax, ulps=64),
    "log_sum_exp": Case(lambda x: np.log(np.exp(wide(x)).sum(1)), SOME, ulps=16),
    "cross_entropy": Case(
        lambda x, t: -wide(x)[np.arange(len(t)), t].mean(), SOME, inputs={"T": indices("m")}, ulps=16
    ),
    "standardize_columns": Case(lambda x: normalized(x, 0, 1e-2), SOME, ulps=64),
    "min_max_scale": Case(min_max, SOME),
    "layer_norm_in_place": Case(lambda x: normalized(x, 1, 1e-3), SOME, in_place=True, ulps=128),
    "log_probabilities": Case(log_probabilities, outputs=2, ulps=32),
    "scaled_means": Case(lambda x: (1 + x.sum(1) / 3, x.sum(0) * 0.25), outputs=2, ulps=32),
}
