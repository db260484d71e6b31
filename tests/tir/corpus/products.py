"""What the PrimFuncs of `products.rlx` compute: products of small integers, and what short loops are good for."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import USUAL, Case, at, between, wrapped
from tests.tir.corpus.convolutions import one_image, pad
from tests.tir.corpus.integers import any_bits
from tests.tir.corpus.quantized import whole

WIDE = at(n=(4, 1, 3, 0), m=(5, 1, 2, 3), k=(70, 1, 4, 0), b=(2, 1, 0, 3), l=(3, 1, 2, 2))
IMAGES = at(c=(3, 1, 2, 0), o=(2, 1, 3, 2), h=(6, 3, 4, 5), w=(5, 4, 3, 3))


def bits(**types):
    return {name: any_bits(dtype) for name, dtype in types.items()}


def mixed(a, b, c):
    return c + whole(a) @ whole(b).transpose(0, 2, 1)


def with_zeros_of_rows(a, b, s, t):
    return wrapped(7 + (whole(a) - s[:, None]) @ (whole(b) + t), "int32")


def wrapped_products(a, b, c):
    return c + (a[:, :, None] * b).astype(np.int64).sum(1)


def convolved(x, w, zeros, zero):
    return one_image(whole(x) - zero, whole(w) - zeros[:, None, None, None])


def folded(x, y):
    result = y.copy()
    for r in range(3):
        result[:, r : r + 2 * x.shape[2] : 2] += x[:, r]
    return result


def pooled(x):
    seen = np.pad(x, [(0, 0), (1, 1), (1, 1)], constant_values=-(2**31))
    return np.lib.stride_tricks.sliding_window_view(seen, (3, 3), (1, 2)).max((-1, -2))


def unshuffled(x):
    c, h, w = x.shape
    return x.reshape(c, h // 2, 2, w // 2, 2).transpose(0, 2, 4, 1, 3).reshape(4 * c, h // 2, w // 2)


CASES = {
    "uint8_matmul": Case(
        lambda a, b: whole(a) @ whole(b),
        (*WIDE, {"n": 2, "m": 3, "k": 600}),
        inputs=bits(A="uint8", B="uint8"),
    ),
    "mixed_batched": Case(mixed, WIDE, inputs=bits(A="int8", B="uint8"), in_place=True),
    "int16_matmul": Case(lambda a, b: whole(a) @ whole(b), WIDE, inputs=bits(A="int16", B="int16")),
    "int16_matmul_that_wraps": Case(
        lambda a, b, c: wrapped(whole(c) - whole(a) @ whole(b), "int16"),
        WIDE,
        inputs=bits(A="int16", B="int8", C="int16"),
        in_place=True,
    ),
    "product_under_a_cast": Case(lambda a, b: whole(a) @ whole(b), WIDE, inputs=bits(A="int8", B="int8")),
    "wrapped_product_under_a_cast": Case(
        wrapped_products, WIDE, inputs=bits(A="uint8", B="uint8"), in_place=True
    ),
    "integer_product_as_float": Case(
        lambda a, b: whole(a) @ whole(b), WIDE, inputs=bits(A="int8", B="uint8")
    ),
    "matmul_with_zeros_of_rows": Case(
        with_zeros_of_rows, WIDE, inputs=bits(A="uint8", B="int8", S="int32", T="uint8")
    ),
    "matmul_of_any_integers": Case(
        lambda a, b, c: wrapped(c.astype(np.int64) + a.astype(np.int64) @ b.astype(np.int64), "uint32"),
        WIDE,
        inputs=bits(A="int32", B="uint32", C="uint32"),
        in_place=True,
    ),
    "summed_over_one_factor": Case(
        lambda a, b: whole(a).sum(2) @ whole(b), WIDE, inputs=bits(A="int8", B="int8")
    ),
    "conv_with_zero_points": Case(
        convolved, IMAGES, inputs={**bits(X="uint8", W="int8"), "Z": between(-20, 20)}, scalars=(128,)
    ),
    "conv_with_a_choice": Case(lambda x, w: one_image(pad(x, (1, 1), (1, 1)), w), IMAGES, ulps=32),
    "fold": Case(folded, USUAL, in_place=True),
    "max_pool_inline": Case(pooled, (*IMAGES, {"c": 2, "h": 1, "w": 1}, {"c": 1, "h": 13, "w": 1})),
    "tiled_matmul": Case(
        lambda a, b: a @ b, (*USUAL, {"n": 9, "m": 11, "k": 3}, {"n": 1, "m": 4, "k": 0}), ulps=16
    ),
    "pixel_unshuffle": Case(unshuffled, USUAL),
}
