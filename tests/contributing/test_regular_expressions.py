"""Every regular expression takes linear time on every text: one that does not lets a small file stop a check."""

from __future__ import annotations

import re

import pytest

from tests.contributing.regular_expressions import expressions, hard_text
from tests.processor_time import is_measured

pytestmark = pytest.mark.skipif(not is_measured(), reason="no timer of processor time")


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*,?\s*\)", "match"),
        (r"(?:\d+,?)*;", "match"),
        (r"([^;]+?)\s*;", "match"),
        (r"\s+\Z", "search"),
        (r"(\w+)\s*=", "findall"),
        (r"\((?:\w*\s*)*\)", "fullmatch"),
        (r"call +in: (.*?) *dst", "fullmatch"),
    ],
)
def test_expressions_that_backtrack_are_found(pattern: str, method: str) -> None:
    assert hard_text(re.compile(pattern), {method}) is not None


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*+(?:,\s*+)?\)", "match"),
        (r"(?:\d++(?:,|(?=;)))*;", "match"),
        (r"([^;]++);", "match"),
        (r"\b(\w++)\s*+=", "findall"),
        (r"[^,\s](?:[^,\n]*[^,\s])?", "finditer"),
    ],
)
def test_expressions_in_linear_time_are_not(pattern: str, method: str) -> None:
    assert hard_text(re.compile(pattern), {method}) is None


def test_every_expression_takes_linear_time() -> None:
    found = expressions()
    assert len(found) > 100
    hard = [(one, hard_text(one.pattern, one.methods)) for one in found]
    assert [f"{one.place}: {text[:60]!r}…" for one, text in hard if text is not None] == []
