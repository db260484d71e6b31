"""Joining and splitting: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, 2), float32]", "concat((x, x))", "Tensor[(n * 2, 2), float32]"),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(m, k), float32]",
        "concat((x, y))",
        "Tensor[(m + n, 2), float32]",
    ),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n, m), float32]",
        "concat((x, y), axis=-1)",
        "Tensor[(n, m + 2), float32]",
    ),
    ("x: Tensor[(n, 2), float32], y: Tensor[ndim=2, float32]", "concat((x, y))", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(n, 2), float32], y: Tensor[_, float32]", "concat((x, y))", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(n, 2), float32], y: Tensor[(n, 2)]", "concat((x, y))", "Tensor[(n * 2, 2)]"),
    ("s: Shape, x: Tensor[s, float32]", "concat((x,))", "Tensor[s, float32]"),
    (
        "x: Tensor[(n,), float32], y: Tensor[(m,), float32]",
        "concat((x, y), axis=null)",
        "Tensor[(m + n,), float32]",
    ),
    ("t: (Tensor[(n, 2), float32], Tensor[(3, 2), float32])", "concat(t)", "Tensor[(n + 3, 2), float32]"),
    ("x: Tensor[(n, 2), float32]", "stack((x, x, x), axis=1)", "Tensor[(n, 3, 2), float32]"),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(m, k), float32]",
        "stack((x, y), axis=-1)",
        "Tensor[(n, 2, 2), float32]",
    ),
    ("x: Tensor[(n, 2), float32], y: Tensor[_, float32]", "stack((y, x))", "Tensor[(2, n, 2), float32]"),
    (
        "x: Tensor[(7,), float32]",
        "split(x, indices_or_sections=3)",
        "(Tensor[(3,), float32], Tensor[(3,), float32], Tensor[(1,), float32])",
    ),
    (
        "x: Tensor[(5,), float32]",
        "split(x, indices_or_sections=4)",
        "(Tensor[(2,), float32], Tensor[(2,), float32], Tensor[(1,), float32], Tensor[(0,), float32])",
    ),
    (
        "x: Tensor[(n,), float32]",
        "split(x, indices_or_sections=2)",
        "(Tensor[((n + 1) // 2,), float32], Tensor[(n - (n + 1) // 2,), float32])",
    ),
    (
        "x: Tensor[(n,), float32]",
        "split(x, indices_or_sections=3)",
        (
            "(Tensor[((n + 2) // 3,), float32], Tensor[(min((n + 2) // 3 * 2, n) - (n + 2) // 3,), float32], "
            "Tensor[(n - min((n + 2) // 3 * 2, n),), float32])"
        ),
    ),
    ("x: Tensor[(n, m), float32]", "split(x, indices_or_sections=1)", "(Tensor[(n, m), float32],)"),
    (
        "x: Tensor[(10,), float32]",
        "split(x, indices_or_sections=[3, 12])",
        "(Tensor[(3,), float32], Tensor[(7,), float32], Tensor[(0,), float32])",
    ),
    (
        "x: Tensor[(n,), float32]",
        "split(x, indices_or_sections=[3])",
        "(Tensor[(min(n, 3),), float32], Tensor[(n - min(n, 3),), float32])",
    ),
    (
        "x: Tensor[ndim=2, float32]",
        "split(x, indices_or_sections=2, axis=1)",
        "(Tensor[ndim=2, float32], Tensor[ndim=2, float32])",
    ),
    (
        "x: Tensor[_, float32]",
        "split(x, indices_or_sections=[2, 3])",
        "(Tensor[_, float32], Tensor[_, float32], Tensor[_, float32])",
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(m,), float32]",
        "meshgrid((x, y))",
        "(Tensor[(n, m), float32], Tensor[(n, m), float32])",
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(m,), float32]",
        'meshgrid((x, y), indexing="xy")',
        "(Tensor[(m, n), float32], Tensor[(m, n), float32])",
    ),
    ("x: Tensor[(n,), float32], y: Tensor[ndim=1]", "meshgrid((x, y))", "(Tensor[ndim=2], Tensor[ndim=2])"),
]

# parameters, call, what is wrong with it
REJECTED = [
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n, 3), float32]",
        "concat((x, y))",
        (
            "op-shape-mismatch: concat: shapes `(n, 2)` and `(n, 3)` do not fit: axis 1 is 2 in field 0 of "
            "`tensors` and 3 in field 1 of `tensors`"
        ),
    ),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n,), float32]",
        "concat((x, y))",
        (
            "op-shape-mismatch: concat: shapes `(n, 2)` and `(n,)` do not fit: field 0 of `tensors` has rank 2, "
            "field 1 of `tensors` has rank 1"
        ),
    ),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n, 2), int32]",
        "concat((x, y))",
        (
            "op-dtype-mismatch: concat: field 0 of `tensors` is float32, "
            "field 1 of `tensors` is int32; one dtype is needed"
        ),
    ),
    ("x: Tensor[(n, 2), float32]", "concat((x, x), axis=2)", "op-axis: concat: axis 2 is outside [-2, 1]"),
    (
        "x: Tensor[(n, 2), float32]",
        "concat((x,), axis=null)",
        (
            "op-argument: field 0 of `tensors` of concat must be a tensor of rank 1, without an axis, not "
            "`Tensor[(n, 2), float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 2), float32]",
        "concat(())",
        "op-argument: argument 1 of concat must be a tuple of one tensor or more, not `()`",
    ),
    (
        "x: Tensor[(n, 2), float32]",
        "concat((x, shape(2)))",
        "op-argument: field 1 of `tensors` of concat must be a tensor, not `Shape[(2,)]`",
    ),
    ("x: Tensor[(), float32]", "concat((x, x))", "op-axis: concat: there is no axis 0 in a tensor of rank 0"),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(n, 3), float32]",
        "stack((x, y))",
        (
            "op-shape-mismatch: stack: shapes `(n, 2)` and `(n, 3)` do not fit: axis 1 is 2 in field 0 of "
            "`tensors` and 3 in field 1 of `tensors`"
        ),
    ),
    ("x: Tensor[(n, 2), float32]", "stack((x, x), axis=3)", "op-axis: stack: axis 3 is outside [-3, 2]"),
    (
        "x: Tensor[(n, m), float32]",
        "split(x, indices_or_sections=[2, 1])",
        "op-attribute: split: bad attribute `indices_or_sections`: the indices must ascend",
    ),
    (
        "x: Tensor[(n, m), float32]",
        "split(x, indices_or_sections=2, axis=2)",
        "op-axis: split: axis 2 is outside [-2, 1]",
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(m,), int32]",
        "meshgrid((x, y))",
        (
            "op-dtype-mismatch: meshgrid: field 0 of `tensors` is float32, "
            "field 1 of `tensors` is int32; one dtype is needed"
        ),
    ),
    (
        "x: Tensor[(n,), float32]",
        "meshgrid(())",
        "op-argument: argument 1 of meshgrid must be a tuple of one tensor or more, not `()`",
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_typed(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "message"), REJECTED)
def test_OP_rejected(params: str, call: str, message: str) -> None:
    assert rejected(params, call) == [message]
