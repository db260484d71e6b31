"""Conditions of `if_then_else` that hold in all iterations are left out, and no others. [TIR.13]"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, prim_func

PARAMS = "X: Buffer[(n,), int64], Y: Buffer[(n,), int64]"
SIZES = (0, 1, 2, 5)


@pytest.mark.parametrize("least", ["0", "1", "-1", "i"])
@pytest.mark.parametrize("beyond", ["n", "n - 1", "n + 1", "i + 1"])
def test_TIR_13_conditions_at_borders(least: str, beyond: str) -> None:
    for op, shift in product((">=", ">", "!="), ("", " + 1", " - 1")):
        condition = f"i{shift} {op} {least} && i{shift} < {beyond}"
        func = prim_func(
            f"prim_func @f({PARAMS}) {{ for i in 0..n {{ Y[i] = if_then_else({condition}, X[i{shift}], 7); }} }}"
        )
        if not check_prim_func(func):
            for n in SIZES:
                assert_same_outcome(func, [np.arange(n) + 1, np.zeros(n, np.int64)])


POOL = """prim_func @pool(X: Buffer[(n, 14), float32], Y: Buffer[(n, 7), float32]) {
  for i, j, k in grid(n, 7, 2) {
    block pool (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
      init { Y[vi, vj] = -inf; }
      Y[vi, vj] = max(Y[vi, vj], if_then_else(vj * 2 + vk >= 0 && vj * 2 + vk < 14, X[vi, vj * 2 + vk], -inf));
    }
  }
}"""


def test_TIR_13_padding_of_no_elements_costs_nothing() -> None:
    func = checked(POOL)
    source = compile_prim_func(func).source
    assert "np.maximum(X[:, :14:2], X[:, 1:15:2], out=Y)" in source, source
    for n in (0, 1, 3):
        assert_same_outcome(
            func, [np.arange(n * 14, dtype=np.float32).reshape(n, 14), np.zeros((n, 7), np.float32)]
        )
