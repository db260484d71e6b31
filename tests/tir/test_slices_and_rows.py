"""Slices instead of gathers, rows instead of pairs: bounds that data choose, clamped indices, copied borders, scattered
rows. Each form is the interpreter's, on every size and dtype at hand. [TIR.21]
"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

BOUNDED = """
prim_func @fill(W: Buffer[(n,), int64], X: Buffer[(n, c), DTYPE], Y: Buffer[(n, c), DTYPE]) {
  for i in 0..n {
    for w in 0..c {
      if CONDITION {
        Y[i, w] = X[i, INDEX] + X[i, w];
      }
    }
  }
}
"""


@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8"])
@pytest.mark.parametrize(
    ("condition", "index"),
    [
        ("W[i] <= w", "w - W[i]"),
        ("w >= W[i] && w < W[i] + 3", "w - W[i]"),
        ("w < W[i]", "W[i] - 1 - w"),
        ("i > 0 && W[i - 1] <= w", "w - W[i - 1]"),
        ("w > W[i] * 2", "w"),
    ],
)
def test_TIR_21_data_choose_where_a_slice_begins(dtype, condition, index):
    func = checked(BOUNDED.replace("DTYPE", dtype).replace("CONDITION", condition).replace("INDEX", index))
    rng = np.random.default_rng(8)
    for n, c in ((0, 3), (3, 0), (1, 1), (4, 7), (5, 2)):
        x, y = (rng.integers(0, 9, (n, c)).astype(dtype) for _ in range(2))
        for low in (-2, 0):  # a negative bound leads outside, which fails as in the interpreter
            assert_same_outcome(func, [rng.integers(low, c + 3, n), x, y])
        assert_same_outcome(func, [rng.integers(0, c + 1, n), x, x])


def test_TIR_21_bounds_that_the_store_itself_changes_are_not_slices():
    func = checked(
        """
        prim_func @chase(W: Buffer[(c,), int64]) {
          for w in 0..c {
            if W[0] <= w {
              W[w] = W[w] - 1;
            }
          }
        }
        """
    )
    for first in (0, 1, 2, 9):
        assert_same_outcome(func, [np.array([first, 5, 5, 5])])


CLAMPED = """
prim_func @border(X: Buffer[(n, m), DTYPE], V: Buffer[(n, m), float32], Y: Buffer[(n, m), DTYPE]) {
  for i, j in grid(n, m) {
    BODY
  }
}
"""


@pytest.mark.parametrize("dtype", ["float64", "uint8"])
@pytest.mark.parametrize(
    "body",
    [
        "Y[i, j] = X[max(i - 1, 0), j];",
        "Y[i, j] = X[i, min(2 + j, m - 1)] + X[i, j];",
        "Y[i, j] = X[max(0, i - 2), min(j + 1, m - 1)];",
        "Y[i, j] = X[n - 1 - max(i - 1, 0), j];",
        "if V[i, j] > 0.5 { Y[i, j] = X[i, max(j - 1, 0)]; } else { Y[i, j] = X[i, min(j + 1, m - 1)]; }",
        "Y[i, j] = X[min(max(i + 1, 0), n - 1), j] + X[min(max(i - 1, 0), n - 1), j];",
        "Y[i, j] = X[min(max(i - 3, 0), n - 1), min(max(j + 2, 0), m - 1)];",
        "Y[i, j] = Y[max(i - 1, 0), j] + X[i, j];",
        "Y[i, j] = Y[min(i + 1, n - 1), j] + X[i, j];",
    ],
)
def test_TIR_21_clamped_indices_are_slices(dtype, body):
    func = checked(CLAMPED.replace("DTYPE", dtype).replace("BODY", body))
    rng = np.random.default_rng(9)
    for n, m in ((0, 2), (2, 0), (1, 1), (1, 4), (2, 2), (3, 1), (5, 6)):
        x, y = (rng.integers(0, 99, (n, m)).astype(dtype) for _ in range(2))
        v = rng.random((n, m)).astype(np.float32)
        assert_same_outcome(func, [x, v, y])
        assert_same_outcome(func, [y, v, y])
        assert_same_outcome(func, [x.T.copy().T, v, y[:, ::-1]])


def test_TIR_21_a_clamped_index_is_read_as_slices():
    source = compile_prim_func(
        checked(CLAMPED.replace("DTYPE", "float64").replace("BODY", "Y[i, j] = X[max(i - 1, 0), j];"))
    ).source
    assert "np.take" not in source
    assert "= X[:size]" in source


WINDOW = """
prim_func @least(X: Buffer[(n, m), DTYPE], Y: Buffer[(n, m), DTYPE]) {
  for i, j in grid(n, m) {
    Y[i, j] = 100;
    for a, b in grid(3, 5) {
      Y[i, j] = min(Y[i, j], X[ROW, COLUMN]);
    }
  }
}
"""


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("min(max(i + a - 1, 0), n - 1)", "min(max(j + b - 2, 0), m - 1)"),
        ("max(min(i + a - 1, n - 1), 0)", "min(j + b, m - 1)"),
        ("max(i + a - 2, 0)", "min(max(j - b + 2, 0), m - 1)"),
        ("min(max(i + a - 5, 0), n - 1)", "min(max(j + b + 3, 0), m - 1)"),
    ],
)
def test_TIR_21_borders_are_copied_by_slices(dtype, row, column):
    func = checked(WINDOW.replace("DTYPE", dtype).replace("ROW", row).replace("COLUMN", column))
    rng = np.random.default_rng(10)
    for n, m in ((0, 2), (2, 0), (1, 1), (1, 4), (2, 2), (7, 2), (9, 11)):
        x, y = (rng.integers(0, 99, (n, m)).astype(dtype) for _ in range(2))
        assert_same_outcome(func, [x, y])
        assert_same_outcome(func, [x[::-1, ::-1], y.T.copy().T])
        assert_same_outcome(func, [y, y])


def test_TIR_21_borders_are_no_gather():
    text = WINDOW.replace("DTYPE", "uint8").replace("ROW", "min(max(i + a - 1, 0), n - 1)")
    source = compile_prim_func(checked(text.replace("COLUMN", "min(max(j + b - 2, 0), m - 1)"))).source
    assert "copy_with_edges(X_1, X, (-1, -2))" in source


ROWS = """
prim_func @collect(S: Buffer[(n,), int64], X: Buffer[(n, m), DTYPE], Y: Buffer[(k, m), DTYPE]) {
  for i, j in grid(n, m) {
    Y[S[i], j] = STEP;
  }
}
"""


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize(
    "step",
    ["Y[S[i], j] + X[i, j]", "Y[S[i], j] - X[i, j]", "max(Y[S[i], j], X[i, j])", "X[i, j] * Y[S[i], j]"],
)
def test_TIR_21_rows_are_scattered_as_rows(dtype, step):
    func = checked(ROWS.replace("DTYPE", dtype).replace("STEP", step))
    rng = np.random.default_rng(11)
    for n, m, k in ((0, 9, 2), (3, 0, 2), (5, 8, 3), (90, 9, 4), (90, 3, 4), (90, 8, 200), (70, 8, 1)):
        x, y = (rng.integers(0, 3, (size, m)).astype(dtype) for size in (n, k))
        args = [rng.integers(0, k, n), x, y]
        assert_same_outcome(func, args)
        assert_same_outcome(func, [args[0], x[:, ::-1], np.asfortranarray(y)])
        if n:
            assert_same_outcome(func, [np.where(np.arange(n) == n - 1, k, args[0]), x, y])


SCAN = """
prim_func @scan(X: Buffer[(n, m), DTYPE], Y: Buffer[(n, m), DTYPE]) {
  for i, j in grid(n, m) {
    Y[i, j] = if_then_else(j > 0, STEP, X[i, j]);
  }
}
"""


@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.parametrize(
    ("step", "strategy"),
    [
        ("max(Y[i, j - 1], X[i, j])", "scan"),
        ("min(X[i, j], Y[i, j - 1])", "scan"),
        ("X[i, j] * Y[i, j - 1]", "scan"),
        ("Y[i, j - 1] + X[i, j]", "scan"),
        ("max(Y[i, j - 1], X[i, 0])", "scan"),
        ("max(X[i, j - 1], X[i, j])", "other"),
    ],
)
def test_TIR_21_running_values_that_begin_with_the_first_element(dtype, step, strategy):
    func = checked(SCAN.replace("DTYPE", dtype).replace("STEP", step))
    rng = np.random.default_rng(15)
    for n, m in ((0, 2), (2, 0), (1, 1), (3, 5), (600, 3)):
        x = rng.integers(-3, 3, (n, m)).astype(dtype)
        x = np.where(x == 0, -x * 1.0, x).astype(dtype)
        assert_same_outcome(func, [x, np.zeros_like(x)])
        assert_same_outcome(func, [x, x])
    is_scan = "scan" in [one.strategy for one in compile_prim_func(func).remarks]
    assert is_scan == (strategy == "scan")


PAIRS = """
prim_func @pairs(I: Buffer[(n,), int64], J: Buffer[(n,), int64], X: Buffer[(n,), DTYPE], Y: Buffer[(k, m), DTYPE]) {
  for i in 0..n {
    Y[I[i], J[i]] = STEP;
  }
}
"""


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize(
    "step", ["Y[I[i], J[i]] + X[i]", "Y[I[i], J[i]] - X[i]", "min(Y[I[i], J[i]], X[i])", "X[i]"]
)
def test_TIR_21_elements_of_a_matrix_are_scattered_in_order(dtype, step):
    func = checked(PAIRS.replace("DTYPE", dtype).replace("STEP", step))
    rng = np.random.default_rng(16)
    for n, k, m in ((0, 2, 2), (1, 1, 1), (20, 3, 4)):
        x, y = rng.integers(0, 9, n).astype(dtype), rng.integers(0, 9, (k, m)).astype(dtype)
        at = [rng.integers(0, k, n), rng.integers(0, m, n)]
        assert_same_outcome(func, [*at, x, y])
        assert_same_outcome(func, [*at, x, np.asfortranarray(y)])
        assert_same_outcome(func, [at[0] - 1, at[1], x, y])


RAGGED = """
prim_func @rows(P: Buffer[(n + 1,), int64], C: Buffer[(z,), int64], V: Buffer[(z,), DTYPE], X: Buffer[(m,), DTYPE],
    Y: Buffer[(n,), DTYPE], Z: Buffer[(z,), DTYPE]) {
  for r in 0..n {
    for p in P[r]..P[r + 1] {
      BODY
    }
  }
}
"""


def rows_of(rng: np.random.Generator, n: int, m: int, dtype: str) -> list[object]:
    """Return arguments with consecutive rows of up to four elements."""
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 5, n))])
    z = int(starts[-1])
    arrays = [rng.integers(0, 9, size).astype(dtype) for size in (z, m, n, z)]
    return [starts, rng.integers(0, m, z), *arrays]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize(
    "body",
    [
        "Y[r] += V[p] * X[C[p]];",
        "Y[r] -= V[p];",
        "Y[r] = max(Y[r], V[p]);",
        "Z[p] = V[p] + Y[r];",
        "Y[r] = V[p];",
        "if V[p] > X[0] { Y[r] += V[p]; }",
        "Z[p] = Z[p] + Y[r]; Y[r] += X[C[p]];",
        "Y[r] += Z[p]; Z[p] = Y[r];",
        "Y[r] += 1; Z[p] = max(Z[p], X[0]);",
    ],
)
def test_TIR_21_rows_of_lengths_that_data_choose(dtype, body):
    func = checked(RAGGED.replace("DTYPE", dtype).replace("BODY", body))
    rng = np.random.default_rng(12)
    for n, m in ((0, 1), (1, 1), (4, 3), (7, 5)):
        args = rows_of(rng, n, m, dtype)
        assert_same_outcome(func, args)
        starts = np.asarray(args[0])
        if n > 1 and starts[-1]:
            for other in (starts[::-1].copy(), np.roll(starts, 1), starts + 1, starts - 1):
                assert_same_outcome(func, [other, *args[1:]])
            assert_same_outcome(func, [np.where(starts == starts[-1], 1 << 60, starts), *args[1:]])
            assert_same_outcome(func, [starts, np.asarray(args[1]) + 1, *args[2:]])


@pytest.mark.parametrize("op", ["+", "max"])
@pytest.mark.parametrize(
    "value", ["X[i + a, j + b] * 0.5", "abs(X[i + a, j + b])", "X[i + a, j + b] + X[i + b, j]"]
)
def test_TIR_21_windows_of_a_function_of_one_element_are_separated(op, value):
    step = f"Y[i, j] + {value}" if op == "+" else f"max(Y[i, j], {value})"
    text = """
    prim_func @window(X: Buffer[(n + 3, m + 3), float64], Y: Buffer[(n, m), float64]) {
      for i, j in grid(n, m) {
        for a, b in grid(3, 4) {
          Y[i, j] = STEP;
        }
      }
    }
    """
    func = checked(text.replace("STEP", step))
    rng = np.random.default_rng(14)
    for n, m in ((0, 2), (2, 0), (1, 1), (4, 5)):
        assert_same_outcome(func, [rng.random((n + 3, m + 3)), rng.random((n, m))], ulps=64)


def test_TIR_21_ragged_rows_are_one_scatter():
    compiled = compile_prim_func(checked(RAGGED.replace("DTYPE", "float64").replace("BODY", "Y[r] += V[p];")))
    assert [(one.strategy, one.reason) for one in compiled.remarks] == [
        ("scatter", "rows of lengths that data choose, listed first")
    ]
    assert "for r in" not in compiled.source


PLACE = """
prim_func @best(D: Buffer[(n, k), DTYPE], A: Buffer[(n,), int64]) {
  for i in 0..n {
    START
    for c in 0..k {
      if CONDITION {
        A[i] = c;
      }
    }
  }
}
"""


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("start", ["A[i] = 0;", "A[i] = 2;", "A[i] = max(k - 1, 0);", ""])
@pytest.mark.parametrize(
    "condition",
    ["D[i, c] < D[i, A[i]]", "D[i, c] >= D[i, A[i]]", "D[i, A[i]] < D[i, c]", "D[i, A[i]] >= D[i, c]"],
)
def test_TIR_21_the_place_of_the_best_element_alone(dtype, start, condition):
    func = checked(PLACE.replace("DTYPE", dtype).replace("START", start).replace("CONDITION", condition))
    rng = np.random.default_rng(13)
    for n, k in ((0, 2), (2, 0), (1, 1), (3, 5), (6, 2)):
        d = rng.integers(0, 3, (n, k)).astype(dtype)
        assert_same_outcome(func, [d, rng.integers(0, max(k, 1), n)])
        assert_same_outcome(func, [d[:, ::-1], rng.integers(0, k + 1, n)])
        if dtype == "float32":
            d = np.where(rng.random((n, k)) < 0.4, np.float32(np.nan), d)
            assert_same_outcome(func, [d, rng.integers(0, max(k, 1), n)])


def test_TIR_21_the_place_of_the_best_element_is_an_argument_reduction():
    text = PLACE.replace("DTYPE", "float32").replace("START", "A[i] = 0;")
    compiled = compile_prim_func(checked(text.replace("CONDITION", "D[i, c] < D[i, A[i]]")))
    assert "argument reduction" in [one.strategy for one in compiled.remarks]
    assert "inside(" not in compiled.source  # the first element is there where any one is compared with it
    later = compile_prim_func(
        checked(text.replace("A[i] = 0", "A[i] = 2").replace("CONDITION", "D[i, c] < D[i, A[i]]"))
    )
    assert "inside(" in later.source
    moved = compile_prim_func(checked(text.replace("CONDITION", "D[i, c] < D[i, A[i]] + 1.0")))
    assert "argument reduction" not in [one.strategy for one in moved.remarks]


@pytest.mark.parametrize("wide", ["m + 1", "m + 2", "m + 3", "m"])
def test_TIR_21_windows_over_arrays_with_rows_of_different_lengths(wide):
    column = "j" if wide == "m" else "j + 1"
    func = checked(
        f"""
        prim_func @f(
          X: Buffer[(n + 2, m + 2), float64], W: Buffer[(n + 2, {wide}), float64], Y: Buffer[(n, m), float64]) {{
          for i, j in grid(n, m) {{
            Y[i, j] = X[i, j + 1] + X[i + 1, j + 2] + W[i + 1, {column}] + W[i + 2, j];
          }}
        }}
        """
    )
    rng = np.random.default_rng(18)
    for n, m in ((0, 2), (1, 1), (3, 4), (40, 7)):
        columns = m + (int(wide[-1]) if wide != "m" else 0)
        x, w = rng.integers(0, 9, (n + 2, m + 2)) * 1.0, rng.integers(0, 9, (n + 2, columns)) * 1.0
        assert_same_outcome(func, [x, w, np.zeros((n, m))])


@pytest.mark.parametrize("condition", ["C[o] > 0", "o % 2 == 0", "o > 1", "C[o] > 0 && D > 0", "D > 0"])
@pytest.mark.parametrize("step", ["Q[i, j] + 1", "max(Q[i, j], C[o])", "Q[i, j] - C[o] * R[i]"])
def test_TIR_21_triangles_under_conditions_on_an_outer_loop(condition, step):
    func = checked(
        f"""
        prim_func @f(C: Buffer[(m,), int64], R: Buffer[(n,), int64], D: int64, Q: Buffer[(n, n), int64]) {{
          for o in 0..m {{
            if {condition} {{
              for i in 0..n {{
                for j in i + 1..n {{
                  Q[i, j] = {step};
                }}
              }}
            }}
          }}
        }}
        """
    )
    rng = np.random.default_rng(19)
    for m, n in ((0, 3), (3, 0), (1, 1), (4, 5)):
        c, r, q = rng.integers(-2, 3, m), rng.integers(-2, 3, n), rng.integers(-2, 3, (n, n))
        for d in (0, 1):
            assert_same_outcome(func, [c, r, d, q])
