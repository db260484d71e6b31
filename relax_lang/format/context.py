"""What all printing functions share: the table of rows, comments, parentheses, lists in brackets, chains.

The printing functions themselves are in the neighbouring modules, one for each family of nodes; each
function is registered with `prints`. Comments are printed where these helpers look for them (before and
behind every element, statement, item and operand, and before every closing bracket), never by the functions
of single nodes.
"""

from __future__ import annotations

from relax_lang.base.doc import (
    FORCED,
    HARDLINE,
    LINE,
    SOFTLINE,
    Doc,
    concat,
    group,
    if_break,
    join,
    line_suffix,
    nest,
    width_of,
)
from relax_lang.format.comments import NEVER, Comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias, TypeVar

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.syntax.parser import Comment

    Layout: TypeAlias = str | Doc
    Row = Callable[["Printer", Any], Layout]
    R = TypeVar("R", bound=Row)

TABLE: dict[type[Node], Row] = {}
"""How every node is printed."""

LEVELS: dict[type[Node], Callable[[Any], int]] = {}
"""How tightly a node binds, for those that are not closed by themselves (see `Printer.operand`)."""

CLOSERS = {"(": ")", "[": "]", "{": "}"}
# When the last element of a list has a comma.
NOT_LAST = 0
IN_LINES = 1
"""Where the list is broken over lines."""
IF_SINGLE = 2
"""There, and where it is the only one: `(a,)`."""

MISSING = "…"
"""What is shown of nodes without a text form, which only trees of broken texts have."""

TIGHTEST = 100
SMALL = 20
"""Lists up to this width are never broken."""


def prints(*classes: type[Node]) -> Callable[[R], R]:
    """Register the printing function of one or several node classes."""

    def register(function: R) -> R:
        for cls in classes:
            TABLE[cls] = function
        return function

    return register


def own_lines(comments: list[Comment]) -> list[Layout]:
    """Return comments, each on a line of its own, the last line break included."""
    parts: list[Layout] = []
    for comment in comments:
        parts += [comment.text.rstrip(), HARDLINE]
    return parts


def trailing(comment: str) -> Doc:
    """Return a comment at the end of its line."""
    return line_suffix("  " + comment.rstrip())


class Printer:
    """The state of one printing: comments still to come, and the parentheses that the author wrote.

    Without a text (`print_tree`) there are neither, and every look at the text is skipped. Statements may have comments
    `above` them all the same.
    """

    __slots__ = ("above", "comments", "first", "hoisted", "parens", "text")

    def __init__(
        self,
        text: str = "",
        comments: Sequence[Comment] = (),
        parens: dict[Node, Span] | None = None,
        above: Mapping[Node, Sequence[str]] | None = None,
    ) -> None:
        self.above: Mapping[Node, Sequence[str]] = above or {}
        self.text = text
        self.comments = Comments(text, comments)
        self.hoisted: list[Comment] = []
        self.first = 0
        """How many comments were taken when the element being printed began."""
        """Comments that found no place inside the element being printed; they go before it."""
        self.parens: dict[Node, Span] = parens or {}
        """The author's parentheses: what they enclose, and the place of the outermost pair."""

    def show(self, node: Node) -> Layout:
        """Print a node as its row says."""
        return TABLE[type(node)](self, node)

    # -- expressions: parentheses ----------------------------------------------------------------------------

    def expr(self, node: Node) -> Layout:
        """Print an expression, a struct info or a dimension, in the author's parentheses if it had any."""
        row = TABLE[type(node)]
        if node not in self.parens:
            return row(self, node)
        _, end = self.parens[node]
        head = self.comments.take_after("(", node.pos)
        parts: list[Layout] = [SOFTLINE, self._element(node, row, node.pos, node.end)[0]]
        for comment in self.comments.take(end - 1):
            parts += [HARDLINE, comment.text.rstrip()]
        opener: Layout = "(" if head is None else concat(["(", trailing(head)])
        return group(concat([opener, nest(concat(parts)), SOFTLINE, ")"]))

    def operand(self, node: Node, level: int) -> Layout:
        """Print an expression where what binds more loosely than `level` needs parentheses."""
        if node in self.parens or not self.needs_parens(node, level):
            return self.expr(node)
        return group(concat(["(", nest(concat([SOFTLINE, TABLE[type(node)](self, node)])), SOFTLINE, ")"]))

    @staticmethod
    def needs_parens(node: Node, level: int) -> bool:
        """Return whether a node binds more loosely than `level`."""
        binds = LEVELS.get(type(node))
        return binds is not None and binds(node) < level

    def span(self, node: Node) -> Span:
        """Return the place of a node with the author's parentheses around it."""
        return self.parens.get(node) or (node.pos, node.end)

    # -- elements --------------------------------------------------------------------------------------------

    def _element(self, node: Node, show: Row, pos: int, end: int) -> tuple[Layout, bool]:
        """Print an element with its comments; return whether it had any."""
        comments = self.comments
        if end < comments.line:
            return show(self, node), False
        parts = own_lines(comments.take(pos))
        outside, self.hoisted = self.hoisted, []
        first, self.first = self.first, comments.n_taken
        doc = show(self, node)
        parts += own_lines(self.hoisted)
        if not self.has_printed:  # else they stay in order behind it
            parts += own_lines(comments.take(end))
        self.hoisted, self.first = outside, first
        parts.append(doc)
        after = comments.take_trailing(end)
        if after is not None:
            parts.append(trailing(after))
        return (concat(parts), True) if len(parts) > 1 else (doc, False)

    @property
    def has_printed(self) -> bool:
        """Whether comments were printed inside of the element being printed: what follows must not come before it."""
        return self.comments.n_taken - self.first > len(self.hoisted)

    def hoist(self, before: int) -> None:
        """Move the comments before an offset to before the element being printed, if none is inside of it."""
        if self.comments.following < before and not self.has_printed:
            self.hoisted += self.comments.take(before)

    def else_after(self, end: int) -> Layout:
        """Return ` else `; below the comments between it and the brace that ends at `end`, if there are any."""
        comments = self.comments
        if comments.following < end or comments.following == NEVER:
            return " else "
        between = comments.take(comments.skip(end))
        if not between:
            return " else "
        lines = [concat([HARDLINE, comment.text.rstrip()]) for comment in between]
        return concat([*lines, HARDLINE, "else "])

    def comments_before(self, condition: Node) -> list[Comment]:
        """Take the comments before a condition behind `else if`; if there are any, also those up to its `{`.

        They go below the brace, and stay in order there.
        """
        pos, end = self.span(condition)
        taken = self.comments.take(pos)
        return taken + self.comments.take(self.comments.find("{", end)) if taken else taken

    # -- lists in brackets -----------------------------------------------------------------------------------

    def sequence(
        self,
        opener: str,
        nodes: Sequence[Node],
        within: Span,
        show: Row | None = None,
        *,
        commas: int = IN_LINES,
        hugs: tuple[type[Node], ...] = (),
    ) -> Layout:
        """Print a list in brackets: on one line, or one element a line.

        `opener` ends in the opening bracket; both brackets lie `within` these offsets. `commas` says when the
        last element has a comma. A last element of a class in `hugs` may take several lines without breaking
        the list.
        """
        show = show or Printer.expr
        comments = self.comments
        hugs_last = bool(nodes) and isinstance(nodes[-1], hugs)
        if comments.following >= within[1]:
            made = [show(self, node) for node in nodes]
            return _plain_sequence(opener, made, commas, hugs_last=hugs_last)
        docs: list[Layout] = []
        closer = CLOSERS[opener[-1]]
        spans = [self.span(node) for node in nodes]
        at = spans[0][0] if spans else comments.find(closer, comments.find(opener[-1], within[0]) + 1)
        head = comments.take_after(opener[-1], at)
        commented = head is not None
        for node, (pos, end) in zip(nodes, spans, strict=True):
            doc, touched = self._element(node, show, pos, end)
            commented = commented or touched
            docs.append(doc)
            at = end
        tail = comments.take(comments.find(closer, at)) if comments.following < within[1] else []
        if not commented and not tail:
            return _plain_sequence(opener, docs, commas, hugs_last=hugs_last)
        parts: list[Layout] = []
        for doc in docs:
            parts += [HARDLINE, doc, ","]
        if parts and commas == NOT_LAST:
            parts.pop()
        for comment in tail:
            parts += [HARDLINE, comment.text.rstrip()]
        opening: Layout = opener if head is None else concat([opener, trailing(head)])
        return concat([opening, nest(concat(parts)), HARDLINE, closer])

    # -- chains of infix operators ---------------------------------------------------------------------------

    def chain(
        self,
        first: Node,
        level: int,
        rest: list[tuple[str, Node]],
        next_level: int,
        *,
        last_level: int | None = None,
    ) -> Layout:
        """Print `first op a op b …`: on one line, or every operator at the start of a line.

        The levels say which operands need parentheses. Comments before the first operand belong to whoever
        prints the chain, and so do those behind the last.
        """
        if last_level is None:
            last_level = next_level
        if self.comments.following >= self.span(rest[-1][1])[1]:
            return self._plain_chain(first, level, rest, next_level, last_level)
        parts = [self._chained(first, level, last=False)]
        lines: list[Layout] = []
        for i, (op, node) in enumerate(rest):
            comments = own_lines(self.comments.take(self.span(node)[0]))
            outside, self.hoisted = self.hoisted, []
            start, self.first = self.first, self.comments.n_taken
            last = i == len(rest) - 1
            doc = self._chained(node, last_level if last else next_level, last=last)
            comments += own_lines(self.hoisted)
            self.hoisted, self.first = outside, start
            lines += [LINE, *comments, op, " ", doc]
        parts.append(nest(concat(lines)))
        return concat(parts)

    def _plain_chain(
        self, first: Node, level: int, rest: list[tuple[str, Node]], next_level: int, last_level: int
    ) -> Layout:
        lines: list[Layout] = []
        for op, node in rest[:-1]:
            lines += [LINE, op, " ", self.operand(node, next_level)]
        op, node = rest[-1]
        lines += [LINE, op, " ", self.operand(node, last_level)]
        return concat([self.operand(first, level), nest(concat(lines))])

    def _chained(self, node: Node, level: int, *, last: bool) -> Layout:
        pos, end = self.span(node)
        self.hoist(pos)
        doc = self.operand(node, level)
        self.hoist(end)
        after = None if last else self.comments.take_trailing(end)
        return doc if after is None else concat([doc, trailing(after)])


def _plain_sequence(opener: str, docs: list[Layout], commas: int, *, hugs_last: bool) -> Layout:
    """Print a list without comments."""
    closer = CLOSERS[opener[-1]]
    padding = LINE if closer == "}" else SOFTLINE
    if not docs:
        return opener + padding.flat + closer
    last = "," if commas == IF_SINGLE and len(docs) == 1 else ""
    width = 0
    for doc in docs:
        width += width_of(doc)
    if width + 2 * len(docs) <= SMALL:
        plain = [doc for doc in docs if isinstance(doc, str)]
        if len(plain) == len(docs):
            return opener + padding.flat + ", ".join(plain) + last + padding.flat + closer
    if hugs_last and width >= FORCED and width - width_of(docs[-1]) <= 2 * SMALL:
        return concat([opener, *join([", "], docs), last, closer])
    parts = [padding, *join([",", LINE], docs)]
    if commas != NOT_LAST:
        parts.append(last or if_break(","))
    return group(concat([opener, nest(concat(parts)), padding, closer]))
