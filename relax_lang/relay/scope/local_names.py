"""Local variables and graph nodes that are visible at a place. [R.7] [R.8]"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.relay.syntax import tree


class Scope:
    """The local names and graph nodes that are visible; what a scope has bound is taken back at its end."""

    __slots__ = ("_trail", "graph", "names")

    def __init__(self) -> None:
        self.names: dict[str, tree.Var] = {}
        self.graph: dict[int, tree.GraphBind] = {}
        self._trail: list[tuple[dict[Any, Any], object, object]] = []

    def bind(self, var: tree.Var) -> None:
        """Make a variable visible."""
        self._trail.append((self.names, var.name, self.names.get(var.name)))
        self.names[var.name] = var

    def bind_graph(self, binding: tree.GraphBind) -> None:
        """Make a graph node visible."""
        index = binding.var.index
        self._trail.append((self.graph, index, self.graph.get(index)))
        self.graph[index] = binding

    def mark(self) -> int:
        """Begin a scope."""
        return len(self._trail)

    def leave(self, mark: int) -> None:
        """End a scope."""
        while len(self._trail) > mark:
            table, key, before = self._trail.pop()
            if before is None:
                del table[key]
            else:
                table[key] = before
