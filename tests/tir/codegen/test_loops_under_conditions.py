"""Loops whose bounds are data are not looked at where the conditions around them do not hold. [TIR.9 TIR.21]"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.support import prim_func

PARAMS = "X: Buffer[(n,), int64], C: Buffer[(n,), int32], S: Buffer[(1,), int64]"
STEP = "S[0] = S[0] * 3 + j;"

BODIES = {
    "read": f"if C[i] > 0 {{ for j in 0..X[i] {{ {STEP} }} }}",
    "read before they change": f"if C[i] > 0 {{ for j in 0..X[i] {{ {STEP} X[i] = S[0] % 7; }} }}",
    "named": f"if C[i] > 0 {{ let v = X[i]; X[i] = 4; for j in 0..v {{ {STEP} X[i] = S[0] % 7; }} }}",
    "in an array of their own": "alloc T: Buffer[(1,), int64]; T[0] = X[i];"
    f" if C[i] > 0 {{ for j in 0..T[0] {{ {STEP} }} }}",
    "under a condition that steps change": "if C[i] > 0 {"
    f" for j in 0..X[i] {{ {STEP} C[i] = cast(S[0] % 2, int32); }} }}",
    "beside a condition that steps decide": "if C[i] > 0 { let v = X[i]; for j in 0..v {"
    " if j % 2 == i % 2 { if n > 2 { S[0] = S[0] * 3 + j; } } X[i] = S[0] % 7; } }",
    "in two conditions": f"if i < n - 1 {{ if C[i] > 0 {{ for j in -X[i]..X[i] {{ {STEP} }} }} }}",
}


def filled(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Return an array with what memory may hold that nothing was stored to."""
    return np.full(shape, 5_000, dtype)


def lines_of(run: Callable[..., object], *arrays: np.ndarray) -> int:
    """Return how many lines a call executes, in whatever file, after some that load modules and remember what fits."""
    for _ in range(3):
        run(*[array.copy() for array in arrays], allocate=filled)
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal counted
        counted += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run(*arrays, allocate=filled)
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("kind", BODIES)
def test_TIR_21_bounds_mean_nothing_where_a_condition_does_not_hold(kind: str) -> None:
    func = prim_func(f"prim_func @f({PARAMS}) {{ for i in 0..n {{ {BODIES[kind]} }} }}")
    arrays = np.array([3, 5_000, 2, 5_000]), np.array([1, 0, 1, 0], np.int32), np.array([1])
    expected = [array.copy() for array in arrays]
    interpreter.run(func, expected)
    compiled = compile_prim_func(func)
    assert compiled.vectorized
    assert lines_of(compiled.run, *arrays) < 4_000
    for mine, other in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_TIR_21_bounds_mean_nothing_where_what_is_in_a_loop_has_further_conditions_first():
    """Steps as wavefronts are under the bounds of their loops, and only then under the conditions of the program."""
    store = "Z[i, k] = Z[i, k]; Z[i, k // 2] = X[X[j % n, (k + 1) % n] % n, k];"
    loops = f"for j in 0..Z[i, (i + 1) % n] {{ for k, l in grid(n, 2) {{ {store} }} }}"
    params = "X: Buffer[(n, n), int64], Z: Buffer[(n, n), int64]"
    compiled = compile_prim_func(
        prim_func(f"prim_func @f({params}) {{ for i in 0..n {{ if !cast(n, bool) {{ {loops} }} }} }}")
    )
    assert "wave" in compiled.source
    x, z = np.full((4, 4), 5_000), np.full((4, 4), 5_000)
    assert lines_of(compiled.run, x, z) < 4_000
    np.testing.assert_array_equal(z, 5_000)
