"""Where `break` and `continue` are. [TIR.15]"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def has_jumps(body: Iterable[tree.Stmt]) -> bool:
    """Return whether the iterations of the loop with this body may end early."""
    for statement in body:
        if isinstance(statement, tree.Break | tree.Continue):
            return True
        if isinstance(statement, tree.IfThenElse) and (
            has_jumps(statement.then_case) or has_jumps(statement.else_case)
        ):
            return True
    return False
