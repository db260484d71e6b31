"""An analysis of the text before the last change, for questions about places that the change left alone.

While a change is analysed, most of what was known still holds: a hover need not wait. Offsets are those of the newest
text; what lies in the change itself has no place in the old analysis.
"""

from __future__ import annotations

from relax_lang.workspace.text.texts import common_beginning, common_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.snapshot import Places, Snapshot
    from relax_lang.workspace.text.document import Document
    from relax_lang.workspace.text.pieces import Piece


class MovedLayout:
    """The way between the addresses of an old text and the offsets of a newer one, outside of what has changed."""

    __slots__ = ("_before", "_delta", "_end", "_old_end", "_start")

    def __init__(self, before: Places, start: int, old_end: int, end: int) -> None:
        self._before = before
        self._start = start
        self._old_end = old_end
        self._end = end
        self._delta = end - old_end

    def _moved(self, offset: int) -> int:
        if offset <= self._start:
            return offset
        return offset + self._delta if offset >= self._old_end else self._start

    def to_document(self, address: int) -> int:
        """Return the offset of an address; one in what has changed is where the change begins."""
        return address if address < 0 else self._moved(self._before.to_document(address))

    def piece_at(self, offset: int) -> tuple[Piece, int]:
        """Return the piece around an offset, and where it would begin if the change had been before it."""
        if offset <= self._start:
            return self._before.piece_at(offset)
        piece, begin = self._before.piece_at(offset - self._delta)
        return piece, begin + self._delta

    def span(self, pos: int, end: int) -> Span:
        """Return a span of addresses as one of the document."""
        begin = self.to_document(pos)
        last = self._before.span(pos, end)[1]
        return begin, max(begin, self._moved(last))

    def knows(self, span: Span) -> bool:
        """Return whether a span of the document is outside of what has changed."""
        return span[1] <= self._start or span[0] >= self._end


def moved(before: Snapshot, document: Document, offset: int) -> Snapshot | None:
    """Return an older analysis with the offsets of a document; None if an offset is in or at what has changed."""
    old, new = before.document.text, document.text
    start = common_beginning(old, new)
    rest = common_end(old, new, min(len(old), len(new)) - start)
    old_end, end = len(old) - rest, len(new) - rest
    # A word that the change touches is another word now.
    while start and _is_of_word(new[start - 1]):
        start -= 1
    while end < len(new) and _is_of_word(new[end]):
        end += 1
        old_end += 1
    if start <= offset <= end:
        return None
    return before.at(document, MovedLayout(before.layout, start, old_end, end))


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character in "_.@$"
