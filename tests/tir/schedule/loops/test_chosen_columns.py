"""Columns in an order that is not a slice, chosen by the last loop alone: one gather, no loop over columns. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

COLUMNS = """
prim_func @columns(X: Buffer[(n, 16), DTYPE], W: Buffer[(16,), DTYPE], Y: Buffer[(n, 16), DTYPE]) {
  for i, j in grid(n, 16) {
    BODY
  }
}
"""


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
@pytest.mark.parametrize(
    "body",
    [
        "Y[i, j] = X[i, (j * 5) % 16];",
        "Y[i, j] = X[i, j ^ 3] + W[j];",
        "Y[i, j] = X[i, (j * 3) % 16] - X[i, j // 2];",
        "Y[i, j] = X[i, (j * 7) % 20];",
        "Y[i, j] += X[i, (j + 5) % 16] * W[(j * 5) % 16];",
        "Y[i, j] = Y[i, (j * 5) % 16];",
        "if W[j] > 1 { Y[i, j] = X[i, j * j % 16]; }",
        "Y[i, (j * 5) % 16] = X[i, j];",
        "Y[j % 4, j] = X[i, (j * 5) % 16];",
    ],
)
def test_TIR_21_columns_that_the_last_loop_chooses(dtype: str, body: str) -> None:
    func = checked(COLUMNS.replace("DTYPE", dtype).replace("BODY", body))
    rng = np.random.default_rng(21)
    for n in (0, 1, 3, 70):
        x, w, y = (rng.integers(0, 5, size).astype(dtype) for size in ((n, 16), 16, (n, 16)))
        assert_same_outcome(func, [x, w, y])
        assert_same_outcome(func, [y, w, y])
        assert_same_outcome(func, [x[:, ::-1], w, np.asfortranarray(y)])


def test_TIR_21_chosen_columns_are_one_gather() -> None:
    text = COLUMNS.replace("DTYPE", "uint8").replace("BODY", "Y[i, j] = X[i, (j * 5) % 16];")
    assert [remark.strategy for remark in compile_prim_func(checked(text)).remarks] == ["gather"]


def test_TIR_21_few_columns_and_rows_that_data_choose_are_a_step_for_each_column() -> None:
    text = COLUMNS.replace("DTYPE", "float32")
    few = text.replace("16", "3").replace("BODY", "Y[i, j] = X[i, (j + 1) % 3];")
    rows = text.replace("W: Buffer[(16,), float32]", "W: Buffer[(n,), int64]")
    rows = rows.replace("BODY", "Y[i, j] = X[W[i], (j * 5) % 16];")
    for one in (few, rows):
        assert "loop" in [remark.strategy for remark in compile_prim_func(checked(one)).remarks]
