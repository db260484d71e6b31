"""Effects as far as names show them: inferred, claimed, overridden, and kept out of dataflow blocks."""

from __future__ import annotations

import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source

HELPERS = """
def @impure_one(x: Tensor) -> Tensor {
  print(x);
  x
}
def @pure_one(x: Tensor) -> Tensor { add(x, x) }
def @through(x: Tensor) -> Tensor { @impure_one(x) }
force_pure def @forced(x: Tensor) -> Tensor { @impure_one(x) }
pure def @claimed(x: Tensor) -> Tensor { @pure_one(x) }
impure def @declared(x: Tensor) -> Tensor { extern "f"(x) -> Tensor }
"""


def found(text: str) -> list[tuple[str, str]]:
    diagnostics = check_source(SourceFile(text)).diagnostics
    return [(one.slug, text[one.pos : one.end]) for one in diagnostics]


def in_dataflow(call: str, before: str = "") -> list[tuple[str, str]]:
    params = "x: Tensor, f: fn(Tensor) -> Tensor, g: impure fn(Tensor) -> Tensor, h: PackedFunc, o: Object"
    text = f"def @main({params}) -> Object {{ {before} dataflow {{ let y = {call}; output y; }} y }}"
    return found(text + HELPERS)


@pytest.mark.parametrize(
    "call",
    [
        'extern "f"(x) -> Tensor',
        'extern "f"(x, pure=false)',
        "print(x)",
        'call_dps_packed(extern "f", (x,)) -> Tensor[(2,), float32]',
        "@impure_one(x)",
        "@through(x)",
        "@declared(x)",
        "g(x)",
        "h(x)",
        "add(@impure_one(x), x)",
    ],
)
def test_P_4_P_5_P_8_W_6_4_no_impure_call_in_a_dataflow_block(call: str) -> None:
    marked = "@impure_one(x)" if call.startswith("add(") else call
    assert in_dataflow(call) == [("impure-in-dataflow", marked)]


@pytest.mark.parametrize(
    "call",
    [
        'extern "f"(x, pure=true) -> Tensor',
        'call_dps_packed(extern "f", (x,), pure=true) -> Tensor[(2,), float32]',
        "add(x, x)",
        "@pure_one(x)",
        "@forced(x)",
        "@claimed(x)",
        "f(x)",
        "h(x, pure=true)",
        "match_cast(x, Tensor[ndim=2])",
    ],
)
def test_P_2_P_4_P_7_P_10_pure_calls_may_stand_there(call: str) -> None:
    assert in_dataflow(call) == []


def test_P_11_W_6_5_creating_an_impure_closure_is_pure_and_calling_it_is_not() -> None:
    make = "let k = fn (a: Tensor) -> Tensor { print(a); a };"
    assert in_dataflow("x", make) == []
    assert in_dataflow("k(x)", make) == [("impure-in-dataflow", "k(x)")]
    text = "def @f(x: Tensor) -> Object { dataflow { let h = fn (a: Tensor) -> Tensor { print(a); a }; output h; } h }"
    assert found(text) == []


def test_P_8_variables_are_looked_through() -> None:
    before = 'let k = extern "f"; let l = k;'
    assert in_dataflow("l(x)", before) == [("impure-in-dataflow", "l(x)")]
    assert in_dataflow("l(x, pure=true)", before) == []


def test_P_6_T_K11_2_a_claim_is_checked_at_the_first_impure_call() -> None:
    text = "pure def @f(a: Tensor) -> Tensor { add(a, a); print(a); print(a); a }"
    assert found(text) == [("impure-body", "print(a)")]
    assert found("def @f(a: Tensor) -> Tensor { print(a); a }") == []
    local = "def @f(x: Tensor) -> Object { let g = pure\n fn (a: Tensor) -> Tensor { print(a); a }; g }"
    assert found(local) == [("impure-body", "print(a)")]
    assert found("pure def @f(a: Tensor) -> Tensor { add(a, a) }") == []


def test_P_7_T_K11_3_force_pure_overrides() -> None:
    assert found("force_pure def @f(a: Tensor) -> Tensor { print(a); a }") == []


def test_T_K11_2_impure_that_is_not_needed_is_a_hint() -> None:
    assert found("impure def @f(a: Tensor) -> Tensor { add(a, a) }") == [("impure-not-needed", "impure")]
    assert found("impure def @f(a: Tensor, o: impure fn(Tensor) -> Object) -> Object { o(a) }") == []


def test_P_5_through_a_circle_of_functions() -> None:
    text = (
        "def @a(x: Tensor) -> Tensor { @b(x) }\ndef @b(x: Tensor) -> Tensor { if true { @a(x) } else { @c(x) } }\n"
        "def @c(x: Tensor) -> Tensor { print(x); x }\npure def @d(x: Tensor) -> Tensor { @a(x) }"
    )
    assert found(text) == [("impure-body", "@a(x)")]


def test_P_4_the_fix_says_pure() -> None:
    text = 'def @f(x: Tensor) -> Tensor { dataflow { let y = extern "f"(x) -> Tensor; output y; } y }'
    (one,) = check_source(SourceFile(text)).diagnostics
    (edit,) = one.fixes[0].edits
    mended = text[: edit.pos] + edit.text + text[edit.end :]
    assert 'extern "f"(x, pure=true) -> Tensor' in mended
    assert found(mended) == []
