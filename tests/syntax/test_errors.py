"""Syntax errors: each reported once, at its place, in the author's terms (Y.1-Y.11, and the G rules of the parser)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from time import perf_counter

import pytest

from relax_lang.base.diagnostic import RULES
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax.parser import parse
from tests.explanations import programs

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


# Each diagnostic of the parser is a function named like its slug.
PARSER_SLUGS = [slug for slug in RULES if hasattr(diag, slug.replace("-", "_"))]


@pytest.mark.parametrize("slug", [slug for slug in PARSER_SLUGS if programs(RULES[slug], "wrong")])
def test_explained_examples(slug: str) -> None:
    for text in programs(RULES[slug], "wrong"):
        assert slug in [d.slug for d in parse(text).diagnostics], text
    for text in programs(RULES[slug], "right"):
        assert [d for d in parse(text).diagnostics if d.severity == "error"] == [], text


def test_Y_8_items_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a(x y z { }\ndef @b() -> () { () }\n")
    assert [item.name.name_hint for item in parsed.tree.items] == ["b"]
    assert parsed.lost_globals == {"a"}


def test_Y_8_statements_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a() -> () {\n  let x = +;\n  let y = ();\n  y\n}\n")
    (block,) = parsed.tree.items[0].body.blocks
    assert [binding.var.name_hint for binding in block.bindings] == ["y"]
    (item,) = parsed.tree.items
    assert [item.pos < pos <= end < item.end for pos, end in parsed.broken] == [True]


def test_too_many_errors_are_given_up() -> None:
    diagnostics = parse("def " * 10_000).diagnostics
    assert len(diagnostics) == 101
    assert diagnostics[-1].slug == "too-many-errors"


@pytest.mark.parametrize(
    "token",
    ['"' + "a" * 500_000, "`" + "a" * 500_000, "1_" * 250_000 + "1", "a." * 250_000 + "a"],
    ids=["string", "name", "number", "dots"],
)
def test_Y_9_memory_for_long_tokens(token: str) -> None:
    text = f"def @m() {{\n  {token}\n}}\n"
    tracemalloc.start()
    parse(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(text)


def test_Y_9_time_for_many_errors_in_heads() -> None:
    """What is taken back when a bigger mistake is found does not cost more with every error before it."""

    def seconds(count: int) -> float:
        text = "def @m(" + 'x: R.Tensor((n,), "float32"), ' * count + ") { () }"
        start = perf_counter()
        assert len(parse(text).diagnostics) >= count
        return perf_counter() - start

    assert seconds(16_000) < 3 * 8 * max(seconds(2_000), 0.005)
