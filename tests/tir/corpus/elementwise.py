"""What the PrimFuncs of `elementwise.rlx` compute."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
from scipy import special

from tests.tir.cases import NONZERO, Case, at, f32, uniform, values, wide, wrapped

SPECIAL = values(np.nan, 1.0, np.inf, -np.inf, -2.5, 0.0, 3.0)
MANY = at(n=(9, 1, 0, 30))


def piecewise(x):
    conditions = [x < -1, x < 0, x < 1]
    return np.select(conditions, [-1.0, x**2, np.sqrt(np.abs(x))], np.log(np.maximum(x, 1)) + 1)


def complex_product(a, b):
    product = (a[:, 0] + 1j * a[:, 1]) * (b[:, 0] + 1j * b[:, 1])
    return np.stack([product.real, product.imag], axis=1)


def polar(x):
    z = x[:, 0] + 1j * x[:, 1]
    return np.abs(z), np.angle(z)


def escape_steps(x, y):
    steps = []
    for c in x + 1j * y:
        z, count = 0j, 0
        while abs(z) <= 2 and count < 30:
            z, count = z * z + c, count + 1
        steps.append(count)
    return np.array(steps)


def scalar_only(a, b):
    return a * np.float32(b) + np.float32(b > 0)


def brain(x):
    product = (f32(x) ** 2).astype(ml_dtypes.bfloat16)
    return f32(product) + f32(x)


def half_steps(x):
    first = (f32(x) * 3).astype(np.float16)
    second = (f32(first) + 1).astype(np.float16)
    return f32(second) + f32(x)


def roundings(x):
    return np.stack([np.around(x), np.floor(x + 0.5), np.trunc(x), np.ceil(x)], axis=1)


def adam(p, g, m, v, rate):
    m = 0.9 * wide(m) + 0.1 * g
    v = 0.99 * wide(v) + 0.01 * wide(g) ** 2
    return p - rate * m / (np.sqrt(v) + 1e-5), g, m, v


def dropout(x, r, rate):
    keep = r >= np.float32(rate)
    return np.where(keep, x / (np.float32(1) - np.float32(rate)), 0), keep


def nearest(x, y):
    rows = np.arange(y.shape[1]) * x.shape[1] // y.shape[1]
    columns = np.arange(y.shape[2]) * x.shape[2] // y.shape[2]
    return x[:, rows][:, :, columns]


def weights(size, count):
    """The matrix of a linear interpolation between centres, borders repeated."""
    places = (np.arange(count) + 0.5) * size / count - 0.5
    matrix = np.zeros((count, size))
    for row, place in enumerate(places):
        low = int(np.floor(place))
        for index, weight in ((low, 1 - (place - low)), (low + 1, place - low)):
            matrix[row, min(max(index, 0), size - 1)] += weight
    return matrix


def bilinear(x, y):
    return np.einsum("oh,chw,kw->cok", weights(x.shape[1], y.shape[1]), x, weights(x.shape[2], y.shape[2]))


def corners(x, y):
    return np.interp(np.linspace(0, len(x) - 1, len(y)), np.arange(len(x)), x)


RESIZED = at(c=(2, 1, 0), h=(5, 1, 3), w=(4, 1, 7), o=(7, 1, 2), k=(6, 2, 3))


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def divisions(x):
    return np.stack([np.trunc(x / 3).astype(np.int32), x // -3, x % 3], axis=1)


def clz(x):
    return np.array([32 - (int(v) & 0xFFFF_FFFF).bit_length() for v in x], np.int32)


def popcount(x):
    return np.array([(int(v) & 0xFFFF_FFFF).bit_count() for v in x], np.int32)


def math_table(x):
    a, t = np.abs(x), np.tanh(x)
    rows = [
        np.exp(x) + 2.0**x, np.log(1 + a) + np.log(a + 1) / np.log(2) + np.log(a + 1) / np.log(10),
        np.sqrt(a / (a + 1)), np.sin(x) + np.cos(x) * np.tan(x), np.arcsin(t) + np.arccos(t) + np.arctan(x),
        -np.exp(-x) + np.arcsinh(x), np.arctan(x / 2) + np.sqrt(x * x + 9),
        np.floor(x) + 10 * np.ceil(x) + 100 * np.trunc(x), np.round(x) + 10 * np.round(2 * x),
        a**1.5 + np.sign(x) * (a - 0.7 * np.floor(a / 0.7)), np.where(np.signbit(x), -3.0, 3.0) + 8 * x,
        np.arccosh(a + 1) + np.arctanh(x * 0.1) + 10 ** (x * 0.1) + np.exp(x) - 1,
    ]  # fmt: skip
    return np.stack(rows, axis=1)


def only_even(x):
    return np.where(np.arange(len(x)) % 2 == 0, x, np.float32(7))


CASES = {
    "hard_swish": Case(lambda x: x * np.clip(x + 3, 0, 6) / 6, inputs={"X": uniform(-5, 5)}),
    "softplus": Case(lambda x: np.logaddexp(0, wide(x))),
    "mish": Case(lambda x: x * np.tanh(np.logaddexp(0, wide(x)))),
    "elu": Case(lambda x, a: np.where(x > 0, x, a * np.expm1(wide(x))), scalars=(0.5,), ulps=2),
    "prelu": Case(lambda x, a: np.maximum(x, 0) + a[:, None] * np.minimum(x, 0), ulps=0),
    "gelu_half": Case(lambda x: x * special.ndtr(wide(x)), ulps=2),
    "gelu_stages": Case(lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * wide(x) ** 3)))),
    "clip_values": Case(lambda x, a, b: np.clip(x, f32(a), f32(b)), scalars=(-0.5, 0.75), ulps=0),
    "interpolate": Case(lambda a, b, t: (1 - wide(t))[:, None] * a + t[:, None] * b),
    "piecewise": Case(piecewise, MANY, inputs={"X": uniform(-2, 2)}),
    "safe_logarithm": Case(lambda x: np.log(np.maximum(x, 0)), MANY),
    "complex_product": Case(complex_product),
    "polar": Case(polar, outputs=2),
    "mandelbrot": Case(escape_steps, MANY),
    "scalar_only": Case(scalar_only, at(n=(1,)), ulps=1),
    "broadcast_scalar": Case(lambda a, x: x - a, ulps=0),
    "nothing": Case(lambda x, y, z: (y, np.ones_like(z)), outputs=2, in_place=True),
    "nan_to_number": Case(np.nan_to_num, MANY, inputs={"X": SPECIAL}, ulps=0),
    "extremes_of_nan": Case(
        lambda a, b: np.stack([np.maximum(a, b), np.minimum(a, b)], axis=1),
        MANY,
        inputs={"A": SPECIAL},
        ulps=0,
    ),
    "brain_chain": Case(brain, ulps=0),
    "half_steps": Case(half_steps, ulps=0),
    "round_to_even": Case(
        roundings, inputs={"X": values(0.5, 1.5, -0.5, -1.5, 2.5, 0.49999999999999994, -2.2)}
    ),
    "float_to_integer": Case(
        lambda x: (np.trunc(x), wrapped(np.trunc(x), "uint8")),
        MANY,
        inputs={"X": uniform(-1000, 1000)},
        outputs=2,
    ),
    "adam": Case(adam, inputs={"V": uniform(0.1, 1)}, scalars=(0.01,), outputs=4, in_place=True),
    "relu_in_place": Case(lambda y: np.clip(y, 0, None), in_place=True, ulps=0),
    "exchange_ends": Case(lambda y: y[::-1], in_place=True),
    "dropout": Case(dropout, inputs={"R": uniform(0, 1)}, scalars=(0.3,), outputs=2, ulps=1),
    "resize_nearest": Case(nearest, RESIZED, in_place=True, ulps=0),
    "upsample_twice": Case(lambda x: x.repeat(2, axis=1).repeat(2, axis=2), NONZERO, ulps=0),
    "resize_bilinear": Case(bilinear, RESIZED, in_place=True, ulps=32),
    "resize_linear_corners": Case(corners, at(n=(4, 1, 7, 2), m=(9, 3, 2, 1)), in_place=True, ulps=32),
    "relu": Case(lambda x: np.where(x > 0, x, np.float32(0)), ulps=0),
    "add": Case(lambda a, b: a + b, ulps=0),
    "bias_add": Case(lambda x, b: x + b, ulps=0),
    "scale": Case(lambda x, factor: x * factor, ulps=0, scalars=(2.5,)),
    "leaky_relu": Case(lambda x: np.where(x > 0, x, x * np.float32(0.1)), ulps=0),
    "gelu_erf": Case(lambda x: f32(x / 2 * (1 + erf(x * 0.5**0.5)))),
    "gelu_tanh": Case(lambda x: f32(x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))),
    "silu": Case(lambda x: f32(x / (1 + np.exp(-x.astype(np.float64))))),
    "clip": Case(np.clip, scalars=(-2, 3)),
    "to_int": Case(lambda x: wrapped(np.trunc(x * np.float32(50)), np.int8)),
    "to_float": Case(lambda x: f32(x) / np.float32(3), ulps=0),
    "wrapping": Case(lambda x: wrapped(x.astype(int) ** 2 + 100 - np.abs(x.astype(int)), np.int8)),
    "divisions": Case(divisions),
    "bits": Case(lambda x: ((x & 15) | ((255 - x) * 16)) ^ (x // 8)),
    "counted_bits": Case(lambda x: (popcount(x), clz(x)), outputs=2),
    "half_product": Case(lambda a, b: (f32(a) * f32(b) + f32(a)).astype(np.float16), ulps=0),
    "bfloat_sum": Case(lambda a, b: (f32(a) + f32(b) / 2).astype(ml_dtypes.bfloat16), ulps=0),
    "less": Case(lambda a, b: (a < b) | ((a == 0) & (b < 1))),
    "where": Case(np.where, ulps=0),
    "not_a_number": Case(
        lambda x: np.where(np.isfinite(x), x, 0), ulps=0, inputs={"X": values(np.nan, 1.0, np.inf, -np.inf)}
    ),
    "iota": Case(lambda y: np.arange(y.size).reshape(y.shape), in_place=True),
    "eye": Case(lambda y: np.eye(*y.shape, dtype=np.float32), in_place=True),
    "tril": Case(np.tril, ulps=0),
    "masked_fill": Case(lambda x: np.where(x < 0, np.float32(-1), x + 1), ulps=0),
    "only_even": Case(only_even, ulps=0),
    "swap": Case(lambda a, b: (b, a), outputs=2, in_place=True),
    "math": Case(math_table, ulps=16),
    "limits": Case(lambda x: wrapped(np.maximum(x, 32766).astype(int) + 32768, np.int16)),
}
