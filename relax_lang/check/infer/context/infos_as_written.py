"""What inference knows of the expressions of the tree as written.

The tables of inference are about the normal form. Its variables keep the spans of the expressions that they hold, so
that an expression is found by its span, though normal form takes it apart and renames variables.
"""

from __future__ import annotations

from relax_lang.struct_info.types import PACKED
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.scope.resolve import Resolved

    Info = tree.StructInfo


class InfosAsWritten:
    """Infos of definitions and expressions of one program, both as written."""

    __slots__ = ("inferred", "resolved")

    def __init__(self, resolved: Resolved, inferred: Inferred) -> None:
        self.resolved = resolved
        self.inferred = inferred

    def at(self, node: Node) -> Info | None:
        """Return the info of a definition, or of an expression that normal form binds to a variable."""
        return self.inferred.index.of((node.pos, node.end))

    def info_of(self, value: tree.Expr) -> Info | None:
        """Return the info of an expression, None if nothing is known of it."""
        return _INFOS[type(value)](self, value)


def _variable(infos: InfosAsWritten, use: tree.Var) -> Info | None:
    binder = infos.resolved.bindings.get(use)
    return None if binder is None else infos.at(binder)


def _tuple(infos: InfosAsWritten, node: tree.Tuple) -> Info | None:
    fields: list[Info] = []
    for field in node.fields:
        info = infos.info_of(field)
        if info is None:
            return None
        fields.append(info)
    return tree.TupleStructInfo(tuple(fields), node.pos, node.end)


def _constant(_infos: InfosAsWritten, node: tree.Constant) -> Info | None:
    if isinstance(node.data, tree.FileLit):
        return None  # its header is not read again
    dims = tuple([tree.IntImm(size) for size in constant_shape(node)])
    return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType(constant_dtype(node)), None)


def _shape(_infos: InfosAsWritten, node: tree.ShapeExpr) -> Info:
    return tree.ShapeStructInfo(node.values, None, node.pos, node.end)


def _global(infos: InfosAsWritten, node: tree.GlobalVar) -> Info | None:
    return infos.inferred.functions.get(node.name_hint)


def _extern(_infos: InfosAsWritten, _node: tree.ExternFunc) -> Info:
    return PACKED


_INFOS: Table[tree.Expr, Callable[[InfosAsWritten, Any], Info | None]] = {
    tree.Var: _variable,
    tree.Tuple: _tuple,
    tree.Constant: _constant,
    tree.ShapeExpr: _shape,
    tree.GlobalVar: _global,
    tree.ExternFunc: _extern,
    **dict.fromkeys(
        (
            tree.Call,
            tree.If,
            tree.TupleGetItem,
            tree.Function,
            tree.DataflowVar,
            tree.PrimValue,
            *tree.NEVER_BOUND,
        ),
        InfosAsWritten.at,
    ),
}
"""How to get the info of an expression: most are bound to a variable by normal form."""
