"""Syntax of other languages: mistakes, each with the one message about it. [R.29]"""

from __future__ import annotations

import pytest

from tests.edits import applied
from tests.relay.support import checked, slugs
from tests.relay.syntax.foreign_syntax import FOREIGN, LIST, TENSOR


@pytest.mark.parametrize(("text", "slug", "message"), FOREIGN, ids=[text for text, _, _ in FOREIGN])
def test_R_29_a_habit_has_one_message(text, slug, message):
    assert [(one.slug, one.message) for one in checked(text).diagnostics] == [(slug, message)]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("def main() { 1 }", "def @main() { 1 }"),
        (
            "def @main(%x: bool) { if (%x) { 1 } elif (%x) { 2 } else { 3 } }",
            "def @main(%x: bool) { if (%x) { 1 } else if (%x) { 2 } else { 3 } }",
        ),
        (
            "type L { N }\ndef @main(%l: L) { match (%l) { N -> 0 } }",
            "type L { N }\ndef @main(%l: L) { match (%l) { N => 0 } }",
        ),
        ("fn @main() { 1 }", "def @main() { 1 }"),
        *[
            (
                f"{LIST}def @f(%l: L) {{ match (%l) {{ {one} }} }}",
                f"{LIST}def @f(%l: L) {{ match (%l) {{ {other} }} }}",
            )
            for one, other in (
                ("C(%h, _) -> %h, N -> 0", "C(%h, _) => %h, N => 0"),
                ("C(%h, _): %h, N: 0", "C(%h, _)=> %h, N=> 0"),
                ("C(%h, _) => { %h }; N => { 0 };", "C(%h, _) => { %h }, N => { 0 },"),
                ("| C(%h, _) => %h | N => 0", " C(%h, _) => %h , N => 0"),
                ("C(h, _) => h + h, N => 0", "C(%h, _) => %h + %h, N => 0"),
            )
        ],
        ("def @main(x: int32) { x + x }", "def @main(%x: int32) { %x + %x }"),
        ("def @main() { let x = 1; x + x }", "def @main() { let %x = 1; %x + %x }"),
        ("def @main() { x = 1; x + x }", "def @main() { let %x = 1; %x + %x }"),
        (TENSOR + "reshape(%x, (3, 2)) }", TENSOR + "reshape(%x, newshape=(3, 2)) }"),
        (TENSOR + "clip(%x, 0f, 6f) }", TENSOR + "clip(%x, a_min=0f, a_max=6f) }"),
        (TENSOR + "split(%x, 3, 1) }", TENSOR + "split(%x, indices_or_sections=3, axis=1) }"),
        (TENSOR + "stack([%x, %x], axis=0) }", TENSOR + "stack((%x, %x), axis=0) }"),
        (TENSOR + "stack([%x], axis=0) }", TENSOR + "stack((%x,), axis=0) }"),
        (TENSOR + "@relu(%x) }", TENSOR + "nn.relu(%x) }"),
        ("def @main(%x: float) { %x }", "def @main(%x: float32) { %x }"),
        ("def @main(%x: bool) { %x and %x }", "def @main(%x: bool) { %x && %x }"),
        ('def @f(%x: Tensor[(2), "int8"]) { %x }', "def @f(%x: Tensor[(2), int8]) { %x }"),
    ],
)
def test_R_29_a_habit_is_mended(text, fixed):
    (found,) = checked(text).diagnostics
    made = applied(text, found.fixes[0])
    assert made == fixed
    assert slugs(fixed) == []


@pytest.mark.parametrize(
    "text", ["def @main(%x: int32) { %x // 2 }", "def @main(%x: int32) {\n  let %y = %x // 2;\n  %y\n}"]
)
def test_R_29_a_comment_that_is_meant_as_a_quotient(text):
    (found,) = checked(text).diagnostics
    assert "`//` begins a comment" in found.help


def test_R_29_many_elifs_have_one_message_each():
    text = "def @main(%x: bool) { if (%x) { 1 }" + " elif (%x) { 2 }" * 5 + " else { 3 } }"
    assert [one.message for one in checked(text).diagnostics] == ["`elif` is written `else if`"] * 5
