"""Effects of callees that only their types tell: P.4, P.8, T.K11.2."""

from __future__ import annotations

import pytest

from tests.check.infer.harness import found

PARAMS = "x: Tensor, p: (impure fn(Tensor) -> Tensor, fn(Tensor) -> Tensor, PackedFunc), c: Tensor[(), bool]"
HEAD = """
def @give(f: impure fn(Tensor) -> Tensor) -> impure fn(Tensor) -> Tensor { f }
def @loud(a: Tensor) -> Tensor { print(a); a }
"""


def in_dataflow(before: str, call: str) -> list[tuple[str, str]]:
    return found(f"def @main({PARAMS}) {{ {before} dataflow {{ let y = {call}; output y; }} y }}{HEAD}")


@pytest.mark.parametrize(
    ("before", "call", "impure"),
    [
        ("let f = p[0];", "f(x)", True),
        ("let f = p[1];", "f(x)", False),
        ("let f = p[2];", "f(x)", True),
        ("let f = p[2];", "f(x, pure=true)", False),
        ("let f = @give(p[1]);", "f(x)", True),
        ("let f = if c { p[0] } else { p[1] };", "f(x)", True),
        ("let f = @loud;", "f(x)", True),
        ("let f = (@loud, x)[0];", "f(x)", True),
        ("let h = fn (a: Tensor) -> Tensor { let f = p[0]; f(a) };", "h(x)", True),
        ("let h = fn (a: Tensor) -> Tensor { let f = p[1]; f(a) };", "h(x)", False),
    ],
)
def test_P_8_P_4_callees_by_their_types(before: str, call: str, impure: bool) -> None:
    assert in_dataflow(before, call) == ([("impure-in-dataflow", call)] if impure else [])


def test_P_6_T_K11_2_claims_against_types() -> None:
    text = "pure def @f(p: (impure fn(Tensor) -> Tensor,), x: Tensor) -> Tensor { let f = p[0]; f(x) }"
    assert found(text) == [("impure-body", "f(x)")]
    text = "impure def @f(p: (fn(Tensor) -> Tensor,), x: Tensor) -> Tensor { let f = p[0]; f(x) }"
    assert found(text) == [("impure-not-needed", "impure")]
    text = "impure def @f(p: (impure fn(Tensor) -> Tensor,), x: Tensor) -> Tensor { let f = p[0]; f(x) }"
    assert found(text) == []


def test_P_5_callers_of_such_functions() -> None:
    text = (
        "pure def @main(p: (impure fn(Tensor) -> Tensor,), x: Tensor) -> Tensor { @f(p, x) }\n"
        "def @f(p: (impure fn(Tensor) -> Tensor,), x: Tensor) -> Tensor { let f = p[0]; f(x) }"
    )
    assert found(text) == [("impure-body", "@f(p, x)")]
