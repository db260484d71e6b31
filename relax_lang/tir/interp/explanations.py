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
    if (
        failure.slug in _HELPED
        and failure.node is not None
        and side_of_select(func, failure.node) is not None
    ):
        from relax_lang.tir.diagnostics.errors import BOTH_SIDES  # only when there is something to report

        failure.facts.setdefault("help", BOTH_SIDES)
    return failure


def side_of_select(func: tree.PrimFunc, node: Node) -> tree.Select | None:
    """Return the innermost `select` of which a node is in one of the values, not in the condition; None if none is."""
    found = None
    for one in walk(func):
        if isinstance(one, tree.Select) and any(
            inner is node for side in (one.true_value, one.false_value) for inner in walk(side)
        ):
            found = one
    return found
