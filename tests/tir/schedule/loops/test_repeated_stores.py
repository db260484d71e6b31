"""Stores that later iterations of a sequential loop repeat run in its steps, not from lists of iterations. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

PARAMS = (
    "X: Buffer[(t, n), float64], S: Buffer[(n,), float64], L: Buffer[(n,), int64], Y: Buffer[(n,), float64]"
)
STEP = "S[i] = S[i] * 0.5 + X[k, i];"
BODIES = {
    "the last step above": f"{STEP} if S[i] > 0.6 {{ L[i] = k; }}",
    "the first half of the steps": f"if S[i] > 0.5 && k < t // 2 {{ L[i] = k; }} {STEP}",
    "every step": f"{STEP} Y[i] = S[i] * 2.0;",
    "the value before": f"if X[k, i] > 0.3 {{ Y[i] = S[i]; }} {STEP}",
    "of what is stored last": f"{STEP} if X[k, i] > 0.5 {{ L[i] = k * 2; }} Y[i] = Y[i] * S[i] + 1.0;",
    "a condition of numbers alone": f"{STEP} if k != 1 || k == n {{ L[i] = k; }}",
    "two stores in order": f"{STEP} if S[i] > 0.5 {{ L[i] = k; }} if S[i] > 0.8 {{ L[i] = -k; }}",
    "what a division decides": f"{STEP} if 10 // L[i] > k {{ Y[i] = S[i]; }}",
}
WINDOW = """
prim_func @steepest(Z: Buffer[(n + 2, m + 2), float32], D: Buffer[(n, m), uint8]) {
  for i, j in grid(n, m) {
    alloc best: Buffer[(1,), float32];
    best[0] = 0.0;
    for a, b in grid(3, 3) {
      if a != 1 || b != 1 {
        let drop: float32 = (Z[i + 1, j + 1] - Z[i + a, j + b]) / if_then_else(a == 1 || b == 1, 1.0, 1.4142135);
        if drop > best[0] {
          best[0] = drop;
          D[i, j] = cast(3 * a + b, uint8);
        }
      }
    }
  }
}
"""


def arguments(t: int, n: int) -> list[object]:
    numbers = np.random.default_rng(7 * t + n)
    x = numbers.random((t, n))
    x[numbers.random((t, n)) < 0.1] = np.nan
    return [x, numbers.random(n), numbers.integers(-2, 9, n), numbers.random(n)]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_TIR_21_they_store_what_the_program_stores(body: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ for k in 0..t {{ for i in 0..n {{ {body} }} }} }}")
    for t, n in ((0, 3), (3, 0), (1, 1), (2, 5), (7, 4)):
        assert_same_outcome(func, arguments(t, n))
        x, s, places, y = arguments(t, n)
        assert_same_outcome(func, [x, s, places, s])
        assert_same_outcome(func, [x, y, places[::-1], y[::-1]])


@pytest.mark.parametrize("name", list(BODIES)[:7])
def test_TIR_21_they_need_no_list_of_iterations(name: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ for k in 0..t {{ for i in 0..n {{ {BODIES[name]} }} }} }}")
    assert "scatter" not in [one.strategy for one in compile_prim_func(func).remarks]


def test_TIR_21_the_steepest_neighbour_is_stored_in_the_steps_of_the_window() -> None:
    func = checked(WINDOW)
    for n, m in ((0, 2), (2, 0), (1, 1), (5, 4)):
        z = np.random.default_rng(n + m).integers(0, 5, (n + 2, m + 2)).astype(np.float32)
        assert_same_outcome(func, [z, np.full((n, m), 8, np.uint8)])
    source = compile_prim_func(func).source.split("errstate")[-1]
    assert "scatter(" not in source
    assert source.count("if a != 1 or b != 1:") == 1  # the condition and what is compared are computed once
    assert source.count("subtract(z") == 1
