"""New arrays of which each step of a loop uses its own row have one row. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp.memory import new_array
from tests.tir.support import assert_same_outcome, prim_func

LETS = """
prim_func @f(X: Buffer[(n, 3), float64], t: int64) {
  for s in 0..t { for i in 0..n {
    let new: float64 = X[i, 0] * X[i, 1] * 0.125;
    X[i, 2] += X[i, 1] * 0.25;
    X[i, 1] += new - X[i, 1] * 0.25;
    X[i, 0] -= new;
  } }
}
"""
HEAD = "prim_func @f(X: Buffer[(n, m), float64], Y: Buffer[(n, m), float64], t: int64)"
ROWS = {
    "read in the next round": """
      alloc A: Buffer[(n, m), float64];
      for s, j in grid(n, m) { A[s, j] = 0.5; }
      for r in 0..t { for s in 0..n { for j in 1..m {
        X[s, j] = X[s, j - 1] * 0.5 + A[s, j];
        A[s, j] = X[s, j] * Y[s, j];
      } } }""",
    "read after the loop": """
      alloc A: Buffer[(n, m), float64];
      for s in 0..n { for j in 1..m { A[s, j] = Y[s, j] * 2.0; X[s, j] = X[s, j - 1] * 0.5 + A[s, j]; } }
      for s in 0..n { for j in 1..m { Y[s, j] = A[s, j]; } }""",
    "read one step later": """
      alloc A: Buffer[(n, m), float64];
      for j in 0..m { A[0, j] = 1.0; }
      for s in 1..n { for j in 1..m { X[s, j] = X[s, j - 1] * 0.5 + A[s - 1, j]; A[s, j] = X[s, j] * 0.5; } }""",
    "read in the same step": """
      for r in 0..t {
        alloc A: Buffer[(n, m), float64];
        for s in 1..n {
          for j in 0..m { A[s, j] = X[s - 1, j] * Y[s, j]; }
          for j in 0..m { X[s, j] = A[s, m - 1 - j] * 0.5; }
        }
      }""",
}


def test_TIR_21_lets_of_loops_that_wait_take_no_memory_for_each_step() -> None:
    made: list[tuple[int, ...]] = []

    def allocate(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        made.append(shape)
        return new_array(shape, dtype)

    compiled = compile_prim_func(prim_func(LETS))
    assert compiled.vectorized
    compiled.run(np.ones((5, 3)), 1000, allocate=allocate)
    assert made == [(5,)]


@pytest.mark.parametrize("t", [0, 1, 20])
def test_TIR_21_lets_of_loops_that_wait(t: int) -> None:
    for n in (0, 1, 6):
        assert_same_outcome(prim_func(LETS), [np.random.default_rng(n).normal(size=(n, 3)), t])


@pytest.mark.parametrize("name", ROWS)
def test_TIR_21_rows_that_other_steps_use_are_kept(name: str) -> None:
    func = prim_func(f"{HEAD} {{ {ROWS[name]} }}")
    for n, m in ((1, 1), (4, 3), (6, 5)):
        x, y = np.random.default_rng(n).integers(-4, 5, (2, n, m)).astype(float)
        assert_same_outcome(func, [x, y, 3])
