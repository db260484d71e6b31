"""Copies within one array: NumPy copies views of one dimension in an order that is right for equal strides only."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.support import REPEATED, prim_func


@pytest.mark.parametrize(
    "statement",
    [
        "if i <= k { A[i, j] = A[j, k]; }",  # a column in a row
        "if i <= k { A[j, k] = A[i, j]; }",
        "if i <= k && C[j] { A[i, j] = A[j, k]; }",  # under a condition on data
        "if i < k { A[i, j] = A[j, j]; }",  # a diagonal
        "if j < k { A[i, j] = A[i, j + 1]; }",  # equal strides
        "if i < k { A[i, j] = B[j, k]; }",  # two parameters that may be one array
    ],
)
@pytest.mark.parametrize("is_one", [False, True])
def test_TIR_21_views_of_one_array_are_copied_as_if_all_were_read_first(statement: str, is_one: bool) -> None:
    params = "A: Buffer[(n, n), int64], B: Buffer[(n, n), int64], C: Buffer[(n,), bool]"
    func = prim_func(
        f"prim_func @f({params}) {{ for k in 0..n {{ for i in 0..n {{ for j in 0..n {{ {statement} }} }} }} }}"
    )
    compiled = compile_prim_func(func)
    for size in range(6):
        for _ in range(REPEATED):
            found, wanted = (np.arange(size * size).reshape(size, size) for _ in range(2))
            chosen = np.arange(size) % 3 != 1
            interpreter.run(func, [wanted, wanted if is_one else wanted.copy(), chosen])
            compiled.run(found, found if is_one else found.copy(), chosen, sequential="numpy")
            np.testing.assert_array_equal(found, wanted)
