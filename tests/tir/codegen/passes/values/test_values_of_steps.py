"""What several statements of a step of a sequential loop compute from the same values is computed once. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

HEAD = "W: Buffer[(n,), int64], C: Buffer[(n,), int64], B: Buffer[(n,), int64]"
STEPS = {
    "a condition and what is stored": """
      for j in 1..n { for i in 0..j {
        let room: int64 = 9 - (W[j] - W[i]);
        if room >= 0 && C[i] + room * room < C[j] { C[j] = C[i] + room * room; B[j] = i; }
      } }""",
    "two conditions": """
      for j in 1..n { for i in 0..j {
        if C[i] + W[j] * W[i] < C[j] { C[j] = C[i] + W[j] * W[i]; }
        if C[i] + W[j] * W[i] > B[j] { B[j] = i; }
      } }""",
    "what is stored in between": """
      for j in 1..n { for i in 0..j {
        if C[j] * C[i] < 5 { C[j] = C[j] * C[i] + 1; B[j] += C[j] * C[i]; }
      } }""",
}


def test_TIR_21_values_of_a_step_are_computed_once() -> None:
    body = STEPS["a condition and what is stored"]
    source = compile_prim_func(prim_func(f"prim_func @f({HEAD}) {{ {body} }}")).source
    assert source.count("- W[i_1]") == 1
    assert "subtract(W[" not in source


@pytest.mark.parametrize("name", STEPS)
def test_TIR_21_values_of_steps(name: str) -> None:
    func, generator = prim_func(f"prim_func @f({HEAD}) {{ {STEPS[name]} }}"), np.random.default_rng(6)
    for n in (0, 1, 2, 9, 30):
        w = np.sort(generator.integers(0, 20, n))
        assert_same_outcome(func, [w, generator.integers(-3, 50, n), generator.integers(-9, 9, n)])
