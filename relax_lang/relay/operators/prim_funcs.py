"""PrimFuncs of operators that Relax does not have: their texts as trees. [R.33]"""

from __future__ import annotations

from relax_lang.base.node import Node
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAYOUT = ("text", "grid", "explicit")
"""How something is written, which nodes have beside their fields."""


def prim_func_of(text: str, name: str | None = None, place: tuple[int, int] | None = None) -> tree.PrimFunc:
    """Return the tree of a PrimFunc, with a name of the program's and all of it at a place in the Relay text."""
    found = parse(text.strip() + "\n")
    assert not found.diagnostics, found.diagnostics
    item = found.tree.items[0]
    assert isinstance(item, tree.PrimFunc)
    if name is None or place is None:
        return item
    return _moved(item, tree.GlobalVar(name, *place), place)


def _moved(node: Any, name: tree.GlobalVar, place: tuple[int, int]) -> Any:
    if isinstance(node, tuple):
        parts: tuple[Any, ...] = node  # pyright: ignore[reportUnknownVariableType]
        return tuple([_moved(one, name, place) for one in parts])
    if not isinstance(node, Node):
        return node
    if isinstance(node, tree.GlobalVar):
        return name
    fields = {field: _moved(getattr(node, field), name, place) for field in node.FIELDS}
    layout = {field: getattr(node, field) for field in _LAYOUT if hasattr(node, field)}
    make: Any = type(node)
    return make(**fields, **layout, pos=place[0], end=place[1])
