"""Columns on which every step of a loop works lie together while it runs. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

HEAD = "V: Buffer[(n, 3), float64], P: Buffer[(n, 3), float64], G: Buffer[(n, n, 2), float64], K: Buffer[(t,), int64]"
COPIED = {
    "ciphers": "for s in 0..t { for i in 0..n { V[i, 0] += V[i, 1] * 0.5; V[i, 1] -= V[i, 0] * 0.25; } }",
    "orbits": """
      for s in 0..t { for i in 0..n {
        V[i, 0] -= P[i, 0] / (P[i, 0] * P[i, 0] + P[i, 1] * P[i, 1] + 1.0);
        V[i, 1] -= P[i, 1] / (P[i, 0] * P[i, 0] + P[i, 1] * P[i, 1] + 1.0);
        P[i, 0] += V[i, 0] * 0.5;
        P[i, 1] += V[i, 1] * 0.5;
      } }""",
    "planes": "for s in 0..t { for i, j in grid(n, n) { G[i, j, 0] += G[i, j, 1]; G[i, j, 1] -= G[i, j, 0] * 0.5; } }",
    "an index that may be outside": """
      for s in 0..t { for i in 0..n { V[i, 0] += V[i, 1]; V[i, 1] = V[i, 0] * 0.5 + P[K[s], 2]; } }""",
}
LEFT = {
    "parts": "for s in 0..t { for i in 2..n { V[i, 0] += V[i, 2]; V[i, 2] = V[i, 0] * 0.5 - P[i, 1] * P[i, 1]; } }",
    "shifted": "for s in 0..t { for i in 1..n { V[i, 0] = V[i - 1, 1] + V[i, 0]; V[i, 1] = V[i, 0] * 0.5; } }",
    "rows too": "for s in 0..t { for i in 0..n { V[i, 0] += V[i, 1]; V[i, 1] -= V[i, 0]; } V[K[s], 0] = 1.0; }",
    "few steps": "for s in 0..3 { for i in 0..n { V[i, 0] += V[i, 1] * 0.5; V[i, 1] -= V[i, 0] * 0.25; } }",
}
ALL = COPIED | LEFT


def text(name: str) -> str:
    """Return a PrimFunc."""
    return f"prim_func @f({HEAD}) {{ {ALL[name]} }}"


@pytest.mark.parametrize("name", ALL)
def test_TIR_21_columns_are_copied_around_loops(name: str) -> None:
    compiled = compile_prim_func(prim_func(text(name)))
    assert compiled.vectorized
    assert ("_column = np.array(" in compiled.source) is (name in COPIED)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ALL)
def test_TIR_21_columns_that_were_copied_are_put_back(name: str, order: str) -> None:
    func, generator = prim_func(text(name)), np.random.default_rng(2)
    for n, t in ((0, 3), (3, 0), (1, 5), (2, 1), (5, 7)):
        v, p, g = [generator.integers(-9, 9, shape).astype(float) for shape in ((n, 3), (n, 3), (n, n, 2))]
        for index in (0, n - 1, n):
            k = np.full(t, max(index, 0))
            assert_same_outcome(func, [v.copy(order), p, g.copy(order), k], 0)
    k = np.array([0, 1, 5, 0])  # fails in the middle
    assert_same_outcome(func, [np.ones((5, 3)), np.ones((5, 3)), np.ones((5, 5, 2)), k], 0)


def test_TIR_21_one_array_given_twice_has_no_copies_of_its_own() -> None:
    shared = np.arange(15.0).reshape(5, 3)
    assert_same_outcome(prim_func(text("orbits")), [shared, shared, np.ones((5, 5, 2)), np.arange(4)], 4)
