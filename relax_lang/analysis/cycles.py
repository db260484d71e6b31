"""Which functions of a module call each other in a circle. [W.6.1]"""

from __future__ import annotations

from relax_lang.check.recursion import components
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.check.infer.drivers.trees import Mentions


def cycles(
    module: tree.IRModule, mentions: Mapping[tree.Function, Mentions]
) -> dict[tree.Function, frozenset[str]]:
    """Return the functions that are recursive, each with the names of those that reach it and that it reaches."""
    named = {item.name.name_hint: item for item in module.items if item.name is not None}
    graph: dict[tree.Item, list[tree.Item]] = {
        function: [named[name] for name in sorted(own.functions) if name in named]
        for function, own in mentions.items()
    }
    found: dict[tree.Function, frozenset[str]] = {}
    for together in components(graph):
        names = frozenset([item.name.name_hint for item in together if item.name is not None])
        for item in together:
            if isinstance(item, tree.Function) and (len(together) > 1 or item in graph.get(item, ())):
                found[item] = names
    return found
