"""Reading and writing by index, against loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, i64, integers, random, run

X = random(3, 4, 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("indices", [i32(1, 0, 1), i32([1], [0]), np.array(1), np.zeros((0,), np.uint8)])
def test_take(indices: Any, axis: int) -> None:
    moved = np.moveaxis(X, axis, 0)
    picked = np.array([moved[i] for i in indices.reshape(-1)], np.float32).reshape(
        *indices.shape, *moved.shape[1:]
    )
    at = axis % 3
    order = [indices.ndim + a for a in range(at)] + list(range(indices.ndim))
    order += [indices.ndim + a for a in range(at, 2)]
    check(run("take", X, indices, axis=axis), picked.transpose(order))


def test_OP_9_take_never_reads_outside() -> None:
    found = fails("op-runtime-value", "take", X, i32(0, 3), axis=0)
    assert found.message == "take: index 3 in `indices` is outside of axis 0, whose extent is 3"
    assert (found.facts["index"], found.facts["axis"], found.facts["extent"]) == (3, 0, 3)
    fails("op-runtime-value", "take", X, i32(-1), axis=0)
    fails("op-runtime-value", "take", np.zeros(0), i32(0))
    for empty in (np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((2, 0))):
        fails("op-runtime-value", "take", empty, i32(7), axis=1)  # NumPy looks at no index of an empty array
        fails("op-runtime-value", "take", empty, i32(7), axis=0)
    fails("op-argument", "take", X, i32(0))
    fails("op-dtype-mismatch", "take", X, np.array([True]), axis=0)
    fails("op-dtype-mismatch", "take", X, f32(0), axis=0)


def test_take_modes() -> None:
    x, indices = f32(10, 20, 30), i32(-4, -1, 0, 2, 3, 7)
    check(run("take", x, indices, mode="wrap"), f32(30, 30, 10, 30, 10, 20))
    check(run("take", x, indices, mode="clip"), f32(10, 10, 10, 30, 30, 30))
    check(run("take", x, indices, mode="nan"), f32(np.nan, np.nan, 10, 30, np.nan, np.nan))
    result = run("take", X, i32([0, 5]), axis=1, mode="nan")
    check(result[:, 0, 0], X[:, 0])
    assert np.isnan(result[:, 0, 1]).all()
    half = x.astype(numpy_dtype("bfloat16"))
    assert np.isnan(run("take", half, indices, mode="nan").astype(np.float32)).sum() == 4
    fails("op-attribute", "take", i32(1), i32(0), mode="nan")
    for mode in ("wrap", "clip", "nan"):
        fails("op-runtime-value", "take", np.zeros(0), i32(0), mode=mode)
        check(run("take", np.zeros(0), np.zeros(0, np.int32), mode=mode), np.zeros(0))


bounds = st.integers(-9, 9)


@given(bounds, bounds, st.integers(-3, 3).filter(bool))
def test_strided_slice_is_that_of_python(begin: int, end: int, stride: int) -> None:
    x = np.arange(5, dtype=np.int32)
    check(run("strided_slice", x, (0,), (begin,), (end,), (stride,)), x[begin:end:stride])
    dynamic = run("dynamic_strided_slice", x, i64(begin), i64(end), i64(stride))
    check(dynamic, x[begin:end:stride])
    inside = 0 <= begin <= end <= 5 if stride > 0 else -1 <= end <= begin < 5
    if not inside:
        fails("op-runtime-value", "strided_slice", x, (0,), (begin,), (end,), (stride,), assume_inbound=True)
        return
    expected = x[list(range(begin, end, stride))]
    check(run("strided_slice", x, (0,), (begin,), (end,), (stride,), assume_inbound=True), expected)


def test_strided_slice() -> None:
    check(run("strided_slice", X, (2, 0), (0, 1), (1, 3)), X[1:3, :, 0:1])
    check(run("strided_slice", X, (-1,), (1,), (-9,), (-1,)), X[:, :, ::-1])
    check(run("strided_slice", X, (), (), ()), X)
    check(run("strided_slice", X, (1,), (3,), (1,)), X[:, :0])
    check(run("strided_slice", X, (1,), (0,), (10**30,)), X)
    fails("op-argument", "strided_slice", X, (0, 1), (0,), (1, 2))
    fails("op-argument", "strided_slice", X, (0,), (0,), (1,), (1, 1))
    fails("op-axis", "strided_slice", X, (3,), (0,), (1,))
    fails("op-axis", "strided_slice", X, (0, -3), (0, 0), (1, 1))
    assert (
        "stride of axis 0 is 0"
        in fails("op-runtime-value", "strided_slice", X, (0,), (0,), (1,), (0,)).message
    )
    fails("op-argument", "strided_slice", X, (0,), (0.5,), (1,))
    fails("op-argument", "dynamic_strided_slice", X, i64(0), i64(1), i64(1))
    fails("op-runtime-value", "dynamic_strided_slice", f32(1), i64(0), i64(1), i64(0))


def test_gather_elements() -> None:
    for axis in range(3):
        indices = integers(2, 3, 2, low=-X.shape[axis], high=X.shape[axis] - 1)
        expected = np.empty((2, 3, 2), np.float32)
        for place in np.ndindex(2, 3, 2):
            at = list(place)
            at[axis] = int(indices[place])
            expected[place] = X[tuple(at)]
        check(run("gather_elements", X, indices, axis=axis), expected)
    fails("op-runtime-shape", "gather_elements", X, i32([0]))
    fails("op-runtime-shape", "gather_elements", X, np.zeros((1, 5, 2), np.int32), axis=0)
    fails("op-runtime-value", "gather_elements", X, i32([[3]]), axis=0)
    fails("op-runtime-value", "gather_elements", X, i32([[-4]]), axis=0)


def test_gather_nd() -> None:
    check(run("gather_nd", X, i64([0, 1, 1], [2, -1, 0])), f32(X[0, 1, 1], X[2, 3, 0]))
    check(run("gather_nd", X, i32([[1]], [[2]])), X[[1, 2]].reshape(2, 1, 4, 2))
    indices = i64([[0], [3]], [[1], [1]], [[2], [0]])
    expected = np.stack([np.stack([X[b, int(i)] for i in indices[b, :, 0]]) for b in range(3)])
    check(run("gather_nd", X, indices, batch_dims=1), expected)
    check(run("gather_nd", X, np.zeros((2, 0), np.int64)), np.stack([X, X]))
    check(run("gather_nd", X, np.zeros((3, 5, 0), np.int64), batch_dims=1), np.stack([X] * 5, axis=1))
    check(run("gather_nd", X, np.zeros((0, 1), np.int64)), np.zeros((0, 4, 2), np.float32))
    indices = i64([[1]], [[0]], [[1]])
    check(
        run("gather_nd", X[:, 0], indices, batch_dims=1),
        np.array([[X[b, 0, i]] for b, i in enumerate((1, 0, 1))]),
    )
    fails("op-runtime-value", "gather_nd", X, i64([3]))
    fails("op-runtime-shape", "gather_nd", X, i64([0, 0, 0, 0]))
    fails("op-runtime-shape", "gather_nd", X, i64([[0]]), batch_dims=1)
    fails("op-argument", "gather_nd", X, np.array(0))
    fails("op-argument", "gather_nd", X, i64([0]), batch_dims=2)


def test_index_tensor() -> None:
    i, j = i32([0], [2]), i64(1, -1, 0)
    result = run("index_tensor", X, (i, j))
    expected = np.empty((2, 3, 2), np.float32)
    for a, b in np.ndindex(2, 3):
        expected[a, b] = X[i[a, 0], j[b]]
    check(result, expected)
    check(run("index_tensor", X, (np.array(1),)), X[1])
    fails("op-argument", "index_tensor", X, ())
    fails("op-argument", "index_tensor", X, (i, i, i, i))
    fails("op-runtime-shape", "index_tensor", X, (i32(0, 1), i32(0, 1, 2)))
    none = np.zeros(0, np.int32)
    check(run("index_tensor", X, (none, i32(1))), np.zeros((0, *X.shape[2:]), X.dtype))
    fails("op-runtime-value", "index_tensor", X, (none, i32(4)))  # also where it picks nothing
    found = fails("op-runtime-value", "index_tensor", X, (i32(0), i32(4)))
    assert "`indices[1]` is outside of axis 1" in found.message


def test_one_hot() -> None:
    check(run("one_hot", i32(2, 0), 1.0, 0.0, depth=3), f32([0, 0, 1], [1, 0, 0]))
    check(run("one_hot", i32(2, 0), 5, -5, depth=3, axis=0), i64([-5, 5], [-5, -5], [5, -5]))
    check(run("one_hot", i32(3, -1), 1, 0, depth=3), np.zeros((2, 3), np.int64))
    check(run("one_hot", np.array(1), True, False, depth=2), [False, True])
    result = run("one_hot", i32([0, 1, 2], [2, 1, 0]), 1.0, 0.0, depth=3, axis=1)
    for a, b, c in np.ndindex(2, 3, 3):
        assert result[a, b, c] == (b == (c if a == 0 else 2 - c))
    fails("op-argument", "one_hot", i32(0), 1.0, 0, depth=2)
    fails("op-runtime-value", "one_hot", i32(0), 10**20, 0, depth=2)
    fails("op-attribute", "one_hot", i32(0), 1, 0, depth=0)
    fails("op-axis", "one_hot", i32(0), 1, 0, depth=2, axis=2)
    fails("op-dtype-mismatch", "one_hot", f32(0), 1, 0, depth=2)


REDUCE: dict[str, Any] = {
    "update": lambda _old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scatter_elements(axis: int, reduction: str) -> None:
    data = integers(3, 4, 2)
    indices = integers(2, 3, 2, seed=1, low=-2, high=1)
    updates = integers(2, 3, 2, seed=2)
    expected = data.copy()
    for place in np.ndindex(2, 3, 2):
        at = list(place)
        at[axis] = int(indices[place])
        expected[tuple(at)] = REDUCE[reduction](expected[tuple(at)], updates[place])
    check(run("scatter_elements", data, indices, updates, axis=axis, reduction=reduction), expected)


def test_scatter_elements_refuses() -> None:
    data, zeros = f32([1, 2]), i32([0, 0])
    fails("op-dtype-mismatch", "scatter_elements", data, zeros, zeros)
    fails("op-runtime-shape", "scatter_elements", data, zeros, f32([1]))
    fails("op-runtime-shape", "scatter_elements", data, i32(0, 0), f32(1, 2))
    fails("op-runtime-shape", "scatter_elements", data, i32([0], [0]), f32([1], [1]), axis=1)
    fails("op-runtime-value", "scatter_elements", data, i32([2]), f32([1]), axis=1)
    fails("op-attribute", "scatter_elements", data, zeros, data, reduction="mean")
    yes = np.array([[True]])
    fails("op-attribute", "scatter_elements", yes, i32([0]), yes, reduction="add")
    check(run("scatter_elements", yes, i32([0]), ~yes), [[False]])


def test_scatter_in_float32() -> None:
    data = np.zeros(1, np.float16)
    ones = np.ones(4096, np.float16)
    result = run("scatter_elements", data, np.zeros(4096, np.int64), ones, reduction="add")
    check(result, np.array([4096], np.float16))


@pytest.mark.parametrize("reduction", REDUCE)
def test_scatter_nd(reduction: str) -> None:
    data, updates = integers(3, 4, 2), integers(2, 2, 2, seed=2)
    indices = i64([[0, 1], [2, -1]], [[1, 1], [0, 1]])
    expected = data.copy()
    for a, b in np.ndindex(2, 2):
        i, j = indices[a, b]
        for k in range(2):
            expected[i, j, k] = REDUCE[reduction](expected[i, j, k], updates[a, b, k])
    check(run("scatter_nd", data, indices, updates, reduction=reduction), expected)


def test_scatter_nd_refuses() -> None:
    data = f32([1, 2])
    fails("op-runtime-shape", "scatter_nd", data, i64([0, 0, 0]), f32(1))
    fails("op-runtime-shape", "scatter_nd", data, i64([0]), f32([1]))
    fails("op-runtime-value", "scatter_nd", data, i64([1]), f32([1, 2]))
    fails("op-argument", "scatter_nd", data, np.array(0), f32(1))
    fails("op-dtype-mismatch", "scatter_nd", data, i64([0]), i32([1, 2]))


def test_index_put() -> None:
    data = integers(3, 4)
    i, j = i32([0], [2]), i32(1, -1)
    values = i32([10, 20], [30, 40])
    expected = data.copy()
    expected[0, 1], expected[0, 3], expected[2, 1], expected[2, 3] = 10, 20, 30, 40
    check(run("index_put", data, (i, j), values), expected)
    check(run("index_put", f32(1, 2), (i32(0, 0, 1),), f32(1), accumulate=True), f32(3, 3))
    fails("op-runtime-value", "index_put", data, (np.zeros(0, np.int32), i32(9)), np.zeros(0, data.dtype))
    check(run("index_put", f32(1, 2), (i32(0, 0),), f32(5, 7)), f32(7, 2))
    fails("op-argument", "index_put", data, (i,), values)
    fails("op-runtime-shape", "index_put", data, (i, j), i32(1, 2, 3))
    fails("op-runtime-shape", "index_put", f32(1, 2), (i32(0),), f32(1, 2))
    fails("op-runtime-value", "index_put", f32(1, 2), (i32(2),), f32(1))
    bools = np.array([True, False])
    found = fails("op-attribute", "index_put", bools, (i32(0),), bools[:1], accumulate=True)
    assert found.message == "index_put: bad attribute `accumulate`: bools are not added"
    fails("op-dtype-mismatch", "index_put", f32(1, 2), (i32(0),), i32(1))


def test_slice_scatter() -> None:
    data = integers(3, 7)
    src = integers(3, 3, seed=3)
    expected = data.copy()
    for column in range(3):
        expected[:, 1 + 2 * column] = src[:, column]
    check(run("slice_scatter", data, src, 1, 6, 2, axis=1), expected)
    check(run("slice_scatter", data, np.zeros((0, 7), np.int32), 2, 2, 1), data)
    fails("op-runtime-shape", "slice_scatter", data, src, 0, 7, 2, axis=1)
    for start, end, step in ((-1, 3, 1), (3, 2, 1), (0, 8, 1), (0, 3, 0)):
        fails("op-runtime-value", "slice_scatter", data, src, start, end, step, axis=1)
    fails("op-dtype-mismatch", "slice_scatter", data, f32(1), 0, 1, 1)


@pytest.mark.parametrize(
    "call",
    [
        ("scatter_elements", i32(1, 2), i32(0), i32(5)),
        ("scatter_nd", i32(1, 2), i64([0]), i32(5)),
        ("index_put", i32(1, 2), (i32(0),), i32(5)),
        ("slice_scatter", i32(1, 2), i32(5), 0, 1, 1),
    ],
)
def test_writing_leaves_the_argument_alone(call: tuple[Any, ...]) -> None:
    name, data, *rest = call
    before = data.copy()
    result = run(name, data, *rest)
    check(result, i32(5, 2))
    check(data, before)
