"""Convolutions have several forms, chosen by shape: each gives what the plain one gives."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.definitions.nn import conv
from relax_lang.ops.numpy_kernels import depthwise, taps
from relax_lang.ops.registry import lookup


def convolved(x, w, name="nn.conv2d", **attrs):
    operator = lookup(name)
    with np.errstate(all="ignore"):
        return bind(operator, operator.options(attrs))(x, w)


def drawn(random):
    """Return a depthwise convolution of some shape, and its attributes."""
    n, channels = int(random.integers(0, 4)), int(random.integers(1, 9))
    kernel, strides, dilation = [[int(one) for one in random.integers(1, most, 2)] for most in (6, 4, 3)]
    padding = [int(one) for one in random.integers(0, 4, 4)]
    reach = [step * (size - 1) + 1 for size, step in zip(kernel, dilation, strict=True)]
    extents = [int(random.integers(max(1, reach[at] - padding[at] - padding[at + 2]), 50)) for at in range(2)]
    x = random.standard_normal((n, channels, *extents)).astype(np.float32)
    w = random.standard_normal((channels, 1, *kernel)).astype(np.float32)
    return x, w, {"strides": strides, "padding": padding, "dilation": dilation, "groups": channels}


def plain_and_by_bands(x, w, attrs, monkeypatch):
    monkeypatch.setattr(depthwise, "_LEAST", 1 << 60)
    plain = convolved(x, w, **attrs)
    monkeypatch.setattr(depthwise, "_LEAST", 0)
    return plain, convolved(x, w, **attrs)


@pytest.mark.parametrize("seed", range(60))
def test_depthwise_convolutions_by_bands(seed, monkeypatch):
    x, w, attrs = drawn(np.random.default_rng(seed))
    plain, bands = plain_and_by_bands(x, w, attrs, monkeypatch)
    np.testing.assert_allclose(bands, plain, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_does_not_spread(special, monkeypatch):
    random = np.random.default_rng(3)
    x = random.standard_normal((2, 3, 30, 40)).astype(np.float32)
    w = random.standard_normal((3, 1, 3, 3)).astype(np.float32)
    x[1, 2, 7, 9] = special
    plain, bands = plain_and_by_bands(x, w, {"padding": [1] * 4, "groups": 3}, monkeypatch)
    np.testing.assert_array_equal(np.isfinite(bands), np.isfinite(plain))
    assert np.count_nonzero(~np.isfinite(bands)) == 9
    np.testing.assert_array_equal(bands, plain)


@pytest.mark.parametrize("special", [np.inf, np.nan])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_weights_that_meet_nothing_but_padding(special, rows, monkeypatch):
    random = np.random.default_rng(4)
    x = random.standard_normal((1, 3, rows, 40)).astype(np.float32)
    w = random.standard_normal((3, 1, 5, 5)).astype(np.float32)
    attrs = {"padding": [2] * 4, "groups": 3}
    plain, bands = plain_and_by_bands(x, w, attrs, monkeypatch)
    np.testing.assert_allclose(bands, plain, rtol=1e-5, atol=1e-5)
    w[1, 0, 0, 0] = special  # for one row it never meets the image: zero times infinity is nan
    plain, bands = plain_and_by_bands(x, w, attrs, monkeypatch)
    np.testing.assert_array_equal(bands, plain)
    assert np.isnan(plain).any()


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("strides", [[1, 1], [2, 1], [2, 3]])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_kernels_of_one_place_are_one_product(n, strides, dtype):
    random = np.random.default_rng(5)
    x = random.integers(-5, 5, (n, 4, 7, 9)).astype(dtype)
    w = random.integers(-5, 5, (6, 4, 1, 1)).astype(dtype)
    found = convolved(x, w, strides=strides)
    np.testing.assert_array_equal(
        found, np.einsum("oc,nchw->nohw", w[:, :, 0, 0], x[:, :, :: strides[0], :: strides[1]])
    )


def dense(random, rank):
    """Return a dense convolution of some shape with strides of one, and its attributes."""
    n, channels, results = [int(random.integers(low, 5)) for low in (0, 1, 1)]
    kernel, dilation = [[int(one) for one in random.integers(1, most, rank)] for most in (4, 3)]
    padding = [int(one) for one in random.integers(0, 3, 2 * rank)]
    extents = [
        int(random.integers(step * (size - 1) + 1, 12)) for size, step in zip(kernel, dilation, strict=True)
    ]
    x = random.standard_normal((n, channels, *extents)).astype(np.float32)
    w = random.standard_normal((results, channels, *kernel)).astype(np.float32)
    return x, w, {"padding": padding, "dilation": dilation}


def plain_and_by_taps(x, w, attrs, monkeypatch):
    name = f"nn.conv{x.ndim - 2}d"
    monkeypatch.setattr(taps, "_CHANNELS", 1 << 60)
    plain = convolved(x, w, name=name, **attrs)
    monkeypatch.setattr(taps, "_CHANNELS", 0)
    monkeypatch.setattr(taps, "_PLACES", 0)
    return plain, convolved(x, w, name=name, **attrs)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("seed", range(20))
def test_dense_convolutions_as_a_sum_of_products(rank, seed, monkeypatch):
    x, w, attrs = dense(np.random.default_rng(seed), rank)
    plain, found = plain_and_by_taps(x, w, attrs, monkeypatch)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("special", [np.inf, np.nan])
def test_sums_of_products_do_not_spread_what_is_not_finite(special, monkeypatch):
    random = np.random.default_rng(3)
    x = random.standard_normal((2, 3, 10, 12)).astype(np.float32)
    w = random.standard_normal((2, 3, 3, 3)).astype(np.float32)
    x[1, 2, 7, 9] = special
    plain, found = plain_and_by_taps(x, w, {"padding": [1] * 4}, monkeypatch)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(plain))
    assert np.count_nonzero(~np.isfinite(found)) == 18


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize(
    ("whole", "gathered"),
    [(1 << 40, 1), (0, 1), (0, 500), (0, 1680), (0, 2 * 1680), (0, 3 * 1680 + 7), (0, 1 << 17)],
    ids=["at once", "rows", "some rows", "images", "two images", "three images", "all images"],
)
def test_windows_are_gathered_at_once_or_in_parts(whole, gathered, dtype, monkeypatch):
    monkeypatch.setattr(conv, "_WHOLE", whole)
    monkeypatch.setattr(conv, "_GATHERED", gathered)
    blocks = []
    in_blocks = conv._in_blocks_of_images
    monkeypatch.setattr(
        conv, "_in_blocks_of_images", lambda *given: blocks.append(given[-1]) or in_blocks(*given)
    )
    random = np.random.default_rng(6)
    x = random.integers(-5, 5, (5, 4, 9, 11)).astype(dtype)
    w = random.integers(-5, 5, (6, 2, 3, 2)).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), (2, 3)).reshape(5, 2, 2, 7, 10, 3, 2)
    expected = np.einsum("gocij,ngchwij->ngohw", w.reshape(2, 3, 2, 3, 2), windows).reshape(5, 6, 7, 10)
    for _ in range(2):
        np.testing.assert_array_equal(convolved(x, w, groups=2), expected)
    several = gathered // 1680
    assert {*blocks} == ({several} if several > 1 and not whole else set())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_relu_of_many_elements(dtype):
    x = np.random.default_rng(7).standard_normal(20_000).astype(dtype)
    x[:4] = [np.nan, np.inf, -np.inf, -0.0]
    operator = lookup("nn.relu")
    found = bind(operator, operator.options({}))(x)
    np.testing.assert_array_equal(found, np.maximum(x, 0))
    assert found.dtype == dtype
