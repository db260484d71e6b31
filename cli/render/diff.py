"""A fix shown as a diff: the lines it changes, before and after."""

from __future__ import annotations

from .width import columns, visible, window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Edit, Fix
    from relax_lang.base.source import SourceFile

    from .style import Style

CONTEXT = 8  # columns kept around the change in a cut line
LONG = 2_000  # characters of a line that are looked at
MAX_LINES = 8  # of one kind in one piece; a longer change is cut short


class Hunk:
    """Lines `first` and following: what they are, and what they become."""

    __slots__ = ("first", "new", "old")

    def __init__(self, first: int, old: list[str], new: list[str]) -> None:
        while len(old) > 0 and len(new) > 1 and old[0] == new[0]:
            first, old, new = first + 1, old[1:], new[1:]
        while old and new and len(old) + len(new) > 2 and old[-1] == new[-1]:
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
    """Return the rows of a fix between two empty ones: `3 - old`, `3 + new`.

    They are cut, never wrapped: so that the change is seen, and at the same column in both.
    """
    bar = style.paint(f"{'':>{gutter}} {style.glyphs.bar}", "frame")
    room = style.source_width - gutter - 3
    rows = [bar]
    for hunk in hunks(source, fix):
        views = [_view(old, new, room) for old, new in zip(hunk.old, hunk.new, strict=False)]
        for sign, lines, kind in (("-", hunk.old, "removed"), ("+", hunk.new, "added")):
            for i, line in enumerate(lines[:MAX_LINES]):
                first, shift = views[i] if i < len(views) else (0, 0)
                shown = window(visible(line[first : first + LONG]), shift, room, style.glyphs.cut)
                rows.append(style.paint(f"{hunk.first + i:>{gutter}} {sign} {shown}".rstrip(), kind))
            if len(lines) > MAX_LINES:
                rows.append(style.paint(style.glyphs.gap, "frame"))
        rows.append(bar)
    return rows


def _view(old: str, new: str, room: int) -> tuple[int, int]:
    """Return what is seen of a changed line: from which character on it is looked at, and from which column on."""
    start = _common(old, new)
    first = max(0, start - LONG // 2) if max(len(old), len(new)) > LONG else 0
    old, new = old[first : first + LONG], new[first : first + LONG]
    start -= first
    end = _common(old[start:][::-1], new[start:][::-1])
    places = columns(old), columns(new)
    longest = max(places[0][-1], places[1][-1])
    if longest <= room:
        return first, 0
    low = places[0][start]
    high = max(places[0][len(old) - end], places[1][len(new) - end])
    if high + CONTEXT <= room:
        return first, 0
    shift = low - max((room - (high - low)) // 2, CONTEXT)
    return first, max(0, min(shift, longest + 1 - room))


def _common(left: str, right: str) -> int:
    """Return how many characters two texts begin with in common."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left.startswith(right[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
