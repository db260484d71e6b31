"""Convolutions have several forms, chosen by shape: each gives what the plain one gives."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.numpy_kernels import depthwise
from relax_lang.ops.registry import lookup


def convolved(x, w, **attrs):
    operator = lookup("nn.conv2d")
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
