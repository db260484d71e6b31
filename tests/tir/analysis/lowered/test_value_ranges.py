"""Bounds of integers hold all values that the interpreter computes, and spare tests of indices. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

INSIDE = [
    ("uint8", "cast(X[i], int64)", 256),
    ("uint8", "cast(X[i] & 15, int64)", 16),
    ("uint8", "cast(X[i] >> 4, int64)", 16),
    ("uint8", "cast(X[i] % 7, int64)", 7),
    ("int64", "X[i] % 7", 7),
    ("int64", "X[i] & 31", 32),
    ("int64", "min(max(X[i], 2), 5)", 6),
    ("int64", "max(min(X[i], 5), 0)", 6),
    ("int8", "cast(X[i], int64) + 128", 256),
    ("int8", "(cast(X[i], int64) + 128) // 16", 16),
    ("int8", "127 - cast(X[i], int64)", 256),
    ("bool", "cast(X[i], int64)", 2),
    ("bool", "3 * cast(X[i], int64) + 1", 5),
    ("int64", "if_then_else(X[i] > 3, 1, 4)", 5),
    ("uint8", "cast(X[i] | 8, int64)", 256),
    ("uint8", "cast((X[i] & 3) ^ (X[n - 1 - i] & 4), int64)", 8),
    ("int8", "cast(X[i], int64) * cast(X[i], int64)", 128 * 128 + 1),
    ("int32", "cast(X[i] % 5, int64) * 2 + cast(X[i] & 1, int64)", 10),
]
OUTSIDE = [
    ("uint8", "cast(X[i], int64)", 255),
    ("int8", "cast(X[i], int64)", 256),
    ("int64", "X[i] % 7", 6),
    ("int64", "X[i] % -7", 7),
    ("int64", "X[i] & -2", 1 << 20),
    ("int64", "min(X[i], 5)", 6),
    ("int64", "X[i] * 2", 9),
    ("int8", "cast(X[i], int64) * cast(X[i], int64)", 128 * 128),
    ("int8", "cast(X[i], int64) * cast(X[n - 1 - i], int64)", 128 * 128 + 1),
    ("uint8", "cast(X[i] + 1, int64)", 255),
    ("int8", "cast(X[i] * 2, int64) + 127", 255),
    ("int64", "cast(cast(X[i], float64), int64) % 9", 8),
]


def numbers(dtype: str) -> np.ndarray:
    """Return numbers of a dtype, its extremes among them."""
    if dtype == "bool":
        return np.array([True, False, False, True])
    limits = np.iinfo(dtype)
    return np.array([limits.min, limits.max, 0, 1, 3, 6, 100, limits.max - 1, limits.min + 1], dtype)


def text_of(dtype: str, index: str, size: int) -> str:
    return f"""
    prim_func @f(X: Buffer[(n,), {dtype}], T: Buffer[({size},), int32], Y: Buffer[(n,), int32]) {{
      for i in 0..n {{ Y[i] = T[{index}]; }}
    }}
    """


@pytest.mark.parametrize(("dtype", "index", "size"), INSIDE)
def test_TIR_21_indices_that_cannot_be_outside_are_not_tested(dtype: str, index: str, size: int) -> None:
    func = checked(text_of(dtype, index, size))
    assert "inside(" not in compile_prim_func(func).source
    x = numbers(dtype)
    assert_same_outcome(func, [x, np.arange(size, dtype=np.int32), np.zeros(x.size, np.int32)])


@pytest.mark.parametrize(("dtype", "index", "size"), OUTSIDE)
def test_TIR_21_indices_that_may_be_outside_are_tested(dtype: str, index: str, size: int) -> None:
    func = checked(text_of(dtype, index, size))
    assert "inside(" in compile_prim_func(func).source
    x = numbers(dtype)
    table = np.arange(size, dtype=np.int32)
    for values in (x, x[:1].copy(), x[2:5].copy()):
        assert_same_outcome(func, [values, table, np.zeros(values.size, np.int32)])
