"""Matrix products, einsum, and the dtypes they are computed in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.values import RunFailure
from tests.ops.harness import check, f32, fails, i32, integers, random, run


def slow_matmul(a: Any, b: Any) -> Any:
    """Multiply by loops over Python integers."""
    rows, columns = a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b
    lead = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    n, k, m = rows.shape[-2], rows.shape[-1], columns.shape[-1]
    rows, columns = np.broadcast_to(rows, (*lead, n, k)), np.broadcast_to(columns, (*lead, k, m))
    result = np.zeros((*lead, n, m), object)
    for at in np.ndindex(*lead):
        for i, j in np.ndindex(n, m):
            result[(*at, i, j)] = sum(
                rows[(*at, i, p)].item() * columns[(*at, p, j)].item() for p in range(k)
            )
    if a.ndim == 1:
        result = result[..., 0, :]
    return result[..., 0] if b.ndim == 1 else result


SHAPES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((3,), (2, 3, 4)),
    ((2, 2, 3), (3,)),
    ((2, 0), (0, 4)),
    ((0, 3), (3, 4)),
    ((0,), (0,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul_against_loops(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = integers(*left, seed=1, dtype="int64"), integers(*right, seed=2, dtype="int64")
    expected = np.asarray(slow_matmul(a, b))
    for dtype in ("int32", "int64", "uint8", "float32", "float64"):
        check(run("matmul", a.astype(dtype), b.astype(dtype)), expected.astype(np.int64).astype(dtype))
    for dtype in ("float16", "bfloat16"):
        kind = numpy_dtype(dtype)
        result = run("matmul", a.astype(kind), b.astype(kind))
        check(result.astype(np.float32), expected.astype(np.float32).astype(kind).astype(np.float32))


shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(shapes, shapes)
def test_OP_6_OP_9_shapes_of_matmul_are_those_of_numpy(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = np.ones(left, np.float32), np.ones(right, np.float32)
    try:
        expected = np.matmul(a, b)
    except ValueError:
        slug = "op-argument" if () in (left, right) else "op-runtime-shape"
        with pytest.raises(RunFailure, match=slug):
            run("matmul", a, b)
    else:
        check(run("matmul", a, b), expected)


def test_OP_9_message_of_matmul() -> None:
    found = fails("op-runtime-shape", "matmul", random(2, 3), random(4, 5))
    assert (
        found.message
        == "matmul: shapes (2, 3) and (4, 5) do not fit: axis 1 of `x1` is 3, axis 0 of `x2` is 4"
    )
    found = fails("op-runtime-shape", "matmul", random(2, 2, 3), random(3, 3, 4))
    assert "leading axes: axis 0 is 2 in `x1` and 3 in `x2`" in found.message
    fails("op-dtype-mismatch", "matmul", f32([1]), i32([1]))
    fails("op-dtype-mismatch", "matmul", np.array([True]), np.array([True]))


def test_integers_wrap_and_are_exact() -> None:
    a, b = np.full((1, 300), 127, np.int8), np.full((300, 1), 127, np.int8)
    total = 300 * 127 * 127
    check(run("matmul", a, b), np.array([[total]]).astype(np.int8))
    check(run("matmul", a, b, out_dtype="int32"), i32([total]))
    check(run("matmul", a, b, out_dtype="float32"), f32([total]))
    big = np.array([[2**31 - 1, 2**31 - 1]], np.int32)
    check(run("matmul", big, big.T), i32([2]))
    most = np.array([[2**62 + 1, 5]], np.int64)
    check(run("matmul", most, np.array([[3], [1]])), np.array([[(3 * (2**62 + 1) + 5) - 2**64]], np.int64))


def test_halves_are_summed_in_float32() -> None:
    ones = np.ones((1, 4096), np.float16)
    check(run("matmul", ones, ones.T), np.array([[4096]], np.float16))


def test_outer() -> None:
    check(run("outer", i32(1, 2), i32(3, 4, 5)), i32([3, 4, 5], [6, 8, 10]))
    half = run("outer", np.array([3], np.float16), np.array([0.5], np.float16))
    check(half, np.array([[1.5]], np.float16))
    fails("op-dtype-mismatch", "outer", f32(1), i32(1))


def test_linear() -> None:
    data, weight, bias = random(2, 3), random(4, 3, seed=1), random(4, seed=2)
    check(run("linear", data, weight, bias), data @ weight.T + bias, 1e-6)
    check(run("linear", data, weight), data @ weight.T, 1e-6)
    check(run("linear", data, weight, ()), data @ weight.T, 1e-6)
    check(run("linear", data, weight[0]), data @ weight[0], 1e-6)
    half = [x.astype(np.float16) for x in (data, weight, bias)]
    assert run("linear", *half).dtype == np.float16
    fails("op-runtime-shape", "linear", data, weight.T, bias)
    fails("op-runtime-shape", "linear", data, weight, bias[:3])
    fails("op-dtype-mismatch", "linear", data, weight, bias.astype(np.float64))


A, B, C = random(2, 3), random(3, 4, seed=1), random(4, 4, seed=2)


@pytest.mark.parametrize(
    ("subscripts", "operands", "expected"),
    [
        ("ij,jk->ik", (A, B), A @ B),
        ("ij,jk", (A, B), A @ B),
        ("ba,ca", (A, A), A @ A.T),
        ("ij -> ji", (A,), A.T),
        ("ii->i", (C,), np.diag(C)),
        ("ii", (C,), np.trace(C)),
        ("ij->", (A,), A.sum()),
        ("ij,jk,kl->il", (A, B, C), A @ B @ C),
        ("...j,jk->...k", (random(5, 2, 3), B), random(5, 2, 3) @ B),
        ("i...,i...->...", (A, A), (A * A).sum(0)),
        ("i,j->ij", (A[0], B[0]), np.outer(A[0], B[0])),
    ],
)
def test_einsum(subscripts: str, operands: tuple[Any, ...], expected: Any) -> None:
    result = run("einsum", operands, subscripts=subscripts)
    check(result, np.asarray(expected, np.float32), 1e-5)
    assert not any(np.may_share_memory(result, each) for each in operands)
    for dtype in ("int8", "int64", "float16"):
        whole = tuple(np.rint(each * 9).astype(dtype) for each in operands)
        assert run("einsum", whole, subscripts=subscripts).dtype == dtype


def test_einsum_of_integers_wraps() -> None:
    x = np.full((3, 200), 127, np.int8)
    check(run("einsum", (x, x), subscripts="ij,kj->ik"), np.full((3, 3), 200 * 127 * 127).astype(np.int8))


def test_einsum_refuses() -> None:
    for text in ("ij", "ij,jk,k", "i,jk", "ijk,jk", "i1,jk", "ij,jk->iz", "ij,jk->ii"):
        fails("op-attribute", "einsum", (A, B), subscripts=text)
    fails("op-argument", "einsum", (), subscripts="")
    fails("op-dtype-mismatch", "einsum", (A, B.astype(np.float64)), subscripts="ij,jk")
    found = fails("op-runtime-shape", "einsum", (A, A), subscripts="ij,jk")
    assert "`j` is 3 in operands[0] and 2 in operands[1]" in found.message
    fails("op-attribute", "einsum", (A,), subscripts="...j->j")
    fails("op-runtime-shape", "einsum", (A, B), subscripts="...i,...i->...")
