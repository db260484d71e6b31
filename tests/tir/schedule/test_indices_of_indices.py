"""Indices that are kept inside, or wrap around, in the indices of what is read are slices too. [TIR.13, TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

PARAMS = (
    "X: Buffer[(n,), uint8], T: Buffer[(256,), int64], I: Buffer[(n,), int64], A: Buffer[(n,), float64],"
    " Y: Buffer[(n,), float64]"
)
LETTER = "cast(T[cast(X[{}], int64)], float64)"
BODIES = {
    "the one before": f"Y[i] = {LETTER.format('max(i - 1, 0)')};",
    "the one after": f"Y[i] = {LETTER.format('min(i + 1, n - 1)')};",
    "the next one around": f"Y[i] = {LETTER.format('(i + 1) % n')};",
    "both neighbours": f"Y[i] = {LETTER.format('max(i - 1, 0)')} - {LETTER.format('min(i + 1, n - 1)')};",
    "under a condition": f"Y[i] = if_then_else(i > 0, {LETTER.format('max(i - 1, 0)')}, -1.0);",
    "places that data choose": "Y[i] = A[I[min(i + 2, n - 1)]];",
    "places of places": "Y[i] = A[I[I[max(i - 1, 0)]]];",
    "an element, and its place": "Y[i] = A[I[max(i - 1, 0)]] + A[max(i - 1, 0)];",
    "a place and one beside it": "Y[i] = A[max(I[min(i + 1, n - 1)] - 1, 0)];",
    "a sum at such places": "Y[i] += A[I[min(i + 1, n - 1)]];",
    "elements of what is stored": "Y[i] = Y[I[max(i - 1, 0)]] + A[i];",
}


def arguments(n: int, *, outside: bool = False) -> list[object]:
    numbers = np.random.default_rng(n)
    places = numbers.integers(0, max(1, n), n)
    if outside and n:
        places[numbers.integers(0, n)] = numbers.choice([-1, n, 1 << 62])
    letters = numbers.integers(0, 256, n).astype(np.uint8)
    return [letters, numbers.integers(-5, 5, 256), places, numbers.random(n), numbers.random(n)]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_TIR_21_they_read_what_the_program_reads(body: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ for i in 0..n {{ {body} }} }}")
    for n in (0, 1, 2, 3, 9):
        assert_same_outcome(func, arguments(n))
        assert_same_outcome(func, arguments(n, outside=True))


@pytest.mark.parametrize("name", list(BODIES)[:7])
def test_TIR_21_they_are_no_lists_of_places(name: str) -> None:
    compiled = compile_prim_func(checked(f"prim_func @f({PARAMS}) {{ for i in 0..n {{ {BODIES[name]} }} }}"))
    assert compiled.vectorized
    assert "np.arange" not in compiled.source
