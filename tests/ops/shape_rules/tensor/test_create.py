"""Creation, shapes as values, output: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("d: Shape[(n,)]", "full(shape(n, 3), 1.5)", "Tensor[(n, 3), float32]"),
    ("d: Shape[(n,)]", "full(shape(n, 3), 1.5, dtype=float16)", "Tensor[(n, 3), float16]"),
    ("s: Shape", "zeros(s, dtype=float32)", "Tensor[s, float32]"),
    ("s: Shape[ndim=2]", "ones(s, dtype=int64)", "Tensor[s, int64]"),
    ("s: Shape[(n, 4)]", "ones(s, dtype=int64)", "Tensor[(n, 4), int64]"),
    ("s: Shape, v: Tensor", "full(s, v)", "Tensor[s]"),
    ("x: Tensor[(n,), float32]", "full_like(x, 7)", "Tensor[(n,), float32]"),
    ("s: Shape, x: Tensor[s, float32]", "ones_like(x)", "Tensor[s, float32]"),
    ("x: Tensor[ndim=2]", "zeros_like(x)", "Tensor[ndim=2]"),
    ("x: Tensor[ndim=2]", "zeros_like(x, dtype=int8)", "Tensor[ndim=2, int8]"),
    ("d: Shape[(n,)]", "arange(n)", "Tensor[(n,), int64]"),
    ("d: Shape[(n,)]", "arange(1, n)", "Tensor[(max(n - 1, 0),), int64]"),
    ("d: Shape[(n,)]", "arange(0, n, 2)", "Tensor[((n + 1) // 2,), int64]"),
    ("d: Shape[(n, m)]", "arange(n, m)", "Tensor[(max(m - n, 0),), int64]"),
    ("d: Shape[(n, m)]", "arange(0, n, m)", "Tensor[ndim=1, int64]"),
    ("d: Shape[(n, m)]", "arange(0, n, m + 1)", "Tensor[((m + n) // (m + 1),), int64]"),
    ("d: Shape[(n,)]", "arange(n, 0, -2)", "Tensor[((n + 1) // 2,), int64]"),
    ("d: Shape[(n,)]", "arange(0, n, dtype=float32)", "Tensor[(n,), float32]"),
    ("d: Shape[(n,)]", "arange(0, 5, -1)", "Tensor[(0,), int64]"),
    ("d: Shape[(n,)]", "arange(5, 0, -2)", "Tensor[(3,), int64]"),
    ("d: Shape[(n,)]", "arange(1.0, 5.5, 0.5)", "Tensor[(9,), float32]"),
    ("d: Shape[(n,)]", "arange(0, n, 0.5)", "Tensor[ndim=1, float32]"),
    ("d: Shape[(n,)]", "arange(0, 3, 1.0, dtype=int32)", "Tensor[(3,), int32]"),
    ("d: Shape[(n,)]", "eye(n)", "Tensor[(n, n), float32]"),
    ("d: Shape[(n,)]", "eye(n, 3, k=-1, dtype=bool)", "Tensor[(n, 3), bool]"),
    ("x: Tensor[_, float32]", "eye_like(x)", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(n, m), float32]", "eye_like(x, dtype=int32)", "Tensor[(n, m), int32]"),
    ("d: Shape[(n,)]", "hamming_window(n, dtype=float32)", "Tensor[(n,), float32]"),
    ("x: Tensor[(n, m), float32]", "tril(x)", "Tensor[(n, m), float32]"),
    ("x: Tensor", "triu(x, 1)", "Tensor"),
    ("x: Tensor[(n, m), float32]", "astype(x, dtype=int32)", "Tensor[(n, m), int32]"),
    ("s: Shape, x: Tensor[s]", "astype(x, dtype=int32)", "Tensor[s, int32]"),
    ("d: Shape[(n,)]", "builtin.alloc_tensor(shape(n, 2), 0, dtype=float32)", "Tensor[(n, 2), float32]"),
    ("x: Tensor[(n, 3), float32]", "shape_of(x)", "Shape[(n, 3)]"),
    ("x: Tensor[ndim=2, float32]", "shape_of(x)", "Shape[ndim=2]"),
    ("s: Shape[(n, 2)], x: Tensor[s, float32]", "shape_of(x)", "Shape[(n, 2)]"),
    ("x: Tensor", "shape_of(x)", "Shape"),
    ("x: Tensor", "size(x)", "Tensor[(), int64]"),
    ("x: Tensor[(3,), int64]", "tensor_to_shape(x)", "Shape[ndim=3]"),
    ("x: Tensor[(0,), int64]", "tensor_to_shape(x)", "Shape[()]"),
    ("x: Tensor[(n,), int64]", "tensor_to_shape(x)", "Shape"),
    ("x: Tensor[_, int64]", "tensor_to_shape(x)", "Shape"),
    ("s: Shape[ndim=3]", "shape_to_tensor(s)", "Tensor[(3,), int64]"),
    ("s: Shape", "shape_to_tensor(s)", "Tensor[ndim=1, int64]"),
    ("s: Shape, t: Shape[(n,)]", "shape_equals(s, t)", "Tensor[(), bool]"),
    ("d: Shape[(n,)]", "null_value()", "Object"),
    ("x: Tensor[(n,), float32]", 'hint_on_device(x, dst_vdevice="cpu")', "Tensor[(n,), float32]"),
    ("x: Tensor", 'to_vdevice(x, dst_vdevice="cpu")', "Tensor"),
]

# parameters, call, what is wrong
REJECTED = [
    (
        "x: Tensor[(n,), float32]",
        "zeros(x, dtype=float32)",
        ["op-argument: argument 1 of zeros must be a shape, not `Tensor[(n,), float32]`"],
    ),
    (
        "x: Tensor[(1,), float32]",
        "full(shape(2), x)",
        ["op-argument: argument 2 of full must be a tensor of rank 0, not `Tensor[(1,), float32]`"],
    ),
    (
        "x: Tensor[ndim=1, float32]",
        "full_like(x, x)",
        [("op-argument: argument 2 of full_like must be a tensor of rank 0, not `Tensor[ndim=1, float32]`")],
    ),
    ("d: Shape[(n,)]", "arange(0, n, 0)", ["op-attribute: arange: `step`: the step is 0"]),
    ("d: Shape[(n,)]", "arange(0.0, 1.0, 0.0)", ["op-attribute: arange: `step`: the step is 0"]),
    (
        "d: Shape[(n,)]",
        "arange(0.0, inf)",
        ["op-attribute: arange: `end`: from 0.0 to inf by 1 has no length"],
    ),
    (
        "d: Shape[(n,)]",
        "arange(0, n, dtype=bool)",
        ["op-attribute: arange: bad attribute `dtype`: bool is not a number"],
    ),
    ("d: Shape[(n,)]", "eye(-1)", ["op-attribute: eye: `n`: -1 is negative"]),
    ("d: Shape[(n,)]", "eye(3, 2.5)", ["op-argument: argument 2 of eye must be an integer, not `2.5`"]),
    ("d: Shape[(n,)]", "eye(2, m=-3)", ["op-attribute: eye: `m`: -3 is negative"]),
    (
        "d: Shape[(n,)]",
        "hamming_window(0, dtype=float32)",
        ["op-attribute: hamming_window: `window_size`: the window size is 0; it must be at least 1"],
    ),
    (
        "x: Tensor[(n, m, 2), float32]",
        "eye_like(x)",
        [
            (
                "op-argument: argument 1 of eye_like must be a tensor of rank 2, not `Tensor[(n, m, 2), "
                "float32]`"
            )
        ],
    ),
    (
        "x: Tensor[(n,), float32]",
        "tril(x)",
        [("op-argument: argument 1 of tril must be a tensor of rank 2 or more, not `Tensor[(n,), float32]`")],
    ),
    (
        "x: Tensor[ndim=1, float32]",
        "triu(x)",
        [
            (
                "op-argument: argument 1 of triu must be a tensor of rank 2 or more, not `Tensor[ndim=1, "
                "float32]`"
            )
        ],
    ),
    (
        "x: Tensor[(n, m), int64]",
        "tensor_to_shape(x)",
        [
            (
                "op-argument: argument 1 of tensor_to_shape must be a tensor of rank 1, not `Tensor[(n, "
                "m), int64]`"
            )
        ],
    ),
    (
        "x: Tensor[(n,), float32]",
        "tensor_to_shape(x)",
        [
            (
                "op-dtype-mismatch: tensor_to_shape: does not take float32 for `input`: an integer dtype "
                "is needed"
            )
        ],
    ),
    (
        "x: Tensor[(n,), float32]",
        "shape_to_tensor(x)",
        ["op-argument: argument 1 of shape_to_tensor must be a shape, not `Tensor[(n,), float32]`"],
    ),
    (
        "o: Object",
        "shape_of(o)",
        ["needs-match-cast: `Object` is not known to be `Tensor`"],
    ),
    (
        "x: Tensor[(2,), bool]",
        "assert_op(x)",
        [("op-argument: argument 1 of assert_op must be a tensor of rank 0, not `Tensor[(2,), bool]`")],
    ),
    (
        "x: Tensor[(), int32]",
        "assert_op(x)",
        ["op-dtype-mismatch: assert_op: does not take int32 for `condition`: bool is needed"],
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
