"""Rows of a matrix that data choose are combined as rows, and mean what the loops do. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

TEXT = """
prim_func @rows(S: Buffer[(n,), int64], X: Buffer[(n, m), {dtype}], Y: Buffer[(k, m), {dtype}]) {{
  for i, j in grid(n, m) {{
    Y[S[i], j] {combine} {value};
  }}
}}
"""


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("combine", ["+=", "-=", "*="])
@pytest.mark.parametrize("value", ["X[i, j]", "X[i, 0]", "X[0, j]", "3"])
@pytest.mark.parametrize(
    ("n", "m", "k"), [(5, 9, 4), (5, 3, 4), (90, 12, 7), (70, 12, 50), (6, 1, 1), (0, 9, 2)]
)
def test_TIR_21_chosen_rows_are_combined_in_order(
    dtype: str, combine: str, value: str, n: int, m: int, k: int
) -> None:
    func = checked(TEXT.format(dtype=dtype, combine=combine, value=value))
    draw = np.random.default_rng(n * m)
    x, y = [draw.integers(-9, 9, shape).astype(dtype) for shape in ((n, m), (k, m))]
    assert_same_outcome(func, [draw.integers(0, k, n), x, y])


@pytest.mark.parametrize("place", [-1, 4])
def test_TIR_21_a_chosen_row_outside_of_the_matrix_fails(place: int) -> None:
    func = checked(TEXT.format(dtype="int64", combine="+=", value="X[i, j]"))
    x, y = np.arange(45).reshape(5, 9), np.ones((4, 9), np.int64)
    assert_same_outcome(func, [np.array([3, 0, 1, place, 2]), x, y])


def test_TIR_21_whole_rows_are_not_listed_by_elements() -> None:
    func = checked(TEXT.format(dtype="float32", combine="+=", value="X[i, j]"))
    assert "combine_chosen_rows(Y, " in compile_prim_func(func).source
