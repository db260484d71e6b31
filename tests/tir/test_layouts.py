"""Arrays as they may lie in memory mean the same compiled and interpreted. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.runtime_library import FUNCTIONS
from tests.tir.loops.test_loops import FORMS
from tests.tir.support import assert_same_outcome, prim_func

LAST = """
prim_func @last(I: Buffer[(n,), int64], J: Buffer[(n,), int64], X: Buffer[(n,), int64], Z: Buffer[(m, k), int64]) {
  for i in 0..n { Z[I[i], J[i]] = X[i]; }
}
"""
FIRST = """
prim_func @first(X: Buffer[(n,), uint8], Z: Buffer[(n, 2), uint8]) {
  for i in 0..n { Z[0, 0] = X[n - 1 - i]; }
}
"""
SUMS = """
prim_func @sums(X: Buffer[(n,), DTYPE], Y: Buffer[(n,), DTYPE], S: Buffer[(), DTYPE]) {
  for i in 1..n { Y[i] = Y[i - 1] + X[i]; S[()] += Y[i]; }
}
"""


def backwards(array: np.ndarray) -> np.ndarray:
    """Return a copy that lies in memory from its end to its start."""
    return array[::-1].copy()[::-1]


@pytest.mark.parametrize("order", ["C", "F"])
def test_TIR_21_the_last_of_several_values_stays_whichever_way_arrays_lie(order: str) -> None:
    generator = np.random.default_rng(1)
    places = [backwards(generator.integers(0, 3, 12)) for _ in range(2)]
    target = np.zeros((3, 3), np.int64, order=order)
    assert_same_outcome(prim_func(LAST), [*places, backwards(np.arange(12)), target])
    assert_same_outcome(
        prim_func(FIRST), [np.arange(4, dtype=np.uint8), np.zeros((4, 2), np.uint8, order=order)]
    )


def test_a_scatter_goes_forward_along_lists_that_lie_backwards() -> None:
    target = np.zeros((2, 2), np.int64, order="F")
    one, other = backwards(np.array([1, 1, 0])), backwards(np.array([0, 0, 1]))
    FUNCTIONS["scatter"](target, (one, other), backwards(np.array([1, 2, 3])), (3,))
    np.testing.assert_array_equal(target, [[0, 3], [2, 0]])


def unaligned(array: np.ndarray) -> np.ndarray:
    """Return a copy at addresses that are no multiples of the size of an element."""
    copy = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("kind", FORMS)
def test_TIR_21_elements_need_not_be_aligned(dtype: str, kind: dict[str, bool]) -> None:
    if dtype == "float16" and kind != {"native": False}:
        pytest.skip("halves stay in memory, and with NumPy")
    func = prim_func(SUMS.replace("DTYPE", dtype))
    x = np.arange(6).astype(dtype)
    wanted, found, run = [[unaligned(x), unaligned(x[::-1]), unaligned(np.array(3, dtype))] for _ in range(3)]
    assert not wanted[0].flags.aligned
    aligned = [one.copy() for one in wanted]
    interpreter.run(func, aligned)
    interpreter.run(func, wanted)
    LoopsFunction(analyse(func), **kind)(found, new_array)
    for want, have, plain in zip(wanted, found, aligned, strict=True):
        np.testing.assert_array_equal(want, plain)
        np.testing.assert_array_equal(have, plain)
    assert_same_outcome(func, run)
