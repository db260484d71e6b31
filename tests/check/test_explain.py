"""What is said about diagnostics: complete, and in one form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.check import explain
from tests.explanations import programs

PACKAGE = Path(__file__).parents[2] / "relax_lang"
DECLARATION = re.compile(r'^@rule\(\s*"(RLX\d{4})",\s*"([a-z0-9-]+)"', re.MULTILINE)


def declared() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in PACKAGE.rglob("*.py"):
        for code, slug in DECLARATION.findall(path.read_text(encoding="utf-8")):
            assert code not in found, f"{code} is declared twice"
            found[code] = slug
    return found


def test_all_rules_are_found() -> None:
    code = (
        "from relax_lang.check.explain import all_rules\n"
        "print(*[(rule.code, rule.slug) for rule in all_rules()], sep=chr(10))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
    ).stdout
    assert shown.splitlines() == [str(pair) for pair in sorted(declared().items())]


@pytest.mark.parametrize("word", ["RLX0201", "rlx0201", "0201", "undefined-variable"])
def test_rules_are_found_by_code_and_slug(word: str) -> None:
    found = explain.find_rule(word)
    assert found is not None
    assert found.slug == "undefined-variable"


@pytest.mark.parametrize("word", ["", "RLX", "RLX9999", "Undefined-Variable", "201"])
def test_other_words_find_nothing(word: str) -> None:
    assert explain.find_rule(word) is None


@pytest.mark.parametrize("rule", explain.all_rules(), ids=lambda rule: rule.slug)
def test_every_explanation_has_a_form(rule) -> None:
    text = explain.text_of(rule)
    summary, _, rest = text.partition("\n")
    assert summary.endswith((".", "?")), "the summary is a sentence"
    assert len(summary) <= 120
    assert rest.startswith("\n"), "an empty line follows the summary"
    assert len(rest.strip()) > 40, "and it says more than the summary"
    assert not re.search(r"^ +\S.*\.$", rest.split("```")[0], re.MULTILINE), "the indentation is gone"
    assert text.count("```") % 2 == 0
    assert rule.severity in ("error", "warning", "hint", "off")
    assert re.fullmatch(r"RLX\d{4}", rule.code)


def test_markdown() -> None:
    rule = explain.find_rule("constant-file-outside")
    assert rule is not None
    lines = explain.markdown_of(rule).splitlines()
    assert lines[:3] == ["## constant-file-outside", "", "`RLX0023` · error · Rules: CF.3"]
    assert "```relax wrong" in lines
    assert "def @main() -> Object {" in lines


def _reported() -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for rule in explain.all_rules():
        for text in programs(rule, "wrong"):
            found += api.check(text, lints=["lints"]).diagnostics
    for path in sorted((Path(__file__).parents[2] / "samples" / "bad").glob("*.rlx")):
        found += api.check(path.read_text(encoding="utf-8"), lints=["lints"]).diagnostics
    return found


def test_nothing_is_said_twice() -> None:
    """The help is not in the message, nor in a note; what to write is only in the help."""
    for one in _reported():
        texts = [one.message, *one.notes]
        assert not one.help or not any(one.help in text for text in texts), one
        assert not one.help.startswith("write `") or not any(
            ": write `" in text or "; write `" in text for text in texts
        ), one
        assert len(set(one.notes)) == len(one.notes), one


def test_places_are_counted_in_one_way() -> None:
    """Arguments are counted from 1; what is counted from 0, axes and fields, is not in the same message."""
    for one in _reported():
        counted_from_one = re.search(r"\bargument \d", one.message)
        assert counted_from_one is None or not re.search(r"\b(field|axis|dimension|index) \d", one.message), (
            one
        )
