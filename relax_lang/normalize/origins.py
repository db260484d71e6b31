"""Origins: the way from the normal form back to the program as written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from relax_lang.base.node import Node
    from relax_lang.syntax import tree

    NodeT = TypeVar("NodeT", bound=Node)


class Origins:
    """What each part of a normal form was made from; `normalize` fills the tables."""

    __slots__ = ("_functions", "_names", "_shapes", "calls")

    def __init__(self) -> None:
        self.calls: dict[tree.Call, tree.Call] = {}
        """Calls that were made anew, each with the one as written."""
        self._functions: dict[tree.Function, tree.Function] = {}
        self._names: dict[tree.Function, dict[str, str]] = {}
        self._shapes: set[Node] = set()

    def add_function(self, normal: tree.Function, written: tree.Function) -> None:
        """Note a function, of the module or a literal."""
        self._functions[normal] = written

    def add_names(self, normal: tree.Function, names: dict[str, str]) -> None:
        """Note the new names in a function of the module, each with the author's name."""
        self._names[normal] = names

    def add_shape(self, node: Node) -> None:
        """Note what computes the shape of an annotation, or the match_cast that checks one."""
        self._shapes.add(node)

    def like(self, written: Node, made: NodeT) -> NodeT:
        """Note what was made of a node; return it."""
        if written in self._shapes:
            self._shapes.add(made)
        return made

    def is_of_shape(self, node: Node) -> bool:
        """Return whether a node was noted by `add_shape`. [B.10] [B.12]"""
        return node in self._shapes

    def update(self, other: Origins) -> None:
        """Add what another one knows of other functions."""
        self.calls |= other.calls
        self._functions |= other._functions
        self._names |= other._names
        self._shapes |= other._shapes

    def call(self, normal: tree.Call) -> tree.Call:
        """Return a call as written."""
        return self.calls.get(normal, normal)

    def function(self, normal: tree.Function) -> tree.Function:
        """Return a function as written."""
        return self._functions.get(normal, normal)

    def names(self, normal: tree.Function) -> dict[str, str]:
        """Return the new names of variables and shape variables in a function of the module, with the author's."""
        return self._names.get(normal, {})
