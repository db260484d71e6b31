"""The table of expression classes, which `expressions` fills: what derives the info of an expression."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.check.infer.state import State
    from relax_lang.syntax.tree import StructInfo

EXPRESSIONS: dict[type[Node], Callable[[State, Any], StructInfo]] = {}
"""Expression class of the normal form to what derives its info; the binding of a function literal derives it itself."""


def derive(state: State, node: Node) -> StructInfo:
    """Return what is known of the value of an expression, and report what is wrong with it."""
    return EXPRESSIONS[type(node)](state, node)
