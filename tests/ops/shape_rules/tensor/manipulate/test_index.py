"""Reading and writing by index: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    (
        "x: Tensor[(2, n, 5), float32], i: Tensor[(3, m), int64]",
        "take(x, i, axis=1)",
        "Tensor[(2, 3, m, 5), float32]",
    ),
    ("x: Tensor[(2, n, 5), float32], i: Tensor[(), int64]", "take(x, i, axis=-1)", "Tensor[(2, n), float32]"),
    ("x: Tensor[(n,), float32], i: Tensor[ndim=2, int64]", "take(x, i)", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(n,), float32], s: Shape, i: Tensor[s, int64]", "take(x, i)", "Tensor[s, float32]"),
    ("x: Tensor[ndim=3, float32], i: Tensor[ndim=2, int64]", "take(x, i, axis=0)", "Tensor[ndim=4, float32]"),
    ("x: Tensor[_, float32], i: Tensor[ndim=2, int64]", "take(x, i, axis=0)", "Tensor[_, float32]"),
    ("x: Tensor[_, float32], i: Tensor[ndim=2, int64]", "take(x, i)", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(8,), float32]", "strided_slice(x, (0,), (-1,), (-9,), (-1,))", "Tensor[(8,), float32]"),
    ("x: Tensor[(8, n), float32]", "strided_slice(x, (0,), (2,), (100,))", "Tensor[(6, n), float32]"),
    ("x: Tensor[(8, n), float32]", "strided_slice(x, (0,), (5,), (2,))", "Tensor[(0, n), float32]"),
    ("x: Tensor[(8, n), float32]", "strided_slice(x, (1,), (0,), (4,))", "Tensor[(8, min(n, 4)), float32]"),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (-1,), (1,), (n,))",
        "Tensor[(8, max(n - 1, 0)), float32]",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (1,), (1,), (-1,))",
        "Tensor[(8, max(n - 2, 0)), float32]",
    ),
    ("x: Tensor[(8, n), float32]", "strided_slice(x, (1,), (-3,), (n,))", "Tensor[(8, min(n, 3)), float32]"),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (1,), (0,), (n,), (2,))",
        "Tensor[(8, (n + 1) // 2), float32]",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (1,), (-1,), (-n - 1,), (-1,))",
        "Tensor[(8, n), float32]",
    ),
    (
        "x: Tensor[(8, n), float32], y: Tensor[(m, k), float32]",
        "strided_slice(x, (1,), (m,), (k,))",
        "Tensor[(8, max(min(k, n) - m, 0)), float32]",
    ),
    (
        "x: Tensor[(8, n), float32], y: Tensor[(m, k), float32]",
        "strided_slice(x, (1,), (m,), (k,), assume_inbound=true)",
        "Tensor[(8, k - m), float32]",
    ),
    (
        "x: Tensor[(8, n), float32], y: Tensor[(m, k), float32]",
        "strided_slice(x, (1,), (m,), (m + k,), assume_inbound=true)",
        "Tensor[(8, k), float32]",
    ),
    (
        "x: Tensor[(8, n), float32], y: Tensor[(m, k), float32]",
        "strided_slice(x, (1,), (0,), (n,), (k,))",
        "Tensor[ndim=2, float32]",
    ),
    ("x: Tensor[(8, n), float32]", "strided_slice(x, (), (), ())", "Tensor[(8, n), float32]"),
    ("x: Tensor[ndim=2, float32]", "strided_slice(x, (1,), (0,), (2,))", "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[(8, n), float32], b: Tensor[(2,), int64]",
        "dynamic_strided_slice(x, b, b, b)",
        "Tensor[ndim=2, float32]",
    ),
    (
        "x: Tensor[_, float32], b: Tensor[(2,), int64]",
        "dynamic_strided_slice(x, b, b, b)",
        "Tensor[ndim=2, float32]",
    ),
    (
        "x: Tensor[(8, n), float32], i: Tensor[(m, 3), int64]",
        "gather_elements(x, i, axis=0)",
        "Tensor[(m, 3), float32]",
    ),
    (
        "x: Tensor[(8, n), float32], i: Tensor[_, int64]",
        "gather_elements(x, i, axis=0)",
        "Tensor[ndim=2, float32]",
    ),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(n, 3, 1), int64]",
        "gather_nd(x, i, batch_dims=1)",
        "Tensor[(n, 3, 5), float32]",
    ),
    ("x: Tensor[(n, 4, 5), float32], i: Tensor[(m, 2), int64]", "gather_nd(x, i)", "Tensor[(m, 5), float32]"),
    ("x: Tensor[(n, 4, 5), float32], i: Tensor[(m, k), int64]", "gather_nd(x, i)", "Tensor[_, float32]"),
    ("x: Tensor[ndim=3, float32], i: Tensor[(m, 2), int64]", "gather_nd(x, i)", "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(2, 1), int64], j: Tensor[(4,), int64]",
        "index_tensor(x, (i, j))",
        "Tensor[(2, 4, 5), float32]",
    ),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(m,), int64], j: Tensor[(k,), int64]",
        "index_tensor(x, (i, j))",
        "Tensor[ndim=2, float32]",
    ),
    ("i: Tensor[(10, n), int64]", "one_hot(i, 1.0, 0.0, depth=4)", "Tensor[(10, n, 4), float32]"),
    ("i: Tensor[(10, n), int64]", "one_hot(i, 1, 0, depth=4, axis=0)", "Tensor[(4, 10, n), int64]"),
    ("i: Tensor[ndim=2, int64]", "one_hot(i, 1, 0, depth=4)", "Tensor[ndim=3, int64]"),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(n, 2), int64], u: Tensor[(n, 2), float32]",
        "scatter_elements(x, i, u, axis=1)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m, 1), int64], u: Tensor[(m, 4), float32]",
        "scatter_nd(x, i, u)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m, k), int64], u: Tensor[(m, 4), float32]",
        "scatter_nd(x, i, u)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m,), int64], v: Tensor[(m,), float32]",
        "index_put(x, (i, i), v)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(n, 2), float32]",
        "slice_scatter(x, y, 0, 4, 2, axis=1)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(m, 4), float32]",
        "slice_scatter(x, y, 0, m, 1)",
        "Tensor[(n, 4), float32]",
    ),
]

# parameters, call, what is wrong with it
REJECTED = [
    (
        "x: Tensor[(n, 2), float32], i: Tensor[(2,), int64]",
        "take(x, i)",
        (
            "op-argument: argument 1 of take must be a tensor of rank 1, without an axis, not `Tensor[(n, 2), "
            "float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 2), float32], i: Tensor[(2,), int64]",
        "take(x, i, axis=2)",
        "op-axis: take: axis 2 is outside [-2, 1]",
    ),
    (
        "x: Tensor[(n, 2), float32], i: Tensor[(2,), bool]",
        "take(x, i, axis=0)",
        "op-dtype-mismatch: take: does not take bool for `indices`: an integer dtype is needed",
    ),
    (
        "x: Tensor[(n, 2), int32], i: Tensor[(2,), int32]",
        'take(x, i, axis=0, mode="nan")',
        'op-attribute: take: bad attribute `mode`: "nan" needs a float `x`, not int32',
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (2,), (0,), (2,))",
        "op-axis: strided_slice: axis 2 is outside [-2, 1]",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (1, -1), (0, 0), (2, 2))",
        "op-axis: strided_slice: axis -1 is given twice",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (0, 1), (0,), (2, 2))",
        "op-argument: argument 3 of strided_slice must be a tuple of 2 scalars, as many as `axes`, not `(0,)`",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (0, 1), (0, 0), (2, 2), (1, 0))",
        "op-attribute: strided_slice: `strides`: the stride of axis 1 is 0",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (0,), (1,), (9,), assume_inbound=true)",
        "op-shape-mismatch: strided_slice: shape `(8, n)`: from 1 to 9 is not within axis 0, whose extent is 8",
    ),
    (
        "x: Tensor[(8, n), float32]",
        "strided_slice(x, (0,), (1.5,), (9,))",
        "op-argument: argument 3 of strided_slice must be a tuple of integers, not `(1.5,)`",
    ),
    (
        "x: Tensor[(8, n), float32], b: Tensor[(2,), int64], c: Tensor[(3,), int64]",
        "dynamic_strided_slice(x, b, b, c)",
        (
            "op-argument: argument 4 of dynamic_strided_slice must be a tensor of 2 elements, one per axis, not "
            "`Tensor[(3,), int64]`"
        ),
    ),
    (
        "x: Tensor[(8, n), float32], i: Tensor[(9, 3), int64]",
        "gather_elements(x, i, axis=1)",
        (
            "op-shape-mismatch: gather_elements: shapes `(8, n)` and `(9, 3)` do not fit: axis 0 is 8 in `data` "
            "and 9 in `indices`"
        ),
    ),
    (
        "x: Tensor[(8, n), float32], i: Tensor[(3,), int64]",
        "gather_elements(x, i, axis=1)",
        (
            "op-shape-mismatch: gather_elements: shapes `(8, n)` and `(3,)` do not fit: `data` has rank 2, "
            "`indices` has rank 1"
        ),
    ),
    (
        "x: Tensor[(8, n), float32], i: Tensor[(3, 2), int64]",
        "gather_elements(x, i, axis=2)",
        "op-axis: gather_elements: axis 2 is outside [-2, 1]",
    ),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(m, 4), int64]",
        "gather_nd(x, i)",
        (
            "op-shape-mismatch: gather_nd: shapes `(n, 4, 5)` and `(m, 4)` do not fit: the last axis of "
            "`indices` is 4, `data` has 3 axes to index"
        ),
    ),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(m,), int64]",
        "gather_nd(x, i, batch_dims=1)",
        "op-argument: argument 2 of gather_nd must be a tensor of rank 2 or more, not `Tensor[(m,), int64]`",
    ),
    (
        "x: Tensor[(2, 4, 5), float32], i: Tensor[(3, 1), int64]",
        "gather_nd(x, i, batch_dims=1)",
        (
            "op-shape-mismatch: gather_nd: shapes `(2, 4, 5)` and `(3, 1)` do not fit: axis 0 is 2 in `data` and "
            "3 in `indices`"
        ),
    ),
    (
        "x: Tensor[(n, 4, 5), float32], i: Tensor[(2,), int64], j: Tensor[(4,), int64]",
        "index_tensor(x, (i, j))",
        (
            "op-shape-mismatch: index_tensor: shapes `(2,)` and `(4,)` do not fit: axis 0 is 2 in field 0 of "
            "`indices` and 4 in field 1 of `indices`"
        ),
    ),
    (
        "x: Tensor[(n,), float32], i: Tensor[(2,), int64]",
        "index_tensor(x, (i, i))",
        (
            "op-argument: argument 2 of index_tensor must be a tuple of one tensor or more, at most 1, not "
            "`(Tensor[(2,), int64], Tensor[(2,), int64])`"
        ),
    ),
    (
        "x: Tensor[(n,), float32]",
        "index_tensor(x, ())",
        "op-argument: argument 2 of index_tensor must be a tuple of one tensor or more, at most 1, not `()`",
    ),
    (
        "i: Tensor[(10, n), int64]",
        "one_hot(i, 1.0, 0, depth=4)",
        "op-argument: argument 3 of one_hot must be a scalar like `on_value`, float32, not `0`",
    ),
    (
        "i: Tensor[(10, n), int64]",
        "one_hot(i, 1, 0, depth=4, axis=3)",
        "op-axis: one_hot: axis 3 is outside [-3, 2]",
    ),
    (
        "i: Tensor[(10, n), float32]",
        "one_hot(i, 1, 0, depth=4)",
        "op-dtype-mismatch: one_hot: does not take float32 for `indices`: an integer dtype is needed",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(n, 2), int64], u: Tensor[(n, 3), float32]",
        "scatter_elements(x, i, u, axis=1)",
        (
            "op-shape-mismatch: scatter_elements: shapes `(n, 2)` and `(n, 3)` do not fit: axis 1 is 2 in "
            "`indices` and 3 in `updates`"
        ),
    ),
    (
        "x: Tensor[(3, 4), float32], i: Tensor[(5, 2), int64], u: Tensor[(5, 2), float32]",
        "scatter_elements(x, i, u, axis=1)",
        (
            "op-shape-mismatch: scatter_elements: shapes `(3, 4)` and `(5, 2)` do not fit: axis 0 is 3 in `data` "
            "and 5 in `indices`"
        ),
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(n, 2), int64], u: Tensor[(n, 2), int32]",
        "scatter_elements(x, i, u, axis=1)",
        "op-dtype-mismatch: scatter_elements: `data` is float32, `updates` is int32; one dtype is needed",
    ),
    (
        "x: Tensor[(n, 4), bool], i: Tensor[(n, 2), int64], u: Tensor[(n, 2), bool]",
        'scatter_elements(x, i, u, axis=1, reduction="add")',
        'op-attribute: scatter_elements: bad attribute `reduction`: "add" of bool',
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m, 1), int64], u: Tensor[(m, 3), float32]",
        "scatter_nd(x, i, u)",
        (
            "op-shape-mismatch: scatter_nd: shapes `(m, 1)` and `(m, 3)` do not fit: axis 1 is 4 in `indices` "
            "and `data` and 3 in `updates`"
        ),
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m, 1), int64], u: Tensor[(m,), float32]",
        "scatter_nd(x, i, u)",
        "op-shape-mismatch: scatter_nd: shapes `(m, 1)` and `(m,)` do not fit: `updates` has rank 1, not 2",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(m, 3), int64], u: Tensor[(m,), float32]",
        "scatter_nd(x, i, u)",
        (
            "op-shape-mismatch: scatter_nd: shapes `(n, 4)` and `(m, 3)` do not fit: the last axis of `indices` "
            "is 3, `data` has rank 2"
        ),
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(2,), int64], v: Tensor[(3,), float32]",
        "index_put(x, (i, i), v)",
        "op-shape-mismatch: index_put: shape `(3,)`: axis 0 of `values` is 3, not 2",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(2,), int64], v: Tensor[(2, 2), float32]",
        "index_put(x, (i, i), v)",
        "op-shape-mismatch: index_put: shape `(2, 2)`: `values` has rank 2, the indices have rank 1",
    ),
    (
        "x: Tensor[(n, 4), float32], i: Tensor[(2,), int64], v: Tensor[(2,), float32]",
        "index_put(x, (i,), v)",
        (
            "op-argument: argument 2 of index_put must be a tuple of 2 tensors, one per axis, not `(Tensor[(2,), "
            "int64],)`"
        ),
    ),
    (
        "x: Tensor[(n,), bool], i: Tensor[(2,), int64], v: Tensor[(2,), bool]",
        "index_put(x, (i,), v, accumulate=true)",
        "op-attribute: index_put: bad attribute `accumulate`: bools are not added",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(n, 3), float32]",
        "slice_scatter(x, y, 0, 4, 2, axis=1)",
        (
            "op-shape-mismatch: slice_scatter: shapes `(n, 4)` and `(n, 3)` do not fit: axis 1 is 2 in the slice "
            "and 3 in `src`"
        ),
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(n, 2), float32]",
        "slice_scatter(x, y, 0, 5, 2, axis=1)",
        "op-attribute: slice_scatter: `start`: from 0 to 5 is not a range within axis 1, whose extent is 4",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(n, 2), float32]",
        "slice_scatter(x, y, 0, 4, 0, axis=1)",
        "op-attribute: slice_scatter: `step`: the step is 0; it must be positive",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(n, 2), float32]",
        "slice_scatter(x, y, -1, 4, 1, axis=1)",
        "op-attribute: slice_scatter: `start`: from -1 to 4 is not a range within axis 1, whose extent is 4",
    ),
    (
        "x: Tensor[(n, 4), float32], y: Tensor[(2,), float32]",
        "slice_scatter(x, y, 0, 4, 1, axis=1)",
        (
            "op-shape-mismatch: slice_scatter: shapes `(n, 4)` and `(2,)` do not fit: `input` has rank 2, `src` "
            "has rank 1"
        ),
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_typed(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "message"), REJECTED)
def test_OP_rejected(params: str, call: str, message: str) -> None:
    assert rejected(params, call) == [message]
