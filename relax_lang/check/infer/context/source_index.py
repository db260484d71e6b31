"""Words, statements and binders by their place in the text. Loaded for messages only."""

from __future__ import annotations

import re
from bisect import bisect_right

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span

WORD = re.compile(r"[^\W\d]\w*")


class Index:
    """Every table is made once, since a large program may have many mistakes."""

    __slots__ = ("_binders", "_ends", "_starts", "_users", "_values", "_words", "text")

    def __init__(self, text: str, module: tree.IRModule) -> None:
        self.text = text
        self._words: dict[tree.Function, set[str]] = {}
        self._binders: dict[tree.Function, dict[str, tree.PrimVar]] = {}
        self._users: dict[tree.Function, dict[Span, tree.Call]] = {}
        self._values: dict[tree.Function, dict[str, tree.Expr]] = {}
        spans = sorted(_statements(module), key=_outer_first)
        self._starts = [pos for pos, _ in spans]
        self._ends = [end for _, end in spans]

    def words_of(self, function: tree.Function) -> set[str]:
        """Return every word in the text of a function."""
        found = self._words.get(function)
        if found is None:
            found = self._words[function] = set(WORD.findall(self.text, function.pos, function.end))
        return found

    def binder_of(self, function: tree.Function, name: str) -> tree.PrimVar | None:
        """Return where a shape variable of a function is bound: its first occurrence. [S.12-S.14]"""
        found = self._binders.get(function)
        if found is None:
            found = self._binders[function] = {}
            for node in walk(function):
                if isinstance(node, tree.PrimVar) and node.pos >= 0:
                    found.setdefault(node.name, node)
        return found.get(name)

    def value_of(self, function: tree.Function, name: str) -> tree.Expr | None:
        """Return what a variable of a function in normal form is bound to; None for a parameter."""
        found = self._values.get(function)
        if found is None:
            found = self._values[function] = {}
            for node in walk(function):
                if isinstance(node, tree.VarBinding):
                    found.setdefault(node.var.name_hint, node.value)
        return found.get(name)

    def users_of(self, function: tree.Function) -> dict[Span, tree.Call]:
        """Return, for each place of an operand in a function in normal form, the call that it is an operand of."""
        found = self._users.get(function)
        if found is None:
            found = self._users[function] = {}
            for node in walk(function):
                if isinstance(node, tree.Call):
                    # Where recovery has put tokens in, places are not what they seem: an operand is a part of its call.
                    pos, end = node.pos, node.end
                    places = [(arg.pos, arg.end) for arg in node.args if pos <= arg.pos < arg.end <= end]
                    found |= {place: node for place in places if place != (pos, end)}
        return found

    def statement_start(self, value: Node) -> int | None:
        """Return where the innermost statement, or result of a `{ }`, that contains a value begins."""
        at = bisect_right(self._starts, value.pos) - 1
        while at >= 0 and self._ends[at] < value.end:
            at -= 1
        if at < 0:
            return None
        start = at = self._starts[at]
        while at > 0 and (self.text[at - 1].isspace() or self.text[at - 1] == "("):
            at -= 1
            if self.text[at] == "(":  # parentheses around the result
                start = at
        return start


def _statements(module: tree.IRModule) -> list[Span]:
    found: list[Span] = []
    for node in walk(module):
        if isinstance(node, tree.SeqExpr):
            found.append((node.body.pos, node.body.end))
        elif isinstance(node, tree.Binding):
            found.append((node.pos, node.end))
    return found


def _outer_first(span: Span) -> Span:
    return span[0], -span[1]
