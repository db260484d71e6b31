"""Reductions under conditions: what counts as nothing, in the order in which elements lie in memory. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.lower.lower import lowered
from tests.tir.support import assert_same_outcome, checked

PARAMS = "X: Buffer[(n, m), {0}], Z: Buffer[(m,), {0}], M: Buffer[(n, m), bool], R: Buffer[(m,), {0}]"
STEPS = {
    "sum": "if M[i, j] { R[j] += X[i, j]; }",
    "sum of what is computed": "if X[i, j] > Z[j] { R[j] -= X[i, j] + Z[j]; }",
    "maximum": "if M[i, j] { R[j] = max(R[j], X[i, j]); }",
    "minimum": "if M[i, j] && Z[j] > cast(2, {0}) { R[j] = min(R[j], X[i, j]); }",
    "product": "if M[i, j] && X[i, j] < cast(3, {0}) { R[j] *= X[i, j]; }",
    "count": "if X[i, j] > Z[j] { R[j] += cast(1, {0}); }",
    "count of some rows": "if Z[i] > cast(2, {0}) { R[j] += cast(1, {0}); }",
    "number": "if M[i, j] { R[j] += cast(3, {0}); }",
}


def arguments(dtype: str, n: int, m: int) -> list[object]:
    """Return small whole numbers, and floats that are not finite where conditions do not hold."""
    numbers = np.random.default_rng(n + m)
    x, z, r = [numbers.integers(0, 5, shape).astype(dtype) for shape in ((n, m), (m,), (m,))]
    chosen = numbers.random((n, m)) < 0.5
    if np.dtype(dtype).kind == "f":
        x[~chosen & (x == 1)] = np.nan
        x[~chosen & (x == 2)] = np.inf
    return [x, z, chosen, r]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int32", "uint8"])
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_TIR_21_what_conditions_leave_out_changes_nothing(step: str, dtype: str) -> None:
    """Small arrays are chosen from by `where`, large ones bit by bit."""
    loops = "i, j in grid(m, m)" if "Z[i]" in step else "i, j in grid(n, m)"
    body = f"for {loops} {{ {step.replace('{0}', dtype)} }}"
    func = checked(f"prim_func @f({PARAMS.format(dtype)}) {{ {body} }}")
    for n, m in ((0, 3), (3, 0), (1, 1), (4, 3), (131, 130)):
        x, z, chosen, r = arguments(dtype, n, m)
        assert_same_outcome(func, [x, z, chosen, r])
        if n < 9:
            assert_same_outcome(func, [np.asfortranarray(x), z, chosen, r])


@pytest.mark.parametrize("name", ["sum", "sum of what is computed", "maximum", "count"])
def test_TIR_21_large_arrays_are_not_chosen_from_element_by_element(name: str) -> None:
    """`where` takes ten times as long where it cannot be foreseen which elements are chosen."""
    func = checked(
        f"prim_func @f({PARAMS.format('int64')}) "
        f"{{ for i, j in grid(n, m) {{ {STEPS[name].replace('{0}', 'int64')} }} }}"
    )
    source = compile_prim_func(func).source
    assert "np.where" not in source[source.rindex("\ndef f(") :]


@pytest.mark.parametrize(
    ("value", "order"),
    [
        ("X[e, i, j] > 2", ["k", "n", "m"]),
        ("X[e, i, j] > W[i, j]", ["k", "n", "m"]),
        ("W[i, j] > e", ["k", "n", "m"]),
        ("X[e, i, j] > V[i, j, e]", ["n", "m", "k"]),
        ("X[(e + i) % k, i, j] > 2", ["n", "m", "k"]),
    ],
)
def test_conditions_that_are_kept_lie_as_what_they_compare(value: str, order: list[str]) -> None:
    func = checked(
        "prim_func @f(X: Buffer[(k, n, m), int64], V: Buffer[(n, m, k), int64], W: Buffer[(n, m), int64]) {\n"
        f"for i, j, e in grid(n, m, k) {{ if {value} {{ X[e, i, j] += 1; V[i, j, e] += 1; W[i, j] += 1; }} }} }}"
    )
    (condition,) = lowered(analyse(func)).allocated
    assert [str(size) for size in condition.sizes] == order
    numbers = np.random.default_rng(5)
    for k, n, m in ((2, 3, 4), (1, 1, 1), (0, 2, 2), (2, 0, 2)):
        x, v, w = [numbers.integers(0, 5, shape) for shape in ((k, n, m), (n, m, k), (n, m))]
        assert_same_outcome(func, [x, v, w])
