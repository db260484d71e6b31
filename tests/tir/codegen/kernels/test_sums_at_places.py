"""Sums at places that data choose have the values of single steps, however they are taken. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import checked, interpret

ROW = "prim_func @f(I: Buffer[(n,), int64], X: Buffer[(n,), DTYPE], Y: Buffer[(k,), DTYPE]) { for i in 0..n { BODY } }"
MATRIX = """
prim_func @f(I: Buffer[(n,), int64], J: Buffer[(n,), int64], X: Buffer[(n,), DTYPE], Y: Buffer[(k, m), DTYPE]) {
  for i in 0..n { BODY }
}
"""
STARTS = {"zeros": 0.0, "negative zeros": -0.0, "ones": 1.0, "infinities": np.inf, "nans": np.nan}


def values(numbers: np.random.Generator, n: int, dtype: str) -> np.ndarray:
    if dtype == "int64":
        return numbers.integers(-(1 << 63), 1 << 63, n)
    some = np.array([0.0, -0.0, 1e300, -1e300, 0.1, 1.0, -3.7, 1e-300], np.float64)
    return some[numbers.integers(0, len(some) if dtype == "float64" else 2, n)].astype(dtype)


def same_bits(text: str, args: list[np.ndarray]) -> None:
    func = checked(text)
    found, wanted = [[arg.copy(order="K") for arg in args] for _ in range(2)]
    compile_prim_func(func).run(*found)
    interpret(func, *wanted)
    np.testing.assert_array_equal(found[-1], wanted[-1])
    if wanted[-1].dtype.kind == "f":
        numbers = wanted[-1] == wanted[-1]
        np.testing.assert_array_equal(np.signbit(found[-1])[numbers], np.signbit(wanted[-1])[numbers])


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "body", ["Y[I[i]] += X[i];", "Y[I[i]] -= X[i];", "if X[i] != 0.1 { Y[I[i]] += X[i]; }"]
)
def test_TIR_21_sums_of_many_numbers(body: str, dtype: str, start: float) -> None:
    numbers = np.random.default_rng(5)
    text = ROW.replace("DTYPE", dtype).replace("BODY", body)
    for n, k in ((0, 3), (5, 3), (1500, 40)):
        places = numbers.integers(0, k - 1, n)  # the last element stays as it is
        same_bits(text, [places, values(numbers, n, dtype), np.full(k, start, dtype)])


def test_TIR_21_a_thousand_numbers_are_added_one_by_one_though_their_places_come_in_order() -> None:
    numbers = np.random.default_rng(9)
    text = ROW.replace("DTYPE", "float64").replace("BODY", "Y[I[i]] += X[i];")
    same_bits(text, [np.sort(numbers.integers(0, 3, 1500)), numbers.random(1500) * 1e3, numbers.random(3)])


@pytest.mark.parametrize("start", [0.0, -0.0, 2.0])
@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("body", ["Y[I[i], J[i]] += X[i];", "Y[I[i], 1] += X[i];", "Y[I[i], J[i]] = X[i];"])
def test_TIR_21_sums_in_matrices(body: str, dtype: str, start: float) -> None:
    numbers = np.random.default_rng(6)
    text = MATRIX.replace("DTYPE", dtype).replace("BODY", body)
    for n, k, m in ((0, 2, 2), (1, 1, 2), (40, 3, 4), (1500, 6, 5)):
        places = numbers.integers(0, k, n), numbers.integers(0, m, n)
        y = np.full((k, m), start).astype(dtype)
        for target in (y, np.full((m, k), start).astype(dtype).T):
            same_bits(text, [*places, values(numbers, n, dtype), target])


def test_TIR_21_a_condition_on_all_iterations_is_listed_as_it_is() -> None:
    text = ROW.replace("DTYPE", "float64").replace("BODY", "if X[i] != 0.1 { Y[I[i]] += X[i]; }")
    assert "broadcast" not in compile_prim_func(checked(text)).source.split("errstate")[-1]
    repeated = """
    prim_func @f(
      I: Buffer[(n,), int64], K: Buffer[(m,), int64], X: Buffer[(n,), float64], Y: Buffer[(k, k), float64],
    ) {
      for i, j in grid(n, m) { if X[i] != 0.1 { Y[I[i], K[j]] += X[i]; } }
    }
    """
    assert "broadcast" in compile_prim_func(checked(repeated)).source.split("errstate")[-1]
    x = values(np.random.default_rng(8), 30, "float64")
    same_bits(repeated, [np.arange(30) % 4, np.arange(7) % 4, x, np.zeros((4, 4))])


def test_TIR_21_a_place_outside_of_the_array_is_found_before_anything_is_added() -> None:
    numbers = np.random.default_rng(7)
    places = numbers.integers(0, 40, 1500)
    places[-1] = 40
    func = checked(ROW.replace("DTYPE", "float64").replace("BODY", "Y[I[i]] += X[i];"))
    y = np.zeros(40)
    with pytest.raises(Exception, match="40"):
        compile_prim_func(func).run(places, np.ones(1500), y)
    assert y.sum() == 1499
