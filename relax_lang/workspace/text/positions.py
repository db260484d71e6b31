r"""Places for people and protocols: offsets in code points to lines and columns in any encoding, and back.

Offsets count code points everywhere else. Lines end at `\n`, `\r\n` and `\r`; form feed and U+2028 end none.
"""

from __future__ import annotations

import re
from bisect import bisect_right

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"
"""What a column counts: bytes, code units or code points."""

Place = tuple[int, int]
"""Line and column, both from 0."""

_LINE_END = re.compile(r"\r\n|\n|\r")


class LineIndex:
    """The lines of one text."""

    __slots__ = ("_ascii", "_ends", "_starts", "text")

    def __init__(self, text: str, lines: tuple[list[int], list[int]] | None = None) -> None:
        self.text = text
        self._starts, self._ends = lines or _lines(text, 0, len(text))
        """Where each line begins, and where it ends, before its line end."""
        self._ascii = text.isascii()

    def replaced(self, start: int, end: int, new: str) -> LineIndex:
        """Return the lines of the text with another part: those around it are looked for, the others are moved."""
        text = self.text[:start] + new + self.text[end:]
        by = len(text) - len(self.text)
        # A line more on both sides: what is put in between may split or join a line end of two characters.
        first = max(0, self.line_of(start) - 1)
        rest = self.line_of(end) + 2
        rest = min(len(self._starts), rest)
        stop = len(text) if rest == len(self._starts) else self._starts[rest] + by
        starts, ends = _lines(text, self._starts[first], stop)
        if rest < len(self._starts):  # the last one is where the line that follows begins
            starts.pop()
            ends.pop()
        starts[:0], ends[:0] = self._starts[:first], self._ends[:first]
        starts += [at + by for at in self._starts[rest:]]
        ends += [at + by for at in self._ends[rest:]]
        return LineIndex(text, (starts, ends))

    @property
    def n_lines(self) -> int:
        """How many lines there are; a text that ends in a line end has an empty one after it."""
        return len(self._starts)

    def span(self, line: int) -> tuple[int, int]:
        """Return the offsets of a line without its line end; lines past the last one are empty."""
        if line >= len(self._starts):
            return len(self.text), len(self.text)
        return self._starts[line], self._ends[line]

    def line_of(self, offset: int) -> int:
        """Return the line of an offset."""
        return bisect_right(self._starts, max(0, min(offset, len(self.text)))) - 1

    def place(self, offset: int, encoding: str = UTF16) -> Place:
        """Return line and column of an offset. Inside a line end it is the end of the line; past the text, its end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        offset = min(offset, self._ends[line])
        return line, _units(self.text, start, offset, self._encoding(encoding))

    def offset(self, line: int, column: int, encoding: str = UTF16) -> int:
        """Return the offset of a place. Past the end of a line it is its end; inside a character, its beginning."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._ends[line]
        encoding = self._encoding(encoding)
        if encoding == UTF32:
            return min(start + max(0, column), end)
        width = _WIDTHS[encoding]
        at, left = start, column
        while at < end:
            left -= width(self.text[at])
            if left < 0:
                break
            at += 1
        return at

    def _encoding(self, encoding: str) -> str:
        return UTF32 if self._ascii else encoding


def _lines(text: str, start: int, stop: int) -> tuple[list[int], list[int]]:
    """Return where the lines of a part begin and end; the part begins and ends with a line."""
    starts = [start]
    ends: list[int] = []
    for match in _LINE_END.finditer(text, start, stop):
        ends.append(match.start())
        starts.append(match.end())
    return starts, [*ends, stop]


def _utf8_width(char: str) -> int:
    code = ord(char)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _utf16_width(char: str) -> int:
    return 1 if ord(char) < 0x10000 else 2


_WIDTHS = {UTF8: _utf8_width, UTF16: _utf16_width}


def _units(text: str, start: int, end: int, encoding: str) -> int:
    if encoding == UTF32:
        return end - start
    part = text[start:end]
    if part.isascii():
        return end - start
    width = _WIDTHS[encoding]
    return sum([width(char) for char in part])
