"""Updates of one element that commute stay in order with what does not commute with them, however many there are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.tir.support import assert_same_outcome, prim_func

UPDATES = (
    "B[i] += Z[i];",
    "B[i] -= 3;",
    "B[i] = B[i] * Z[i];",
    "B[i] *= 5;",
    "if r == 0 { B[i] = 1; }",
    "C[i] = B[i];",
)


@pytest.mark.parametrize("count", [2, 3])
def test_updates_stay_in_order_with_what_does_not_commute(count: int) -> None:
    values = np.random.default_rng(count).integers(0, 255, (3, 4), np.uint8)
    for updates in itertools.product(UPDATES, repeat=count):
        text = f"""prim_func @f(Z: Buffer[(n,), uint8], B: Buffer[(n,), uint8], C: Buffer[(n,), uint8]) {{
  for i in 0..n {{ C[i] = 0; for r in 0..3 {{ {" ".join(updates)} }} }}
}}"""
        assert_same_outcome(prim_func(text), [*values.copy()])


def test_updates_of_a_block_stay_in_order() -> None:
    func = prim_func("""prim_func @f(Z: Buffer[(k,), uint8], B: Buffer[(k, m), uint8]) {
  for i in 0..k {
    for r, s in grid(2, 1) {
      B[i, 0] += Z[i];
      block b (v = spatial(s), w = reduce(r)) {
        init { B[i, 0] = 1; }
        B[i, 0] += Z[i];
        B[i, 0] = B[i, 0] * Z[i];
      }
    }
  }
}""")
    values = np.random.default_rng(1)
    assert_same_outcome(func, [values.integers(0, 9, 5, np.uint8), values.integers(0, 9, (5, 2), np.uint8)])
