"""Images and quantization: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    (
        "x: Tensor[(n, 3), float32], s: Tensor[(3,), float32], z: Tensor[(), int8]",
        "quantize(x, s, z)",
        "Tensor[(n, 3), int8]",
    ),
    (
        "x: Tensor[(n, m), float32], s: Tensor[(k,), float32], z: Tensor[(1, 1), int8]",
        "quantize(x, s, z, axis=0, out_dtype=uint8)",
        "Tensor[(n, m), uint8]",
    ),
    (
        "x: Tensor[ndim=2, int8], s: Tensor[_, float32], z: Tensor[(4,), int8]",
        "dequantize(x, s, z, out_dtype=float16)",
        "Tensor[ndim=2, float16]",
    ),
    (
        "x: Tensor[(n, 3, h, w), float32]",
        "image.resize2d(x, shape(h * 2, 7))",
        "Tensor[(n, 3, h * 2, 7), float32]",
    ),
    (
        "x: Tensor[(n, h, w, 3), uint8]",
        'image.resize2d(x, shape(4, w), layout="NHWC", out_dtype=float32)',
        "Tensor[(n, 4, w, 3), float32]",
    ),
    (
        "s: Shape[(4, n)], x: Tensor[(n, 3, h, w), float32]",
        "image.resize2d(x, s)",
        "Tensor[(n, 3, 4, n), float32]",
    ),
    ("s: Shape, x: Tensor[(n, 3, h, w), float32]", "image.resize2d(x, s)", "Tensor[ndim=4, float32]"),
    ("x: Tensor[_, float32]", "image.resize3d(x, shape(2, 3, 4))", "Tensor[ndim=5, float32]"),
    ("x: Tensor[(n, 2, 3), float32]", "image.affine_grid(x, shape(4, n))", "Tensor[(n, 2, 4, n), float32]"),
    ("x: Tensor[_, float32]", "image.affine_grid(x, shape(4, 5, 6))", "Tensor[ndim=5, float32]"),
    ("s: Shape, x: Tensor[(n, 2, 3), float32]", "image.affine_grid(x, s)", "Tensor[ndim=4, float32]"),
    (
        "x: Tensor[(n, 3, h, w), float32], g: Tensor[(n, 2, k, 5), float32]",
        "image.grid_sample(x, g)",
        "Tensor[(n, 3, k, 5), float32]",
    ),
    (
        "x: Tensor[(n, 3, h, w), float32], g: Tensor[_, float32]",
        "image.grid_sample(x, g)",
        "Tensor[ndim=4, float32]",
    ),
]

# parameters, call, what is wrong
REJECTED = [
    (
        "x: Tensor[(n, 3), float32], s: Tensor[(4,), float32], z: Tensor[(), int8]",
        "quantize(x, s, z)",
        [
            (
                "op-shape-mismatch: quantize: shapes `(n, 3)` and `(4,)` do not fit: axis 1 of `data` is "
                "3, and `scale` must have one element or as many"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float64], s: Tensor[(), float32], z: Tensor[(), int64]",
        "quantize(x, s, z, out_dtype=int32)",
        [
            (
                "op-dtype-mismatch: quantize: does not take float64 for `data`: one of float16, float32 "
                "is needed"
            ),
            (
                "op-dtype-mismatch: quantize: does not take int64 for `zero_point`: one of int8, uint8, "
                "int16, uint16, int32, uint32, float16 is needed"
            ),
            (
                "op-attribute: quantize: bad attribute `out_dtype`: int32 is none of int8, uint8, int16, "
                "uint16"
            ),
        ],
    ),
    (
        "x: Tensor[(n, 3), int8], s: Tensor[(2, 3), float32], z: Tensor[(), int8]",
        "dequantize(x, s, z)",
        [
            (
                "op-shape-mismatch: dequantize: shapes `(n, 3)` and `(2, 3)` do not fit: axis 1 of "
                "`data` is 3, and `scale` must have one element or as many"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), int8], s: Tensor[(3,), float32], z: Tensor[(), int8]",
        "dequantize(x, s, z, axis=2)",
        ["op-axis: dequantize: axis 2 is outside [-2, 1]"],
    ),
    (
        "x: Tensor[(n, 3), float32], s: Tensor[(), float32], z: Tensor[(), int8]",
        "quantize(x, s, z, axis=-3)",
        ["op-axis: quantize: axis -3 is outside [-2, 1]"],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32]",
        "image.resize2d(x, shape(4))",
        [("op-argument: argument 2 of image.resize2d must be a shape of 2 dimensions, not `Shape[(4,)]`")],
    ),
    (
        "x: Tensor[(n, 3, h), float32]",
        "image.resize2d(x, shape(4, 5))",
        [
            (
                "op-argument: argument 1 of image.resize2d must be a tensor of rank 4 for the layout "
                "NCHW, not `Tensor[(n, 3, h), float32]`"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32]",
        'image.resize2d(x, shape(4, 5), layout="NCHX")',
        [
            (
                'op-attribute: image.resize2d: bad attribute `layout`: "NCHX" is not an order of the axes N, C, H, W'
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32]",
        'image.resize2d(x, shape(4, 5), layout="NCHW4c")',
        [
            (
                "op-argument: argument 1 of image.resize2d must be a tensor of rank 5 for the layout NCHW4c, "
                "not `Tensor[(n, 3, h, w), float32]`"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32]",
        "image.resize2d(x, shape(4, 5), roi=[0.0, 1.0])",
        ["op-attribute: image.resize2d: bad attribute `roi`: 2 numbers; 4 are needed"],
    ),
    (
        "x: Tensor[(n, 3, 0, w), float32]",
        "image.resize2d(x, shape(4, 5))",
        [("op-shape-mismatch: image.resize2d: shape `(n, 3, 0, w)`: axis 2 cannot be resized from 0 to 4")],
    ),
    (
        "x: Tensor[(n, 2, 3), float32]",
        "image.affine_grid(x, shape(4, 5, 6))",
        [
            (
                "op-shape-mismatch: image.affine_grid: shapes `(n, 2, 3)` and `(4, 5, 6)` do not fit: "
                "(N, 2, 3) goes with two extents, (N, 3, 4) with three"
            )
        ],
    ),
    (
        "x: Tensor[(n, 2, 3), float32]",
        "image.affine_grid(x, shape(0, 5))",
        [
            (
                "op-shape-mismatch: image.affine_grid: shape `(0, 5)`: the size has the extent 0, which "
                "is below 1"
            )
        ],
    ),
    (
        "x: Tensor[(2, 3, h, w), float32], g: Tensor[(3, 2, k, 5), float32]",
        "image.grid_sample(x, g)",
        [
            (
                "op-shape-mismatch: image.grid_sample: shapes `(2, 3, h, w)` and `(3, 2, k, 5)` do not "
                "fit: axis 0 is 2 in `data` and 3 in `grid`"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32], g: Tensor[(n, 3, k, 5), float32]",
        "image.grid_sample(x, g)",
        [
            (
                "op-shape-mismatch: image.grid_sample: shape `(n, 3, k, 5)`: axis 1 of `grid` is 3, "
                "where 2 coordinates are needed"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w), float32], g: Tensor[(n, 2, k), float32]",
        "image.grid_sample(x, g)",
        [
            (
                "op-argument: argument 2 of image.grid_sample must be a tensor of rank 4 for the layout "
                "NCHW, not `Tensor[(n, 2, k), float32]`"
            )
        ],
    ),
    (
        "x: Tensor[(2, 3, 0, w), float32], g: Tensor[(2, 2, 4, 5), float32]",
        "image.grid_sample(x, g)",
        [
            (
                "op-shape-mismatch: image.grid_sample: shape `(2, 3, 0, w)`: the image has nothing to "
                "sample: axis 2 has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3, h, w, 2), float32]",
        'image.grid_sample(x, x, layout="NCDHW", method="bicubic")',
        ['op-attribute: image.grid_sample: bad attribute `method`: "bicubic" needs the layout NCHW'],
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
