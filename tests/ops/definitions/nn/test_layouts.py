"""Layouts in blocks: what is known of the result, and that only the place of elements changes. [OP.4] [OP.6]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.ops.attribute_syntax.layouts import parse_layout
from relax_lang.ops.core.errors import OpError
from tests.ops.harness import check, fails, run
from tests.ops.typed import rejected, typed

X = np.arange(2 * 8 * 5 * 4, dtype=np.float32).reshape(2, 8, 5, 4)
W = np.arange(4 * 8 * 3 * 3, dtype=np.float32).reshape(4, 8, 3, 3) % 7


def blocked(x: Any, block: int) -> Any:
    """Return NCHW as NCHW{block}c."""
    n, c, h, w = x.shape
    return np.ascontiguousarray(x.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2))


@pytest.mark.parametrize("text", ["NCHW16c", "NHWC", "NCHW4c", "NCHW2n16c", "NHWC8h"])
def test_layouts(text: str) -> None:
    assert sorted(parse_layout(text, "NCHW", "layout").axes.upper().replace("", " ").split())
    assert len(parse_layout(text, "NCHW", "layout").groups()) == 4


@pytest.mark.parametrize(
    "text",
    ["NCHWc", "NCH", "NCHW16", "NCHW0c", "NCHW16d", "NCHW4c4c", "NCHH", "16NCHW", "nCHW", "NCHW4C", ""],
)
def test_OP_4_what_is_no_layout(text: str) -> None:
    with pytest.raises(OpError, match="not an order of the axes"):
        parse_layout(text, "NCHW", "layout")


def test_OP_6_a_convolution_in_blocks() -> None:
    plain = run("nn.conv2d", X, W)
    found = run("nn.conv2d", blocked(X, 4), W, data_layout="NCHW4c", out_layout="NCHW")
    check(found, plain)
    check(run("nn.conv2d", blocked(X, 4), W, data_layout="NCHW4c"), blocked(plain, 4))
    check(run("nn.conv2d", X, W, out_layout="NCHW2c"), blocked(plain, 2))
    kernel = np.ascontiguousarray(W.reshape(2, 2, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1))
    check(run("nn.conv2d", X, kernel, kernel_layout="OIHW4i2o"), plain)


@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
def test_OP_6_pooling_in_blocks(name: str) -> None:
    plain = run(f"nn.{name}", X, pool_size=[2, 2])
    check(run(f"nn.{name}", blocked(X, 8), pool_size=[2, 2], layout="NCHW8c"), blocked(plain, 8))
    grad = np.ones_like(plain)
    back = run(f"grad.{name}_backward", grad, X, pool_size=[2, 2])
    found = run(f"grad.{name}_backward", blocked(grad, 8), blocked(X, 8), pool_size=[2, 2], layout="NCHW8c")
    check(found, blocked(back, 8))


def test_OP_9_blocks_that_do_not_fit() -> None:
    fails("op-runtime-shape", "nn.max_pool2d", blocked(X, 4), layout="NCHW8c")
    fails("op-runtime-shape", "nn.conv2d", X, W, out_layout="NCHW3c")
    fails("op-attribute", "nn.conv2d", X, W, data_layout="NCHW3x")


PARAMS = (
    "x: Tensor[(n, c, 8, 8, 16), float32], w: Tensor[(32, c * 16, 3, 3), float32], "
    "y: Tensor[(n, 64, 8, 8), float32]"
)


@pytest.mark.parametrize(
    ("call", "info"),
    [
        ('nn.conv2d(x, w, data_layout="NCHW16c")', "Tensor[(n, 2, 6, 6, 16), float32]"),
        ('nn.conv2d(x, w, data_layout="NCHW16c", out_layout="NCHW")', "Tensor[(n, 32, 6, 6), float32]"),
        ('nn.max_pool2d(x, pool_size=2, layout="NCHW16c")', "Tensor[(n, c, 7, 7, 16), float32]"),
        ('nn.max_pool2d(y, pool_size=2, out_layout="NCHW16c")', "Tensor[(n, 4, 7, 7, 16), float32]"),
        ('nn.adaptive_avg_pool2d(x, output_size=1, layout="NCHW16c")', "Tensor[(n, c, 1, 1, 16), float32]"),
        ('image.resize2d(x, shape(3, 4), layout="NCHW16c")', "Tensor[(n, c, 3, 4, 16), float32]"),
    ],
)
def test_OP_6_what_is_known_of_results_in_blocks(call: str, info: str) -> None:
    assert typed(PARAMS, call) == info


def test_OP_6_blocks_that_certainly_do_not_fit() -> None:
    assert (
        "64 of C is not made of blocks of 7" in rejected(PARAMS, 'nn.max_pool2d(y, out_layout="NCHW7c")')[0]
    )
    assert (
        "the blocks of C have 16 elements in `data`, 8"
        in rejected(PARAMS, 'nn.max_pool2d(x, layout="NCHW8c")')[0]
    )
    assert "tensor of rank 5" in rejected(PARAMS, 'nn.max_pool2d(y, layout="NCHW8c")')[0]
    assert "not an order of the axes" in rejected(PARAMS, 'nn.max_pool2d(y, layout="NCHWx")')[0]
