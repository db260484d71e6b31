"""The examples of the rules: every finding with its place and reason; every fix mends what it is offered for."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.base.diagnostic import OFF, Diagnostic
from tests.check.infer.harness import check, program
from tests.edits import applied

CASES = (
    Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").split("\n\n", 1)[1].split("\n----\n")
)
ITEMS = ("def ", "private ", "pure ", "impure def ", "force_pure ", "prim_func ", "module ")


def split(case: str) -> tuple[str, list[str]]:
    """Return the program of a case, and what is said of it."""
    lines = [line for line in case.rstrip("\n").split("\n") if not line.startswith("# ")]
    text = "\n".join([line for line in lines if not line.startswith("=> ")])
    return text if text.startswith(ITEMS) else program(text), [
        line[3:] for line in lines if line.startswith("=> ")
    ]


def findings(text: str) -> list[Diagnostic]:
    return [one for one in check(text).diagnostics if one.severity != OFF]


@pytest.mark.parametrize("case", CASES, ids=[case[2:60].split("\n")[0] for case in CASES])
def test_Z_6_findings(case: str) -> None:
    text, expected = split(case)
    found = findings(text)
    shown = [f"{one.slug} @ {text[one.pos : one.end]} | {one.message}" for one in found]
    assert len(shown) == len(expected), shown
    for got, want in zip(shown, expected, strict=True):
        head, _, message = want.partition(" | ")
        assert got.startswith(f"{head} | "), shown
        assert message in got, shown
    for one in found:
        assert one.message[:1] != one.message[:1].upper() or not one.message[:1].isalpha(), one.message
        assert not one.message.endswith("."), one.message


@pytest.mark.parametrize("case", CASES, ids=[case[2:60].split("\n")[0] for case in CASES])
def test_Z_3_every_fix_mends_what_it_is_offered_for(case: str) -> None:
    text, _ = split(case)
    before = findings(text)
    for one in before:
        left = sorted([other.slug for other in before if other is not one])
        for fix in one.fixes:
            mended = applied(text, fix)
            after = sorted([other.slug for other in findings(mended)])
            assert after == left, mended
