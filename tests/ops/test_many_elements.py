"""Kernels that take another way where there are many elements, or few: both give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.ops.dtypes import is_float, numpy_dtype
from relax_lang.syntax.dtypes import DTYPES
from tests.ops.harness import check, integers, random, run

NUMBERS = np.random.default_rng(7)


def of_dtype(dtype: str, *shape: int) -> Any:
    """Return numbers of which many are equal, among floats infinities and both zeros."""
    wanted = numpy_dtype(dtype)
    if wanted.kind == "b":
        return NUMBERS.integers(0, 2, shape).astype(bool)
    if is_float(wanted):
        return NUMBERS.choice([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, 7.0, 0.25, 1e3], shape).astype(wanted)
    limits = np.iinfo(wanted)
    return NUMBERS.choice(np.array([0, 1, 3, limits.max, limits.min], wanted), shape)


def bits(x: Any) -> Any:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(dtype: str) -> None:
    condition, x1, x2 = NUMBERS.random((160, 160)) < 0.5, of_dtype(dtype, 160, 160), of_dtype(dtype, 160, 160)
    np.testing.assert_array_equal(bits(run("where", condition, x1, x2)), bits(np.where(condition, x1, x2)))
    turned = run("where", condition.T, x1.T, x2[::-1])
    np.testing.assert_array_equal(bits(turned), bits(np.where(condition.T, x1.T, x2[::-1])))


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(dtype: str, descending: bool, with_nan: bool) -> None:
    for zeros in (0.0, -0.0):
        x = of_dtype(dtype, 3, 2000)
        if is_float(x.dtype):
            x[x == 0] = zeros
            x[1, ::50] = np.nan if with_nan else 9
        before = x.copy()
        found = run("sort", x, descending=descending)
        places = run("argsort", x, descending=descending, dtype="int64")
        np.testing.assert_array_equal(bits(found), bits(np.take_along_axis(x, places, -1)))
        np.testing.assert_array_equal(bits(x), bits(before))


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_topk_of_a_long_axis(dtype: str, largest: bool) -> None:
    distinct = NUMBERS.permutation(100).astype(numpy_dtype(dtype)).reshape(1, 100, 1)
    for x in (of_dtype(dtype, 2, 100, 3), np.concatenate([distinct] * 2, axis=2)):
        if is_float(x.dtype):
            x[0, :97, 0] = np.nan  # fewer numbers than are asked for
        values, places = run("topk", x, k=4, axis=1, largest=largest, dtype="int64")
        order = run("argsort", x, axis=1, descending=largest, dtype="int64")[:, :4]
        np.testing.assert_array_equal(places, order)
        np.testing.assert_array_equal(bits(values), bits(np.take_along_axis(x, order, 1)))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_batch_norm(axis: int, training: bool, dtype: str) -> None:
    x = random(40, 41, 42, dtype=dtype)
    gamma, beta, mean = [random(x.shape[axis], seed=seed, dtype=dtype) for seed in (1, 2, 3)]
    variance = np.abs(random(x.shape[axis], seed=4, dtype=dtype)) + numpy_dtype(dtype).type(0.5)
    found, *_ = run("nn.batch_norm", x, gamma, beta, mean, variance, axis=axis, training=training)
    wide = np.moveaxis(x.astype(np.float64), axis, -1)
    if training:
        mean, variance = wide.mean((0, 1)), wide.var((0, 1))
    expected = (wide - mean) / np.sqrt(variance + 1e-5) * gamma.astype(np.float64) + beta
    check(found, np.moveaxis(expected, -1, axis).astype(x.dtype), 1e-5 if dtype == "float32" else 4e-3)


@pytest.mark.parametrize("groups", [1, 2])
def test_conv_in_several_tiles(groups: int) -> None:
    """The whole is put together from convolutions of single rows."""
    x, w = random(2, 16, 70, 64), random(6, 16 // groups, 3, 3, seed=1)
    whole = run("nn.conv2d", x, w, groups=groups, strides=[2, 1], padding=[1, 1], dilation=[2, 1])
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    assert whole.shape == (2, 6, 34, 64)
    for row in range(34):
        rows = np.ascontiguousarray(padded[:, :, 2 * row : 2 * row + 5])
        check(run("nn.conv2d", rows, w, groups=groups, dilation=[2, 1])[:, :, 0], whole[:, :, row], 1e-4)


@pytest.mark.parametrize("terms", [1, 255, 256, 257, 1023, 1024, 1025])
@pytest.mark.parametrize("out_dtype", [None, "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("dtypes", [("int8", "int8"), ("uint8", "uint8"), ("int8", "uint8")])
def test_products_of_8_bits_are_exact(terms: int, out_dtype: str | None, dtypes: tuple[str, str]) -> None:
    if out_dtype is None and dtypes[0] != dtypes[1]:
        return
    extremes = [np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype) for dtype in dtypes]
    x1 = np.concatenate([np.full((1, terms), extremes[0][0]), NUMBERS.choice(extremes[0], (3, terms))])
    x2 = np.concatenate(
        [np.full((terms, 1), extremes[1][0]), NUMBERS.choice(extremes[1], (terms, 3))], axis=1
    )
    expected = np.matmul(x1.astype(np.int64), x2.astype(np.int64)).astype(out_dtype or dtypes[0])
    check(run("matmul", x1, x2, out_dtype=out_dtype), expected)
    check(run("linear", x1, x2.T, out_dtype=out_dtype), expected)


@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bij,bkj->bik", "ib,bk->bik", "i,j->ij", "i,i->", "ijb,bjk->bik",
     "abij,abjk->abik", "aijb,jabk->kiba", "ij,ij->ij", "ij,ij->i", "ij,jk", "ijk,jk->i"],
)  # fmt: skip
def test_einsum_of_two_operands(subscripts: str) -> None:
    extents = dict(zip("abijk", (2, 3, 4, 5, 6), strict=True))
    terms = subscripts.partition("->")[0].split(",")
    for dtype in ("float32", "int32", "uint8"):
        operands = [integers(*[extents[letter] for letter in term], low=0, dtype=dtype) for term in terms]
        expected = np.asarray(np.einsum(subscripts, *[each.astype(np.int64) for each in operands])).astype(
            dtype
        )
        check(run("einsum", tuple(operands), subscripts=subscripts), expected)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 1.5, 0.0, -0.5, 1e-60])
def test_leakyrelu_with_any_slope(alpha: float) -> None:
    x = np.array([-np.inf, -2.5, -0.0, 0.0, 1.25, np.inf, np.nan], np.float32)
    with np.errstate(all="ignore"):
        check(run("nn.leakyrelu", x, alpha=alpha), np.where(x > 0, x, x * np.float32(alpha)))


def test_averages_of_the_largest_integers() -> None:
    """No sum of a window fits 64 bits."""
    for dtype in ("int64", "uint64"):
        limits = np.iinfo(dtype)
        x = np.array([[[[limits.max, limits.max - 1], [limits.max, limits.max]]]], dtype)
        check(run("nn.avg_pool2d", x, pool_size=2), np.array([[[[limits.max - 1]]]], dtype))
        check(run("nn.adaptive_avg_pool2d", x, output_size=1), np.array([[[[limits.max - 1]]]], dtype))
    least = np.full((1, 1, 2, 2), np.iinfo(np.int64).min)
    check(run("nn.avg_pool2d", least, pool_size=2), least[:, :, :1, :1])
