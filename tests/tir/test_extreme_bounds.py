"""Bounds and indices that data give, as far from zero as int64 goes: the interpreter takes over, or they are empty."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.tir.support import assert_same_outcome, prim_func

EXTREMES = (-(2**63), 2**63 - 1, -(2**63) + 5, -5, 0, 3)
BODIES = (
    "for w in C[c]..n { W[w] += W[w - C[c]]; }",
    "W[0] += 1; for w in C[c]..n { W[w] += 1; }",
    "W[0] += 1; for w in 0..C[c] { W[w] += 1; }",
    "for w in 0..min(C[c], n) { W[w] += C[c]; }",
    "for w in max(C[c], 0)..n { W[w] = W[w] * 2 + 1; }",
    "W[1] += 2; W[max(min(C[c] + 1, n - 1), 0)] += 1;",
    "W[1] += 2; if C[c] - 1 < n { W[max(C[c] - 1, 0)] = c; }",
    "for w in C[c] * 2..C[c] + n { if w >= 0 && w < n { W[w] += 1; } }",
)


@pytest.mark.parametrize("body", BODIES)
def test_TIR_14_bounds_made_of_extreme_numbers(body: str) -> None:
    func = prim_func(
        f"prim_func @f(C: Buffer[(k,), int64], W: Buffer[(n,), int64]) {{ for c in 0..k {{ {body} }} }}"
    )
    for numbers in itertools.product(EXTREMES, repeat=2):
        if "C[c] * 2" in body and max(numbers) > 3:
            continue  # that takes as many steps
        if "0..C[c] {" in body and max(numbers) > 3:
            continue
        assert_same_outcome(func, [np.array(numbers), np.arange(6)])


@pytest.mark.parametrize(
    "bounds", ["P[r]..P[r + 1]", "P[r]..P[r] + Q[r]", "P[r]..Q[r]", "P[r] + Q[r]..n", "P[r] * 3..n"]
)
def test_TIR_14_rows_between_extreme_bounds(bounds: str) -> None:
    func = prim_func(f"""prim_func @f(P: Buffer[(n + 1,), int64], Q: Buffer[(n,), int64], Y: Buffer[(n,), float64]) {{
  for r in 0..n {{ Y[0] += 1; for p in {bounds} {{ Y[p] += 2; }} }}
}}""")
    for first, last, more in itertools.product((*EXTREMES, 1), (*EXTREMES, 2), (*EXTREMES, -(2**62), 2**62)):
        assert_same_outcome(func, [np.array([first, last, 1]), np.array([more, 0]), np.zeros(2)])


def test_TIR_14_rows_that_follow_each_other_end_in_no_array() -> None:
    """They are more than any array has elements, though each begins where the one before ends."""
    func = prim_func("""prim_func @f(P: Buffer[(n + 1,), int64], V: Buffer[(z,), float64], Y: Buffer[(n,), float64]) {
  for r in 0..n {
    for p in P[r]..P[r + 1] {
      Y[0] += 1;
      if V[p] > 0 { Y[r] += V[p]; }
    }
  }
}""")
    for last in (6, 7, 2**40, 2**62, 2**63 - 1):
        assert_same_outcome(func, [np.array([1, 4, last]), np.arange(6.0), np.zeros(2)])
