"""Formatting of texts, with a proof for each one: `format_text` checks its output before it hands it out.

Reads and writes no files.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors
from relax_lang.base.node import same
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.format import diagnostics as diag
from relax_lang.format.printer import WIDTH, format_parsed
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.parser import Parsed


class FormatResult:
    """What became of a text: the formatted one, or the original with the diagnostics that say why."""

    __slots__ = ("changed", "diagnostics", "text")

    def __init__(self, text: str, diagnostics: list[Diagnostic], changed: bool) -> None:
        self.text = text
        self.diagnostics = diagnostics
        self.changed = changed


def format_text(text: str, width: int = WIDTH) -> FormatResult:
    """Format a file's text. [G.42]

    A text with syntax errors is left alone. So is one whose formatted form would not be the same program
    with the same comments, or would not be stable: that is a bug of the formatter, reported as
    `format-not-stable`.
    """
    with no_collection():
        return _proved(text, width)


def _proved(text: str, width: int) -> FormatResult:
    parsed = parse(text)
    found = parsed.diagnostics
    if has_errors(found):
        return FormatResult(text, found, changed=False)
    formatted = format_parsed(parsed, width)
    if formatted == text:
        return FormatResult(text, found, changed=False)
    again = parse(formatted)
    wrong = _difference(parsed, again)
    del parsed  # the tree of a large constant is not in memory while it is printed once more
    if wrong is None and format_parsed(again, width) != formatted:
        wrong = "twice does not give the same as formatting once"
    if wrong is not None:
        return FormatResult(text, [*found, diag.format_not_stable(wrong)], changed=False)
    return FormatResult(formatted, found, changed=True)


def _difference(parsed: Parsed, again: Parsed) -> str | None:
    """Say what is wrong with a formatted text that was read again, or None."""
    if has_errors(again.diagnostics):
        return "gave a text with syntax errors"
    if not same(parsed.tree, again.tree):
        return "changed the program"
    if _comments(parsed) != _comments(again):
        return "lost or changed a comment"
    return None


def _comments(parsed: Parsed) -> list[str]:
    return sorted([comment.text.strip() for comment in parsed.comments])
