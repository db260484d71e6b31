"""Running operations that start again or have a bound run without a loop, with the values of single steps. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, interpret

PARAMS = (
    "X: Buffer[(n,), int64], V: Buffer[(n,), bool], F: Buffer[(n,), float64], Y: Buffer[(n,), int64],"
    " L: Buffer[(n,), float64], B: Buffer[(n,), bool]"
)
RESTARTED = {
    "how many in a row": "Y[i] = if_then_else(V[i], if_then_else(i > 0, Y[i - 1], 0) + 1, 0);",
    "steps since an event": "Y[i] = if_then_else(V[i], 0, if_then_else(i > 0, Y[i - 1], 100) + 1);",
    "the last value that is a number": (
        "L[i] = if_then_else(F[i] == F[i], F[i], if_then_else(i > 0, L[i - 1], -1.0));"
    ),
    "where the last event was": "Y[i] = if_then_else(V[i], i, if_then_else(i > 0, Y[i - 1], -1));",
    "sums of each segment": "Y[i] = if_then_else(V[i], 0, if_then_else(i > 0, Y[i - 1], 0)) + X[i];",
    "lengths of equal values": "Y[i] = if_then_else(i > 0 && F[i] > 0.0, Y[i - 1] + 1, 1);",
    "a number of steps that starts at another one": (
        "Y[i] = if_then_else(V[i], if_then_else(i > 0, Y[i - 1], 9223372036854775807) - 3, -9223372036854775807);"
    ),
    "all steps from one number": "Y[i] = if_then_else(V[i], if_then_else(i > 0, Y[i - 1], 7) + 2, 7);",
    "an odd start": "Y[i] = if_then_else(i == 0, 7, if_then_else(V[i], Y[i - 1] - X[i], X[i]));",
    "a switch with two limits": (
        "B[i] = if_then_else(F[i] < 0.0, true, if_then_else(F[i] > 1.0, false, if_then_else(i > 0, B[i - 1], true)));"
    ),
    "once true, always true": "B[i] = V[i] || (i > 0 && B[i - 1]);",
    "true so far": "B[i] = if_then_else(i > 0, B[i - 1], true) && V[i] && F[i] >= 0.0;",
    "two reasons to start again": (
        "Y[i] = if_then_else(V[i], if_then_else(F[i] > 0.0, if_then_else(i > 0, Y[i - 1], 3) + X[i], 5), X[i]);"
    ),
}
BOUNDED = {
    "a queue": "Y[i] = max(if_then_else(i > 0, Y[i - 1], 0) + X[i] - 1, 0);",
    "the best sum that ends here": "Y[i] = max(if_then_else(i > 0, Y[i - 1], 0) + X[i], X[i]);",
    "the same, added afterwards": "Y[i] = max(if_then_else(i > 0, Y[i - 1], 0), 0) + X[i];",
    "a full store": "Y[i] = min(10, if_then_else(i > 0, Y[i - 1], 4) + X[i]);",
    "a bound that varies": "Y[i] = max(if_then_else(i > 0, Y[i - 1], X[i]) - 1, X[i]);",
    "two bounds on one side": "Y[i] = max(max(if_then_else(i > 0, Y[i - 1], 0) + X[i], -2), i);",
}
ALL = {**RESTARTED, **BOUNDED}


def arguments(n: int, extreme: bool) -> list[np.ndarray]:
    numbers = np.random.default_rng(n)
    x = numbers.integers(-4, 5, n)
    if extreme:
        limits = np.array([-(1 << 63), (1 << 63) - 1, 1 << 62])
        x = np.where(numbers.random(n) < 0.4, limits[numbers.integers(0, 3, n)], x)
    f = numbers.integers(-2, 3, n).astype(np.float64)
    f[numbers.random(n) < 0.3] = np.nan
    return [x, numbers.random(n) < 0.4, f, np.full(n, -77), np.full(n, -77.0), np.full(n, True)]


@pytest.mark.parametrize("body", ALL.values(), ids=ALL)
def test_TIR_21_they_run_without_a_loop(body: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ for i in 0..n {{ {body} }} }}")
    compiled = compile_prim_func(func)
    assert compiled.vectorized
    assert not compiled.stays_sequential
    for n in (0, 1, 2, 3, 17, 100):
        for extreme in (False, True):
            assert_same_outcome(func, arguments(n, extreme))


@pytest.mark.parametrize("body", ALL.values(), ids=ALL)
@pytest.mark.parametrize("shape", [(3, 40), (40, 3), (1, 5), (0, 5), (5, 0), (2, 1)], ids=str)
def test_TIR_21_rows_have_running_steps_of_their_own(body: str, shape: tuple[int, int]) -> None:
    params = PARAMS.replace("(n,)", "(r, n)")
    for name in "XVFYLB":
        body = body.replace(f"{name}[i", f"{name}[k, i")
    func = checked(f"prim_func @f({params}) {{ for k, i in grid(r, n) {{ {body} }} }}")
    assert not compile_prim_func(func).stays_sequential
    flat = arguments(shape[0] * shape[1], extreme=True)
    assert_same_outcome(func, [array.reshape(shape) for array in flat])


def test_TIR_21_sums_that_wrap_around_are_taken_step_by_step() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n,), int8], Y: Buffer[(n,), int8]) { for i in 0..n {"
        " Y[i] = max(if_then_else(i > 0, Y[i - 1], 0) + X[i], -100); } }"
    )
    x = np.array([100, 27, 1, 0, -100, -100, -128], np.int8)
    y, wanted = np.zeros(7, np.int8), np.zeros(7, np.int8)
    compile_prim_func(func).run(x, y)
    interpret(func, x, wanted)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(y, [100, 127, -100, -100, 56, -44, 84])


def test_TIR_21_floats_are_added_in_the_order_of_the_program() -> None:
    for body in ("if_then_else(F[i] > 0.0, L[i - 1] + F[i], 0.0)", "max(L[i - 1] + F[i], 0.0)"):
        func = checked(f"prim_func @f({PARAMS}) {{ for i in 1..n {{ L[i] = {body}; }} }}")
        assert compile_prim_func(func).stays_sequential
        args = arguments(20, extreme=False)
        args[2] = np.where(np.isnan(args[2]), 1e16, args[2] / 3)
        assert_same_outcome(func, args)


@pytest.mark.parametrize("value", ["X[i]", "k", "Y[i - 1] + X[i]", "Y[i - 1] + 1"])
@pytest.mark.parametrize("loops", ["for i in 1..n", "for r, i in grid(b, n - 1)"])
def test_TIR_21_the_condition_may_be_the_same_in_all_steps(value: str, loops: str) -> None:
    before = "Y[i - 1]" if "Y" not in value else value
    value = "X[i]" if "Y" in value else value
    body = f"Y[i] = if_then_else(k > 2, {before}, {value});"
    if "grid" in loops:
        for name in "XY":
            body = body.replace(f"{name}[i", f"{name}[r, i")
        body = body.replace("i - 1]", "i]").replace("Y[r, i] = ", "Y[r, i + 1] = ", 1)
    shape = "(b, n)" if "grid" in loops else "(n,)"
    params = f"X: Buffer[{shape}, int64], Y: Buffer[{shape}, int64], k: int64"
    func = checked(f"prim_func @f({params}) {{ {loops} {{ {body} }} }}")
    assert not compile_prim_func(func).stays_sequential
    numbers = np.random.default_rng(0)
    for sizes in ((1, 2), (3, 40), (40, 3)):
        some = sizes if "grid" in loops else sizes[1:]
        for k in (2, 3):
            assert_same_outcome(func, [*numbers.integers(-5, 5, (2, *some)), k])
