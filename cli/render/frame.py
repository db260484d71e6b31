"""The framed piece of source under a headline: numbered lines, marks, brackets for spans of several lines."""

from __future__ import annotations

from .marks import Mark, hang, rows_under
from .width import columns, visible, width, window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .style import Style

CONTEXT = 4  # columns kept around the marks of a cut line
LONG = 2_000  # characters of a line that are looked at; some files are one line of megabytes


class Region:
    """A span in lines and character columns, both inclusive of its last character's line."""

    __slots__ = ("end_column", "end_line", "glyph", "label", "start_column", "start_line", "style", "track")

    def __init__(self, source: SourceFile, span: tuple[int, int], label: str, glyph: str, style: str) -> None:
        pos, end = span
        text = source.text
        while end > pos + 1 and text[end - 1 : end] in ("\n", "\r"):
            end -= 1  # the line break belongs to the line that it ends
        self.start_line, start = source.position(pos)
        self.start_column = start - 1
        self.end_line, self.end_column = self.start_line, start
        if end > pos + 1:
            self.end_line, last = source.position(end - 1)
            self.end_column = last
        self.label = label
        self.glyph = glyph
        self.style = style
        self.track = -1

    @property
    def has_lines(self) -> bool:
        """Whether it spans more than one line."""
        return self.end_line > self.start_line


class Stretch:
    """The part of a source line that is looked at: all of it, unless it is enormous, and where its characters are."""

    __slots__ = ("first", "places", "text")

    def __init__(self, source: SourceFile, number: int, anchor: int) -> None:
        starts = source.line_starts
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(source.text)
        self.first = max(0, anchor - LONG // 2) if end - start > LONG else 0
        self.text = source.text[start + self.first : min(end, start + self.first + LONG)].rstrip("\r\n")
        self.places = columns(self.text)

    def column(self, character: int) -> int:
        """Return the column of a character of the line, within this part."""
        index = character - self.first
        if index < len(self.places):
            return self.places[max(index, 0)]
        # A place after the end of a line, such as that of a missing `;`, is one column further.
        return self.places[-1] + index - len(self.places) + 1

    def has_text_before(self, character: int) -> bool:
        """Return whether more than blanks precede a character."""
        return self.first > 0 or bool(self.text[:character].strip())


class Frame:
    """The lines of one diagnostic's source excerpt."""

    def __init__(self, source: SourceFile, diagnostic: Diagnostic, style: Style) -> None:
        self.source = source
        self.style = style
        self.regions = _regions(source, diagnostic, style)
        self.long_regions = [region for region in self.regions if region.has_lines]
        self.n_tracks = _assign_tracks(self.long_regions)
        self.shown = _lines_to_show(self.regions)
        self.gutter = len(str(self.shown[-1]))
        margin = self.n_tracks + 1 if self.n_tracks else 0
        self.room = style.source_width - self.gutter - 3 - margin

    def render(self) -> list[str]:
        """Return all rows from the first source line to the last label."""
        rows: list[str] = []
        previous = 0
        for line in self.shown:
            if previous and line > previous + 1:
                rows.append(self._gap(previous))
            rows += self._line(line)
            previous = line
        return rows

    def _row(self, number: str, margin: str, content: str) -> str:
        style = self.style
        gutter = style.paint(f"{number:>{self.gutter}} {style.glyphs.bar}", "frame")
        return f"{gutter} {margin}{content}".rstrip()

    def _gap(self, line: int) -> str:
        glyph = self.style.glyphs.gap
        margin = self._margin(self._open_below(line, []))
        return (self.style.paint(glyph, "frame") + " " * (self.gutter + 3 - len(glyph)) + margin).rstrip()

    def _margin(self, signs: dict[int, str]) -> str:
        """Return the columns left of the source: the brackets of spans over several lines."""
        if not self.n_tracks:
            return ""
        return "".join([signs.get(track, " ") for track in range(self.n_tracks)]) + " "

    def _beside(self, number: int) -> dict[int, str]:
        """Return the bracket signs beside a source line."""
        glyphs = self.style.glyphs
        signs: dict[int, str] = {}
        for region in self.long_regions:
            if region.start_line <= number <= region.end_line:
                glyph = glyphs.top if number == region.start_line else glyphs.bar
                signs[region.track] = self.style.paint(glyph, region.style)
        return signs

    def _open_below(self, number: int, closing: list[Region]) -> dict[int, str]:
        """Return the bracket signs below a source line, where the spans `closing` end but still go on."""
        signs: dict[int, str] = {}
        for region in self.long_regions:
            if region.start_line <= number < region.end_line or region in closing:
                signs[region.track] = self.style.paint(self.style.glyphs.bar, region.style)
        return signs

    def _line(self, number: int) -> list[str]:
        stretch = Stretch(self.source, number, self._anchor(number))
        places, text = stretch.places, visible(stretch.text)
        marks = self._marks_on(number, stretch)
        closing = [region for region in self.long_regions if region.end_line == number]
        ends = [stretch.column(region.end_column - 1) for region in closing]
        marked = [(mark.start, mark.end) for mark in marks] + [(end, end + 1) for end in ends]
        shift = self._shift(places[-1], marked)
        if places[-1] > self.room:
            text = window(text, shift, self.room, self.style.glyphs.cut)
        if self.style.color:
            from .highlight import highlight

            text = highlight(text, self.style)
        rows = [self._row(str(number), self._margin(self._beside(number)), text)]
        if marks:
            for mark in marks:
                mark.start = min(max(mark.start - shift, 0), self.room - 1)
                mark.end = min(max(mark.end - shift, mark.start + 1), self.room)
            margin = self._margin(self._open_below(number, closing))
            rows += [self._row("", margin, row) for row in rows_under(marks, self.room, self.style)]
        for i, region in enumerate(closing):
            column = min(max(ends[i] - shift, 0), self.room - 1)
            rows += self._close(region, column, self._open_below(number, closing[i + 1 :]))
        return rows

    def _close(self, region: Region, column: int, signs: dict[int, str]) -> list[str]:
        """Draw the lower end of a long span, `╰────━ label`, across the columns of others."""
        glyphs, style = self.style.glyphs, self.style
        before = "".join([signs.get(track, " ") for track in range(region.track)])
        dashes = glyphs.secondary * (self.n_tracks - region.track + column)
        line = style.paint(glyphs.bottom + dashes + region.glyph, region.style)
        mark = Mark(column, column + 1, region.label, region.glyph, region.style)
        if mark.end + 1 + width(mark.label) <= self.room:
            label = f" {style.paint(mark.label, region.style)}" if mark.label else ""
            return [self._row("", before, line + label)]
        margin = self._margin(signs)
        return [
            self._row("", before, line),
            *[self._row("", margin, row) for row in hang(mark, [], self.room, style)],
        ]

    def _anchor(self, number: int) -> int:
        """Return the character of a line that must be seen, if not all of the line can be."""
        for region in self.regions:  # the primary one comes first
            if region.start_line == number:
                return region.start_column
            if region.end_line == number:
                return region.end_column
        return 0

    def _marks_on(self, number: int, stretch: Stretch) -> list[Mark]:
        marks: list[Mark] = []
        for region in self.regions:
            if region.start_line != number:
                continue
            start = stretch.column(region.start_column)
            if not region.has_lines:
                end = max(stretch.column(region.end_column), start + 1)
                marks.append(Mark(start, end, region.label, region.glyph, region.style))
            elif stretch.has_text_before(region.start_column):  # else the bracket shows where it begins
                marks.append(Mark(start, start + 1, "", region.glyph, region.style))
        return marks

    def _shift(self, end: int, marked: list[tuple[int, int]]) -> int:
        """Return the column from which a line that is too long is shown, so that its marks are seen."""
        if end <= self.room or not marked:
            return 0
        low = min([start for start, _ in marked])
        high = max([stop for _, stop in marked])
        if high - low > self.room - 2 * CONTEXT:  # not all of them fit: the first is the one that matters
            low, high = marked[0]
        if high + CONTEXT <= self.room:
            return 0
        spare = max(self.room - (high - low), 2 * CONTEXT)
        return max(0, min(low - spare // 2, end + 1 - self.room))


def _regions(source: SourceFile, diagnostic: Diagnostic, style: Style) -> list[Region]:
    glyphs = style.glyphs
    primary = Region(
        source,
        (diagnostic.pos, diagnostic.end),
        diagnostic.primary,
        glyphs.primary,
        diagnostic.severity,
    )
    others = [
        Region(source, (label.pos, label.end), label.message, glyphs.secondary, "secondary")
        for label in diagnostic.labels
        if label.pos >= 0
    ]
    return [primary, *others]


def _assign_tracks(regions: list[Region]) -> int:
    """Give each long span a column of the margin that is free beside its lines; return how many there are."""
    tracks: list[int] = []  # the last line that each column is taken for
    for region in sorted(regions, key=lambda one: (one.start_line, -one.end_line)):
        for track, last in enumerate(tracks):
            if last < region.start_line:
                region.track = track
                break
        else:
            region.track = len(tracks)
            tracks.append(0)
        tracks[region.track] = region.end_line
    return len(tracks)


def _lines_to_show(regions: list[Region]) -> list[int]:
    lines: set[int] = set()
    for region in regions:
        lines |= {region.start_line, region.end_line}
    for line in list(lines):
        if line + 2 in lines:  # a gap of one line is shown: leaving it out saves nothing
            lines.add(line + 1)
    return sorted(lines)
