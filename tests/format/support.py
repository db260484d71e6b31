"""What the tests of the formatter share: the sample programs, and the laws that every formatted text obeys."""

from __future__ import annotations

import re
from pathlib import Path

from relax_lang.base.diagnostic import has_errors
from relax_lang.base.node import difference
from relax_lang.format.printer import format_parsed
from relax_lang.syntax.parser import Parsed, parse

CASES = Path(__file__).parent / "cases"
WIDTHS = (100, 40, 20)

TOKEN = re.compile(
    r"""
    \#[^\n]* | @?"(?:[^"\\\n]|\\.)*" | `(?:[^`\\\n]|\\.)*` | \d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)? |
    @?\w+(?:\.\w+)* | \*\* | // | == | != | <= | >= | && | \|\| | -> | \.\. | [-+*]= | << | >> | \S
    """,
    re.VERBOSE,
)


def names() -> list[str]:
    """Return the names of the sample programs."""
    return sorted([path.name.removesuffix(".in.rlx") for path in CASES.glob("*.in.rlx")])


def source(name: str) -> str:
    return (CASES / f"{name}.in.rlx").read_text(encoding="utf-8")


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, comments left out."""
    return [match[0] for match in TOKEN.finditer(text) if not match[0].startswith("#")]


def comments(parsed: Parsed) -> list[str]:
    return sorted([comment.text.strip() for comment in parsed.comments])


def obeys_laws(text: str, width: int = 100, *, like: Parsed | None = None) -> str:
    """Format a text, check the laws of the formatter, and return the result.

    The tree stays the same (that of `like`, if given), every comment stays, and formatting again changes nothing.
    """
    parsed = parse(text)
    assert not has_errors(parsed.diagnostics), parsed.diagnostics
    expected = (like or parsed).tree
    assert difference(parsed.tree, expected) is None
    formatted = format_parsed(parsed, width)
    again = parse(formatted)
    assert difference(again.tree, expected) is None, formatted
    assert comments(again) == comments(parsed), formatted
    assert format_parsed(again, width) == formatted
    return formatted
