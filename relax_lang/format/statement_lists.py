"""Statements one below the other, with their comments and the empty lines that the author left between them.

Knows nothing of what the statements are.
"""

from __future__ import annotations

from relax_lang.base.doc import HARDLINE, LINE, concat, nest
from relax_lang.format.context import trailing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.format.context import Layout, Printer
    from relax_lang.syntax.parser import Comment


class Lines:
    """The lines of a `{ … }`: add every statement in order, then `close`, then take `braces`."""

    __slots__ = ("_head", "_parts", "_printer")

    def __init__(self, printer: Printer, first: int, early: Sequence[Comment] = ()) -> None:
        """Begin; `first` is the offset of the first statement, or of the closing brace.

        `early` holds comments that stood before the opening brace: they come first.
        """
        self._printer = printer
        self._head = None if early else printer.comments.take_after("{", first)
        self._parts: list[Layout] = []
        for comment in early:
            self._line(comment.text.rstrip(), blank=False)

    def _line(self, doc: Layout, *, blank: bool) -> None:
        if self._parts:
            self._parts.append(HARDLINE)
            if blank:
                self._parts.append(HARDLINE)
        self._parts.append(doc)

    def _blank_before(self, pos: int) -> bool:
        return bool(self._parts) and self._printer.text != "" and self._printer.comments.blank_before(pos)

    def _comments(self, before: int) -> None:
        for comment in self._printer.comments.take(before):
            self._line(comment.text.rstrip(), blank=self._blank_before(comment.pos))

    def add(self, node: Node, show: Callable[[Node], Layout]) -> None:
        """Add a statement."""
        for comment in self._printer.above.get(node, ()):
            self._line(comment, blank=False)
        pos, end = self._printer.span(node)
        self.add_text(lambda: show(node), pos, end)

    def add_text(self, show: Callable[[], Layout], pos: int, end: int) -> None:
        """Add a line that is not a node of its own: what `show` prints, and its place in the text."""
        printer = self._printer
        comments = printer.comments
        if end < comments.line:
            self._line(show(), blank=self._blank_before(pos))
            return
        self._comments(pos)
        outside, printer.hoisted = printer.hoisted, []
        first, printer.first = printer.first, comments.n_taken
        doc = show()
        inside = printer.hoisted
        if not printer.has_printed:  # else they stay in order behind it
            inside += comments.take(end)
        printer.hoisted, printer.first = outside, first
        blank = self._blank_before(pos)
        for comment in inside:
            self._line(comment.text.rstrip(), blank=blank)
            blank = False
        after = comments.take_trailing(end)
        self._line(doc if after is None else concat([doc, trailing(after)]), blank=blank)

    def close(self, end: int) -> None:
        """Add the comments before the closing brace at `end`."""
        self._comments(end)

    @property
    def is_single(self) -> bool:
        """Return whether there is one line and no comment, so that the braces may be on it, too."""
        return len(self._parts) == 1 and self._head is None

    def braces(self, *, may_be_flat: bool = False) -> Layout:
        """Return the lines in braces; `may_be_flat` allows them to be on one line with them."""
        return concat(["{", self.after_brace(may_be_flat=may_be_flat)])

    def after_brace(self, *, may_be_flat: bool = False) -> Layout:
        """Return the lines and the closing brace, where the opening one has been printed."""
        line = LINE if may_be_flat and self.is_single else HARDLINE
        head: Layout = "" if self._head is None else trailing(self._head)
        if not self._parts:
            return " }" if self._head is None else concat([head, line, "}"])
        return concat([head, nest(concat([line, *self._parts])), line, "}"])
