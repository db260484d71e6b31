"""The comments of a text, in order, with a cursor: whoever prints something takes the comments before it.

Nothing is attached to nodes, so nothing can be lost: what is not taken is printed at the end of the file.
[G.42]
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.syntax.parser import Comment


BYTE_ORDER_MARK = "\ufeff"
NEVER = 1 << 60
"""The place of a comment that does not come."""


class Comments:
    """The comments not yet printed: where the next one begins, and where its line does.

    What ends before `line` has no comment in it, before it or behind it.
    """

    __slots__ = ("_comments", "_cursor", "following", "line", "text")

    def __init__(self, text: str = "", comments: Sequence[Comment] = ()) -> None:
        self.text = text
        self._comments = comments
        self._cursor = -1
        self._advance()

    def _advance(self) -> None:
        self._cursor += 1
        self.following = self.line = NEVER
        if self._cursor < len(self._comments):
            self.following = self._comments[self._cursor].pos
            self.line = self.text.rfind("\n", 0, self.following) + 1

    def _next(self) -> Comment:
        comment = self._comments[self._cursor]
        self._advance()
        return comment

    @property
    def n_taken(self) -> int:
        """How many comments were taken."""
        return self._cursor

    def take(self, before: int) -> list[Comment]:
        """Take the comments that begin before an offset."""
        taken: list[Comment] = []
        while self.following < before:
            taken.append(self._next())
        return taken

    def take_trailing(self, end: int) -> str | None:
        """Take the comment on the line where an element ends, if only separators are between them.

        One inside of the element that found no place there is taken, too: it would go to what follows.
        """
        if self.following == NEVER:
            return None
        if self.following < end:
            return self._next().text
        return self._next().text if not self.text[end : self.following].strip(" \t,;") else None

    def take_after(self, opener: str, before: int) -> str | None:
        """Take the comment on the line of an opening bracket, if nothing is between them."""
        if self.following >= before or not self._line_before().endswith(opener):
            return None
        return self._next().text

    def _line_before(self) -> str:
        return self.text[self.line : self.following].rstrip()

    def skip(self, at: int) -> int:
        """Return the offset of the first character from `at` on that is neither blank nor in a comment."""
        text = self.text
        at = max(at, 0)
        while at < len(text):
            if text[at] == "#":
                line_end = text.find("\n", at)
                at = line_end if line_end >= 0 else len(text)
            elif text[at].isspace() or text[at] == BYTE_ORDER_MARK:
                at += 1
            else:
                break
        return at

    def find(self, mark: str, start: int) -> int:
        """Return the offset of the next `mark` outside comments, or the end of the text."""
        at = self.skip(start)
        while at < len(self.text) and self.text[at] != mark:
            at = self.skip(at + 1)
        return at

    def blank_before(self, pos: int) -> bool:
        """Return whether the line before that of `pos` is empty (and only blanks are between)."""
        before = self.text[:pos] if pos < 80 else self.text[pos - 80 : pos]
        if before.isspace() and pos >= 80:
            before = self.text[:pos]
        return before[len(before.rstrip()) :].count("\n") > 1
