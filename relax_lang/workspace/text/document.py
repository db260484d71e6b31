"""One open text with its version, and how changes by ranges make the next one."""

from __future__ import annotations

from relax_lang.workspace.text.positions import UTF16, LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.workspace.text.positions import Place


class Change:
    """Replace what is between two places by a text; without places, the whole document."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: Place | None = None, end: Place | None = None) -> None:
        self.text = text
        self.start = start
        self.end = end


class Document:
    """A text at one version; never changes, `changed` makes the next one."""

    __slots__ = ("_lines", "path", "text", "version")

    def __init__(self, path: str, text: str, version: int = 0, lines: LineIndex | None = None) -> None:
        self.path = path
        self.text = text
        self.version = version
        self._lines = lines

    @property
    def lines(self) -> LineIndex:
        """The lines of the text; made when they are first asked for."""
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    def changed(self, changes: Iterable[Change], version: int, encoding: str = UTF16) -> Document:
        """Return the document after some changes, each of which is about the text that the one before left."""
        text, lines = self.text, self._lines
        for change in changes:
            if change.start is None or change.end is None:
                text, lines = change.text, None
                continue
            if lines is None:
                lines = LineIndex(text)
            start = lines.offset(*change.start, encoding)
            end = max(start, lines.offset(*change.end, encoding))
            lines = lines.replaced(start, end, change.text)
            text = lines.text
        return Document(self.path, text, version, lines)
