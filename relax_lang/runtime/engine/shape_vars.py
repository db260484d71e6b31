"""Which shape variables struct infos bind and functions mention. [M.2.6] [S.16]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.scope.places import bare_dims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def binders(infos: Iterable[tree.StructInfo | None], known: Collection[str]) -> list[str]:
    """Return the shape variables that checks of these infos bind, in order; `known` have values already."""
    found: dict[str, None] = {}
    for info in infos:
        if info is not None:
            found |= dict.fromkeys([dim.name for dim in bare_dims(info) if dim.name not in known])
    return list(found)


def mentioned(function: tree.Function) -> tuple[set[str], set[str]]:
    """Return the names of variables and of shape variables that a function mentions."""
    used: set[str] = set()
    used_dims: set[str] = set()
    for node in walk(function):
        if isinstance(node, tree.Var):
            used.add(node.name_hint)
        elif isinstance(node, tree.PrimVar):
            used_dims.add(node.name)
    return used, used_dims
