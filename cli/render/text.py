"""Diagnostics for people: headline, place, framed source, notes, help, and fixes as diffs."""

from __future__ import annotations

import os

from .diff import diff_rows, hunks
from .frame import Frame
from .width import visible, width, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .style import Style

MIN_TEXT = 30  # narrower than this, a headline is not wrapped under itself but under its start
URL_SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-_.~"


def render(source: SourceFile, diagnostic: Diagnostic, style: Style) -> str:
    """Return one diagnostic as text, with an empty line at its end."""
    rows = _headline(diagnostic, style)
    gutter = 1
    if diagnostic.pos >= 0:
        frame = Frame(source, diagnostic, style)
        gutter = max(frame.gutter, _gutter_of_fixes(source, diagnostic))
        frame.gutter = gutter
        rows.append(f"{'':>{gutter}}{_place(source, diagnostic, style)}")
        bar = style.paint(f"{'':>{gutter}} {style.glyphs.bar}", "frame")
        rows += [bar, *frame.render()]
        if diagnostic.notes or diagnostic.help:
            rows.append(bar)
    for note in diagnostic.notes:
        rows += _remark("note", note, gutter, style)
    if diagnostic.help and not any(fix.title == diagnostic.help for fix in diagnostic.fixes):
        rows += _remark("help", diagnostic.help, gutter, style)
    for fix in diagnostic.fixes:
        rows += [*_remark("help", fix.title, gutter, style), *diff_rows(source, fix, gutter, style)]
    return "\n".join(rows) + "\n\n"


def _headline(diagnostic: Diagnostic, style: Style) -> list[str]:
    start = f"{diagnostic.severity}[{diagnostic.code} {diagnostic.slug}]"
    indent = len(start) + 2
    room = style.headline_width
    if room - indent < MIN_TEXT:
        indent = 2
    message, first = visible(diagnostic.message), room - len(start) - 2
    lines = wrap(message, first, room - indent)
    if width(lines[0]) > first:  # not even one word fits beside the code
        lines = ["", *wrap(message, room - indent, room - indent)]
    rows = [f"{style.paint(start, diagnostic.severity)}{style.paint((': ' + lines[0]).rstrip(), 'headline')}"]
    return rows + [" " * indent + style.paint(line, "headline") for line in lines[1:]]


def _place(source: SourceFile, diagnostic: Diagnostic, style: Style) -> str:
    line, column = source.position(diagnostic.pos)
    shown = f"{visible(source.path)}:{line}:{column}"
    if style.links and not source.path.startswith("<"):
        shown = f"\x1b]8;;{_url(source.path)}\x1b\\{shown}\x1b]8;;\x1b\\"
    return f"{style.paint(style.glyphs.arrow, 'frame')} {shown}"


def _url(path: str) -> str:
    data = os.fsencode(os.path.abspath(path))
    return "file://" + "".join([chr(b) if chr(b) in URL_SAFE else f"%{b:02X}" for b in data])


def _gutter_of_fixes(source: SourceFile, diagnostic: Diagnostic) -> int:
    last = 1
    for fix in diagnostic.fixes:
        for hunk in hunks(source, fix):
            last = max(last, hunk.first + max(len(hunk.old), len(hunk.new)) - 1)
    return len(str(last))


def _remark(kind: str, text: str, gutter: int, style: Style) -> list[str]:
    indent = gutter + 3 + len(kind) + 2
    room = max(style.width - indent, MIN_TEXT)
    lines = wrap(visible_lines(text), room, room)
    head = f"{'':>{gutter}} {style.paint('=', 'frame')} {style.paint(kind, kind)}: "
    return [head + lines[0], *[" " * indent + line for line in lines[1:]]]


def visible_lines(text: str) -> str:
    """Make a text of several lines safe to show."""
    return "\n".join([visible(line) for line in text.split("\n")])
