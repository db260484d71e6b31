"""Which checks may be left out: those that are proved to hold, and that cannot fail while they are made.

Sizes in a check are computed where it is made, and a division by zero among them ends the program there. A proof says
that two sizes are the same wherever both have a value, so a check stays whose sizes divide by what may be 0.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from relax_lang.analysis.call_graph import Graph
    from relax_lang.base.node import Node


def needless(nodes: Iterable[Node], proved: Collection[Node], graph: Graph) -> set[Node]:
    """Return those of some nodes of a module whose checks may be left out; `proved` are those that hold."""
    known: dict[Node, bool] = {}
    found: set[Node] = set()
    for node in nodes:
        if node not in proved:
            continue
        checked = _checked(node, graph)
        if checked is not None and checked not in known:
            known[checked] = _may_divide_by_zero(checked)
        if checked is None or not known[checked]:
            found.add(node)
    return found


def _checked(node: Node, graph: Graph) -> Node | None:
    """Return the node whose sizes a check computes; None if there is none."""
    if isinstance(node, tree.MatchCast):
        return node.struct_info
    if not isinstance(node, tree.Call):
        return node
    if node.args and isinstance(node.args[0], tree.GlobalVar) and isinstance(node.op, tree.Op):
        return graph.prim_funcs.get(node.args[0].name_hint)
    return graph.callees.get(node)


def _may_divide_by_zero(checked: Node) -> bool:
    infos: Iterable[Node] = (checked,)
    if isinstance(checked, tree.Function):
        infos = [
            one.struct_info_annotation for one in checked.params if one.struct_info_annotation is not None
        ]
    elif isinstance(checked, tree.PrimFunc):
        infos = checked.params
    return any(
        isinstance(node, tree.FloorDiv | tree.FloorMod | tree.Div)
        and not (isinstance(node.b, tree.IntImm) and node.b.value)
        for info in infos
        for node in walk(info)
    )
