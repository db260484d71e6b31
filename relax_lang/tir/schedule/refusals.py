"""The remarks of a PrimFunc that is not vectorized, because of one of its statements."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.remarks import Remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node


def refused(func: tree.PrimFunc, node: Node, reason: str) -> list[Remark]:
    """Return a remark for the statement that is refused, and one for every other loop and block of the body.

    Most of them fall back to the interpreter only because that one does.
    """
    found = [Remark(_label_of(func, node), node, plan.INTERPRETER, reason)]
    why = f"`{found[0].name}` is not vectorized"
    rest = [statement for statement in func.body if isinstance(statement, tree.For | tree.Block)]
    others = [statement for statement in rest if node not in walk(statement)]
    return found + [Remark(_name_of(statement), statement, plan.INTERPRETER, why) for statement in others]


def _label_of(func: tree.PrimFunc, node: Node) -> str:
    for statement in func.body:
        if node in list(walk(statement)):
            return _name_of(statement)
    return "statement"


def _name_of(statement: tree.Stmt) -> str:
    """Return the name of the first block in a statement, or of its loop."""
    inner = statement
    while isinstance(inner, tree.For) and inner.body:
        inner = inner.body[0]
    if isinstance(inner, tree.Block):
        return inner.name
    if isinstance(statement, tree.For):
        return f"loop over {', '.join([var.name for var in statement.loop_vars])}"
    return "statement"
