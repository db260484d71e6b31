"""Dimension expressions as operands of operators and as conditions: `x * n`, `if n > 1`. [X15.1] [OP.3]

There a name that is not a variable but a shape variable means its size; arithmetic and comparisons of such names and of
integers are one dimension expression. The value is a scalar tensor, int64 or bool: in the normal form, `scalar(n)`.
"""

from __future__ import annotations

from relax_lang.scope.sizes.scalar_operands import resolve_size
from relax_lang.scope.uses import operator_name
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import COMPARISONS, DIMENSION_INFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.scope.context import Context

    Measured = tuple[str, bool] | None

_INT, _BOOL = "int", "bool"
_CONNECTIVES = frozenset(("&&", "||"))
_FUNCTIONS = {"min": (_INT, _INT), "max": (_INT, _INT), "select": (_BOOL, _INT, _INT)}


def may_be_dimension(call: tree.Call) -> bool:
    """Return whether a call has the name of a function of dimension expressions, as hardly any has."""
    op = call.op
    return (op.name_hint if type(op) is tree.Var else op.op_name if type(op) is tree.Op else "") in _FUNCTIONS


def resolve_operand(ctx: Context, node: tree.Expr) -> bool:
    """Resolve an operand if it is a dimension expression; return whether it is."""
    if not ctx.shapes:
        return False
    measured = measure(ctx, node)
    if measured is None or not measured[1]:
        return False
    resolve_size(ctx, node)
    return True


def resolve_prefix(ctx: Context, links: list[tree.BinaryOp], left: tree.Expr) -> bool:
    """Resolve the longest part of a chain that is a dimension expression, as `n * 2` in `n * 2 * x`.

    `links` are the operations, the outermost first; those that are resolved are removed.
    """
    if not ctx.shapes or (type(left) is tree.Call and not may_be_dimension(left)):
        return False
    measured = measure(ctx, left)
    if measured is None:
        return False
    rest, whole = len(links), left
    while rest:
        link = links[rest - 1]
        joined = join(link.op, measured, measure(ctx, link.rhs))
        if joined is None:
            break
        measured, whole, rest = joined, link, rest - 1
    if not measured[1]:
        return False
    del links[rest:]
    resolve_size(ctx, whole)
    return True


def measure(ctx: Context, node: tree.Expr) -> Measured:
    """Return what a dimension expression gives, an integer or a bool, and whether it has a shape variable in it."""
    measurer = _MEASURE.get(type(node))
    return None if measurer is None else measurer(ctx, node)


def join(operator: str, left: Measured, right: Measured) -> Measured:
    """Return what two dimension expressions with an operator between them give."""
    if left is None or right is None or operator not in DIMENSION_INFIX:
        return None
    wanted = _BOOL if operator in _CONNECTIVES else _INT
    if left[0] != wanted or right[0] != wanted:
        return None
    return (_BOOL if operator in COMPARISONS else wanted), left[1] or right[1]


def _variable(ctx: Context, node: tree.Var) -> Measured:
    name = node.name_hint
    return (_INT, True) if name in ctx.shapes and name not in ctx.variables else None


def _constant(_ctx: Context, node: tree.Constant) -> Measured:
    if node.dtype is not None:
        return None
    kind = type(node.data)
    return (_INT, False) if kind is tree.IntLit else (_BOOL, False) if kind is tree.BoolLit else None


def _prefix(ctx: Context, node: tree.UnaryOp) -> Measured:
    measured = measure(ctx, node.operand)
    return measured if measured is not None and measured[0] == (_BOOL if node.op == "!" else _INT) else None


def _infix(ctx: Context, node: tree.BinaryOp) -> Measured:
    links = [node]
    left = node.lhs
    while type(left) is tree.BinaryOp:
        links.append(left)
        left = left.lhs
    measured = measure(ctx, left)
    while links and measured is not None:
        link = links.pop()
        measured = join(link.op, measured, measure(ctx, link.rhs))
    return measured


def _call(ctx: Context, node: tree.Call) -> Measured:
    op = node.op
    wanted = _FUNCTIONS.get(
        op.name_hint if type(op) is tree.Var else op.op_name if type(op) is tree.Op else ""
    )
    if wanted is None or len(wanted) != len(node.args):  # so for nearly all calls
        return None
    if node.attrs or node.struct_info is not None or operator_name(ctx, op) is None:
        return None
    found = [measure(ctx, arg) for arg in node.args]
    known = [one for one in found if one is not None]
    if [one[0] for one in known] != [*wanted]:
        return None
    return _INT, any(has_name for _, has_name in known)


_MEASURE: dict[type[Node], Callable[[Context, Any], Measured]] = {
    tree.Var: _variable,
    tree.Constant: _constant,
    tree.UnaryOp: _prefix,
    tree.BinaryOp: _infix,
    tree.Call: _call,
}
