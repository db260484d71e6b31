"""The table of expression classes, which `expressions` fills, and the functions that look into it."""

from __future__ import annotations

from relax_lang.check.infer.context.module_state import PROVEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State
    from relax_lang.syntax import tree

    Rules = Table[tree.Expr, Callable[[State, Any], Derived]]

_installed: list[Rules] = []


def install(rules: Rules) -> None:
    """Set the functions that derive the expressions of each class; the rules themselves call `derive`."""
    _installed[:] = [rules]


def derive(state: State, node: tree.Expr) -> Derived:
    """Return the info of the value of an expression and its provenance; report what is wrong with it."""
    return _installed[0][type(node)](state, node)


def derive_all(state: State, nodes: Iterable[tree.Expr]) -> tuple[list[tree.StructInfo], int]:
    """Derive expressions from the left; return their infos, and the provenance of all of them together."""
    infos: list[tree.StructInfo] = []
    trust = PROVEN
    for node in nodes:
        info, own = derive(state, node)
        infos.append(info)
        trust = own if own > trust else trust
    return infos, trust
