"""The rows under one source line: marks, and labels beside or below them."""

from __future__ import annotations

from .width import visible, width, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .style import Style

MIN_LABEL = 24  # a label is not wrapped narrower than this


class Mark:
    """A marked stretch of one line, in columns from 0, with what is said about it (maybe nothing)."""

    __slots__ = ("end", "glyph", "label", "start", "style")

    def __init__(self, start: int, end: int, label: str, glyph: str, style: str) -> None:
        self.start = start
        self.end = end
        self.label = visible(label)
        self.glyph = glyph
        self.style = style


class Row:
    """One row under construction: single signs at columns, then at most one text that ends it."""

    __slots__ = ("_signs", "_tail", "_tail_at", "_tail_style")

    def __init__(self) -> None:
        self._signs: dict[int, tuple[str, str]] = {}
        self._tail = ""
        self._tail_at = 0
        self._tail_style = ""

    def sign(self, column: int, glyph: str, style: str) -> None:
        """Put a sign, over what may be there."""
        self._signs[column] = glyph, style

    def text(self, column: int, text: str, style: str) -> None:
        """End the row with a text; signs from there on are hidden."""
        self._tail, self._tail_at, self._tail_style = text, column, style

    def render(self, style: Style) -> str:
        """Return the row, signs of one colour painted together."""
        parts: list[str] = []
        at = 0
        run, run_style = "", ""
        for column in sorted(self._signs):
            if self._tail and column >= self._tail_at:
                break
            glyph, sign_style = self._signs[column]
            if column > at or sign_style != run_style:
                parts += [style.paint(run, run_style) if run else "", " " * (column - at)]
                run, run_style = "", sign_style
            run += glyph
            at = column + 1
        parts.append(style.paint(run, run_style) if run else "")
        if self._tail:
            parts += [" " * (self._tail_at - at), style.paint(self._tail, self._tail_style)]
        return "".join(parts)


def rows_under(marks: list[Mark], room: int, style: Style) -> list[str]:
    """Return the rows below a source line: the last label beside its mark if it fits, the others hanging."""
    row = Row()
    # Narrow marks over wide ones, the primary one, which comes first, over its equals: all stay visible.
    drawn = [*marks]
    drawn.reverse()
    drawn.sort(key=lambda mark: mark.start - mark.end)
    for mark in drawn:
        for column in range(mark.start, mark.end):
            row.sign(column, mark.glyph, mark.style)
    # The last one is drawn first; of those in one place that is the primary one.
    hanging = sorted([mark for mark in drawn if mark.label], key=lambda mark: (mark.start, mark.end))
    if hanging and _fits_inline(hanging[-1], marks, room):
        last = hanging.pop()
        row.text(last.end + 1, last.label, last.style)
    rows = [row.render(style)]
    while hanging:
        mark = hanging.pop()
        rows += hang(mark, hanging, room, style)
    return rows


def _fits_inline(mark: Mark, marks: list[Mark], room: int) -> bool:
    for other in marks:
        if other.end > mark.end:
            return False
    return "\n" not in mark.label and mark.end + 1 + width(mark.label) <= room


def hang(mark: Mark, waiting: list[Mark], room: int, style: Style) -> list[str]:
    """Return the rows of a label below its mark; signs lead down to the labels that wait for their turn."""
    needed = min(width(mark.label), max(MIN_LABEL, room * 2 // 3))
    column = max(0, min(mark.start, room - needed))
    rows: list[str] = []
    for text in wrap(mark.label, room - column, room - column):
        row = Row()
        for other in waiting:
            row.sign(other.start, style.glyphs.bar, other.style)
        row.text(column, text, mark.style)
        rows.append(row.render(style))
    return rows
