"""What the PrimFuncs of `contractions.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import Case, at, f32, indices, wide
from tests.tir.corpus.norms import SOME

TILED = at(n=(8, 4, 12), m=(12, 4, 8), k=(6, 2, 4))


def complexes(a, b):
    product = (a[0] + 1j * a[1]) @ (b[0] + 1j * b[1])
    return np.stack([product.real, product.imag])


def squared(a, b):
    return (wide(a)[:, None] - b) ** 2


def cosine(a, b):
    return (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) + 0.001)


def banded(d, x):
    n = len(x)
    dense = np.diag(d[1]) + np.diag(d[0, 1:], -1) + np.diag(d[2, :-1], 1) if n else np.zeros((0, 0))
    return dense @ x


def polynomial(a, b, y):
    product = np.convolve(a, b) if len(a) and len(b) else np.zeros(0)
    return np.pad(product, (0, len(y)))[: len(y)]


def covariance(x):
    centred = x - x.mean(0)
    return centred.T @ centred


def conv2d(x, weights):
    _, _, h, w = x.shape
    return sum(
        np.einsum("bchw,oc->bohw", x[:, :, s : s + h - 2, t : t + w - 1], weights[:, :, s, t])
        for s in range(3)
        for t in range(2)
    )


def depthwise(x, weights):
    _, h, w = x.shape
    return sum(
        x[:, s : s + h - 2, t : t + w - 1] * weights[:, s, t, None, None] for s in range(3) for t in range(2)
    )


CASES = {
    "matmul_tn": Case(lambda a, b: a.T @ b, ulps=16),
    "matmul_tt": Case(lambda a, b: a.T @ b.T, ulps=16),
    "matmul_bias_relu": Case(lambda a, b, d: np.clip(a @ b.T + d, 0, None), ulps=16),
    "matmul_in_place": Case(lambda a, b, c: c + a @ b, in_place=True, ulps=16),
    "matmul_subtracted": Case(lambda a, b, c: c - 2 * (a @ b), in_place=True, ulps=16),
    "matmul_scaled": Case(
        lambda a, b, c, x, y: np.float32(x) * (a @ b) + np.float32(y) * c, scalars=(0.5, 2.0), ulps=16
    ),
    "matmul_integers": Case(lambda a, b: a @ b),
    "matmul_half": Case(lambda a, b: f32(a) @ f32(b), ulps=2),
    "matmul_brain": Case(lambda a, b: f32(a) @ f32(b).T, ulps=16),
    "matmul_tiled": Case(lambda a, b: a @ b, TILED, ulps=16),
    "batched_shared": Case(lambda a, b: a @ b, ulps=16),
    "batched_broadcast": Case(lambda a, b: a @ b, ulps=16),
    "vector_matrix": Case(lambda x, b: x @ b, ulps=16),
    "outer_update": Case(lambda x, z, a: a + np.outer(x, z) / 2, in_place=True),
    "bilinear_form": Case(lambda x, w, z: np.einsum("bi,oij,bj->bo", x, w, z), ulps=32),
    "tensor_product": Case(lambda a, b: np.tensordot(a, b, ((1, 2), (2, 0))), ulps=32),
    "kronecker": Case(np.kron, ulps=1),
    "gram": Case(lambda x: x.T @ x, ulps=16),
    "covariance": Case(covariance, SOME, ulps=32),
    "complex_matmul": Case(complexes, ulps=16),
    "squared_distances": Case(lambda a, b: squared(a, b).sum(-1), ulps=64),
    "absolute_distances": Case(lambda a, b: np.sqrt(squared(a, b)).sum(-1), ulps=16),
    "cosine_similarity": Case(cosine, ulps=16),
    "two_layers": Case(lambda x, u, v: np.maximum(x @ u, 0) @ v, ulps=32),
    "lower_times_vector": Case(lambda a, x: np.tril(a) @ x, ulps=16),
    "banded_times_vector": Case(banded, ulps=16),
    "polynomial_product": Case(polynomial, at(n=(4, 1, 3, 0), m=(5, 1, 2, 3), l=(8, 1, 9, 2)), in_place=True),
    "diagonal_times_matrix": Case(lambda d, a: d[:, None] * a, ulps=0),
    "tropical_matmul": Case(lambda a, b: (a[:, :, None] + b).max(1, initial=-np.inf), ulps=0),
    "boolean_matmul": Case(lambda a, b: a.astype(int) @ b.astype(int) > 0),
    "expert_matmul": Case(
        lambda x, e, w: np.einsum("ik,ikj->ij", x, w[e]),
        at(n=(4, 1, 3), m=(5, 1, 2), k=(3, 1, 0), g=(2, 1, 4)),
        inputs={"E": indices("g")},
        ulps=16,
    ),
    "matmul": Case(lambda a, b: a @ b),
    "matmul_loops": Case(lambda a, b: a @ b),
    "matmul_reduce_first": Case(lambda a, b: a @ b),
    "matmul_nt": Case(lambda a, b: a @ b.T),
    "matmul_bias": Case(lambda a, b, c: a @ b + c),
    "batched": Case(lambda a, b: np.einsum("bik,bkj->bij", a, b)),
    "matvec": Case(lambda a, x: a @ x),
    "dot": Case(lambda a, b: a @ b),
    "quantized": Case(lambda a, b: a.astype(np.int32) @ b.astype(np.int32)),
    "half_matmul": Case(lambda a, b: (f32(a) @ f32(b)).astype(np.float16)),
    "scores": Case(lambda q, k: np.einsum("bik,bjk->bij", q, k) / 8),
    "einsum": Case(lambda a, b: np.einsum("nkb,mbk->mn", a, b), ulps=16),
    "three_factors": Case(lambda a, b, s: (a * s) @ b),
    "conv1d": Case(lambda x, w: sum(x[r : len(x) - 2 + r] @ w[r] for r in range(3)), ulps=16),
    "conv2d": Case(conv2d, ulps=16),
    "depthwise": Case(depthwise),
    "pre_summed": Case(lambda a, b: a.sum(2) @ b, ulps=16),
}
