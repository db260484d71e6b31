"""What the PrimFuncs of `quantized.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import Case, at, between, f32, uniform
from tests.tir.corpus.integers import any_bits

BYTES = {"A": any_bits("int8"), "B": any_bits("int8")}
WIDE = at(n=(4, 1, 3, 0), m=(5, 1, 2, 3), k=(70, 1, 4, 0))
LONG = (*WIDE, {"n": 2, "m": 3, "k": 1101})
"""The last one has sums that float32 cannot hold."""


def extreme_bytes(numbers, shape, sizes):
    """Make random bytes, but only the greatest where there are very many."""
    return np.full(shape, 127) if sizes["k"] > 1000 else numbers.integers(-128, 128, shape)


def whole(a):
    return a.astype(np.int64)


def by_channel(v):
    return v[:, None]


def rows(x):
    scale = np.maximum(np.abs(x).max(1, initial=0), np.float32(1e-6))
    return np.rint(f32(x / scale[:, None]) * np.float32(127)), scale


def requantized(a, b, s):
    return np.clip(np.rint(f32(whole(a) @ whole(b)) * s), -128, 127)


def nibbles(p):
    return np.stack([p & 15, p >> 4], axis=-1)


def int4_weights(p, s):
    g, _, m = p.shape
    codes = nibbles(p).transpose(0, 1, 3, 2).reshape(g, 8, m)
    return ((f32(codes) - 8) * s[:, None]).reshape(8 * g, m)


def word_weights(p):
    codes = p[:, :, None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15
    return f32(codes.reshape(len(p), p.shape[1] * 8)) - 7


def added(a, b):
    total = (a.astype(float) - 128) * 0.5 + (b.astype(float) - 100) * 0.25
    return np.clip(np.rint(f32(total) / np.float32(0.75)) + 120, 0, 255)


def fixed_point(x, multiplier):
    return np.clip(np.floor_divide(whole(x) * multiplier + 2**30, 2**31), -128, 127)


CASES = {
    "quantize": Case(
        lambda x, s, z: np.clip(np.rint(x / np.float32(s)) + z, -128, 127),
        inputs={"X": uniform(-20, 20)},
        scalars=(0.1, 3),
    ),
    "dequantize": Case(lambda x, s, z: f32(whole(x) - z) * np.float32(s), scalars=(0.1, 3), ulps=0),
    "quantize_channels": Case(
        lambda x, s, z: np.clip(np.rint(x / by_channel(s)) + by_channel(z), 0, 255),
        inputs={"S": uniform(0.01, 0.1)},
    ),
    "dequantize_channels": Case(lambda x, s, z: (f32(x) - by_channel(z)) * by_channel(s), ulps=0),
    "quantize_rows": Case(rows, outputs=2, ulps=0),
    "int8_matmul": Case(
        lambda a, b: whole(a) @ whole(b), LONG, inputs={"A": extreme_bytes, "B": extreme_bytes}
    ),
    "uint8_matmul_transposed": Case(
        lambda a, b: whole(a) @ whole(b).T, WIDE, inputs={"A": any_bits("uint8"), "B": any_bits("int8")}
    ),
    "matmul_with_zero_points": Case(
        lambda a, b, za, zb: (whole(a) - za) @ (whole(b) - zb),
        WIDE,
        inputs={"A": any_bits("uint8"), "B": any_bits("uint8")},
        scalars=(128, 7),
    ),
    "matmul_requantized": Case(requantized, WIDE, inputs={**BYTES, "S": uniform(0.0001, 0.01)}),
    "unpack_int4": Case(
        lambda p: nibbles(p).reshape(len(p), p.shape[1] * 2).astype(int) - 8, inputs={"P": any_bits("uint8")}
    ),
    "pack_int4": Case(
        lambda x: (whole(x)[:, ::2] + 8) + 16 * (whole(x)[:, 1::2] + 8), inputs={"X": between(-8, 7)}
    ),
    "int4_matmul": Case(
        lambda a, p, s: a @ int4_weights(p, s),
        at(n=(3, 1, 0), m=(5, 1, 2), g=(2, 1, 3)),
        inputs={"P": any_bits("uint8")},
        ulps=16,
    ),
    "int4_matmul_words": Case(
        lambda a, p: a @ word_weights(p).T,
        at(n=(3, 1, 0), m=(4, 1, 2), k=(2, 1, 0)),
        inputs={"P": any_bits("uint32")},
        ulps=16,
    ),
    "quantized_add": Case(added, inputs={"A": any_bits("uint8"), "B": any_bits("uint8")}),
    "fake_quantize": Case(lambda x: np.rint(np.clip(x, -1, 1) * np.float32(7)) / np.float32(7), ulps=1),
    "requantize_fixed_point": Case(fixed_point, inputs={"X": between(-1000, 1000)}, scalars=(2**28,)),
    "int16_dot": Case(
        lambda a, b: whole(a) @ whole(b), inputs={"A": any_bits("int16"), "B": any_bits("int16")}
    ),
    "ternary_matmul": Case(lambda a, t: a @ f32(t), WIDE, inputs={"T": between(-1, 1)}, ulps=32),
}
