"""How long functions may be that numba compiles. [TIR.21]"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.loops import choice
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.spelling import Unspelled
from tests.tir.support import prim_func


def test_numba_gets_no_function_that_takes_it_minutes() -> None:
    steps = "Y[i] = Y[i - 1] * 2 + X[i];" * 1_100
    text = f"prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {{ for i in 1..n {{ {steps} }} }}"
    assert LoopsFunction(analyse(prim_func(text)), native=False).lines > 1000
    with pytest.raises(Unspelled, match="too long"):
        LoopsFunction(analyse(prim_func(text)), native=True)


@pytest.mark.skipif(find_spec("numba") is None, reason="needs numba (the extra relax-lang[numba])")
def test_auto_takes_numba_for_more_steps_of_longer_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_NUMBA_AGAIN", choice._NUMBA_FROM)
    step = "Y[i] = Y[i - 1] * 2 + X[i];"
    params = "X: Buffer[(n,), int64], Y: Buffer[(n,), int64]"
    for lines, wanted in ((1, True), (200, False)):
        loops = choice.Loops(prim_func(f"prim_func @f({params}) {{ for i in 1..n {{ {step * lines} }} }}"))
        assert loops._wants_native(1_000_000, "auto") == wanted
        assert loops._wants_native(10_000_000, "auto")
