"""Conditions on loop variables make loops shorter, where no failure is lost by that. [TIR.13]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

UNDER = """prim_func @f(C: Buffer[(m,), int64], X: Buffer[(n,), float64], Y: Buffer[(k, n), float64]) {{
  for j, i in grid(k, n) {{
    if {condition} {{
      Y[j, i] = X[i];
    }}
  }}
}}"""


@pytest.mark.parametrize(
    "condition",
    [
        "C[j] + i + 1 < n && n - 1 - j >= 0",
        "C[j] > 0 && j < 2",
        "C[j] > 0 && i >= 1",
        "6 // C[j] > 0 && !(j > 1 || i > 2)",
        "i >= 1 && C[j] > 0 && j < 2",
        "i >= 1 && C[i - 1] > 0 && j < 2",
    ],
)
@pytest.mark.parametrize("values", [[1, 1, 0, 1], [1, 1, 1, 1], [1, 1]])
def test_TIR_13_bounds_behind_a_condition_that_may_fail(condition: str, values: list[int]) -> None:
    func = checked(UNDER.format(condition=condition))
    for n, k in ((1, 4), (3, 3), (4, 6)):
        assert_same_outcome(func, [np.array(values), np.arange(n) + 0.5, np.zeros((k, n))])


@pytest.mark.parametrize(
    ("condition", "box"),
    [
        ("i >= 1 && C[j] > 0", "np.broadcast_to(C[:k][:, None] > np.int64(0), (k, size))"),
        ("X[i] > 0.0 && i >= 1", "store_where(Y[:, 1 : size + 1], "),
        ("i >= 1 && X[i - 1] > 0.0 && j < k - 1", "store_where(Y[:size, 1 : size_1 + 1], "),
    ],
)
def test_TIR_13_bounds_before_it_and_behind_one_that_cannot_fail(condition: str, box: str) -> None:
    source = compile_prim_func(checked(UNDER.format(condition=condition))).source
    assert box in source, source


ROWS = """prim_func @f(C: Buffer[(k,), int64], X: Buffer[(m,), float64], Z: Buffer[(k,), float64], n: int64) {
  for i in 0..k {
    for j in 0..n {
      if j < C[i] {
        Z[i] += if_then_else(i < 2, 3.0, X[i]);
      }
    }
  }
}"""


def test_TIR_13_bounds_that_vary_over_a_loop_that_is_split() -> None:
    func = checked(ROWS)
    for k, m, n in ((4, 4, 3), (4, 3, 3), (2, 0, 3), (1, 0, 0)):
        assert_same_outcome(func, [np.arange(k), np.arange(m) + 0.5, np.zeros(k), n])
