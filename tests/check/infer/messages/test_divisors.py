"""Extents that are equal where a number divides a size: the fix checks that, and what needed it is silent. [OP.6]"""

from __future__ import annotations

import pytest

from relax_lang import api
from tests.edits import applied


@pytest.mark.parametrize(
    ("signature", "body", "helps", "check"),
    [
        (
            "x: Tensor[(b, e), float32]",
            "reshape(exp(x), shape(b, 4, e // 4))",
            "they are equal where 4 divides `e`: check that before, or declare multiples, as in `4 * k`",
            "match_cast(x, Tensor[(b, e // 4 * 4), float32]);",
        ),
        (
            "x: Tensor[(n, h, w), float32]",
            "let z = reshape(x, shape(n, h // 2, 2, w // 2, 2)); add(z, z)",
            (
                "they are equal where 2 divides `h` and 2 divides `w`: "
                "check that before, or declare multiples, as in `2 * k`"
            ),
            "match_cast(x, Tensor[(n, h // 2 * 2, w), float32]); match_cast(x, Tensor[(n, h, w // 2 * 2), float32]);",
        ),
        (
            "x: Tensor[(n,), float32], y: Tensor[(n // 2,), float32]",
            "dataflow { let z = concat((y, y), axis=0) + x; output z; } z",
            "they are equal where 2 divides `n`: check that before, or declare multiples, as in `2 * k`",
            "match_cast(x, Tensor[(n // 2 * 2,), float32]);",
        ),
    ],
)
def test_OP_6_a_size_that_has_to_be_divided(signature: str, body: str, helps: str, check: str) -> None:
    text = f"def @f({signature}) -> Tensor {{ {body} }}"
    found = api.check(text).diagnostics
    assert found[0].slug == "operands-may-differ"
    assert found[0].help == helps
    (fix,) = found[0].fixes
    mended = applied(text, fix)
    assert mended == f"def @f({signature}) -> Tensor {{ {check} {body} }}"
    assert len(api.check(mended).diagnostics) < len(found)


def test_OP_6_one_check_is_enough_for_several_calls() -> None:
    body = "let a = reshape(x, shape(4, e // 4)); let b = reshape(exp(x), shape(e // 4, 4)); (a, b)"
    text = f"def @f(x: Tensor[(e,), float32]) -> Object {{ {body} }}"
    result = api.fix_text(text, unsafe=True)
    assert result.text == text.replace("{ let a", "{ match_cast(x, Tensor[(e // 4 * 4,), float32]); let a")
    assert result.left == []


@pytest.mark.parametrize(
    "text",
    [
        (
            "def @f(x: Tensor[(n,), float32]) -> Tensor { let x = ones(shape(n // 2 * 2), dtype=float32); "
            "x + zeros(shape(n), dtype=float32) }"
        ),
        "def @f(s: Shape[(n,)]) -> Tensor { ones(shape(n // 2 * 2), dtype=float32) + zeros(shape(n), dtype=float32) }",
    ],
)
def test_OP_6_no_fix_without_a_tensor_to_check(text: str) -> None:
    (found,) = api.check(text).diagnostics
    assert "2 divides `n`" in found.help
    assert found.fixes == []


def test_OP_6_no_such_advice_where_division_is_not_the_reason() -> None:
    (found,) = api.check(
        "def @f(x: Tensor[(n,), float32], y: Tensor[(n // 2 + 1,), float32]) -> Tensor { concat((y, y), axis=0) + x }"
    ).diagnostics
    assert found.help == "give equal dimensions one name, or check them with a match_cast before"
