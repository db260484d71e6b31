"""Syntax errors: each reported once, at its place, in the author's terms (Y.1-Y.11, and the G rules of the parser)."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.base.diagnostic import RULES
from relax_lang.syntax import problems
from relax_lang.syntax.parser import parse

CASES = (
    Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").split("\n\n", 1)[1].split("\n----\n")
)


def split(case: str) -> tuple[str, list[str]]:
    lines = case.rstrip("\n").split("\n")
    expected = [line[3:] for line in lines if line.startswith("=> ")]
    return "\n".join(line for line in lines if not line.startswith("=> ")), expected


@pytest.mark.parametrize("case", CASES, ids=[split(case)[0][:60] for case in CASES])
def test_Y_8_errors(case: str) -> None:
    text, expected = split(case)
    found = [(d.slug, text[d.pos : d.end], d.message) for d in parse(text).diagnostics]
    shown = [f"{slug} @ {mark} | {message}".replace("\n", "\\n") for slug, mark, message in found]
    if expected == ["bad-character-free"]:
        assert found == []
        return
    assert len(shown) == len(expected), shown
    for got, want in zip(shown, expected, strict=True):
        head, _, message = want.partition(" | ")
        assert got.startswith(f"{head} | "), shown
        assert message in got, shown


@pytest.mark.parametrize("case", CASES, ids=[split(case)[0][:60] for case in CASES])
def test_Y_7_fixes_apply(case: str) -> None:
    """A safe edit takes its own error away."""
    text, _ = split(case)
    for diagnostic in parse(text).diagnostics:
        for fix in diagnostic.fixes:
            if fix.applicability != "safe":
                continue
            mended = text
            for edit in sorted(fix.edits, key=lambda e: -e.pos):
                mended = mended[: edit.pos] + edit.text + mended[edit.end :]
            before = [d.slug for d in parse(text).diagnostics]
            after = [d.slug for d in parse(mended).diagnostics]
            assert len(after) < len(before) or after.count(diagnostic.slug) < before.count(diagnostic.slug), (
                mended
            )


def examples(slug: str, kind: str) -> list[str]:
    lines = RULES[slug].explanation.splitlines()
    found: list[str] = []
    block: list[str] | None = None
    for line in lines:
        text = line[4:] if line.startswith("    ") else line
        if text.startswith("```"):
            if block is not None:
                found.append("\n".join(block))
                block = None
            elif text == f"```relax {kind}":
                block = []
        elif block is not None:
            block.append(text)
    return found


# Each diagnostic of the parser is a function named like its slug.
PARSER_SLUGS = [slug for slug in RULES if hasattr(problems, slug.replace("-", "_"))]


@pytest.mark.parametrize("slug", [slug for slug in PARSER_SLUGS if examples(slug, "wrong")])
def test_explained_examples(slug: str) -> None:
    for text in examples(slug, "wrong"):
        assert slug in [d.slug for d in parse(text).diagnostics], text
    for text in examples(slug, "right"):
        assert [d for d in parse(text).diagnostics if d.severity == "error"] == [], text


def test_Y_8_items_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a(x y z { }\ndef @b() -> () { () }\n")
    assert [item.name.name_hint for item in parsed.tree.items] == ["b"]
    assert parsed.lost_globals == {"a"}


def test_Y_8_statements_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a() -> () {\n  let x = +;\n  let y = ();\n  y\n}\n")
    (block,) = parsed.tree.items[0].body.blocks
    assert [binding.var.name_hint for binding in block.bindings] == ["y"]
    assert not parsed.is_complete(parsed.tree.items[0])


def test_too_many_errors_are_given_up() -> None:
    diagnostics = parse("def " * 10_000).diagnostics
    assert len(diagnostics) == 101
    assert diagnostics[-1].slug == "too-many-errors"
