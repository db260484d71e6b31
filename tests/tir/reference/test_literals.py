"""Literals without a dtype under operations that only integers have: three meanings agree on them. [TIR.5]"""

from __future__ import annotations

import pytest

from relax_lang.tir.check.driver import check_prim_func
from tests.tir.random_programs.test_random_programs import difference
from tests.tir.reference.interpreter import Array
from tests.tir.support import prim_func

LITERALS = (
    "1 << 3", "~5 & 12", "popcount(7)", "7 // popcount(3)", "clz(1) % 5", "abs(~3)", "select(k > 0, ~1, 3)",
    "if_then_else(k > 9, 1, 5 | 2) * 3", "-(1 << 2)", "min(~0, 2)", "1 / 4", "popcount(6) + 1", "(1 & 3) / 2",
)  # fmt: skip


@pytest.mark.parametrize("literals", LITERALS)
def test_TIR_5_what_integers_alone_have_is_computed_in_int64_before_a_cast(literals: str) -> None:
    """The interpreter, the compiled form and the reference agree; all of them accept it."""
    stores = f"Y[i] = cast({literals}, float32); I[i] = cast({literals}, int8);"
    text = f"prim_func @f(Y: Buffer[(n,), float32], I: Buffer[(n,), int8], k: int64) {{ for i in 0..n {{ {stores} }} }}"
    assert not check_prim_func(prim_func(text))
    arguments = {"Y": Array((2,), "float32", [0.0] * 2), "I": Array((2,), "int8", [0] * 2), "k": 3}
    assert difference(text, arguments) == ""
