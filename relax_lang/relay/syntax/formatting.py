"""Formatting of Relay texts, with a proof for each one. Reads and writes no files. [R.30]"""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors
from relax_lang.base.doc import concat, render
from relax_lang.base.node import same
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.format import diagnostics as diag
from relax_lang.format.context import own_lines
from relax_lang.format.safe import FormatResult
from relax_lang.relay.syntax.comments import spelled, without_notes
from relax_lang.relay.syntax.parser import parse
from relax_lang.relay.syntax.printer import WIDTH, RelayPrinter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.relay.syntax.parser import Parsed
    from relax_lang.syntax.parsed import Comment


def format_text(text: str, width: int = WIDTH, *, strip_types: bool = False) -> FormatResult:
    """Format a file's text; `strip_types` leaves out the comments in which printers put types and places.

    A text with syntax errors is left alone. So is one whose formatted form would not be the same program with the same
    comments, or would not be stable: that is a bug of the formatter, reported as `format-not-stable`.
    """
    parsed = parse(text)
    if has_errors(parsed.diagnostics):
        return FormatResult(text, parsed.diagnostics, changed=False)
    comments = without_notes(parsed.comments) if strip_types else parsed.comments
    formatted = format_parsed(parsed, comments, width)
    if formatted != text:
        wrong = _mistake(parsed, comments, formatted, parse(formatted), width)
        if wrong is not None:
            return FormatResult(text, [*parsed.diagnostics, diag.format_not_stable(wrong)], changed=False)
    return FormatResult(formatted, parsed.diagnostics, changed=formatted != text)


def format_parsed(parsed: Parsed, comments: Sequence[Comment], width: int = WIDTH) -> str:
    """Print a tree as its author wrote it: comments, parentheses, spellings, empty lines are kept."""
    with no_collection():
        printer = RelayPrinter(parsed.text, comments, parsed.parens)
        doc = printer.show(parsed.tree)
        rest = printer.hoisted + printer.comments.take(len(parsed.text) + 1)
        text = render(concat([*own_lines(rest), doc]) if rest else doc, width)
        return f"{text}\n" if text else ""


def _mistake(
    parsed: Parsed, comments: Sequence[Comment], formatted: str, again: Parsed, width: int
) -> str | None:
    """Say what is wrong with formatted text, which `again` was read from, or None: the proof of a formatting."""
    if any(one.severity == "error" for one in again.diagnostics):
        return "gave a text with syntax errors"
    if not same(parsed.tree, again.tree):
        return "changed the program"
    if sorted([spelled(one).text for one in comments]) != sorted([one.text for one in again.comments]):
        return "lost or changed a comment"
    if format_parsed(again, again.comments, width) != formatted:
        return "twice does not give the same as formatting once"
    return None
