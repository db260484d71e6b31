"""What lints look at: the nodes of a program by kind, and which of its names are used where."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.scope.resolve import Resolved


class NodeIndex:
    """The nodes of some items by kind, in the order of the text, and the tables that go with them."""

    __slots__ = (
        "_uses",
        "bindings",
        "blocks",
        "calls",
        "constants",
        "effects",
        "functions",
        "match_casts",
        "prim_funcs",
        "resolved",
        "text",
    )

    def __init__(self, resolved: Resolved, text: str, effects: set[Node]) -> None:
        self.resolved = resolved
        self.text = text
        self.effects = effects
        """What may have effects by itself."""
        self.functions: list[tree.Function] = []
        self.prim_funcs: list[tree.PrimFunc] = []
        self.bindings: list[tree.VarBinding] = []
        self.match_casts: list[tree.MatchCast] = []
        self.blocks: list[tree.DataflowBlock] = []
        self.constants: list[tree.Constant] = []
        self.calls: list[tree.Call] = []
        self._uses: dict[Node, list[int]] | None = None

    def add(self, item: tree.Item, nodes: Iterable[Node]) -> None:
        """Take in the nodes of one item."""
        if isinstance(item, tree.PrimFunc):
            self.prim_funcs.append(item)
            return
        kinds: dict[type[Node], list[Node]] = {
            tree.Function: self.functions,
            tree.VarBinding: self.bindings,
            tree.MatchCast: self.match_casts,
            tree.DataflowBlock: self.blocks,
            tree.Constant: self.constants,
            tree.Call: self.calls,
        }  # pyright: ignore[reportAssignmentType] - each list gets the nodes of its kind
        for node in nodes:
            into = kinds.get(type(node))
            if into is not None:
                into.append(node)

    @property
    def uses(self) -> dict[Node, list[int]]:
        """Where each variable is used, by its definition. That a block hands it out is no use, nor is recursion."""
        if self._uses is None:
            outputs = {output for block in self.blocks for output in block.outputs}
            own = {one.var: one.value for one in self.bindings if isinstance(one.value, tree.Function)}
            self._uses = {}
            for use, binder in self.resolved.bindings.items():
                value = own.get(binder)
                if use not in outputs and not (value is not None and value.pos <= use.pos < value.end):
                    self._uses.setdefault(binder, []).append(use.pos)
        return self._uses

    def removal(self, span: Span) -> tuple[Edit, bool]:
        """Return the edit that takes a statement away, with its line if nothing else stands there.

        The second value tells whether nothing but the statement goes: a comment may stand inside it.
        """
        pos, end = span
        text = self.text
        is_safe = "#" not in text[pos:end]
        start = text.rfind("\n", 0, pos) + 1
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        if not text[start:pos].strip() and not text[end:stop].strip():
            return Edit(start, min(stop + 1, len(text)), ""), is_safe
        while end < stop and text[end] in " \t":
            end += 1
        return Edit(pos, end, ""), is_safe
