"""Sums over the part of an array that is there already, into another part of it: contractions. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

APART = {
    "rows below": """prim_func @f(A: Buffer[(n, n), float64], B: Buffer[(n, m), float64]) {
      for i, j in grid(n, m) {
        for k in i + 1..n { B[i, j] += A[k, i] * B[k, j]; }
      }
    }""",
    "elements before, subtracted": """prim_func @f(A: Buffer[(n, n), float64], B: Buffer[(n, m), float64]) {
      for i in 0..n {
        for j in 0..i { B[i, 0] -= A[i, j] * B[j, 0]; }
      }
    }""",
    "a row of the same matrix": """prim_func @f(A: Buffer[(n, n), float64], B: Buffer[(n, m), float64]) {
      for i in 0..n {
        for k in 0..i {
          for j in i..n { A[i, j] -= A[i, k] * A[k, j]; }
        }
      }
    }""",
}
MEETING = {
    "the element itself": APART["rows below"].replace("i + 1..n", "i..n"),
    "one of the elements before": APART["elements before, subtracted"].replace("0..i {", "0..i + 1 {"),
    "columns that overlap": APART["a row of the same matrix"].replace("in i..n", "in 0..n"),
}


def strategies(text: str) -> list[str]:
    return [remark.strategy for remark in compile_prim_func(checked(text)).remarks]


@pytest.mark.parametrize("name", APART)
def test_what_never_meets_is_a_contraction(name: str) -> None:
    assert "contraction" in strategies(APART[name])


@pytest.mark.parametrize("name", MEETING)
def test_what_may_meet_is_none(name: str) -> None:
    assert "contraction" not in strategies(MEETING[name])


@pytest.mark.parametrize("text", [*APART.values(), *MEETING.values()], ids=[*APART, *MEETING])
@pytest.mark.parametrize("sizes", [(0, 2), (1, 1), (2, 3), (5, 4), (7, 1)], ids=str)
def test_the_interpreter_says_the_same(text: str, sizes: tuple[int, int]) -> None:
    n, m = sizes
    numbers = np.random.default_rng(n)
    assert_same_outcome(checked(text), [numbers.random((n, n)), numbers.random((n, m))], ulps=64)
