"""Reductions, running totals, sorting, searching: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(2, n, 3), float32]", "sum(x)", "Tensor[(), float32]"),
    ("x: Tensor[(2, n, 3), float32]", "sum(x, axis=[])", "Tensor[(2, n, 3), float32]"),
    ("x: Tensor[(2, n, 3), float32]", "sum(x, axis=-1)", "Tensor[(2, n), float32]"),
    ("x: Tensor[(2, n, 3), float32]", "sum(x, axis=[2, 0])", "Tensor[(n,), float32]"),
    ("x: Tensor[(2, n, 3), float32]", "sum(x, axis=[2, 0], keepdims=true)", "Tensor[(1, n, 1), float32]"),
    ("x: Tensor[ndim=3, float32]", "sum(x)", "Tensor[(), float32]"),
    ("x: Tensor[ndim=3, float32]", "mean(x, keepdims=true)", "Tensor[(1, 1, 1), float32]"),
    ("x: Tensor[ndim=3, float32]", "mean(x, axis=1, keepdims=true)", "Tensor[ndim=3, float32]"),
    ("x: Tensor[ndim=3, float32]", "mean(x, axis=[1, 2])", "Tensor[ndim=1, float32]"),
    ("x: Tensor[ndim=1, float32]", "mean(x, axis=0)", "Tensor[(), float32]"),
    ("x: Tensor[_, float32]", "prod(x)", "Tensor[(), float32]"),
    ("x: Tensor[_, float32]", "prod(x, keepdims=true)", "Tensor[_, float32]"),
    ("x: Tensor[_, float32]", "prod(x, axis=[1, -1])", "Tensor[_, float32]"),
    ("s: Shape, x: Tensor[s, float32]", "prod(x, axis=[])", "Tensor[s, float32]"),
    ("x: Tensor[(n, 0)]", "max(x, axis=1)", "Tensor[(n,)]"),
    ("x: Tensor[(n, 0), float32]", "mean(x, axis=1)", "Tensor[(n,), float32]"),
    ("x: Tensor[(n, 0), int32]", "mean(x, axis=1)", "Tensor[(n,), int32]"),
    ("x: Tensor[(n, m), float32]", "median(x)", "Tensor[(), float32]"),
    ("x: Tensor[(n, m), float32]", "median(x, axis=0)", "(Tensor[(m,), float32], Tensor[(m,), int64])"),
    (
        "x: Tensor[(n, m), float32]",
        "median(x, axis=[-1], keepdims=true)",
        "(Tensor[(n, 1), float32], Tensor[(n, 1), int64])",
    ),
    ("x: Tensor[ndim=2]", "median(x, axis=0)", "(Tensor[ndim=1], Tensor[ndim=1, int64])"),
    ("x: Tensor", "median(x, keepdims=true)", "Tensor"),
    ("x: Tensor[(n, 2), float32]", "cumsum(x)", "Tensor[(n * 2,), float32]"),
    ("x: Tensor[(), float32]", "cumsum(x)", "Tensor[(1,), float32]"),
    ("x: Tensor[ndim=2, float32]", "cumprod(x)", "Tensor[ndim=1, float32]"),
    ("x: Tensor[(n, 2), bool]", "cumprod(x, axis=0, dtype=int32)", "Tensor[(n, 2), int32]"),
    ("s: Shape, x: Tensor[s, float32]", "cumsum(x, axis=5)", "Tensor[s, float32]"),
    ("x: Tensor[(n, 2), float32]", "argmax(x, axis=0)", "Tensor[(2,), int64]"),
    ("x: Tensor[(n, 2), float32]", "argmin(x)", "Tensor[(), int64]"),
    ("x: Tensor", "argmin(x, keepdims=true)", "Tensor[_, int64]"),
    ("x: Tensor[(n, m), float32]", "sort(x)", "Tensor[(n, m), float32]"),
    ("s: Shape, x: Tensor[s, float32]", "sort(x, axis=1, descending=true)", "Tensor[s, float32]"),
    ("x: Tensor[(n, m), float32]", "argsort(x, axis=0, dtype=int64)", "Tensor[(n, m), int64]"),
    (
        "x: Tensor[(n, m), float32]",
        "topk(x, k=3)",
        "(Tensor[(n, min(m, 3)), float32], Tensor[(n, min(m, 3)), int32])",
    ),
    ("x: Tensor[(n, 2), float32]", 'topk(x, k=3, ret_type="indices", dtype=int64)', "Tensor[(n, 2), int64]"),
    ("x: Tensor[(n, m), float32]", 'topk(x, k=0, ret_type="values")', "Tensor[(n, m), float32]"),
    ("x: Tensor[ndim=2, float32]", 'topk(x, k=1, ret_type="values")', "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[(n, 3), float32], b: Tensor[(m,), float32]",
        "bucketize(x, b, out_int32=true)",
        "Tensor[(n, 3), int32]",
    ),
    ("x: Tensor[(n, 3), float32]", "unique(x)", "Tensor[ndim=1, float32]"),
    (
        "x: Tensor[(), float32]",
        "unique(x, return_index=true)",
        "(Tensor[(1,), float32], Tensor[(1,), int64])",
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "unique(x, true, true, true, true)",
        ("(Tensor[ndim=1, float32], Tensor[ndim=1, int64], Tensor[(n * 3,), int64], Tensor[ndim=1, int64])"),
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "unique(x, return_inverse=true, axis=0)",
        "(Tensor[ndim=2, float32], Tensor[(n,), int64])",
    ),
    ("x: Tensor[(1, n), float32]", "unique(x, axis=0)", "Tensor[(1, n), float32]"),
    ("x: Tensor[_, float32]", "unique(x, axis=0)", "Tensor[_, float32]"),
    ("x: Tensor[(n,), float32]", "unique(x, true, n > 3)", "Object"),
    ("x: Tensor[(n, 3), float32]", "nonzero(x)", "Tensor[ndim=2, int64]"),
    (
        "p: Tensor[(n, m), float32], u: Tensor[ndim=2, float32], i: Tensor[(k, 1), int64]",
        "multinomial_from_uniform(p, u, i)",
        "Tensor[(k, 1), int64]",
    ),
]

# parameters, call, what is wrong
REJECTED = [
    ("x: Tensor[_, float32]", "prod(x, axis=[0, 1, 1])", ["op-axis: prod: axis 1 is given twice"]),
    ("x: Tensor[(2, 3), float32]", "sum(x, axis=2)", ["op-axis: sum: axis 2 is outside [-2, 1]"]),
    ("x: Tensor[(2, 3), float32]", "sum(x, axis=[1, -1])", ["op-axis: sum: axis -1 is given twice"]),
    ("x: Tensor[(), float32]", "sum(x, axis=0)", ["op-axis: sum: there is no axis 0 in a tensor of rank 0"]),
    (
        "x: Tensor[ndim=2, float32]",
        "sum(x, axis=[2, -3])",
        ["op-axis: sum: axis 2 is outside [-2, 1]", "op-axis: sum: axis -3 is outside [-2, 1]"],
    ),
    (
        "x: Tensor[(0, 3), float32]",
        "max(x)",
        [
            (
                "op-shape-mismatch: max: shape `(0, 3)`: the maximum of no element is undefined: axis 0 "
                "has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(3, 0), float32]",
        "min(x, axis=1)",
        [
            (
                "op-shape-mismatch: min: shape `(3, 0)`: the minimum of no element is undefined: axis 1 "
                "has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(n + 1, 0), int32], y: Tensor[(n,)]",
        "mean(x, axis=1)",
        [
            (
                "op-shape-mismatch: mean: shape `(n + 1, 0)`: the mean of no integer is undefined: axis "
                "1 has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(0,), int32]",
        "std(x)",
        [
            (
                "op-shape-mismatch: std: shape `(0,)`: the variance of no integer is undefined: axis 0 "
                "has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(0,), float32]",
        "argmax(x)",
        [
            (
                "op-shape-mismatch: argmax: shape `(0,)`: the argmax of no element is undefined: axis 0 "
                "has extent 0"
            )
        ],
    ),
    ("x: Tensor[(n, 2), float32]", "argmax(x, axis=2)", ["op-axis: argmax: axis 2 is outside [-2, 1]"]),
    (
        "x: Tensor[(3, 0), float32]",
        "median(x, axis=1)",
        [
            (
                "op-shape-mismatch: median: shape `(3, 0)`: the median of no element is undefined: axis "
                "1 has extent 0"
            )
        ],
    ),
    (
        "x: Tensor[(n, m), float32]",
        "median(x, axis=[0, 1])",
        [("op-attribute: median: bad attribute `axis`: the median is taken along one axis, or along all")],
    ),
    (
        "x: Tensor[(n, m), bool]",
        "mean(x)",
        ["op-dtype-mismatch: mean: does not take bool for `x`: a number dtype is needed"],
    ),
    (
        "x: Tensor[(n, m), bool]",
        "cumsum(x)",
        [("op-attribute: cumsum: bad attribute `dtype`: bool holds no totals; name the dtype of the result")],
    ),
    (
        "x: Tensor[(n, m), float32]",
        "cumsum(x, axis=0, dtype=bool)",
        [("op-attribute: cumsum: bad attribute `dtype`: bool holds no totals; name the dtype of the result")],
    ),
    ("x: Tensor[(n, m), float32]", "cumprod(x, axis=2)", ["op-axis: cumprod: axis 2 is outside [-2, 1]"]),
    ("x: Tensor[(n, m), float32]", "sort(x, axis=-3)", ["op-axis: sort: axis -3 is outside [-2, 1]"]),
    ("x: Tensor[(), float32]", "argsort(x)", ["op-axis: argsort: there is no axis -1 in a tensor of rank 0"]),
    ("x: Tensor[(n, m), float32]", "topk(x, axis=2)", ["op-axis: topk: axis 2 is outside [-2, 1]"]),
    ("x: Tensor[(n, m), float32]", "unique(x, axis=2)", ["op-axis: unique: axis 2 is outside [-2, 1]"]),
    (
        "x: Tensor[(n, m), float32]",
        "bucketize(x, x)",
        [("op-argument: argument 2 of bucketize must be a tensor of rank 1, not `Tensor[(n, m), float32]`")],
    ),
    (
        "p: Tensor[(n, 0), float32], u: Tensor[(2, 1), float32], i: Tensor[(3, 1), int64]",
        "multinomial_from_uniform(p, u, i)",
        [
            (
                "op-shape-mismatch: multinomial_from_uniform: shape `(n, 0)`: there is no category: axis "
                "1 of `prob` has extent 0"
            ),
            (
                "op-shape-mismatch: multinomial_from_uniform: shapes `(2, 1)` and `(3, 1)` do not fit: "
                "`sample_indices` must have the shape (n, 1)"
            ),
        ],
    ),
    (
        "p: Tensor[(n, m), float32], u: Tensor[(k, 2), float32], i: Tensor[(k, 1), int64]",
        "multinomial_from_uniform(p, u, i)",
        [
            (
                "op-shape-mismatch: multinomial_from_uniform: shape `(k, 2)`: `uniform_sample` must have "
                "the shape (n, 1)"
            )
        ],
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
