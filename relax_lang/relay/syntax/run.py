"""One parse of Relay: the driver of its table, what is done about errors, and what it yields. [R.29]"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.relay.syntax import table, tree
from relax_lang.relay.syntax.builder import Builder
from relax_lang.syntax.lalr_driver import LalrDriver
from relax_lang.syntax.lalr_table import ParseTable
from relax_lang.syntax.parsed import Comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span

    class Recovery(Protocol):
        """What the module `recovery` offers; it is loaded at the first error."""

        def at_token(self, run: RelayRun, pos: int, end: int, kind: int) -> int:
            """Deal with a token that does not fit."""
            ...

        def at_bad_text(self, run: RelayRun, pos: int) -> int:
            """Deal with text that begins no token."""
            ...

        def at_end(self, run: RelayRun) -> None:
            """Deal with a text that ends too early."""
            ...

        def skip_item(self, run: RelayRun) -> int:
            """Deal with an item that is nested too deeply."""
            ...


RELAY = ParseTable(table)
_COMMENT = -2


class Parsed:
    """What became of a text: the tree, which always exists, and what it does not hold.

    `gaps` are the spans that were left out after a mistake, so that what only follows from them is not reported.
    """

    __slots__ = ("comments", "diagnostics", "gaps", "parens", "text", "tree", "without_sigil")

    def __init__(
        self,
        text: str,
        found: Any,
        diagnostics: list[Diagnostic],
        comments: list[Comment],
        parens: dict[Node, Span],
        gaps: list[Span],
        without_sigil: dict[int, Diagnostic],
    ) -> None:
        self.text = text
        self.tree = found
        self.diagnostics = diagnostics
        self.comments = comments
        self.parens = parens
        self.gaps = gaps
        self.without_sigil = without_sigil
        """What was reported where a variable is bound without its `%`, by offset: its uses are part of that mistake."""


class RelayRun(LalrDriver):
    """One parse of Relay."""

    def __init__(self, text: str, start: str, recovery: Callable[[], Recovery]) -> None:
        self.builder = Builder(text)
        self.foreign_forms: dict[tuple[str, int], Diagnostic] = {}
        """What was reported once for a pair of brackets, by its message and their offset."""
        super().__init__(text, start, RELAY, self.builder)
        self.recovery = recovery

    def at_token(self, pos: int, end: int, kind: int) -> int:
        """Deal with a token that does not fit."""
        return self.recovery().at_token(self, pos, end, kind)

    def at_bad_text(self, pos: int) -> int:
        """Deal with text that begins no token."""
        return self.recovery().at_bad_text(self, pos)

    def at_end(self) -> None:
        """Deal with a text that ends too early."""
        self.recovery().at_end(self)

    def at_depth(self) -> int:
        """Deal with an item that is nested too deeply."""
        return self.recovery().skip_item(self)

    def _finished_items(self) -> list[tree.Item]:
        """Return the items that were complete when the parse was given up."""
        for value in self.values:
            if isinstance(value, list) and value and isinstance(value[0], tree.Item):
                return value  # pyright: ignore[reportUnknownVariableType]
        return []

    def finish(self) -> Parsed:
        """Gather the result."""
        builder = self.builder
        if self.accepted:
            found = self.values[-1]
        elif self.start == "module":
            items = self._finished_items()
            found = tree.Module(None, tuple(items), None, 0, len(self.text))
        elif self.start == "type":
            found = tree.Incomplete(0, len(self.text))
        else:
            found = tree.Block((), tree.Missing(0, len(self.text)), False, 0, len(self.text))
        if not self.accepted:
            builder.gaps.append((0, len(self.text)))
        comments = all_comments(self.text) if builder.diagnostics else self.comments
        return Parsed(
            self.text,
            found,
            in_order(builder.diagnostics),
            comments,
            builder.parens,
            builder.gaps,
            builder.without_sigil,
        )


def all_comments(text: str) -> list[Comment]:
    """Return every comment of a text, also those in parts that were skipped after an error."""
    return [
        Comment(match.start(group), match.end(), match[group].rstrip())
        for match in RELAY.tokens(text)
        if RELAY.group_kinds[group := match.lastindex or 0] == _COMMENT
    ]
