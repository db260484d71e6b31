"""A fix shown as a diff: the lines it changes, before and after."""

from __future__ import annotations

from .width import cut, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Edit, Fix
    from relax_lang.base.source import SourceFile

    from .style import Style

MAX_LINES = 8  # of one kind in one piece; a longer change is cut short


class Hunk:
    """Lines `first` and following: what they are, and what they become."""

    __slots__ = ("first", "new", "old")

    def __init__(self, first: int, old: list[str], new: list[str]) -> None:
        while len(old) > 0 and len(new) > 1 and old[0] == new[0]:
            first, old, new = first + 1, old[1:], new[1:]
        while old and len(new) > 1 and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        self.first = first
        self.old = old
        self.new = new


def hunks(source: SourceFile, fix: Fix) -> list[Hunk]:
    """Return the changed pieces of a text, edits on the same or adjacent lines together."""
    groups: list[list[Edit]] = []
    last = -1
    for edit in sorted(fix.edits, key=lambda one: (one.pos, one.end)):
        if groups and source.position(edit.pos)[0] <= last + 1:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        last = source.position(edit.end)[0]
    return [_hunk(source, group) for group in groups]


def _hunk(source: SourceFile, edits: list[Edit]) -> Hunk:
    first = source.position(edits[0].pos)[0]
    last = source.position(edits[-1].end)[0]
    start = source.line_starts[first - 1]
    end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
    parts: list[str] = []
    at = start
    for edit in edits:
        parts += [source.text[at : edit.pos], edit.text]
        at = edit.end
    changed = "".join(parts) + source.text[at:end]
    return Hunk(first, _lines(source.text[start:end]), _lines(changed))


def _lines(text: str) -> list[str]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def diff_rows(source: SourceFile, fix: Fix, gutter: int, style: Style) -> list[str]:
    """Return the rows of a fix between two empty ones: `3 - old`, `3 + new`. They are cut, never wrapped."""
    bar = style.paint(f"{'':>{gutter}} {style.glyphs.bar}", "frame")
    rows = [bar]
    for hunk in hunks(source, fix):
        for sign, lines, kind in (("-", hunk.old, "removed"), ("+", hunk.new, "added")):
            for i, line in enumerate(lines[:MAX_LINES]):
                row = f"{hunk.first + i:>{gutter}} {sign} {visible(line)}".rstrip()
                rows.append(style.paint(cut(row, style.source_width, style.glyphs.cut), kind))
            if len(lines) > MAX_LINES:
                rows.append(style.paint(style.glyphs.gap, "frame"))
        rows.append(bar)
    return rows
