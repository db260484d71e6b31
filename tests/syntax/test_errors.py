"""Syntax errors: each reported once, at its place, in the author's terms (Y.1-Y.11, and the G rules of the parser)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import RULES
from relax_lang.base.node import walk
from relax_lang.check.explain import all_rules
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.syntax.recovery import diagnostics as recovery_diag
from tests.edits import applied
from tests.explanations import programs
from tests.work import executed_lines

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
            mended = applied(text, fix)
            before = [d.slug for d in parse(text).diagnostics]
            after = [d.slug for d in parse(mended).diagnostics]
            assert len(after) < len(before) or after.count(diagnostic.slug) < before.count(diagnostic.slug), (
                mended
            )


# Each diagnostic of the parser is a function named like its slug.
PARSER_SLUGS = [
    rule.slug
    for rule in all_rules()
    if hasattr(diag, rule.slug.replace("-", "_")) or hasattr(recovery_diag, rule.slug.replace("-", "_"))
]


@pytest.mark.parametrize("slug", [slug for slug in PARSER_SLUGS if programs(RULES[slug], "wrong")])
def test_explained_examples(slug: str) -> None:
    for text in programs(RULES[slug], "wrong"):
        assert slug in [d.slug for d in parse(text).diagnostics], text
    for text in programs(RULES[slug], "right"):
        assert [d for d in parse(text).diagnostics if d.severity == "error"] == [], text


def test_Y_8_items_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a(x y z { }\ndef @b() -> () { () }\n")
    assert [item.name.name_hint for item in parsed.tree.items] == ["b"]
    assert parsed.losses.names == {"a"}
    assert parsed.losses.incomplete == set()


def test_Y_8_statements_after_a_broken_one_are_read() -> None:
    parsed = parse("def @a() -> () {\n  let x = +;\n  let y = ();\n  y\n}\n")
    (block,) = parsed.tree.items[0].body.blocks
    assert [binding.var.name_hint for binding in block.bindings] == ["y"]
    assert parsed.losses.incomplete == set(parsed.tree.items)


def test_Y_8_what_recovery_puts_in_loses_nothing() -> None:
    parsed = parse("def @a(x: Tensor) {\n  let y = x\n  y\n}\n")
    assert [one.slug for one in parsed.diagnostics] == ["syntax"]
    assert not parsed.losses.some


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('def @f(x: Tensor) { add(x, "one") }', tree.Missing),
        ("def @f(x: Tensor) { let y = x; }", tree.Missing),
        ("def @f(x: Tensor) { if x { x } }", tree.Missing),
        ("def @f(x: Tensor) { return; }", tree.Missing),
        ("def @f(x: Tensor) { prim_func @p() { } }", tree.Missing),
        ("def @f(x: Tensor, i: Tensor) { x[i] }", tree.MissingField),
        ("def @f(x) { x }", tree.MissingStructInfo),
        ("def @f(x: Tensor) { let y = match_cast(x); y }", tree.MissingStructInfo),
    ],
)
def test_Y_8_a_gap_is_a_node(text: str, missing: type[tree.Node]) -> None:
    kinds = tree.Missing | tree.MissingField | tree.MissingStructInfo
    gaps = [node for node in walk(parse(text).tree) if isinstance(node, kinds)]
    assert [type(node) for node in gaps] == [missing]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("def @f(x: Tensor[(n,), float23]) { x }", ["Tensor[(n,), float23]"]),
        ("def @f(x: Tensor) -> (Tensr, Tensor) { x }", ["(Tensr, Tensor)"]),
        ("def @f(x: Tensor) { let y: Tensor[ndim=-1] = x; y }", ["Tensor[ndim=-1]"]),
        ("def @f(x: Tensor) { match_cast(x, Tensr); x }", ["Tensr"]),
        ("def @f(x: Tensor) { match_shape(x, (n & 1,)); x }", ["n & 1", "n & 1"]),
        ('def @f(x: Tensor) { extern "g"(x) -> R.Tensor }', ["R.Tensor"]),
        ("def @f(x: Tensor) { shape(@f, 2) }", ["shape(@f, 2)"]),
        ("def @f(x: Tensor) { shape(n & 1) }", ["n & 1", "shape(n & 1)"]),
        ("def @f(x: Tensor) { sum(x, axis=0, axis=1) }", ["sum(x, axis=0, axis=1)"]),
        ("def @f(x: Tensor[(n,), int8]) { let y = x  y }", []),
    ],
)
def test_Y_8_what_was_read_with_a_mistake_is_noted(text: str, wrong: list[str]) -> None:
    parsed = parse(text)
    assert parsed.diagnostics
    assert sorted([text[node.pos : node.end] for node in parsed.losses.wrong]) == sorted(wrong)


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


def test_Y_9_work_for_many_errors_in_heads() -> None:
    """What is taken back when a bigger mistake is found does not cost more with every error before it."""

    def lines(count: int) -> int:
        text = "def @m(" + 'x: R.Tensor((n,), "float32"), ' * count + ") { () }"
        assert len(parse(text).diagnostics) >= count
        return executed_lines(lambda: parse(text))

    assert lines(1_600) < 8 * 1.2 * lines(200)


@pytest.mark.parametrize("text", ["=", "= 1", "def @f() { = }", "dtype=", "f(dtype="])
def test_an_equals_sign_where_little_was_read_is_one_syntax_error(text: str) -> None:
    found = parse(text).diagnostics
    assert [one.slug for one in found][:1] == ["syntax"]


@pytest.mark.parametrize(
    "text", ["def @main(x: Tensor) return> Tensor { add(x, x) }", "def @f() { return + 1 }"]
)
def test_Y_7_return_before_an_operator(text: str) -> None:
    assert {one.slug for one in api.check(text).diagnostics} <= {"syntax", "undefined-variable"}


def test_G_15_a_word_that_is_not_a_dtype_in_a_broken_signature() -> None:
    found = api.check("def ) @main(x: Tensor[(2, 3),Truefloat32] { x + 1.0 }").diagnostics
    assert {one.slug for one in found} <= {"syntax", "unknown-dtype", "op-dtype-mismatch"}
