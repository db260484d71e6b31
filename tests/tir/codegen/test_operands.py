"""Operands: brackets in arithmetic on sizes, and arrays that are still needed when an operation chooses its target."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tir.support import assert_same_outcome, checked

VECTORS = "A: Buffer[(n,), int64], D: Buffer[(n,), int64]"


@pytest.mark.parametrize(
    "statement",
    [
        "D[n % (n * 3)] += 6;", "D[m // (n * 2)] += 1;", "D[0] = m // (n * m) + m % (2 * n);",
        "D[(n - m) % (n - (m - n))] = 1;", "D[0] = n - (m - (n - 1));", "D[0] = -(n - m) / (n * m);",
        "for i in 0..m % (n * 3) { D[i % (n * 1)] += m // (n * 2); }",
        "D[0] = select((n > 1 || m > 1) && n < m, n % (m * n), 3);",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("n", "m"), [(5, 7), (3, 2), (9, 20)])
def test_TIR_21_arithmetic_on_sizes_keeps_its_brackets(statement: str, n: int, m: int) -> None:
    func = checked(f"prim_func @f(A: Buffer[(m,), int64], D: Buffer[(n,), int64]) {{ {statement} }}")
    assert_same_outcome(func, [np.arange(m), np.arange(n)])


@pytest.mark.parametrize(
    "statement",
    [
        "D[i] += ~if_then_else(A[i] > 1, D[i], D[i]);",
        "D[i] += ~if_then_else(A[i] > 1, if_then_else(A[i] > 2, D[i], D[i]), D[i]);",
        "D[i] = ~select(A[i] > 1, D[i] * 2, D[i] * 2) + D[i] * 2;",
        "let d = D[i] - A[i]; D[i] = select(A[i] > 2, d, d) * 3 - d;",
        "D[i] = select(D[i] > 6, ~D[i], ~D[i]) * D[i];",
    ],
)
def test_TIR_21_a_choice_of_equal_branches_is_not_overwritten_before_it_is_read(statement: str) -> None:
    func = checked(f"prim_func @f({VECTORS}) {{ for i in 0..n {{ {statement} }} }}")
    assert_same_outcome(func, [np.arange(5), np.arange(5) + 5])


LAZY = "X: Buffer[(n,), int64], Y: Buffer[(m,), int64], Z: Buffer[(n, m), int64], k: int64"


@pytest.mark.parametrize(
    "statement",
    [
        "for i in 0..n { Y[0] = if_then_else(i > 0, X[0], 0); }",
        "for i, j in grid(n, m) { Z[i, j] = if_then_else(i > 0, X[n - 1], Y[0]); }",
        "for i, j in grid(n, m) { Y[j] = if_then_else(k > 0, X[0], Y[0]); }",
        "for i in 0..n { X[i] = if_then_else(k > 0, X[n - 1], X[n - 2]); }",
        "for i, j in grid(n, m) { Y[0] += if_then_else(j > 0, Z[i, j - 1], X[0]); }",
        "for i, j in grid(n, m) { if k > 1 { Y[0] += if_then_else(X[n - 1] > 0, Z[i, m - 1], X[0]); } }",
        "for i, j in grid(n, m) { let t = if_then_else(X[0] > 0, Z[0, m - 1], X[0]); Z[i, j] = t; Y[j] = t; }",
    ],
)
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("m", [0, 1, 2])
@pytest.mark.parametrize("k", [0, 5])
def test_TIR_21_a_lazy_choice_in_loops_that_may_be_empty(statement: str, n: int, m: int, k: int) -> None:
    func = checked(f"prim_func @f({LAZY}) {{ {statement} }}")
    assert_same_outcome(func, [np.arange(n) + 3, np.arange(m), np.arange(n * m).reshape(n, m), k])
