"""Products that are added where the sum of two indices says run as convolutions. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.schedule import plan
from tests.tir.support import assert_same_outcome, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree

CONVOLUTIONS = {
    "plain": "for i, a in grid(n, k) { S[1, i + a] += X[0, i] * W[a]; }",
    "subtracted": "for i, a in grid(n, k) { S[1, i + a] -= X[0, i] * W[a]; }",
    "in other words": "for i, a in grid(n, k) { S[1, a + i] = W[a] * X[0, i] + S[1, a + i]; }",
    "shifted": "for i, a in grid(n, k) { S[1, i + a + 3] += X[0, i] * W[a]; }",
    "with a step": "for i, a in grid(n, k) { S[1, 2 * i + 2 * a + 1] += X[0, i] * W[a]; }",
    "turned round": "for i, a in grid(n, k) { S[1, i - a + k - 1] += X[0, i] * W[a]; }",
    "backwards": "for i, a in grid(n, k) { S[1, n + k - i - a] += X[0, i] * W[a]; }",
    "by numbers": "for i, a in grid(n, k) { S[1, i + a] += 3 * X[0, i] * (W[a] - 1) * n; }",
    "rows": "for r, i, a in grid(m, n, k) { S[r, i + a] += X[r, i] * W[a]; }",
    "rows last": "for i, a, r in grid(n, k, m) { S[r, i + a] += X[r, i] * W[a] * W[r]; }",
    "both of rows": "for r, i, a in grid(m, n, k) { S[m - 1 - r, i + a] += X[r, i] * X[r, a] * W[a]; }",
    "columns": "for r, i, a in grid(n, n, k) { T[i + a, r] += X[0, i] * W[a] * X[1, r]; }",
    "under a condition": "for r in 0..m { for i, a in grid(n, k) { if r < 2 { S[r, i + a] += X[r, i] * W[a]; } } }",
    "at chosen places": "for i, a in grid(n, k) { S[1, i + a] += X[0, I[i]] * W[a]; }",
}
OTHERS = {
    "two sums": "for i, a in grid(n, k) { S[i + a, i + a] += X[0, i] * W[a]; }",
    "different steps": "for i, a in grid(n, k) { S[1, 2 * i + a] += X[0, i] * W[a]; }",
    "rows that meet": "for r, i, a in grid(m, n, k) { S[1, i + a] += X[r, i] * W[a]; }",
    "no product": "for i, a in grid(n, k) { S[1, i + a] += X[0, i] + W[a]; }",
    "the last one": "for i, a in grid(n, k) { S[1, i + a] = X[0, i] * W[a]; }",
    "not all of them": "for i, a in grid(n, k) { if W[a] < X[0, i] { S[1, i + a] += X[0, i] * W[a]; } }",
    "of itself": "for i, a in grid(n, k) { S[1, i + a] += S[0, i] * W[a]; }",
}


def program(body: str, dtype: str) -> tree.PrimFunc:
    buffers = "S: Buffer[(p, q), {0}], T: Buffer[(q, n), {0}], X: Buffer[(m, n), {0}], W: Buffer[(k,), {0}]"
    return checked(f"prim_func @f({buffers.format(dtype)}, I: Buffer[(n,), int64]) {{ {body} }}")


def arguments(dtype: str, m: int, n: int, k: int, seed: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    shapes = [(max(m, 3), 2 * (n + k) + 4), (2 * (n + k) + 4, n), (m, n), (k,)]
    many = [random.integers(-200, 200, shape).astype(dtype) for shape in shapes]
    return [*many, random.integers(0, max(n, 1), n)]


def strategies(func: tree.PrimFunc) -> set[str]:
    return {remark.strategy for remark in compile_prim_func(func).remarks}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_are_those_of_the_loops(name: str) -> None:
    func = program(CONVOLUTIONS[name], "int64")
    assert plan.CONVOLUTION in strategies(func)
    for m, n, k in ((3, 7, 4), (3, 4, 9), (2, 1, 2), (3, 0, 4), (3, 5, 0), (0, 3, 2), (2, 70, 80)):
        assert_same_outcome(func, [*arguments("int64", m, n, k, n)])


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint32", "int32", "uint64", "float32", "float64"]
)
@pytest.mark.parametrize("name", ["plain", "rows", "turned round"])
def test_integers_wrap_around_and_floats_are_summed_up(name: str, dtype: str) -> None:
    func = program(CONVOLUTIONS[name], dtype)
    for m, n, k in ((3, 7, 4), (30, 9, 3), (2, 90, 60)):
        assert_same_outcome(func, [*arguments(dtype, m, n, k, k)], ulps=4)


def test_what_is_infinite_meets_no_other_terms() -> None:
    func = program(CONVOLUTIONS["plain"], "float32")
    args = arguments("float32", 1, 20, 5)
    args[2][0, 4], args[2][0, 9], args[3][2] = np.inf, np.nan, 0.0
    assert_same_outcome(func, [*args], ulps=4)
    args[3][:] = -0.0
    assert_same_outcome(func, [*args])


@pytest.mark.parametrize("name", OTHERS)
def test_other_sums_are_none(name: str) -> None:
    func = program(OTHERS[name], "int64")
    assert plan.CONVOLUTION not in strategies(func)
    assert_same_outcome(func, [*arguments("int64", 3, 4, 3)])


def test_places_outside_are_reported() -> None:
    for name in ("plain", "shifted", "at chosen places"):
        func = program(CONVOLUTIONS[name], "int64")
        args = arguments("int64", 3, 6, 4)
        args[0] = args[0][:, :8].copy()
        assert_same_outcome(func, [*args])
        args = arguments("int64", 3, 6, 4)
        args[4][3] = 6
        assert_same_outcome(func, [*args])


def test_arrays_that_share_memory_are_read_as_they_are_stored() -> None:
    func = program(CONVOLUTIONS["plain"], "int64")
    memory = np.arange(40).reshape(2, 20)
    assert_same_outcome(
        func, [memory, *arguments("int64", 1, 6, 4)[1:2], memory[:, 3:9], memory[1, :4], np.arange(6)]
    )


CORRELATIONS = {
    "plain": "for i, k in grid(n, m) { Y[i] += X[i + k] * W[k]; }",
    "stored": "for i in 0..n { Y[i] = 0; for k in 0..m { Y[i] += W[k] * X[i + k + 1]; } }",
    "subtracted": "for i, k in grid(n, m) { Y[n - 1 - i] -= X[i + k] * W[k] * 3; }",
    "turned round": "for i, k in grid(n, m) { Y[i] += X[i - k + m] * W[k]; }",
    "backwards": "for i, k in grid(n, m) { Y[i] += X[n + m - i - k] * W[m - 1 - k]; }",
    "with a step": "for i, k in grid(n, m) { Y[i] += X[2 * i + 2 * k] * W[k]; }",
    "of sums": "for i, k in grid(n, m) { Y[i] += (X[i + k] + X[i + k + 1] * X[n]) * (W[k] - 1); }",
    "in steps": "for t in 0..3 { for i, k in grid(n, m) { Y[i] += X[i + k + t] * W[k]; }"
    " for k in 0..m { W[k] = Y[k % n]; } }",
}
"""What is one call of `np.correlate`."""
OTHER_PRODUCTS = {
    "different steps": "for i, k in grid(n, m) { Y[i] += X[2 * i + k] * W[k]; }",
    "by a size": "for i, k in grid(n, m) { Y[i] += X[q * i + q * k] * W[k]; }",
    "both": "for i, k in grid(n, m) { Y[i] += X[i + k] * X[i] * W[k]; }",
}


@pytest.mark.parametrize("dtype", ["int64", "uint8", "int32", "float32", "float64"])
@pytest.mark.parametrize("name", [*CORRELATIONS, *OTHER_PRODUCTS])
def test_products_of_windows_are_correlations(name: str, dtype: str) -> None:
    body = {**CORRELATIONS, **OTHER_PRODUCTS}[name]
    buffers = f"X: Buffer[(p,), {dtype}], W: Buffer[(m,), {dtype}], Y: Buffer[(n,), {dtype}]"
    func = checked(f"prim_func @f({buffers}, Q: Buffer[(q,), int64]) {{ {body} }}")
    assert ("correlate_into(" in compile_prim_func(func).source) == (name in CORRELATIONS)
    random = np.random.default_rng(8)
    for n, m in ((6, 3), (2, 7), (1, 1), (0, 4), (5, 0), (0, 0), (90, 33)):
        if "% n" in body and not n:
            continue
        args = [random.integers(0, 9, size).astype(dtype) for size in (2 * n + 2 * m + 4, m, n)]
        assert_same_outcome(func, [*args, np.zeros(1, np.int64)], ulps=16)
        assert_same_outcome(func, [args[0][: n + m], *args[1:], np.zeros(2, np.int64)], ulps=16)


def test_weights_that_are_0_meet_what_is_not_finite() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n + m,), float64], W: Buffer[(m,), float64], Y: Buffer[(n,), float64]) {"
        " for i, k in grid(n, m) { Y[i] += X[i + k] * W[k]; } }"
    )
    x = np.arange(12.0)
    x[3], x[7] = np.inf, np.nan
    assert_same_outcome(func, [x, np.array([0.0, 2, -0.0, 1]), np.zeros(8)], ulps=4)
