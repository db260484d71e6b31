"""Lines across arrays are slices of the elements in row-major order; layouts make no difference. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

WAVES = {
    "edit distance": """
      for i, j in grid(n - 1, m - 1) {
        L[i + 1, j + 1] = min(min(L[i, j + 1], L[i + 1, j]) + 1, L[i, j] + if_then_else(A[i] == B[j], 0, 1));
      }""",
    "in place": """
      for i in 1..n - 1 { for j in 1..m - 1 {
        L[i, j] = (L[i - 1, j] ^ L[i, j - 1]) + (L[i + 1, j] & L[i, j + 1]) - L[i - 1, j + 1];
      } }""",
    "twice as far": """
      for i in 2..n { for j in 1..m { L[i, j] = max(L[i - 2, j] + A[i], L[i, j - 1] - B[j]); } }""",
    "from the end": """
      for i in 0..n - 1 { for j in 0..m - 1 {
        L[n - 2 - i, m - 2 - j] = min(L[n - 1 - i, m - 2 - j] + A[i], L[n - 2 - i, m - 1 - j] * 3);
      } }""",
    "several times": """
      for t in 0..3 { for i in 1..n { for j in 1..m { L[i, j] = L[i - 1, j] - L[i, j - 1] + t; } } }""",
    "two arrays": """
      for i in 1..n { for j in 1..m {
        L[i, j] = max(L[i - 1, j], K[i, j - 1]) + 1;
        K[i, j] = min(K[i - 1, j], L[i, j - 1]) - 2;
      } }""",
    "of another array": """
      for i in 1..n { for j in 1..m { L[i, j] = max(L[i - 1, j], L[i, j - 1]) + K[i, j] * K[i - 1, j - 1]; } }""",
    "an index that may be outside": """
      for i in 1..n { for j in 1..m { L[i, j] = max(L[i - 1, j], L[i, j - 1]) + A[K[i, j]]; } }""",
}
PARAMS = "A: Buffer[(n,), int64], B: Buffer[(m,), int64], K: Buffer[(n, m), int64], L: Buffer[(n, m), int64]"
LAYOUTS = {
    "in order": lambda x: x,
    "by columns": lambda x: x.copy("F"),
    "backward": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "apart": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "in a larger one": lambda x: np.pad(x, 2)[2:-2, 2:-2],
}


def wave(name: str) -> str:
    """Return the text of a PrimFunc that goes along diagonals."""
    return f"prim_func @f({PARAMS}) {{ {WAVES[name]} }}"


@pytest.mark.parametrize("name", WAVES)
def test_TIR_21_lines_across_arrays_are_slices(name: str) -> None:
    source = compile_prim_func(prim_func(wave(name))).source
    assert "[diagonal]" in source
    assert "affine_view(" not in source


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", WAVES)
def test_TIR_21_lines_across_arrays_in_all_layouts(name: str, layout: str) -> None:
    func, change = prim_func(wave(name)), LAYOUTS[layout]
    generator = np.random.default_rng(5)
    for n, m in ((0, 3), (3, 0), (1, 1), (1, 4), (4, 1), (2, 2), (2, 5), (5, 2), (7, 6)):
        table, other = generator.integers(-9, 9, (2, n, m))
        if "outside" in name:
            other %= n + (layout == "apart")
        args: list[object] = [
            generator.integers(0, 3, n),
            generator.integers(0, 3, m),
            change(other),
            change(table),
        ]
        assert_same_outcome(func, args)


def test_TIR_21_what_was_stored_is_undone_in_a_copy_too() -> None:
    """Where an index is outside the interpreter starts from the arrays as they were, and stores until it fails."""
    table = np.arange(12).reshape(4, 3).copy("F")
    others = np.zeros((4, 3), np.int64)
    others[2, 2] = 9
    func = prim_func(wave("an index that may be outside"))
    assert_same_outcome(func, [np.arange(4), np.arange(3), others, table])


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_TIR_21_lines_across_three_dimensions(rows: int) -> None:
    func = prim_func(
        "prim_func @f(L: Buffer[(p, n, m), float64], p_: int64) { for k in 0..p { for i in 1..n { for j in 1..m {"
        " L[k, i, j] = L[k, i - 1, j] * 0.5 + L[k, i, j - 1]; } } } }"
    )
    values = np.random.default_rng(1).normal(size=(rows, 6, 5))
    for array in (values, np.moveaxis(values, 0, 2).copy().transpose(2, 0, 1)):
        assert_same_outcome(func, [array, 1], 4)
