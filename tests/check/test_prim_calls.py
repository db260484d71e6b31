"""PrimFuncs under `call_tir` write results only. [O.5]"""

from __future__ import annotations

import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source

F32 = "Buffer[(2,), float32]"


def found(body: str, call: str = "call_tir(@p, (x,)) -> Tensor[(2,), float32]") -> list[tuple[str, str]]:
    text = f"prim_func @p(X: {F32}, Y: {F32}) {{ {body} }}\ndef @main(x: Tensor[(2,), float32]) -> Object {{ {call} }}"
    return [(one.slug, text[one.pos : one.end]) for one in check_source(SourceFile(text)).diagnostics]


IN_A_BLOCK = "for i in 0..2 { block b (v = spatial(i)) { init { X[v] = 0.0; } Y[v] = 1.0; } }"


@pytest.mark.parametrize("body", ["X[0] = 1.0; Y[0] = X[0]; Y[1] = X[1];", IN_A_BLOCK])
def test_O_5_a_store_to_an_input_is_an_error(body: str) -> None:
    assert found(body) == [("primfunc-writes-input", "call_tir(@p, (x,)) -> Tensor[(2,), float32]")]


def test_O_5_stores_to_results_and_own_buffers_are_fine() -> None:
    assert found("for i in 0..2 { Y[i] = X[i]; }") == []
    assert found(f"alloc T: {F32}; for i in 0..2 {{ T[i] = X[i]; Y[i] = T[i]; }}") == []
    assert found(f"if X[0] > 0.0 {{ alloc X: {F32}; X[0] = 1.0; Y[0] = X[0]; Y[1] = X[0]; }}") == []


def test_O_5_in_place_and_external_calls_may_write() -> None:
    assert found("X[0] = 1.0; Y[0] = X[0];", 'extern "p"(x, x)') == []
    assert found("X[0] = 1.0; Y[0] = X[0];", "()") == []


def test_O_5_counts_that_do_not_fit_are_reported_elsewhere() -> None:
    slugs = dict(found("X[0] = 1.0;", "call_tir(@p, (x, x)) -> Tensor[(2,), float32]")).keys()
    assert "call-tir-arguments" in slugs
    assert "primfunc-writes-input" not in slugs
