"""Which line a comment is about: its own, or the next one with code if the comment is alone on its line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile


class CommentTargets:
    """The target lines of the comments of one text. All of them together take time linear in the text."""

    __slots__ = ("_next", "_source")

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._next: list[int] | None = None

    def line(self, pos: int) -> int:
        """Return the line that the comment at an offset is about.

        After the last line of code that is the line after the text.
        """
        line, column = self._source.position(pos)
        if self._source.line(line)[: column - 1].strip(" \t\ufeff"):
            return line
        if self._next is None:
            self._next = self._next_lines_with_code()
        return self._next[line + 1]

    def _next_lines_with_code(self) -> list[int]:
        """Return for each line number, from 0 to one after the text, the first line with code from there on."""
        n_lines = len(self._source.line_starts)
        following = [n_lines + 1] * (n_lines + 2)
        for line in range(n_lines, 0, -1):
            text = self._source.line(line).lstrip()
            has_code = bool(text) and not text.startswith(("#", "//"))
            following[line] = line if has_code else following[line + 1]
        return following
