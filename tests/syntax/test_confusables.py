"""Text that does not say what it seems to. [Y.11]"""

from __future__ import annotations

import pytest

from relax_lang.syntax.confusables import confusable_text
from relax_lang.syntax.parser import parse


def messages(text: str) -> list[str]:
    return [one.message for one in parse(text).diagnostics if one.slug == "confusable-text"]


@pytest.mark.parametrize("control", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_Y_11_controls_that_reorder_a_line(control: str) -> None:
    for text in (f"# a {control} b\ndef @f() {{ () }}", f'def @f() attrs {{ a: "{control}" }} {{ () }}'):
        (message,) = messages(text)
        assert f"U+{ord(control):04X}" in message
        assert "changes the order in which this line is shown" in message


@pytest.mark.parametrize(
    ("other", "letter"),
    [
        ("v\u0430lue", "U+0430 cyrillic small letter a"),
        ("\uff56alue", "U+FF56 fullwidth latin small letter v"),
        ("\u03bdalue", "U+03BD greek small letter nu"),
    ],
)
def test_Y_11_names_that_look_the_same(other: str, letter: str) -> None:
    (first,) = messages(f"def @f(value: Tensor, {other}: Tensor) {{ (value, {other}, value, {other}) }}")
    assert first == f"`{other}` is not `value`, which looks the same: {letter}"


def test_Y_11_letters_of_two_scripts_in_one_name() -> None:
    (message,) = messages("def @f(x: Tensor) { let m\u0430t = x; x }")
    assert message == "`m\u0430t` mixes letters that look alike: U+0430 cyrillic small letter a"
    assert len(messages("def @f(x: Tensor) { let `a\u200bb` = x; x }")) == 1


@pytest.mark.parametrize("name", ["größe", "мама", "变量", "名前", "π", "α", "naïve", "`lv 0`", "x\u0304"])
def test_Y_11_names_in_any_script_are_fine(name: str) -> None:
    assert messages(f"# größe, мама\ndef @f({name}: Tensor) {{ {name} }}") == []


def test_Y_11_one_name_is_reported_once() -> None:
    text = "def @f(m\u0430t: Tensor) { let y = m\u0430t; m\u0430t }"
    assert len(confusable_text(text)) == 1
