"""Recurrences `Y[i + d] = Y[i] + x`: one running operation, also in a loop over rows and where data choose the
distance. [TIR.21]
"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

LINE = """
prim_func @line(X: Buffer[(n,), DTYPE], I: Buffer[(k,), int64], Y: Buffer[(n + 2,), DTYPE]) {
  BODY
}
"""
LINES = (
    ("for i in 0..n { Y[i + 1] = Y[i] + X[i]; }", True),
    ("for i in 0..n { Y[i + 1] = Y[i] - X[i]; }", True),
    ("for i in 0..n { Y[i + 2] = X[i] + Y[i] - Y[i + 2]; }", True),
    ("for i in 0..n { Y[n - i] = max(X[i], Y[n + 1 - i]); }", True),
    ("for i in 0..n { Y[i + 1] *= Y[i]; }", True),
    ("for i in 0..n { Y[i + 1] += Y[i]; }", True),
    ("for i in 0..n { Y[i + 1] = Y[i] + X[n - 1 - i] + Y[i + 2]; }", True),
    ("for i in 0..n { if i == 0 { Y[i] = X[i]; } else { Y[i] = Y[i - 1] + X[i]; } }", True),
    ("for i in 0..n { if i > 0 { Y[i] = Y[i - 1] - X[i]; } else { Y[i] = X[i] * X[i]; } }", True),
    ("for i in 0..n { if i < 2 { Y[i] = X[i]; } else { Y[i] = max(X[i], Y[i - 2]); } }", True),
    ("for i in 0..n { Y[i] = if_then_else(i != 0, Y[i - 1] * X[i], X[i]); }", True),
    ("for i in 0..n { if i > 3 { Y[i] = X[i] + Y[i - 1]; } else { Y[i] = Y[i + 1]; } }", False),
    ("for i in 0..n { Y[i + 1] -= Y[i]; }", False),
    ("for i in 0..n { Y[i + 2] = Y[i] + Y[i + 1]; }", False),
    ("for i in 0..n { Y[i + 1] = Y[i] + X[i] + Y[i]; }", False),
    ("for i in 0..n { Y[i + 1] = Y[i] + X[i] + Y[0]; }", True),
    ("for c in 0..k { for i in I[c]..n { Y[i] += Y[i - I[c]]; } }", True),
    ("for c in 0..k { for i in I[c]..n { Y[i] = min(Y[i - I[c]], X[i]); } }", True),
    ("for c in 0..k { for i in 0..n - I[c] { Y[i] = Y[i + I[c]] + X[i]; } }", True),
    ("for c in 0..k { if I[c] > 0 { for i in 0..n - I[c] { Y[i + I[c]] = Y[i] + X[i]; } } }", True),
)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "float32", "float64"])
@pytest.mark.parametrize(("body", "is_scan"), LINES)
def test_TIR_21_elements_that_begin_with_an_earlier_one(body: str, is_scan: bool, dtype: str) -> None:
    func = checked(LINE.replace("BODY", body).replace("DTYPE", dtype))
    strategies = {remark.strategy for remark in compile_prim_func(func).remarks}
    assert ("scan" in strategies) == is_scan
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 3, 9, 40, 300):
        x, y = (rng.integers(0, 5, size).astype(dtype) for size in (n, n + 2))
        for distances in ([], [1], [2, 1, n + 1], [3, n], [7], [0, 1], [1, -1], [n + 3]):
            args = [x, np.array(distances, np.int64), y]
            assert_same_outcome(func, args)
        same = rng.integers(0, 5, n + 2).astype(dtype)
        assert_same_outcome(func, [same[1 : n + 1], args[1], same])
        assert_same_outcome(func, [x[::-1], args[1], same[::-1]])


def test_TIR_21_recurrences_keep_nan_infinities_and_wrap_around() -> None:
    special = np.array([1.0, -np.inf, 2.0, np.nan, 3.0, np.inf, -0.0, np.inf, -np.inf])
    for op in ("Y[i] + X[i]", "max(X[i], Y[i])", "Y[i] * X[i]", "Y[i] - X[i]"):
        func = checked(
            LINE.replace("BODY", f"for i in 0..n {{ Y[i + 1] = {op}; }}").replace("DTYPE", "float64")
        )
        for start in range(len(special)):
            x = np.roll(special, start)
            assert_same_outcome(func, [x, np.zeros(1, np.int64), np.zeros(len(x) + 2)])
    func = checked(LINE.replace("BODY", LINES[0][0]).replace("DTYPE", "int8"))
    assert_same_outcome(func, [np.full(99, 100, np.int8), np.zeros(1, np.int64), np.ones(101, np.int8)])


ROWS = """
prim_func @rows(X: Buffer[(n, m), DTYPE], Y: Buffer[(n + 1, m + 1), DTYPE]) {
  for i, j in grid(n, m) {
    Y[i + 1, j + 1] = VALUE;
  }
}
"""


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize(
    "value",
    [
        "X[i, j] + Y[i, j + 1] + Y[i + 1, j] - Y[i, j]",
        "X[i, j] + Y[i + 1, j]",
        "min(min(X[i, j], Y[i + 1, j]), Y[i, j + 1])",
        "Y[i + 1, j] - X[i, j] - Y[i, j]",
        "max(Y[i + 1, j], X[i, j] + Y[i, j])",
    ],
)
def test_TIR_21_rows_with_a_running_value_in_each(value: str, dtype: str) -> None:
    func = checked(ROWS.replace("VALUE", value).replace("DTYPE", dtype))
    assert {"scan", "summed area"} & {remark.strategy for remark in compile_prim_func(func).remarks}
    rng = np.random.default_rng(2)
    for n, m in ((0, 3), (3, 0), (1, 1), (4, 6), (600, 3), (700, 40)):
        x, y = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((n, m), (n + 1, m + 1)))
        assert_same_outcome(func, [x, y])
        assert_same_outcome(func, [y[1:, :-1], y])
        assert_same_outcome(func, [x[::-1], y.T.copy().T])


def test_TIR_21_rows_that_read_rows_stored_later() -> None:
    text = """
    prim_func @later(V: Buffer[(n, m), int8], Y: Buffer[(n + 1, m + 1), int64]) {
      for i, j in grid(n, m) {
        Y[i, j + 1] = Y[i, j] + Y[i + 1, j] * 3;
      }
    }
    """
    func = checked(text)
    assert "scan" in {remark.strategy for remark in compile_prim_func(func).remarks}
    for n, m in ((3, 4), (600, 70), (600, 1)):
        y = np.random.default_rng(3).integers(0, 9, (n + 1, m + 1))
        v = np.zeros((n, m), np.int8)
        assert_same_outcome(func, [v, y])
        other = checked(text.replace("int64", "float64").replace("* 3", "+ 3.0"))
        assert_same_outcome(other, [v, y.astype(np.float64)])


def test_TIR_21_rows_that_begin_with_their_first_element() -> None:
    text = """
    prim_func @rows(X: Buffer[(n, m), float64], Y: Buffer[(n, m), float64]) {
      for i, j in grid(n, m) {
        if j == 0 {
          Y[i, j] = X[i, j];
        } else {
          Y[i, j] = Y[i, j - 1] + X[i, j];
        }
      }
    }
    """
    func = checked(text)
    assert "scan" in {remark.strategy for remark in compile_prim_func(func).remarks}
    rng = np.random.default_rng(2)
    for n, m in ((0, 3), (3, 0), (1, 1), (2, 7), (600, 5)):
        x = rng.normal(size=(n, m))
        x[rng.random((n, m)) < 0.1] = -0.0
        assert_same_outcome(func, [x, rng.normal(size=(n, m))])
        assert_same_outcome(func, [x, x])
