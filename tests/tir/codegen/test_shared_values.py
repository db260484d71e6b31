"""Kernels share what takes more than one operation, and masks; conditions that are counted are counted. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.codegen.passes.values import value_numbering
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

WAVES = """
prim_func @waves(
  H: Buffer[(m,), float64], X: Buffer[(n,), float64], C: Buffer[(m,), float64], S: Buffer[(m,), float64]
) {
  for h, j in grid(m, n) {
    let phase: float64 = 6.25 * (H[h] * X[j]) + 1.0;
    C[h] += cos(phase);
    S[h] += sin(phase);
  }
}
"""


def test_TIR_21_what_two_kernels_need_is_computed_once() -> None:
    func = checked(WAVES)
    assert compile_prim_func(func).source.count("6.25") == 1
    h, x = np.arange(4.0), np.arange(5.0) / 3
    assert_same_outcome(func, [h, x, np.ones(4), np.zeros(4)], ulps=8)


def test_TIR_21_what_a_store_changes_between_two_kernels_is_computed_again() -> None:
    text = """
    prim_func @f(X: Buffer[(n,), float64], Y: Buffer[(n,), float64], Z: Buffer[(n,), float64]) {
      for i in 0..n { Y[i] = exp(X[i] * 2.0 + 1.0); }
      for i in 0..n { X[i] = Y[n - 1 - i]; }
      for i in 0..n { Z[i] = exp(X[i] * 2.0 + 1.0); }
      for i in 0..n { if X[i] > 3.0 { Y[i] = 0.0; } }
      for i in 0..n { if X[i] > 3.0 { X[i] = 1.0; } }
      for i in 0..n { if X[i] > 3.0 { Z[i] = 2.0; } }
    }
    """
    x = np.linspace(-1, 1, 7)
    assert_same_outcome(checked(text), [x, np.zeros(7), np.zeros(7)], ulps=4)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint32", "float32", "float64", "int8", "float16"])
@pytest.mark.parametrize("number", ["1", "2"])
def test_TIR_21_conditions_that_are_counted(dtype: str, number: str) -> None:
    number = f"{number}.0" if dtype.startswith("float") else number
    text = f"""
    prim_func @f(X: Buffer[(n, m), int64], L: Buffer[(2,), int64], S: Buffer[(2,), {dtype}]) {{
      for i, j in grid(n, m) {{
        if X[i, j] >= L[0] && X[i, j] < L[1] {{ S[0] += {number}; }}
      }}
      for i, j in grid(n, m) {{ S[1] += cast(X[i, j] == L[0], {dtype}); }}
    }}
    """
    func = checked(text)
    counts = (number.startswith("1") + 1) * (dtype not in ("int8", "float16"))
    assert compile_prim_func(func).source.count("np.count_nonzero(") == counts
    rng = np.random.default_rng(0)
    for shape in ((5, 4), (1, 1), (0, 3), (40, 20)):
        x = rng.integers(0, 5, shape)
        assert_same_outcome(func, [x, np.array([1, 3]), np.array([3, 4]).astype(dtype)])


def test_TIR_21_a_count_is_of_all_steps_though_its_condition_has_fewer() -> None:
    text = """
    prim_func @f(X: Buffer[(n,), int64], S: Buffer[(1,), int64]) {
      for i, j in grid(n, 6) { if X[i] > 2 { S[0] += 1; } }
    }
    """
    assert_same_outcome(checked(text), [np.arange(5), np.zeros(1, np.int64)])


COSINES = """
prim_func @cosines(A: Buffer[(n, d), float32], B: Buffer[(m, d), float32], Y: Buffer[(n, m, 3), float32]) {
  for i, j in grid(n, m) {
    for k in 0..3 { Y[i, j, k] = 0.5; }
    for k in 0..d {
      Y[i, j, 0] += A[i, k] * A[i, k];
      Y[i, j, 1] -= B[j, k] * 2.0 + 1.0;
    }
    for k in 0..d {
      if A[i, k] > 0.25 { Y[i, j, 2] = max(Y[i, j, 2], A[i, k]); }
    }
  }
}
"""


@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 4, 5), (3, 1, 1), (2, 3, 0), (0, 2, 3)])
def test_TIR_21_a_reduction_is_taken_once_for_the_loops_that_it_does_not_vary_over(
    shape: tuple[int, int, int],
) -> None:
    n, m, d = shape
    func = checked(COSINES)
    assert "np.broadcast_to(" not in compile_prim_func(func).source
    rng = np.random.default_rng(1)
    a, b = rng.integers(-4, 5, (n, d)) / np.float32(4), rng.integers(-4, 5, (m, d)) / np.float32(4)
    assert_same_outcome(func, [a.astype(np.float32), b.astype(np.float32), np.zeros((n, m, 3), np.float32)])


def test_chains_of_values_that_come_twice_are_numbered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value of the chain is computed of two names of the one before: of one value."""
    rounds: list[int] = []
    run = value_numbering._Numbering.run
    monkeypatch.setattr(
        value_numbering._Numbering, "run", lambda self, body: (rounds.append(len(body)), run(self, body))[1]
    )
    for count in (4, 12):
        lets = " ".join([f"let v{at} = v{at - 1} * 3 % n + v{at - 1};" for at in range(1, count)])
        steps = f"let v0 = i; {lets} Y[i] = X[v{count - 1} % n];"
        params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
        func = checked(f"prim_func @chain{count}({params}) {{ for i in 0..n {{ {steps} }} }}")
        rounds.clear()
        x, y = np.arange(7, dtype=np.float32), np.zeros(7, np.float32)
        assert_same_outcome(func, [x, y])
        assert 0 < len(rounds) <= 2
