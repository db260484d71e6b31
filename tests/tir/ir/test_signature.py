"""Signatures: parameters, binding of dimensions, what does not fit. [TIR.1] [O.4] [O.6] [Z.7]"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from relax_lang.arith.evaluate import DimensionError
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.ir.signature import Mismatch, TensorSpec, bind, buffers, in_parameter_order, scalars
from tests.tir.support import checked

FUNC = checked("""prim_func @f(A: Buffer[(h - 2, w), float32], k: int64, X: Buffer[(h, 4), int8],
                               Y: Buffer[(h * w, k), float32], s: float64) { Y[0, 0] = A[0, 0]; }""")


def zeros(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.zeros(shape, dtype)


def mismatches(*arrays: object, numbers: tuple = (5, 0.5)) -> list[str]:
    return [str(found) for found in bind(FUNC, arrays, numbers).mismatches]


def test_O_4_parameters_by_kind() -> None:
    assert [buffer.name for buffer in buffers(FUNC)] == ["A", "X", "Y"]
    assert [scalar.name for scalar in scalars(FUNC)] == ["k", "s"]
    assert in_parameter_order(FUNC, ["a", "x", "y"], [5, 0.5]) == ["a", 5, "x", "y", 0.5]


def test_TIR_1_names_bind_in_any_order_then_all_dimensions_are_compared() -> None:
    bound = bind(FUNC, [zeros(4, 3), zeros(6, 4, dtype="int8"), zeros(18, 5)], (5, 0.5))
    assert bound.mismatches == []
    assert bound.env == {"h": 6, "w": 3, "k": 5}


def test_O_4_results_are_sized_from_the_inputs() -> None:
    bound = bind(FUNC, [zeros(4, 3), zeros(6, 4, dtype="int8")], (5, 0.5))
    assert bound.shape_of(buffers(FUNC)[2]) == (18, 5)
    with pytest.raises(DimensionError):
        bind(FUNC, [zeros(4, 3)], (5, 0.5)).shape_of(buffers(FUNC)[2])


def test_O_6_arguments_bind_first_then_declared_results() -> None:
    func = checked("prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n, m), float32]) { Y[0, 0] = X[0]; }")
    bound = bind(func, [zeros(3), TensorSpec("float32", (4, 7))])
    assert bound.env == {"n": 3, "m": 7}
    assert [str(found) for found in bound.mismatches] == ["dimension 0: expected n = 3, found 4"]


@pytest.mark.parametrize(
    ("arrays", "want"),
    [
        ((zeros(3, 3), zeros(6, 4, dtype="int8")), ["dimension 0: expected h - 2 = 4, found 3"]),
        ((zeros(4, 3), zeros(6, 5, dtype="int8")), ["dimension 1: expected 4, found 5"]),
        ((zeros(4, 3), zeros(6, 4)), ["dtype: expected int8, found float32"]),
        ((zeros(4), zeros(6, 4, dtype="int8")), ["rank: expected 2, found 1"]),
        (((), zeros(6, 4, dtype="int8")), ["expected a tensor, found a tuple"]),
        ((zeros(4, 3), zeros(6, 4, dtype="int8"), zeros(18, 5), zeros(1)), ["buffers: expected 3, found 4"]),
        ((zeros(4, 3), zeros(6, 4, dtype="int8"), zeros(18, 6)), ["dimension 1: expected k = 5, found 6"]),
    ],
)
def test_Z_7_what_does_not_fit(arrays: tuple, want: list[str]) -> None:
    assert mismatches(*arrays) == want


def test_mismatches_are_facts() -> None:
    (found,) = bind(FUNC, [zeros(3, 3), zeros(6, 4, dtype="int8")], (5, 0.5)).mismatches
    assert isinstance(found, Mismatch)
    assert found.param is buffers(FUNC)[0]
    assert (found.what, found.index, found.expected, found.found) == ("dimension 0", 0, "h - 2 = 4", "3")
    assert (found.value, found.actual) == (4, 3)


def test_scalars_are_checked() -> None:
    arrays = (zeros(4, 3), zeros(6, 4, dtype="int8"))
    assert mismatches(*arrays, numbers=(5,)) == ["scalars: expected 2, found 1"]
    assert mismatches(*arrays, numbers=(2**63, 0.5)) == [f"value: expected int64, found {2**63}"]
    assert mismatches(*arrays, numbers=(0.5, 0.5)) == ["expected a number of type int64, found 0.5"]
    assert mismatches(*arrays, numbers=(1, "x")) == ["expected a number of type float64, found 'x'"]


def test_division_by_zero_in_a_dimension() -> None:
    func = checked("prim_func @f(X: Buffer[(n, 6 // n), float32]) { X[0, 0] = 1.0; }")
    assert [str(found) for found in bind(func, [zeros(0, 6)]).mismatches] == [
        "dimension 1: expected a number, found division-by-zero"
    ]


def test_O_5_stored_parameters() -> None:
    func = checked("""prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32], Z: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i]; alloc X: Buffer[(1,), float32]; X[0] = 1.0; }
      Y[0] = 2.0;
    }""")
    stores = analyse(func).stores()
    assert list(stores) == ["Y"]
    assert stores["Y"].pos < func.body[1].pos


def test_checking_never_imports_numpy() -> None:
    code = (
        "import sys, relax_lang.tir.check.driver, relax_lang.tir.ir.signature\n"
        "import relax_lang.arith.polynomials.polynomial\n"
        "print([name for name in ('numpy', 'typing', 'dataclasses') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd="."
    )
    assert ran.stdout.strip() == "[]"
