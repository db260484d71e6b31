"""What a failure of a PrimFunc has to do with how its expressions are evaluated. [TIR.13]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.values import RunFailure

_HELPED = ("tir-runtime-bounds", "tir-division-by-zero")


def explained(failure: RunFailure, func: tree.PrimFunc) -> RunFailure:
    """Return a failure, with help if it is in a value of a `select` that may not be the chosen one."""
    if failure.slug in _HELPED and failure.node is not None and _in_value_of_select(func, failure.node):
        from relax_lang.tir.diagnostics.errors import BOTH_SIDES  # only when there is something to report

        failure.facts.setdefault("help", BOTH_SIDES)
    return failure


def _in_value_of_select(func: tree.PrimFunc, node: Node) -> bool:
    """Return whether a node is in one of the values of a `select`, not in its condition."""
    return any(
        inner is node
        for one in walk(func)
        if isinstance(one, tree.Select)
        for value in (one.true_value, one.false_value)
        for inner in walk(value)
    )
