"""What trees mention that is not their own: items of the module, and arrays in files."""

from __future__ import annotations

from typing import cast

from relax_lang.check.lints.core.node_index import needs_care
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node


_CARE = frozenset((tree.FuncStructInfo, tree.ExternFunc, tree.Attr))
_BARE = frozenset((tree.Op, tree.PrimVar, tree.IntImm, tree.DType))
"""Nodes that mention nothing and have nothing below them."""


class Mentions:
    """What some trees mention that is not their own; depends on nothing but the trees."""

    __slots__ = ("files", "globals", "needs_care")

    def __init__(self, roots: Iterable[Node]) -> None:
        names: dict[str, None] = {}
        self.files: list[tree.FileLit] = []
        """Constants in files."""
        self.needs_care = False
        """Whether it calls packed functions or writes into arguments, which some lints must know of the module."""
        stack: list[Node] = list(roots)
        while stack:  # every node of an item that was read anew: as little as possible for each
            node = stack.pop()
            if isinstance(node, tree.GlobalVar):
                names[node.name_hint] = None
            elif isinstance(node, tree.FileLit):
                self.files.append(node)
            elif type(node) in _CARE and needs_care(node):
                self.needs_care = True
            for name in node.CHILDREN:
                child: object = getattr(node, name)
                if type(child) is tuple:
                    stack += [one for one in cast("tuple[Node, ...]", child) if type(one) not in _BARE]
                elif child is not None and type(child) not in _BARE:
                    stack.append(cast("Node", child))
        self.files.reverse()
        self.globals = tuple(names)
        """The names of items, its own among them."""

    def add(self, other: Mentions) -> None:
        """Add what other trees mention."""
        self.files += other.files
        self.needs_care = self.needs_care or other.needs_care
        if not set(other.globals).issubset(self.globals):
            self.globals = tuple(dict.fromkeys((*self.globals, *other.globals)))
