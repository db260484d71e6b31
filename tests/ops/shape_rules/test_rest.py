"""Operators of devices, machines, training and object detection: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, 4), int32]", "wrap_param(x, dtype=float16)", "Tensor[(n, 4), float16]"),
    ("s: Shape, x: Tensor[s, int32]", "grad.no_grad(x)", "Tensor[s, int32]"),
    ("x: Tensor[(n, 4), int32]", "memory.ensure_zero_offset(x)", "Tensor[(n, 4), int32]"),
    ("x: Tensor[(n, 4), int32]", "memory.alloc_storage(shape(8), 0, dtype=uint8)", "Object"),
    ("s: Object", "memory.alloc_tensor(s, 0, shape(2, 3), dtype=float32)", "Tensor[(2, 3), float32]"),
    ("x: Tensor[(n, 4), int32]", "ccl.allgather(x, num_workers=3)", "Tensor[(n * 3, 4), int32]"),
    (
        "x: Tensor[(n, 4), int32]",
        "ccl.scatter_from_worker0(x, num_workers=2, axis=1)",
        "Tensor[(n, 2), int32]",
    ),
    ("x: Tensor[(n, 4), int32]", "inspect.tensor_ndim(x)", "Tensor[(), int32]"),
    ("x: Tensor[(n, 4), int32]", "inspect.tensor_shape_i(x, 1)", "Tensor[(), int64]"),
    (
        "q: Tensor[(1, n, 4, 8), float32], v: Tensor[(1, n, 4, 6), float32], i: Tensor[(3,), int32]",
        "nn.attention_var_len(q, q, v, i, i, const(4, int32), const([4], int32))",
        "Tensor[(1, n, 4, 6), float32]",
    ),
    (
        "x: Tensor[(n, 9, 6), float32]",
        "vision.get_valid_counts(x)",
        "(Tensor[(n,), int32], Tensor[(n, 9, 6), float32], Tensor[(n, 9), int32])",
    ),
    (
        "x: Tensor[(n, 3, 8, 8), float32], r: Tensor[(m, 5), float32]",
        "vision.roi_align(x, r, pooled_size=7, spatial_scale=1.0)",
        "Tensor[(m, 3, 7, 7), float32]",
    ),
    (
        "x: Tensor[(n, 9, 6), float32], c: Tensor[(n,), int32], i: Tensor[(n, 9), int32]",
        "vision.non_max_suppression(x, c, i, soft_nms_sigma=0.5)",
        "(Tensor[(n, 9, 6), float32], Tensor[(n, 9), int32], Tensor[(n, 1), int32])",
    ),
    (
        "x: Tensor[(n, m, 4), float32], s: Tensor[(n, 3, m), float32], k: Tensor[(), int64], t: Tensor[(1,), float32]",
        "vision.all_class_non_max_suppression(x, s, k, t, t)",
        "(Tensor[(m * n * 3, 3), int64], Tensor[(1,), int64])",
    ),
    (
        "c: Tensor[(n, 3, m), float32], l: Tensor[(n, m * 4), float32], a: Tensor[(1, m, 4), float32]",
        "vision.multibox_transform_loc(c, l, a)",
        "(Tensor[(n, m, 4), float32], Tensor[(n, 3, m), float32])",
    ),
    (
        "x: Tensor[(n, 8, 8, 3), float32], r: Tensor[(m, 5), float32]",
        'vision.roi_pool(x, r, pooled_size=[7, 6], spatial_scale=1.0, layout="NHWC")',
        "Tensor[(m, 7, 6, 3), float32]",
    ),
    (
        "x: Tensor[(n, 3, 8, 8), float32], g: Tensor[(n, 3, 4, 4), float32]",
        "grad.max_pool2d_backward(g, x, pool_size=2, strides=2)",
        "Tensor[(n, 3, 8, 8), float32]",
    ),
    (
        "x: Tensor[(n, 4), int32]",
        'dist.annotate_sharding(x, device_mesh="m", placement="p")',
        "Tensor[(n, 4), int32]",
    ),
]

ATTENTION_BATCH = (
    "op-shape-mismatch: nn.attention_var_len: shapes `(2, 3, 4, 8)` and `(2, 3, 4, 8)` do not fit"
)
INDICES = "op-shape-mismatch: vision.non_max_suppression: shapes `(n, 9, 6)` and `(n, 8)` do not fit"

# parameters, call, what is wrong with it
REJECTED = [
    (
        "x: Tensor[(n, 4), int32]",
        "ccl.scatter_from_worker0(x, num_workers=3, axis=1)",
        "op-shape-mismatch: ccl.scatter_from_worker0: shape `(n, 4)`: axis 1 is 4, which 3 workers do not divide",
    ),
    (
        "x: Tensor[(n, 4), int32]",
        "ccl.scatter_from_worker0(x, num_workers=3, axis=2)",
        "op-axis: ccl.scatter_from_worker0: axis 2 is outside [-2, 1]",
    ),
    (
        "x: Tensor[(n, 4), int32]",
        "inspect.tensor_shape_i(x, -1)",
        "op-attribute: inspect.tensor_shape_i: `axis`: the axis is -1; it must be at least 0 and less than 2",
    ),
    (
        "x: Tensor[(n, 4), int32]",
        "inspect.tensor_stride_i(x, 2)",
        "op-attribute: inspect.tensor_stride_i: `axis`: the axis is 2; it must be at least 0 and less than 2",
    ),
    (
        "x: Tensor[(n, 3, 8, 8), float32], r: Tensor[(m, 5), float32]",
        "vision.roi_align(x, r, pooled_size=[7, 0], spatial_scale=1.0)",
        "op-attribute: vision.roi_align: bad attribute `pooled_size`: one or two positive numbers are needed",
    ),
    (
        "q: Tensor[(2, 3, 4, 8), float32], i: Tensor[(3,), int32]",
        "nn.attention_var_len(q, q, q, i, i, const(4, int32), const([4], int32))",
        f"{ATTENTION_BATCH}: axis 0 of `query` is 2, where 1 is needed",
    ),
    (
        "q: Tensor[(1, 3, 4, 8), float32]",
        "nn.attention(q, q, q, window_size=3)",
        "op-attribute: nn.attention: bad attribute `window_size`: a window goes with a `causal_mask`",
    ),
    (
        "x: Tensor[(n, 9, 6), float32], c: Tensor[(n,), int32], i: Tensor[(n, 8), int32]",
        "vision.non_max_suppression(x, c, i)",
        f"{INDICES}: axis 1 is 9 in `data` and 8 in `indices`",
    ),
    (
        "x: Tensor[(n, 9, 6), float32], c: Tensor[(n,), int32], i: Tensor[(n, 9), int32]",
        "vision.non_max_suppression(x, c, i, coord_start=3)",
        "op-attribute: vision.non_max_suppression: bad attribute `coord_start`: there are not four numbers at 3 of 6",
    ),
    (
        "x: Object",
        "grad.no_grad(x)",
        "needs-match-cast: `Object` is not known to be `Tensor`",
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_typed(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "message"), REJECTED)
def test_OP_rejected(params: str, call: str, message: str) -> None:
    assert rejected(params, call) == [message]
