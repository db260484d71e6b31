"""`format_text` proves its output before it hands it out, and leaves broken texts alone."""

from __future__ import annotations

import sys

import pytest

from relax_lang.format import safe
from relax_lang.format.printer import format_parsed
from relax_lang.format.safe import format_text
from relax_lang.syntax.parser import Parsed
from tests.format import support

TEXT = "# c\ndef @f(x: Tensor) -> Tensor {x}\n"


def test_changed_and_unchanged() -> None:
    first = format_text(TEXT)
    assert first.changed
    assert first.diagnostics == []
    second = format_text(first.text)
    assert not second.changed
    assert second.text == first.text == "# c\ndef @f(x: Tensor) -> Tensor {\n  x\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        "def @f( {",
        "def @f(x) { x }",
        'def @f() -> () { "',
        "def @f() -> () { ()  }\x00",
        "pure impure def @f() -> () { () }",
        "}",
    ],
)
def test_a_text_with_errors_is_left_alone(text: str) -> None:
    result = format_text(text)
    assert result.text == text
    assert not result.changed
    assert result.diagnostics


@pytest.mark.parametrize("name", support.names())
def test_samples_are_proved(name: str) -> None:
    result = format_text(support.source(name))
    assert [d for d in result.diagnostics if d.severity == "error"] == []


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (lambda text: text + "}", "syntax errors"),
        (lambda text: text.replace("{\n  x\n}", "{\n  y\n}"), "changed the program"),
        (lambda text: text.replace("# c\n", ""), "comment"),
        (lambda text: text.replace("# c\n", "# c\n\n"), None),
        (lambda text: text + "\n", "twice"),
    ],
)
def test_a_mistake_of_the_formatter_is_found(broken, expected, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """The first formatting is spoilt; the check must see it, and the text stay as it was."""
    spoilt: list[bool] = []

    def spoil(parsed: Parsed, width: int) -> str:
        text = format_parsed(parsed, width)
        if spoilt:
            return text
        spoilt.append(True)
        return broken(text)

    monkeypatch.setattr(safe, "format_parsed", spoil)
    result = format_text(TEXT)
    if expected is None:
        assert result.changed
        return
    (found,) = result.diagnostics
    assert (found.code, found.slug, found.severity) == ("RLX9902", "format-not-stable", "error")
    assert expected in found.message
    assert result.text == TEXT
    assert not result.changed


DEEP = {
    "operators": "x" + " + x" * 4_000,
    "comparisons in parentheses": "(" * 200 + "x" + " == x)" * 200,
    "powers": "x" + " ** x" * 200,
    "calls": "f" + "(x)" * 4_000,
    "indices": "x" + "[0]" * 4_000,
    "tuples": "(" * 200 + "x" + ",)" * 200,
    "blocks": "{ " * 200 + "x" + " }" * 200,
    "arguments": "f(" * 200 + "x" + ")" * 200,
    "else if": "if x { x } else " * 200 + "{ x }",
    "signs": "-" * 200 + "x",
    "a long list": "(" + "x, " * 5_000 + ")",
    "numbers": "const([" + "1, " * 20_000 + "])",
}


@pytest.mark.parametrize("name", DEEP)
def test_Y_9_depth_and_length(name: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        result = format_text(f"def @f(x: Object, f: Object) -> Object {{ {DEEP[name]} }}")
    finally:
        sys.setrecursionlimit(limit)
    assert result.diagnostics == []
    assert result.changed
