"""Formatting of Relay texts, with a proof for each one. Reads and writes no files. [R.30]"""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors
from relax_lang.format import diagnostics as diag
from relax_lang.format.safe import FormatResult
from relax_lang.relay.syntax.comments import without_notes
from relax_lang.relay.syntax.parser import parse
from relax_lang.relay.syntax.printer import WIDTH, format_parsed, mistake


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
        wrong = mistake(parsed, comments, formatted, parse(formatted), width)
        if wrong is not None:
            return FormatResult(text, [*parsed.diagnostics, diag.format_not_stable(wrong)], changed=False)
    return FormatResult(formatted, parsed.diagnostics, changed=formatted != text)
