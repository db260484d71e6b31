"""The table of expression classes, which `expressions` fills, and the functions that look into it."""

from __future__ import annotations

from relax_lang.check.infer.state import PROVEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.check.infer.state import Derived, State
    from relax_lang.syntax.tree import StructInfo

EXPRESSIONS: dict[type[Node], Callable[[State, Any], Derived]] = {}
"""Expression class of the normal form to the function that derives such an expression."""


def derive(state: State, node: Node) -> Derived:
    """Return the info of the value of an expression and its provenance; report what is wrong with it."""
    return EXPRESSIONS[type(node)](state, node)


def derive_all(state: State, nodes: Iterable[Node]) -> tuple[list[StructInfo], int]:
    """Derive expressions from the left; return their infos, and the provenance of all of them together."""
    infos: list[StructInfo] = []
    trust = PROVEN
    for node in nodes:
        info, own = EXPRESSIONS[type(node)](state, node)
        infos.append(info)
        trust = own if own > trust else trust
    return infos, trust
