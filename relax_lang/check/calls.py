"""Calls of operators: the number of arguments and the attributes. What the arguments are is not looked at."""

from __future__ import annotations

from relax_lang.ops.calls import diagnose_call
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

# Nothing below these is a call of an operator.
_LEAVES = frozenset(
    (tree.Var, tree.DataflowVar, tree.GlobalVar, tree.Constant, tree.ShapeExpr, tree.Op, tree.Attr)
)


def check_calls(item: Node) -> list[Diagnostic]:
    """Return what is wrong with the operator calls of a function, in no particular order. [OP.2] [OP.4]"""
    found: list[Diagnostic] = []
    right: set[tuple[str, int]] = set()  # calls without attributes that were looked at, and are fine
    stack = [item]
    while stack:
        node = stack.pop()
        if type(node) is tree.Call:
            if type(node.op) is tree.Op:
                found += _check_call(node, node.op.op_name, right)
            else:
                stack.append(node.op)
            stack += node.args
            continue
        for name in node.CHILDREN:
            child: Any = getattr(node, name)
            if type(child) is tuple:
                stack += [one for one in child if type(one) not in _LEAVES]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            elif child is not None and type(child) not in _LEAVES:
                stack.append(child)
    return found


def _check_call(call: tree.Call, name: str, right: set[tuple[str, int]]) -> list[Diagnostic]:
    shape = name, len(call.args)
    if not call.attrs and shape in right:
        return []
    operator = lookup(name)
    if operator is None:  # an older form, or unknown, which name resolution reports
        return []
    found = diagnose_call(operator, call)
    if not found and not call.attrs:
        right.add(shape)
    return found
