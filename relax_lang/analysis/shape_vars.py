"""Which shape variables struct infos bind. [M.2.6] [S.16]"""

from __future__ import annotations

from relax_lang.scope.spans import bare_dims
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
