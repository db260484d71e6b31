"""Calls like ones that passed all checks before run without these, and mean the same. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.calls import repeated as repeated_module
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.tir.support import REPEATED, assert_same_outcome, checked, outcome

SHIFT = """
prim_func @shift(X: Buffer[(n,), float64], k: int64, f: float64, Y: Buffer[(n,), float64]) {
  for i in 0..n - k {
    Y[i] = X[i + k] * f;
  }
}
"""
PICK = """
prim_func @pick(A: Buffer[(n,), int64], X: Buffer[(m,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = 0.0;
    Y[i] = X[A[i]];
  }
}
"""


def repeated(text: str, args: list) -> object:
    """Return a compiled prim_func that has been called until its calls are repeated ones."""
    func = checked(text)
    compiled = compile_prim_func(func)
    for _ in range(REPEATED - 1):
        compiled.run(*[value.copy() if isinstance(value, np.ndarray) else value for value in args])

    def no_checks(*_values: object) -> None:
        raise AssertionError("a repeated call has all checks again")

    compiled._function, checked_form = no_checks, compiled._function
    found = outcome(compiled.run, args)
    compiled._function = checked_form
    assert found[0] == ""
    for have, want in zip(
        found[1], outcome(lambda *values: interpreter.run(func, values), args)[1], strict=True
    ):
        np.testing.assert_array_equal(have, want)
    return compiled


def same(compiled, args: list) -> str:
    """Compare one more call with the interpreter; return its failure."""
    wanted = outcome(lambda *values: interpreter.run(compiled.func, values), args)
    for _ in range(REPEATED):
        found = outcome(compiled.run, args)
        assert found[0] == wanted[0]
        for have, want in zip(found[1], wanted[1], strict=True):
            np.testing.assert_array_equal(have, want)
    return wanted[0]


def test_TIR_21_repeated_calls_compare_memory_each_time():
    x, y = np.arange(5.0), np.zeros(5)
    compiled = repeated(SHIFT, [x, 1, 2.0, y])
    whole = np.arange(9.0)
    assert not same(compiled, [x, 1, 2.0, x])
    assert not same(compiled, [whole[1:6], 1, 2.0, whole[:5]])
    assert not same(compiled, [whole[:5], 1, 2.0, whole[1:6]])
    assert not same(compiled, [whole[::-2], 1, 2.0, whole[::2]])
    assert not same(compiled, [whole[:5][::-1], 1, 2.0, y])


def test_TIR_21_repeated_calls_do_not_store_where_nothing_may_be_stored():
    x, y = np.arange(5.0), np.zeros(5)
    compiled = repeated(SHIFT, [x, 1, 2.0, y])
    y.flags.writeable = False
    for _ in range(REPEATED):
        with pytest.raises((RunFailure, ValueError, TypeError)):
            compiled.run(x, 1, 2.0, y)
    assert not y.any()


def test_TIR_21_arrays_that_are_stored_to_where_nothing_runs_must_be_writable():
    """What can be written is asked of a call before it begins: it does not depend on which stores are reached."""
    text = """
prim_func @f(X: Buffer[(n,), float64], Y: Buffer[(n,), float64], Z: Buffer[(n,), float64]) {
  for i in 0..n {
    if i > n - 1 { Y[i] = X[i]; }
    Z[i] = X[i];
  }
}
"""
    x, y, z = np.arange(5.0), np.zeros(5), np.zeros(5)
    compiled = repeated(text, [x, y, z])
    y.flags.writeable = False
    for run in (compiled.run, lambda *values: interpreter.run(compiled.func, values)):
        for _ in range(REPEATED):
            with pytest.raises(
                RunFailure, match="parameter `Y` of @f: expected an array that can be written"
            ):
                run(x, y, z)
    assert not z.any()
    compiled.run(x, np.zeros(5), z)
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("k", [0, 1, 2, 4, 5, True, np.int64(3), -1, 6])
def test_TIR_21_numbers_that_decide_a_call_are_part_of_what_is_remembered(k):
    compiled = repeated(SHIFT, [np.arange(5.0), 1, 2.0, np.zeros(5)])
    for f in (2.0, -1.5, 3, np.float64(0.5), float("nan")):
        same(compiled, [np.arange(5.0), k, f, np.zeros(5)])


def test_TIR_21_repeated_calls_find_what_data_decide():
    x, y = np.arange(4, dtype=np.float32), np.full(3, 9, np.float32)
    compiled = repeated(PICK, [np.array([3, 0, 1]), x, y])
    assert "tir-runtime-bounds" in same(compiled, [np.array([3, 4, 1]), x, y])
    assert "tir-runtime-bounds" in same(compiled, [np.array([3, -1, 1]), x, y])
    assert not same(compiled, [np.array([0, 0, 0]), x, y])
    assert not same(compiled, [np.zeros(0, np.int64), x, np.zeros(0, np.float32)])
    assert not same(compiled, [np.zeros(2, np.int64), x, x[1:3]])


def test_TIR_21_other_shapes_and_dtypes_have_all_checks():
    compiled = repeated(SHIFT, [np.arange(5.0), 1, 2.0, np.zeros(5)])
    for args in (
        [np.arange(5.0), 1, 2.0, np.zeros(4)],
        [np.arange(5, dtype=np.float32), 1, 2.0, np.zeros(5)],
        [np.arange(4.0).reshape(2, 2), 1, 2.0, np.zeros((2, 2))],
        [[1.0, 2.0, 3.0, 4.0, 5.0], 1, 2.0, np.zeros(5)],
        [np.arange(5.0), 1, 2.0],
    ):
        for _ in range(REPEATED):
            with pytest.raises(RunFailure):
                compiled.run(*args)
    assert not same(compiled, [np.arange(9.0), 1, 2.0, np.zeros(9)])


def test_TIR_21_a_name_of_the_program_may_be_any():
    text = """
    prim_func @again(run: Buffer[(known,), float64], remember: float64, flags: Buffer[(known,), float64]) {
      for empty in 0..known {
        flags[empty] = run[empty] + remember;
      }
    }
    """
    repeated(text, [np.arange(3.0), 1.5, np.zeros(3)])


def test_TIR_21_many_combinations_are_not_all_kept():
    func = checked(SHIFT)
    for n in range(300):
        assert_same_outcome(func, [np.arange(float(n)), min(n, 1), 2.0, np.zeros(n)])
    known = compile_prim_func(func)._repeated._known
    assert 0 < len(known) <= 256


TRIANGLES = """
prim_func @triangles(X: Buffer[(n, n), float64], Y: Buffer[(n, n), float64]) {
  for i in 0..n {
    for j in 0..i + 1 {
      Y[i, j] = X[i, j] * 2.0;
    }
  }
  for i in 0..n {
    for j in 0..i + 1 {
      Y[j, i] += Y[i, j];
    }
  }
  for i in 0..n {
    for j in 0..i + 1 {
      Y[i, j] = Y[i, j] / cast(n, float64);
    }
  }
}
"""


def tables(compiled) -> list[np.ndarray]:
    """Return the arrays that sizes decide, of all combinations that are remembered."""
    return [
        value
        for values in compiled._repeated._known.values()
        for value in values
        if isinstance(value, np.ndarray)
    ]


def test_TIR_21_what_sizes_decide_is_computed_once_for_a_combination():
    compiled = repeated(TRIANGLES, [np.arange(36.0).reshape(6, 6), np.ones((6, 6))])
    found = [(id(table), table.copy()) for table in tables(compiled)]
    assert [(table.dtype.kind, table.shape) for _, table in found if table.ndim == 2] == [("b", (6, 6))] * 2
    for start in range(5):
        assert not same(compiled, [np.full((6, 6), start / 3), np.arange(36.0).reshape(6, 6)])
    for (key, before), after in zip(found, tables(compiled), strict=True):
        assert key == id(after)
        np.testing.assert_array_equal(before, after)
    for n in (0, 1, 3):
        assert not same(compiled, [np.full((n, n), 2.5), np.ones((n, n))])
    assert not same(compiled, [np.full((6, 6), np.nan), np.full((6, 6), np.inf)])


def test_TIR_21_large_arrays_that_sizes_decide_are_not_kept():
    text = """
    prim_func @pairs(X: Buffer[(n,), float64], Y: Buffer[(n,), float64]) {
      for i, j in grid(n, n) {
        Y[i] = max(Y[i], X[(i * j) % n]);
      }
    }
    """
    compiled = compile_prim_func(checked(text))
    for n, kept in ((600, False), (20, True)):
        args = [np.arange(float(n)) % 7, np.zeros(n)]
        for _ in range(REPEATED):
            compiled.run(*args)
        assert bool(compiled._repeated._known) == kept
        np.testing.assert_array_equal(args[1], [max(args[0][i * np.arange(n) % n]) for i in range(n)])


def test_TIR_21_what_sizes_decide_is_not_computed_where_no_call_would():
    text = """
    prim_func @wheel(X: Buffer[(n,), int64], k: int64, Y: Buffer[(m,), int64]) {
      for i in 0..m {
        Y[i] = -1;
      }
      if k > 0 {
        for i in 0..m {
          Y[i] = X[(i * 3) % n] + i / k + i % k;
        }
      }
    }
    """
    compiled = repeated(text, [np.arange(5), 2, np.zeros(7, np.int64)])
    for n, k, m in ((5, 0, 7), (0, 0, 7), (0, -1, 7), (0, 2, 0), (3, 1, 1), (5, 2, 7)):
        assert not same(compiled, [np.arange(n), k, np.zeros(m, np.int64)])
    assert same(compiled, [np.arange(0), 2, np.zeros(7, np.int64)])


def test_TIR_21_repeated_calls_neither_warn_nor_change_what_callers_are_warned_of():
    arithmetic = """
    prim_func @mix(X: Buffer[(n,), int32], k: int64, Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = X[i] * 65537 + (X[i] << 3) + X[i] / 2 + X[i] % 7 + Y[i];
      }
    }
    """
    divided = """
    prim_func @mix(X: Buffer[(n,), int32], k: int64, Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = X[i] / cast(k, int32) + X[i] % cast(k, int32);
      }
    }
    """
    rounded = """
    prim_func @mix(X: Buffer[(n,), int32], k: int64, Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = cast(exp(cast(X[i], float32)), int32);
      }
    }
    """
    x = np.array([-(1 << 31), (1 << 31) - 1, 0, 5, -7], np.int32)
    with np.errstate(all="raise"):
        compiled = [repeated(text, [x % 50, 3, x]) for text in (arithmetic, divided, rounded)]
        assert not same(compiled[0], [x, 3, x.copy()])
        for k in (3, -1):
            assert not same(compiled[1], [x, k, x.copy()])
        compiled[2].run(x, 1, x.copy())
    assert [one._repeated.raises_flags for one in compiled] == [False, True, True]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", ["0.1", "-0.0", "inf", "1e300", "nan"])
def test_TIR_21_floats_beside_arrays_are_made_once(dtype: str, number: str):
    if (dtype, number) == ("float32", "1e300"):
        number = "3e38"
    text = f"""
    prim_func @mix(X: Buffer[(n,), {dtype}], Y: Buffer[(n,), {dtype}], B: Buffer[(n,), bool]) {{
      for i in 0..n {{
        Y[i] = max(X[i] * {number} + {number}, X[i] / {number});
        B[i] = X[i] < {number};
      }}
    }}
    """
    x = np.array([1.0, -0.0, 0.1, np.inf, np.nan, -3e38], dtype)
    compiled = repeated(text, [x, np.zeros_like(x), np.zeros(6, np.bool_)])
    for values in (x, -x, x[::-1].copy(), x[:2].copy(), x[:0].copy()):
        same(compiled, [values, np.zeros_like(values), np.zeros(values.size, np.bool_)])
    made = [table for table in tables(compiled) if not table.ndim]
    assert made
    assert {table.dtype for table in made} == {np.dtype(dtype)}


def test_TIR_21_the_oldest_combination_goes_first(monkeypatch):
    monkeypatch.setattr(repeated_module, "_MOST", 3)
    compiled = compile_prim_func(checked(SHIFT.replace("* f", "* f + 7.0")))  # no other test calls it
    for size in (4, 4, 5, 6, 7, 8):
        compiled.run(np.ones(size), 1, 2.0, np.ones(size))
    assert len(compiled._repeated._known) == 3
    ran = [compiled._repeated.ran((np.ones(size), 1, 2.0, np.ones(size)), {}) for size in (4, 5, 6, 7, 8)]
    assert ran == [False, False, True, True, True]
