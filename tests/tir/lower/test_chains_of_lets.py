"""A `let` that uses the one before it twice, many times over: each is compiled once. [TIR.16]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

LENGTH = 100
STEPS = {
    "sum": ("{a} + {a}", LENGTH),
    "product": ("{a} + {a} * {a}", 20),
    "remainder": ("{a} - {a} % 3", 20),
    "power": ("{a} * {a}", 20),
    "select": ("select({a} > 3, {a}, 1)", LENGTH),
}
"""The steps of chains, and how many: polynomials of many terms take their time."""
PLACES = {
    "an index": ("i", "for i in 0..n {{ {lets} if {last} >= 0 && {last} < n {{ Y[{last}] = i; }} }}"),
    "a value": ("X[0]", "{lets} for i in 0..n {{ Y[i] = {last} + i; }}"),
    "a factor": ("X[i]", "for i in 0..n {{ {lets} Y[0] = Y[0] + {last} * X[i]; }}"),
    "a cast factor": (
        "X[i]",
        "for i in 0..n {{ for j in 0..n {{ {lets} Y[i] = Y[i] + cast({last}, int64) * X[j]; }} }}",
    ),
    "a bound": ("X[0]", "{lets} for i in 0..{last} {{ if i < n {{ Y[i] = i; }} }}"),
}


@pytest.mark.parametrize(("first", "program"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(("step", "length"), STEPS.values(), ids=STEPS)
def test_TIR_16_a_long_chain_of_lets(step: str, length: int, first: str, program: str) -> None:
    steps = [f"let a{k + 1} = {step.format(a=f'a{k}')};" for k in range(length)]
    body = program.format(lets="\n".join([f"let a0 = {first};", *steps]), last=f"a{length}")
    func = checked(f"prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {{ {body} }}")
    assert_same_outcome(func, [np.zeros(3, np.int64), np.full(3, 7)])
    assert_same_outcome(func, [np.zeros(0, np.int64), np.full(0, 7)])


def test_TIR_16_a_chain_of_lets_is_evaluated_once() -> None:
    steps = "".join([f"let a{k + 1} = a{k} + a{k};" for k in range(LENGTH)])
    func = checked(
        "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64])"
        f" {{ let a0 = X[0]; {steps} for i in 0..n {{ Y[i] = a{LENGTH} + i; }} }}"
    )
    compiled = compile_prim_func(func)
    assert compiled.vectorized, compiled.source
    assert compiled.source.count(" + ") < 2 * LENGTH
