"""An `init` runs only if its reduction has a step, wherever other `init`s of the same loops run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.tir.support import assert_same_outcome, prim_func

PARTS = (
    "X[0] = X[0] * 2 + Y[0];",
    "block b (v = reduce(i)) { init { Y[0] = 1; } Y[0] += A[i]; }",
    "block c (v = reduce(i)) { init { Z[0] = 2; } Z[0] += A[i] * A[i]; }",
    "block d (v = reduce(i)) where A[v] > 0 { init { W[0] = 3; } W[0] += A[i]; }",
)


@pytest.mark.parametrize("parts", list(itertools.permutations(PARTS, 3)))
@pytest.mark.parametrize("size", [0, 1, 3])
def test_loops_without_steps_have_no_init(parts: tuple[str, ...], size: int) -> None:
    """One of the `init`s must stay in its loop; the other one runs before it."""
    func = prim_func(f"""prim_func @f(
  A: Buffer[(n,), float32], X: Buffer[(1,), float32], Y: Buffer[(1,), float32],
  Z: Buffer[(1,), float32], W: Buffer[(1,), float32]
) {{
  for i in 0..n {{ {" ".join(parts)} }}
}}""")
    values = np.arange(1, size + 1, dtype=np.float32)
    assert_same_outcome(func, [values, *np.full((4, 1), 9, np.float32)])
