"""redundant-astype: what inference must know before it is reported, and what its fix leaves."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import SAFE, UNSAFE, Diagnostic

FLOAT32 = "Tensor[(2,), float32]"


def f(*statements: str, params: str = f"x: {FLOAT32}", head: str = "") -> str:
    return "\n".join([head + f"def @f({params}) {{", *[f"  {one}" for one in statements], "}", ""])


def found(text: str) -> list[Diagnostic]:
    checked = api.check(text, lints=["redundant-astype"])
    assert not checked.has_errors, checked.diagnostics
    return [one for one in checked.diagnostics if one.slug == "redundant-astype"]


def fixed(text: str, *, unsafe: bool = False) -> str:
    return api.fix_text(text, unsafe=unsafe, lints=["redundant-astype"], want=list).text


@pytest.mark.parametrize(
    ("operand", "left"),
    [
        ("x", "x"),
        ("add(x, x)", "add(x, x)"),
        ("x + x", "(x + x)"),
        ("-x", "(-x)"),
        ("(x, 1)[0]", "(x, 1)[0]"),
        ("const([0.5, 1.5], float32)", "const([0.5, 1.5], float32)"),
        ("astype(const([1, 2]), dtype=float32)", "astype(const([1, 2]), dtype=float32)"),
        ("@own(x)", "@own(x)"),
    ],
)
def test_the_operand_is_left(operand: str, left: str) -> None:
    head = f"def @own(a: {FLOAT32}) {{\n  a + a\n}}\n"
    text = f(f"multiply(astype({operand}, dtype=float32), x)", head=head)
    [one] = found(text)
    assert one.message == "this value is converted to float32, which it is already"
    assert text[one.pos : one.end] == f"astype({operand}, dtype=float32)"
    assert one.fixes[0].applicability == SAFE
    assert fixed(text) == f(f"multiply({left}, x)", head=head)


def test_the_fixed_program_computes_the_same() -> None:
    text = f("let y = 2.0 * astype(x + x, dtype=float32);", "y / astype(y, dtype=float32)")
    x = np.array([1.5, -2.0], dtype=np.float32)
    assert "astype" not in fixed(text)
    np.testing.assert_array_equal(api.run(text, x, entry="f"), api.run(fixed(text), x, entry="f"))


@pytest.mark.parametrize(
    ("params", "statement"),
    [
        (f"x: {FLOAT32}", "astype(x, dtype=float64)"),
        (f"x: {FLOAT32}", "astype(const([1, 2]), dtype=float32)"),
        ("x: Tensor", "astype(x, dtype=float32)"),
        ("x: Tensor[ndim=1]", "astype(x, dtype=float32)"),
        (f"x: {FLOAT32}", "{ let x = astype(x, dtype=float16); astype(x, dtype=float32) }"),
    ],
)
def test_what_another_or_no_dtype_is_known_of_is_converted(params: str, statement: str) -> None:
    assert found(f(statement, params=params)) == []


def test_one_that_shadows_is_told_apart() -> None:
    text = f("let x = astype(x, dtype=float16);", "let x = astype(x, dtype=float16);", "x")
    [one] = found(text)
    assert text.count("\n", 0, one.pos) == 2


@pytest.mark.parametrize(
    "statement",
    [
        'let y = extern "g"(x) -> Tensor[(2,), float32];',
        'let y = extern "g"(x, pure=true) -> Tensor[(2,), float32];',
        "print(x); let y = x;",
        'let y = call_inplace_packed(extern "g", x, inplace_indices=[0]) -> Tensor[(2,), float32];',
        "let y = x;  # why",
    ],
)
def test_host_code_effects_and_comments_make_the_fix_unsafe(statement: str) -> None:
    conversion = "astype(  # here\n    y, dtype=float32)" if "#" in statement else "astype(y, dtype=float32)"
    text = f(statement, conversion)
    [one] = found(text)
    assert one.fixes[0].applicability == UNSAFE
    assert fixed(text) == text
    assert "astype" not in fixed(text, unsafe=True)


def test_a_packed_parameter_makes_the_fix_unsafe() -> None:
    text = f("astype(x, dtype=float32)", params=f"x: {FLOAT32}, g: PackedFunc")
    assert [one.fixes[0].applicability for one in found(text)] == [UNSAFE]
