"""What the builders of nodes share: the text, what is wrong with it, lists and chains."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

MAX_CHAIN = 5_000
"""How many operators, calls or projections may follow each other in one expression: each is a level of the tree."""


class BuilderBase:
    """State of one parse, and the callbacks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.diagnostics: list[Diagnostic] = []
        self.gaps: list[tuple[int, int]] = []
        """Spans that recovery left out."""
        self.without_sigil: dict[int, Diagnostic] = {}
        """What was reported where a variable is bound without its `%`, by offset."""
        self.parens: dict[Node, tuple[int, int]] = {}
        """Nodes that the author put into parentheses, with the span of the outermost pair."""
        self._chain_end: Node | None = None
        self._chain_length = 0

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic."""
        self.diagnostics.append(diagnostic)

    def list_empty(self, pos: int, end: int) -> list[object]:
        """No element."""
        return []

    def list_one(self, pos: int, end: int, item: object) -> list[object]:
        """The first element."""
        return [item]

    def list_more(self, pos: int, end: int, items: list[object], item: object) -> list[object]:
        """One more element."""
        items.append(item)
        return items

    def same(self, pos: int, end: int, child: object) -> object:
        """The child itself."""
        return child

    def word(self, pos: int, end: int, text: str) -> str:
        """The name of an attribute, which may be a keyword."""
        return text

    def _plain_int(self, text: str, pos: int) -> int:
        if text.isascii() and text.isdigit() and len(text) < 19:
            return int(text)
        at = self.text.find(text, pos)
        self.report(diag.syntax((at, at + len(text)), f"expected a whole number, found `{text}`"))
        return 0

    def _undotted(self, name: str, pos: int, what: str) -> None:
        """Report a name with dots, which only operators have."""
        if "." in name:
            self.report(
                diag.syntax((pos, pos + len(name)), f"`{name}` is not a name of {what}: it has a dot")
            )

    def _var(self, name: str, pos: int) -> tree.Var:
        return tree.Var(name[1:], pos, pos + len(name))

    def _sigil(self, pos: int, name: str) -> None:
        found = diag.syntax(
            (pos, pos + len(name)), f"the name of a local variable begins with `%`: `%{name}`"
        )
        self.report(found.replace((pos, pos + len(name)), f"%{name}", f"write `%{name}`", applicability=SAFE))
        self.without_sigil[pos] = found

    def chained(self, inner: tree.Expr, made: tree.Expr) -> tree.Expr:
        """Return `made`, which follows on `inner`, unless too many follow each other: no tree gets too deep to walk."""
        length = self._chain_length + 1 if inner is self._chain_end else 1
        if length > MAX_CHAIN:
            if self.gaps[-1:] != [(inner.pos, inner.end)]:  # the first that is left out
                message = f"more than {MAX_CHAIN} operators follow each other"
                self.report(diag.syntax((inner.end, made.end), message))
                self.gaps.append((inner.pos, inner.end))
            return inner
        self._chain_length = length
        self._chain_end = made
        return made

    def graph_var(self, pos: int, end: int, name: str) -> tree.GraphVar:
        """`%12`. [R.8]"""
        return tree.GraphVar(int(name[1:19]), pos, end)
