"""Applying fixes: what is applied, in which order, what is refused, and that nothing gets worse."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, WARNING, Diagnostic, Edit, Rule, in_order
from relax_lang.check.fixes import MAX_CHECKS, FixResult, fix_text

SAMPLES = Path(__file__).parents[3] / "samples"


def slugs(found: list[Diagnostic]) -> list[str]:
    return [one.slug for one in found]


def test_safe_fixes_are_applied() -> None:
    result = fix_text("def @f(x: Tensor) {\n  let y = add(x, x)\n  let z = add(y, y)\n  z\n}\n")
    assert result.text == "def @f(x: Tensor) {\n  let y = add(x, x);\n  let z = add(y, y);\n  z\n}\n"
    assert slugs(result.fixed) == ["syntax", "syntax"]
    assert result.left == []
    assert result.changed


ESCAPES = """def @f(x: Tensor) {
  dataflow {
    let a = add(x, x);
    let b = add(a, a);
    output b;
  }
  a
}
"""


def test_unsafe_fixes_are_applied_only_when_asked_for() -> None:
    result = fix_text(ESCAPES)
    assert (result.text, result.fixed, result.changed) == (ESCAPES, [], False)
    assert slugs(result.left) == ["dataflow-var-escapes"]
    result = fix_text(ESCAPES, unsafe=True)
    assert result.text == ESCAPES.replace("output b;", "output b, a;")
    assert slugs(result.fixed) == ["dataflow-var-escapes"]
    assert result.left == []


def test_a_text_without_problems_stays_as_it_is() -> None:
    result = fix_text("def @f() {\n  1\n}\n", unsafe=True)
    assert (result.text, result.fixed, result.left) == ("def @f() {\n  1\n}\n", [], [])


def test_what_is_not_wanted_is_not_fixed() -> None:
    text = "def @f(x: Tensor) {\n  let y = add(x, x)\n  y\n}\n"
    result = fix_text(text, want=lambda found: [one for one in found if one.slug != "syntax"])
    assert (result.text, result.fixed, result.left) == (text, [], [])


# A language of its own: each word of the text that is in the table is a finding.

RULE = Rule("RLX0801", "toy", ERROR, "", "")
SYNTAX = Rule("RLX0199", "toy-syntax", ERROR, "", "")


def toy(
    table: dict[str, str | list[str]], rule: Rule = RULE, applicability: str = SAFE, severity: str = ERROR
):
    """Return a check that finds words and offers to replace them."""

    def find(text: str) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for word, new in table.items():
            at = text.find(word)
            while at >= 0:
                one = rule.at((at, at + len(word)), f"{word} is wrong")
                one.severity = severity
                for other in [new] if isinstance(new, str) else new:
                    one.replace((at, at + len(word)), other, f"write {other}", applicability)
                found.append(one)
                at = text.find(word, at + 1)
        return in_order(found)

    return find


def fixed(text: str, table: dict[str, str | list[str]], unsafe: bool = False) -> FixResult:
    return fix_text(text, unsafe, find=toy(table))


def test_fixes_are_applied_until_none_is_left() -> None:
    result = fixed("a b", {"a": "c", "c": "d", "d": "e"})
    assert result.text == "e b"
    assert [one.message for one in result.fixed] == ["a is wrong", "c is wrong", "d is wrong"]


def test_overlapping_edits_are_applied_in_the_order_of_the_text() -> None:
    # `abc` is fixed first; what is left of `bcd` is not a finding any more.
    assert fixed("abcd", {"abc": "x", "bcd": "y"}).text == "xd"
    assert fixed("abcd", {"bcd": "y", "ab": "x"}).text == "xcd"


def test_insertions_at_one_place_do_not_mix() -> None:
    def find(text: str) -> list[Diagnostic]:
        return [
            RULE.at((0, 1), f"no {word}").fix(f"add {word}", Edit(1, 1, word), applicability=SAFE)
            for word in ("x", "y")
            if word not in text
        ]

    assert fix_text("( )", find=find).text in ("(xy )", "(yx )")


def test_a_fix_of_several_edits_is_applied_as_a_whole() -> None:
    def find(text: str) -> list[Diagnostic]:
        found = [RULE.at((0, 1), "brackets").fix("x", Edit(0, 1, "("), Edit(2, 3, ")"), applicability=SAFE)]
        return (found if text[0] == "[" else []) + toy({"b": "c"})(text)

    assert fix_text("[b]", find=find).text == "(c)"


@pytest.mark.parametrize(
    "edits", [(Edit(0, 2, "x"), Edit(1, 3, "y")), (Edit(2, 9, ""),), (Edit(-1, 0, ""),), ()]
)
def test_edits_that_make_no_sense_are_not_applied(edits: tuple[Edit, ...]) -> None:
    result = fix_text("abc", find=lambda _: [RULE.at((0, 1), "m").fix("t", *edits, applicability=SAFE)])
    assert (result.text, result.changed) == ("abc", False)


def test_a_fix_that_brings_errors_is_dropped_and_the_others_are_applied() -> None:
    # `b` becomes two new errors; alone it is refused, whatever stands around it.
    table = {"a": "1", "b": "e e", "c": "3", "d": "4", "e": "e"}
    result = fixed("a b c d", table)
    assert result.text == "1 b 3 4"
    assert slugs(result.left) == ["toy"]
    assert len(result.fixed) == 3


def test_a_fix_that_breaks_the_syntax_is_dropped_though_the_errors_get_fewer() -> None:
    def find(text: str) -> list[Diagnostic]:
        broken = [SYNTAX.at((0, 1), "broken")] if "!" in text else []
        return broken + toy({"aa": "!", "b": "!"})(text)

    assert fix_text("aa b", find=find).text == "aa b"


def test_a_fix_that_does_not_help_is_dropped() -> None:
    result = fixed("a", {"a": "aa"})
    assert (result.text, result.changed) == ("a", False)


def test_fixes_that_undo_each_other_end() -> None:
    result = fixed("a", {"a": "b", "b": "a"})
    assert result.text in ("a", "b")


def test_endless_fixes_are_bounded() -> None:
    n_checks = 0

    def find(text: str) -> list[Diagnostic]:
        nonlocal n_checks
        n_checks += 1
        one = RULE.at((0, len(text)), f"{len(text)} letters")
        return [one.fix("one more", Edit(0, 0, "x"), applicability=SAFE)]

    fix_text("", find=find)
    assert n_checks <= MAX_CHECKS + 10


def test_the_next_fix_of_a_diagnostic_is_tried_when_the_first_is_refused() -> None:
    assert fixed("a", {"a": ["e e", "f"], "e": []}).text == "f"


def test_an_unsafe_fix_behind_a_safe_one_is_never_preferred() -> None:
    def find(text: str) -> list[Diagnostic]:
        if "a" not in text:
            return []
        one = RULE.at((0, 1), "a")
        return [one.replace((0, 1), "u", "unsafe", UNSAFE).replace((0, 1), "s", "safe", SAFE)]

    assert fix_text("a", find=find).text == "s"
    assert fix_text("a", True, find=find).text == "u"


def test_warnings_are_fixed_as_long_as_no_error_comes() -> None:
    warnings = toy({"w": "e", "v": "x"}, severity=WARNING)

    def find(text: str) -> list[Diagnostic]:
        return warnings(text) + toy({"e": []})(text)

    assert fix_text("w v", find=find).text == "w x"


def test_many_fixes_are_one_round() -> None:
    n_checks = 0
    check = toy({"a": "b"})

    def find(text: str) -> list[Diagnostic]:
        nonlocal n_checks
        n_checks += 1
        return check(text)

    assert fix_text("a " * 1_000, find=find).text == "b " * 1_000
    assert n_checks == 2


# The real thing: programs with random damage.

PROGRAMS = sorted(path for path in SAMPLES.rglob("*.rlx") if path.stat().st_size < 4_000)


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(["", "", ";", ")", "%", " == ", "&&", "{"]) + text[at + 1 :]
    return text


def errors(found: list[Diagnostic]) -> tuple[int, int]:
    listed = [one for one in found if one.severity == ERROR]
    return len(listed), len([one for one in listed if one.code.startswith("RLX01")])


NARROW = "def @g(x: Tensor[(4,), float32]) -> Tensor[(4,), float32] { x }\n"


@pytest.mark.parametrize(
    "line", ["let y: Tensor[(4,), float32] = add(x, x;", "let y = exp(@g(x);", "let y = (x, @g(add(x, x));"]
)
def test_nothing_is_offered_around_a_bracket_that_is_not_closed(line: str) -> None:
    """How far a value goes is not known there."""
    text = f"{NARROW}def @f(x: Tensor[(n,), float32]) -> Object {{\n  {line}\n  y\n}}\n"
    for one in api.check(text).diagnostics:
        assert one.slug == "syntax" or not one.fixes, one
    closed = text.replace(";\n", ");\n")
    assert any(one.fixes for one in api.check(closed).diagnostics if one.slug == "possibly-incompatible")


@pytest.mark.parametrize("seed", range(60))
def test_fixing_never_makes_a_program_worse_and_ends_where_nothing_is_left_to_do(seed: int) -> None:
    chance = random.Random(seed)
    text = damaged(chance.choice(PROGRAMS).read_text(encoding="utf-8"), chance)
    unsafe = chance.random() < 0.5
    before = errors(api.check(text).diagnostics)
    result = api.fix_text(text, unsafe=unsafe)
    after = errors(api.check(result.text).diagnostics)
    assert after[0] <= before[0]
    assert after[1] <= before[1]
    assert slugs(result.left) == [
        one.slug for one in api.check(result.text).diagnostics if one.severity != "off"
    ]
    assert not api.fix_text(result.text, unsafe=unsafe).changed
