"""Indices that several statements have are compared once, and before anything is stored. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

ENDS = """
prim_func @ends(E: Buffer[(z, 2), int64], D: Buffer[(n,), DTYPE]) {
  for p in 0..z {
    D[E[p, 0]] += STEP;
    D[E[p, 1]] += STEP;
  }
}
"""
CELLS = """
prim_func @cells(P: Buffer[(n,), int64], W: Buffer[(n,), float64], C: Buffer[(k,), int64], M: Buffer[(k,), float64]) {
  for i in 0..n {
    let cell: int64 = P[i] * 2 - 1;
    C[cell] += 1;
    M[cell] += W[i];
    BETWEEN
    M[P[i]] -= W[i];
  }
}
"""
ROWS = """
prim_func @rows(P: Buffer[(n + 1,), int64], V: Buffer[(z,), int32], Y: Buffer[(n,), int32], L: Buffer[(n,), int64]) {
  for r in 0..n {
    for p in P[r]..P[r + 1] {
      FIRST
      SECOND
    }
  }
}
"""


def source(text: str) -> str:
    """Return the code of a prim_func, without the helpers before it."""
    return compile_prim_func(checked(text)).source.split("@np.errstate")[-1]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "int32", "float32"])
@pytest.mark.parametrize("step", ["1", "-3", "200"])
def test_TIR_21_what_is_counted_wraps_as_it_does_one_by_one(dtype: str, step: str) -> None:
    if step == "-3" and dtype == "uint8":
        step = "cast(253, uint8)"
    number = f"{step}.0" if dtype == "float32" else step if "(" in step else f"cast({step}, {dtype})"
    func = checked(ENDS.replace("DTYPE", dtype).replace("STEP", number))
    rng = np.random.default_rng(4)
    for z, n in ((0, 0), (0, 3), (3, 1), (500, 4), (700, 700), (5, 6000)):
        edges, target = rng.integers(0, max(n, 1), (z, 2)), rng.integers(0, 9, n).astype(dtype)
        assert_same_outcome(func, [edges, target])
        assert_same_outcome(func, [np.asfortranarray(edges), np.repeat(target, 2)[::2]])
        if z > 1:
            for bad in (-1, n):
                for column in (0, 1):
                    wrong = edges.copy()
                    wrong[z // 2, column] = bad
                    assert_same_outcome(func, [wrong, target])


def test_TIR_21_indices_of_parameters_are_compared_before_a_store() -> None:
    assert "except (NotVectorized" not in source(ENDS.replace("DTYPE", "int64").replace("STEP", "1"))
    assert "except (NotVectorized" not in source(CELLS.replace("BETWEEN", ""))
    assert "except (NotVectorized" in source(CELLS.replace("BETWEEN", "P[i] = 0;"))


@pytest.mark.parametrize("between", ["", "P[i] = 1;", "P[i] = C[0] % 2;", "W[i] = M[cell];"])
def test_TIR_21_indices_that_change_are_compared_again(between: str) -> None:
    func = checked(CELLS.replace("BETWEEN", between))
    rng = np.random.default_rng(5)
    for n, k in ((0, 0), (0, 4), (1, 2), (20, 9)):
        places = rng.integers(1, max(2, (k + 1) // 2), n)
        args = [places, rng.integers(0, 9, n) * 1.0, rng.integers(0, 9, k), rng.integers(0, 9, k) * 1.0]
        assert_same_outcome(func, args)
        for bad in (-1, 0, k):
            if n:
                assert_same_outcome(func, [np.where(np.arange(n) == n - 1, bad, places), *args[1:]])
        if n == k:
            assert_same_outcome(func, [args[2], args[1], args[2], args[3]])


@pytest.mark.parametrize("first", ["Y[r] += V[p];", "L[r] += 1;", "if V[p] > 0 { L[r] += 1; }"])
@pytest.mark.parametrize(
    "second", ["L[r] += p;", "Y[r] = max(Y[r], V[p]);", "if V[p] < 1 { Y[r] += V[p]; }", "V[p] = 1;"]
)
def test_TIR_21_lists_of_rows_are_made_once(first: str, second: str) -> None:
    func = checked(ROWS.replace("FIRST", first).replace("SECOND", second))
    rng = np.random.default_rng(6)
    for n, z in ((0, 0), (1, 0), (4, 9), (6, 30)):
        cuts = np.sort(rng.integers(0, z + 1, n + 1))
        arrays = [rng.integers(-4, 5, z).astype(np.int32), np.zeros(n, np.int32), np.zeros(n, np.int64)]
        for bounds in (cuts, cuts[::-1], cuts + 1, cuts - 1):
            assert_same_outcome(func, [bounds, *arrays])
        if n + 1 == z:
            assert_same_outcome(func, [cuts, cuts.astype(np.int32), *arrays[1:]])
    if "if" not in first + second:
        assert source(ROWS.replace("FIRST", first).replace("SECOND", second)).count("range_of_rows(") <= 2


def test_TIR_21_an_index_is_not_read_before_it_is_known_to_be_there() -> None:
    func = checked(
        """
        prim_func @late(A: Buffer[(m, n), int64], k: int64, X: Buffer[(n,), int64]) {
          for i in 0..n {
            X[i] = 7;
          }
          for i in 0..n {
            X[A[k, i]] += 1;
          }
        }
        """
    )
    for k in (-1, 0, 1, 2):
        for n in (0, 3):
            assert_same_outcome(func, [np.zeros((2, n), np.int64), k, np.zeros(n, np.int64)])


@pytest.mark.parametrize(
    "step", ["Y[()] += 3;", "Y[()] = X[i];", "Y[()] -= X[i];", "Y[()] = max(Y[()], X[I[i]]);"]
)
def test_TIR_21_an_array_without_dimensions_takes_all_steps(step: str) -> None:
    func = checked(
        "prim_func @f(I: Buffer[(n,), int64], X: Buffer[(n,), int64], Y: Buffer[(), int64]) "
        "{ for i in 0..n { if X[i] > 0 { STEP } } }".replace("STEP", step)
    )
    for n in (0, 1, 7):
        assert_same_outcome(func, [np.arange(n), np.arange(n) - 2, np.array(5)])


def test_TIR_21_sizes_of_what_is_not_computed_again_stay_known() -> None:
    func = checked(
        """
        prim_func @f(I: Buffer[(n,), int64], Q: Buffer[(n, n), uint64], C: Buffer[(m,), uint64],
            B: Buffer[(n,), float64], H: Buffer[(4,), int64]) {
          for unrolled o in 0..m {
            for w in 0..n {
              alloc V: Buffer[(), int64];
              alloc R: Buffer[(), int64];
              R[()] = 0;
              V[()] = (I[w] + 3) % 7;
              while V[()] > 0 {
                if V[()] % 2 == 0 { V[()] = V[()] / 2; } else { V[()] -= 1; }
                R[()] += 1;
                B[w] = select(
                  Q[w, n - 1 - w] >= C[o], B[w],
                  B[w] + max(select(Q[n - 1 - w, w // 2] == Q[n - 1 - w, w], 1.0, B[w]), -2.0));
              }
              H[R[()] % 4] += R[()];
            }
          }
        }
        """
    )
    rng = np.random.default_rng(7)
    for n, m in ((0, 1), (1, 2), (5, 3)):
        q, c = rng.integers(0, 3, (n, n)).astype(np.uint64), rng.integers(0, 3, m).astype(np.uint64)
        assert_same_outcome(func, [rng.integers(0, 9, n), q, c, np.ones(n), np.zeros(4, np.int64)])


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64"])
@pytest.mark.parametrize("step", ["Y[I[p]] += V[p]", "Y[I[p]] = max(Y[I[p]], V[p])", "Y[I[p]] -= V[p]"])
def test_TIR_21_many_places_in_order_are_combined_first(dtype: str, step: str) -> None:
    func = checked(
        f"prim_func @f(I: Buffer[(z,), int64], V: Buffer[(z,), {dtype}], Y: Buffer[(n,), {dtype}]) "
        f"{{ for p in 0..z {{ {step}; }} }}"
    )
    rng = np.random.default_rng(8)
    for z, n in ((255, 7), (300, 1), (2000, 9), (1000, 5000)):
        values, target = rng.integers(0, 9, z).astype(dtype), rng.integers(0, 9, n).astype(dtype)
        places = np.sort(rng.integers(0, n, z))
        swapped = places.copy()
        swapped[-2:] = swapped[-2:][::-1]
        for order in (places, places[::-1], swapped, rng.permutation(places), np.append(places[1:], n)):
            assert_same_outcome(func, [order, values, target])
        if dtype == "float32" and "max" in step:
            values[z // 2] = np.nan
            assert_same_outcome(func, [places, values, target])
