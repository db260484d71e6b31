"""Elements of the iterations just before are carried in variables: the interpreter's values. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from tests.tir.loops.test_loops import HELD, same
from tests.tir.support import outcome, prim_func

HEAD = "X: Buffer[(n,), DTYPE], Y: Buffer[(n,), DTYPE], Z: Buffer[(n,), DTYPE], K: Buffer[(n,), int64]"
CARRIED = {
    "filter": ("for i in 4..n { Y[i] = X[i] - Y[i - 1] * Y[i - 4] + Y[i - 2]; }", 5),
    "what is stored now": (
        "for i in 1..n { Y[i] = Y[i - 1] + X[i]; Z[i] = max(Z[i - 1], Y[i]) - Y[i - 1]; }",
        4,
    ),
    "before and after": (
        "for i in 1..n { Z[i] = Y[i] - Z[i - 1]; Y[i] = Y[i - 1] * X[i]; Z[i] += Y[i]; }",
        2,
    ),
    "added to": ("for i in 1..n { Y[i] += Y[i - 1] * X[i]; }", 2),
    "each other": ("for i in 1..n { Y[i] = Z[i - 1] + Y[i - 1]; Z[i] = Y[i - 1] - Z[i - 1] * X[i]; }", 4),
    "elsewhere too": ("for i in 1..n { Y[i] = Y[i - 1] + Y[K[i]] * Y[n - 1 - i]; }", 2),
    "in branches": ("for i in 1..n { Y[i] = Y[i - 1] - 1; if X[i] > 2 { Z[i] = Y[i - 1] + Y[i]; } }", 2),
    "until it leaves": (
        "for i in 1..n { Y[i] = Y[i - 1] + X[i]; if Y[i] > 9 { break; } Z[i] = Y[i - 1]; }",
        2,
    ),
}
LOOKED_UP = {
    "under a condition": "for i in 1..n { if X[i] > 2 { Y[i] = Y[i - 1] + X[i]; } }",
    "stored twice": "for i in 1..n { Y[i] = Y[i - 1] + X[i]; if X[i] > 2 { Y[i - 1] = X[i]; } }",
    "skipped": "for i in 1..n { if X[i] > 2 { continue; } Y[i] = Y[i - 1] + X[i]; }",
    "too far": "for i in 5..n { Y[i] = Y[i - 5] + X[i]; }",
    "perhaps not there": "for i in 0..n { Y[i] = if_then_else(i > 0, Y[max(i - 1, 0)] + X[i], X[i]); }",
}


def text(body: str, dtype: str) -> str:
    """Return a PrimFunc over arrays of a dtype."""
    return f"prim_func @f({HEAD}) {{ {body} }}".replace("DTYPE", dtype)


def arguments(dtype: str, n: int) -> list[object]:
    """Return arrays of small numbers."""
    generator = np.random.default_rng(n)
    return [*generator.integers(0, 5, (3, n)).astype(dtype), generator.integers(0, max(n, 1), n)]


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", [*CARRIED, *LOOKED_UP])
def test_TIR_21_elements_of_earlier_iterations(name: str, dtype: str) -> None:
    body = CARRIED[name][0] if name in CARRIED else LOOKED_UP[name]
    for n in (0, 1, 2, 4, 5, 6, 30):
        same(text(body, dtype), arguments(dtype, n), HELD)


@pytest.mark.parametrize("name", [*CARRIED, *LOOKED_UP])
def test_TIR_21_elements_of_earlier_iterations_beside_memory(name: str) -> None:
    """Arrays that are large for the steps that are taken are no lists."""
    func = prim_func(text(CARRIED[name][0] if name in CARRIED else LOOKED_UP[name], "float64"))
    form = LoopsFunction(analyse(func), **HELD)
    wanted = outcome(lambda *values: interpreter.run(func, values), arguments("float64", 40))
    assert repr(outcome(lambda *values: form(values, new_array, 1), arguments("float64", 40))) == repr(wanted)


@pytest.mark.parametrize("name", [*CARRIED, *LOOKED_UP])
def test_which_elements_are_carried(name: str) -> None:
    body, variables = CARRIED.get(name) or (LOOKED_UP[name], 0)
    form = LoopsFunction(analyse(prim_func(text(body, "float64"))), **HELD)
    loop = form.text.splitlines()
    moved = [
        line.split(" = ") for line in loop if line.strip().replace(" = ", "").isalnum() and " = t" in line
    ]
    assert len({part.strip() for pair in moved for part in pair}) == variables
