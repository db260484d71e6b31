"""Convolution and pooling: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    (
        "x: Tensor[(n, 4, m, k), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w, strides=2, padding=1)",
        "Tensor[(n, 8, (m + 1) // 2, (k + 1) // 2), float32]",
    ),
    (
        "x: Tensor[(n, 4, m, k), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w, padding=1)",
        "Tensor[(n, 8, m, k), float32]",
    ),
    (
        "x: Tensor[(n, 28, 28, 4), float32], w: Tensor[(3, 3, 4, 8), float32]",
        'nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO", out_layout="NCHW")',
        "Tensor[(n, 8, 26, 26), float32]",
    ),
    (
        "x: Tensor[(n, 28, 28, 4), int8], w: Tensor[(3, 3, 4, 8), int8]",
        'nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO", out_dtype=int32)',
        "Tensor[(n, 26, 26, 8), int32]",
    ),
    (
        "x: Tensor[(n, c, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w)",
        "Tensor[(n, 8, 26, 26), float32]",
    ),
    (
        "x: Tensor[(n, 4, 28), float32], w: Tensor[(8, 2, k), float32]",
        "nn.conv1d(x, w, groups=2, dilation=2)",
        "Tensor[(n, 8, 30 - k * 2), float32]",
    ),
    (
        "x: Tensor[ndim=4, float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w)",
        "Tensor[ndim=4, float32]",
    ),
    ("x: Tensor[_, float32], w: Tensor[(8, 4, 3, 3)]", "nn.conv2d(x, w)", "Tensor[ndim=4]"),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(4, 2, 3, 3), float32]",
        "nn.conv2d_transpose(x, w, strides=2, padding=1, output_padding=1)",
        "Tensor[(n, 2, 56, 56), float32]",
    ),
    (
        "x: Tensor[(n, 4, m), float32], w: Tensor[(4, 2, 3), float32]",
        "nn.conv1d_transpose(x, w, strides=2, groups=2)",
        "Tensor[(n, 4, m * 2 + 1), float32]",
    ),
    (
        "x: Tensor[(n, 3, m, m), float32]",
        "nn.max_pool2d(x, pool_size=3, strides=2, padding=1)",
        "Tensor[(n, 3, (m + 1) // 2, (m + 1) // 2), float32]",
    ),
    (
        "x: Tensor[(n, 3, m, m), float32]",
        "nn.max_pool2d(x, pool_size=3, strides=2, padding=1, ceil_mode=true)",
        "Tensor[(n, 3, m // 2 + 1, m // 2 + 1), float32]",
    ),
    (
        "x: Tensor[(n, 3, m, m), float32]",
        "nn.max_pool2d(x, pool_size=[2, 1], strides=2, padding=[0, 0, 1, 2], ceil_mode=true)",
        "Tensor[ndim=4, float32]",
    ),
    (
        "x: Tensor[(n, 3, 4, 4), float32]",
        "nn.avg_pool2d(x, pool_size=1, strides=3, padding=[0, 0, 1, 4], ceil_mode=true)",
        "Tensor[(n, 3, 2, 3), float32]",
    ),
    (
        "x: Tensor[(n, m, m, 3), float32]",
        'nn.avg_pool2d(x, pool_size=2, layout="NHWC", out_layout="NCHW")',
        "Tensor[(n, 3, m - 1, m - 1), float32]",
    ),
    ("x: Tensor[_, float32]", "nn.avg_pool2d(x, pool_size=2)", "Tensor[ndim=4, float32]"),
    (
        "x: Tensor[(n, 3, 4, m), float32]",
        "nn.adaptive_avg_pool2d(x, output_size=[7, 5])",
        "Tensor[(n, 3, 7, 5), float32]",
    ),
    (
        "x: Tensor[(n, 4, m, 3), float32]",
        'nn.adaptive_avg_pool2d(x, output_size=7, layout="NHWC", out_layout="NCHW")',
        "Tensor[(n, 3, 7, 7), float32]",
    ),
    ("s: Shape[ndim=4], x: Tensor[s, float32]", "nn.adaptive_avg_pool2d(x)", "Tensor[s, float32]"),
]

# parameters, call, what is wrong with it
REJECTED = [
    (
        "x: Tensor[(n, 3, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w)",
        (
            "op-shape-mismatch: nn.conv2d: shapes `(n, 3, 28, 28)` and `(8, 4, 3, 3)` do not fit: `data` has 3 "
            "channels, `weight` takes 4 in 1 group"
        ),
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(9, 2, 3, 3), float32]",
        "nn.conv2d(x, w, groups=2)",
        (
            "op-shape-mismatch: nn.conv2d: shape `(9, 2, 3, 3)`: axis 0 of `weight` is 9, which 2 groups do not "
            "divide"
        ),
    ),
    (
        "x: Tensor[(n, 4, 2, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w)",
        (
            "op-shape-mismatch: nn.conv2d: shapes `(n, 4, 2, 28)` and `(8, 4, 3, 3)` do not fit: a window of 3 "
            "does not fit axis 2, whose padded extent is 2"
        ),
    ),
    (
        "x: Tensor[(n, 4, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w)",
        (
            "op-argument: argument 1 of nn.conv2d must be a tensor of rank 4 for the layout NCHW, not "
            "`Tensor[(n, 4, 28), float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float64]",
        "nn.conv2d(x, w)",
        "op-dtype-mismatch: nn.conv2d: `data` is float32, `weight` is float64; one dtype is needed",
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w, strides=0)",
        "op-attribute: nn.conv2d: bad attribute `strides`: 0 is less than 1",
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w, strides=[1, 1, 1])",
        "op-attribute: nn.conv2d: bad attribute `strides`: 3 numbers for 2 spatial axes",
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        "nn.conv2d(x, w, padding=[1, 1, 1])",
        "op-attribute: nn.conv2d: bad attribute `padding`: 3 numbers; 1, 2 or 4 are possible",
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        'nn.conv2d(x, w, data_layout="NCH")',
        'op-attribute: nn.conv2d: bad attribute `data_layout`: "NCH" is not an order of the axes N, C, H, W',
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        'nn.conv2d(x, w, data_layout="NCHW16c")',
        (
            "op-argument: argument 1 of nn.conv2d must be a tensor of rank 5 for the layout NCHW16c, "
            "not `Tensor[(n, 4, 28, 28), float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 4, 28, 28), float32], w: Tensor[(8, 4, 3, 3), float32]",
        'nn.conv2d(x, w, out_layout="NCWX")',
        'op-attribute: nn.conv2d: bad attribute `out_layout`: "NCWX" is not an order of the axes N, C, H, W',
    ),
    (
        "x: Tensor[(n, 4, m), float32], w: Tensor[(3, 2, 3), float32]",
        "nn.conv1d_transpose(x, w)",
        (
            "op-shape-mismatch: nn.conv1d_transpose: shapes `(n, 4, m)` and `(3, 2, 3)` do not fit: `data` has 4 "
            "channels, `weight` takes 3 in 1 group"
        ),
    ),
    (
        "x: Tensor[(n, 4, m), float32], w: Tensor[(4, 2, 3), float32]",
        "nn.conv1d_transpose(x, w, groups=3)",
        (
            "op-shape-mismatch: nn.conv1d_transpose: shape `(4, 2, 3)`: axis 0 of `weight` is 4, which 3 groups "
            "do not divide"
        ),
    ),
    (
        "x: Tensor[(n, 4, 1), float32], w: Tensor[(4, 2, 3), float32]",
        "nn.conv1d_transpose(x, w, padding=2)",
        (
            "op-shape-mismatch: nn.conv1d_transpose: shapes `(n, 4, 1)` and `(4, 2, 3)` do not fit: axis 2 of "
            "the result has no extent: it would be -1"
        ),
    ),
    (
        "x: Tensor[(n, 4, 1), float32], w: Tensor[(4, 2, 3), float32]",
        "nn.conv1d_transpose(x, w, output_padding=1)",
        "op-attribute: nn.conv1d_transpose: bad attribute `output_padding`: 1 is not less than the stride 1",
    ),
    (
        "x: Tensor[(n, 3, 4, 4), float32]",
        "nn.avg_pool2d(x, pool_size=5)",
        (
            "op-shape-mismatch: nn.avg_pool2d: shape `(n, 3, 4, 4)`: a window of 5 does not fit axis 2, whose "
            "padded extent is 4"
        ),
    ),
    (
        "x: Tensor[(n, 3, 4), float32]",
        "nn.avg_pool2d(x, pool_size=2)",
        (
            "op-argument: argument 1 of nn.avg_pool2d must be a tensor of rank 4 for the layout NCHW, not "
            "`Tensor[(n, 3, 4), float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 3, 4, 4), float32]",
        "nn.avg_pool2d(x, pool_size=0)",
        "op-attribute: nn.avg_pool2d: bad attribute `pool_size`: 0 is less than 1",
    ),
    (
        "x: Tensor[(n, 3, 4, 4), float32]",
        "nn.avg_pool2d(x, pool_size=2, dilation=[1, 2, 3])",
        "op-attribute: nn.avg_pool2d: bad attribute `dilation`: 3 numbers for 2 spatial axes",
    ),
    (
        "x: Tensor[(n, 3, 0, m), float32]",
        "nn.adaptive_avg_pool2d(x, output_size=1)",
        (
            "op-shape-mismatch: nn.adaptive_avg_pool2d: shape `(n, 3, 0, m)`: axis 2 has extent 0; there is "
            "nothing to average"
        ),
    ),
    (
        "x: Tensor[(n, 3, 4, m), float32]",
        "nn.adaptive_avg_pool2d(x, output_size=[1, 2, 3])",
        "op-attribute: nn.adaptive_avg_pool2d: bad attribute `output_size`: 3 numbers for 2 spatial axes",
    ),
    (
        "x: Tensor[(n, 3, 4, m), float32]",
        'nn.adaptive_avg_pool2d(x, layout="NCXY")',
        'op-attribute: nn.adaptive_avg_pool2d: bad attribute `layout`: "NCXY" is not an order of the axes N, C, H, W',
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_typed(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "message"), REJECTED)
def test_OP_rejected(params: str, call: str, message: str) -> None:
    assert rejected(params, call) == [message]
