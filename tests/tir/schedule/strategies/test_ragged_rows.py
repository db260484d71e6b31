"""Rows of lengths that data choose, each of which ends where the next one begins: one range. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.random_programs.rows import Rows
from tests.tir.support import assert_same_outcome, checked, prim_func


@pytest.mark.parametrize("start", range(0, 400, 40))
def test_TIR_21_random_rows(start: int) -> None:
    for seed in range(start, start + 40):
        rows = Rows(seed)
        func = prim_func(rows.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            assert_same_outcome(func, rows.arguments())


def test_random_rows_are_worth_running() -> None:
    """Most are right, and many of them are one range."""
    right, ranges = 0, 0
    for seed in range(100):
        func = prim_func(Rows(seed).text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            right += 1
            ranges += "range_of_rows(" in compile_prim_func(func).source
    assert right > 90
    assert ranges > 40


SUMS = """
prim_func @sums(P: Buffer[(n + 1,), int64], V: Buffer[(z,), float64], Y: Buffer[(n,), float64]) {
  for r in 0..n {
    for p in P[r]..P[r + 1] {
      Y[r] += V[p];
    }
  }
}
"""


def test_TIR_21_consecutive_rows_are_slices() -> None:
    source = compile_prim_func(checked(SUMS)).source
    assert "combine_rows(Y, V[first : first + lanes], starts, lengths, np.add, False)" in source


def test_TIR_21_rows_whose_bounds_wrap_around() -> None:
    func = checked(SUMS)
    least, greatest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    for starts in (
        [greatest, least],
        [least, greatest],
        [0, greatest],
        [0, greatest, least, 0],
        [3, 3, 3],
        [3, 5],
    ):
        bounds = np.array(starts)
        assert_same_outcome(func, [bounds, np.ones(5), np.ones(len(bounds) - 1)])


def test_TIR_21_rows_keep_nan_and_infinities() -> None:
    for step in ("Y[r] += V[p];", "Y[r] = max(Y[r], V[p]);", "Y[r] = min(V[p], Y[r]);"):
        func = checked(SUMS.replace("Y[r] += V[p];", step))
        values = np.array([1.0, np.nan, 2.0, np.inf, np.inf, -np.inf, np.inf, -0.0])
        assert_same_outcome(func, [np.array([0, 1, 3, 3, 5, 7, 8]), values, np.zeros(6)])
