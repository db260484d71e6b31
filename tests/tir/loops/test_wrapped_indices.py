"""An index of which a part wrapped around is tested when it is used: `k * 3 % -3` may be -1. [TIR.8] [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from tests.tir.support import outcome, prim_func

K = 2**62 + 7
"""Three times this is outside of int64."""
BODIES = {
    "a literal": "Y[i] = Y[i] + T[(max_value(int64) * 3) % 3];",
    "a parameter": "Y[i] = Y[i] + T[k * 3 % -3];",
    "a let": "let a = k * 3 % -3; Y[i] = Y[i] + T[a];",
    "a loop": "for j in (k * 3 % -3)..1 { Y[i] = Y[i] + T[j]; }",
    "a select": "Y[i] = Y[i] + T[select(k * 3 % 3 == 0, 0, -1)];",
    "a lazy choice": "Y[i] = Y[i] + T[if_then_else(k * 3 % 3 == 0, 0, -1)];",
    "logic": "Y[i] = Y[i] + T[select(k * 3 % 3 == 0 && n > 0, 0, -1)];",
    "not": "Y[i] = Y[i] + T[select(!(k * 3 % 3 != 0), 0, -1)];",
    "a minimum": "Y[i] = Y[i] + T[min(k * 3 % -3, 1)];",
    "a quotient": "Y[i] = Y[i] + T[k * 3 % -3 // 2];",
    "a difference": "Y[i] = Y[i] + T[0 - k * 3 % 3];",
    "a negation": "Y[i] = Y[i] + T[-(k * 3 % 3)];",
}


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_TIR_21_a_part_of_an_index_wraps_around(body: str, held: bool) -> None:
    func = prim_func(
        f"prim_func @f(T: Buffer[(2,), float64], Y: Buffer[(n,), float64], k: int64) {{ for i in 0..n {{ {body} }} }}"
    )
    form = LoopsFunction(analyse(func), native=False, held=held)
    for k in (0, K, -K):
        arguments = [np.array([1.0, 2.0]), np.zeros(3), k]
        wanted = outcome(lambda *values: interpreter.run(func, values), arguments)
        found = outcome(lambda *values: form(values, new_array), arguments)
        assert found[0] == wanted[0]
        for have, want in zip(found[1], wanted[1], strict=True):
            np.testing.assert_array_equal(have, want)
