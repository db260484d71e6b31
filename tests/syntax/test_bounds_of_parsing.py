"""Parsing never raises, and what it does is bounded. [Y.9]"""

from __future__ import annotations

import random

import pytest

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.syntax import tree as t
from relax_lang.syntax.parser import parse
from tests.syntax.parsed_texts import every_text


@pytest.mark.parametrize(
    "text",
    [
        "def @f() -> () { " + "(" * 10_000 + "1" + ")" * 10_000 + " }",
        "def @f() -> () " + "{ " * 10_000,
        "def @f() -> () { " + "-" * 10_000 + "1 }",
        "def @f() -> () { " + " + ".join(["x"] * 10_000) + " }",
        "def @f() -> () { f" + "(x)" * 10_000 + " }",
        "def @f() -> () { " + "if c { x } else " * 10_000 + "{ x } }",
        "def @f(x: " + "(" * 10_000 + "Tensor" + ",)" * 10_000 + ") -> () { x }",
        "prim_func @f() { " + "for i in 0..n { " * 10_000 + "}" * 10_001,
        "def @f() -> () { const(" + "[" * 10_000 + "]" * 10_000 + ") }",
    ],
    ids=lambda text: text[:30],
)
def test_Y_9_depth_is_bounded(text: str) -> None:
    assert [d.slug for d in parse(text).diagnostics] == ["nesting-too-deep"]


@pytest.mark.parametrize(
    "deep",
    [
        "def @deep(x: Tensor) { " + " + ".join(["x"] * 10_000) + " }",
        "def @deep(x: Tensor) { x" + "[0]" * 10_000 + " }",
        "def @deep(x: Tensor) { x" + "[0]" * 10_000 + "(x) -> Tensor[(2,)] }",
        "def @deep(x: Tensor[(" + " + ".join(["n"] * 10_000) + ",)]) { x }",
        "def @deep(x: Tensor) { " + "(" * 10_000 + "1" + ")" * 10_000 + " }",
        "def @deep(x: Tensor) { " + "{ " * 10_000,
        "prim_func @deep() { " + "for i in 0..n { " * 10_000,
    ],
    ids=lambda text: text[:30],
)
def test_Y_9_one_item_that_is_too_deep_hides_nothing_of_the_others(deep: str) -> None:
    text = f"def @before(x: Tensor) {{ y }}\n\n{deep}\n\ndef @after(x: Tensor) {{ let z = @deep(x); v }}\n"
    with deep_recursion():
        found = check_source(SourceFile(text, "deep.rlx")).diagnostics
    places = [(d.slug, text.count("\n", 0, d.pos) + 1) for d in found]
    assert places == [("undefined-variable", 1), ("nesting-too-deep", 3), ("undefined-variable", 5)]


def test_Y_9_a_thousand_terms_and_three_hundred_brackets_are_fine() -> None:
    assert parse("def @f() -> () { " + " + ".join(["x"] * 1_000) + " }").diagnostics == []
    assert parse("def @f() -> () { " + "(" * 300 + "1" + ",)" * 300 + " }").diagnostics == []


def mutate(text: str, rng: random.Random) -> str:
    """Delete, double, swap or replace a few pieces."""
    pieces = list(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(pieces))
        choice = rng.randrange(5)
        if choice == 0:
            del pieces[at : at + rng.randrange(1, 20)]
        elif choice == 1:
            pieces[at:at] = pieces[at : at + rng.randrange(1, 30)]
        elif choice == 2:
            pieces[at] = chr(rng.randrange(0x250))
        elif choice == 3:
            pieces[at:at] = rng.choice(
                ["(", ")", "{", "}", ";", "def ", "let ", "->", "\0", '"', "`", "#", "@", "0..", "["]
            )
        else:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        if not pieces:
            return ""
    return "".join(pieces)


def test_parsing_never_raises() -> None:
    """1,000 mutations of the samples: a tree and diagnostics, all within the text, never an exception."""
    rng = random.Random(20)
    texts = every_text()
    for round_ in range(1_000):
        text = mutate(texts[round_ % len(texts)], rng)
        parsed = parse(text)
        assert isinstance(parsed.tree, t.IRModule)
        for diagnostic in parsed.diagnostics:
            assert 0 <= diagnostic.pos <= diagnostic.end <= len(text) + 1


def test_random_characters() -> None:
    rng = random.Random(3)
    for size in (1, 10, 1_000, 100_000):
        for alphabet in (0x7F, 0x3000, 0x10FFFF):
            parse("".join(chr(rng.randrange(alphabet)) for _ in range(size)))
