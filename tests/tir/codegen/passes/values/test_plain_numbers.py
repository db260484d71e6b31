"""Bounds that data choose are computed as plain numbers: the values and failures of the interpreter. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
HEAD = "C: Buffer[(k,), int64], X: Buffer[(n,), int64], Y: Buffer[(n,), int64]"
BOUNDED = {
    "below": "for c in 0..k { for w in C[c]..n { Y[w] += X[w - C[c]]; } }",
    "above": "for c in 0..k { for w in 0..min(C[c], n) { Y[w] += X[w] * c; } }",
    "condition": "for c in 0..k { for w in 0..n { if C[c] <= w { Y[w] = max(Y[w], X[w - C[c]] + c); } } }",
    "both": "for c in 0..k { for w in max(C[c] - 2, 0)..min(C[c] + 3, n) { Y[w] += X[w] + c; } }",
    "of two": "for c in 1..k { for w in max(C[c - 1], 0)..min(C[c], n) { Y[w] += X[w] + c; } }",
    "before": "for c in 0..k { for w in C[c]..n { Y[w] += Y[w - C[c]]; } }",
}


KNAPSACK = """
prim_func @f(V: Buffer[(n,), int64], W: Buffer[(n,), int64], B: Buffer[(n + 1, c), int64]) {
  for i in 0..n { for w in 0..c {
    B[i + 1, w] = B[i, w];
    if W[i] <= w { B[i + 1, w] = max(B[i, w], B[i, w - W[i]] + V[i]); }
  } }
}
"""


@pytest.mark.parametrize(
    ("text", "tests"), [(f"prim_func @f({HEAD}) {{ {BOUNDED['before']} }}", 2), (KNAPSACK, 0)]
)
def test_TIR_21_bounds_are_plain_numbers(text: str, tests: int) -> None:
    source = compile_prim_func(prim_func(text)).source
    assert "= max(0, " in source
    assert "int(maximum(" not in source
    assert source.count("<= 9223372036854775807") == tests  # none of what is known to fit


@pytest.mark.parametrize("first", [LEAST, -1, 0, 1, 5, 6, GREATEST])
def test_TIR_21_differences_at_the_ends_of_int64(first: int) -> None:
    weights, values = np.array([2, first, 1]), np.array([5, GREATEST, LEAST])
    assert_same_outcome(prim_func(KNAPSACK), [values, weights, np.arange(24).reshape(4, 6)])


@pytest.mark.parametrize("name", BOUNDED)
def test_TIR_21_bounds_at_the_ends_of_int64(name: str) -> None:
    func = prim_func(f"prim_func @f({HEAD}) {{ {BOUNDED[name]} }}")
    ends = [LEAST, LEAST + 1, LEAST + 3, -3, -1, 0, 1, 2, 4, 6, 7, GREATEST - 3, GREATEST - 1, GREATEST]
    x = np.arange(6)
    for first in ends:
        for second in (0, 2, first, *ends[-2:]):
            assert_same_outcome(func, [np.array([first, second]), x, x * 10])
