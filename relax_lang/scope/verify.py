"""Rules that only a tree built in Python can break: what the parser cannot produce. [W.1.a W.2 W.9 W.15 W.17]

Scopes are the business of `resolve`; this looks at the nodes alone. Never changes the tree; iterative, as
such a tree may be of any depth.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.base.names import nearest
from relax_lang.base.node import children
from relax_lang.scope.diagnostics import trees as diag
from relax_lang.syntax import tree
from relax_lang.syntax.diagnostics import unknown_dtype
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


class _Verifier:
    """What was seen: every definition is an object of its own."""

    __slots__ = ("bound", "found", "params")

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.bound: dict[Node, Node] = {}
        """Definition to the statement that has it."""
        self.params: dict[Node, Node] = {}
        """Parameter to its function."""


def verify(module: tree.IRModule) -> list[Diagnostic]:
    """Check a tree that was built in Python, beside what `resolve` checks of any tree."""
    ctx = _Verifier()
    todo: list[tuple[Node, bool]] = [(module, False)]
    while todo:
        node, in_dataflow = todo.pop()
        check = _CHECKS.get(type(node))
        if check is not None:
            check(ctx, node, in_dataflow)
        if node.CHILDREN:
            inside = _within(node, in_dataflow=in_dataflow)
            todo.extend([(child, inside) for child in reversed(list(children(node)))])
    return in_order(ctx.found)


def _within(node: Node, *, in_dataflow: bool) -> bool:
    if type(node) is tree.DataflowBlock:
        return True
    return in_dataflow and type(node) is not tree.Function


def _binding(ctx: _Verifier, binding: tree.Binding, in_dataflow: bool) -> None:
    # A definition is bound once, and a DataflowVar in a dataflow block. [W.1.a W.2.a S.10]
    var = binding.var
    if var is None:
        return
    first = ctx.bound.get(var) or ctx.params.get(var)
    if first is not None:
        ctx.found.append(diag.bound_twice(var.name_hint, binding, first))
    ctx.bound[var] = binding
    if type(var) is tree.DataflowVar and not in_dataflow:
        ctx.found.append(diag.dataflow_var_outside(var.name_hint, binding))


def _function(ctx: _Verifier, function: tree.Function, in_dataflow: bool) -> None:
    # A parameter is an object of its own, and no DataflowVar. [W.1.a W.2.c]
    for param in function.params:
        first = ctx.params.get(param) or ctx.bound.get(param)
        if first is not None:
            ctx.found.append(diag.param_shared(param.name_hint, function, first))
        ctx.params[param] = function
        if type(param) is not tree.Var:
            ctx.found.append(diag.dataflow_var_outside(param.name_hint, function))


def _tensor(ctx: _Verifier, info: tree.TensorStructInfo, in_dataflow: bool) -> None:
    # The rank agrees with the dimensions. [W.9 W.13.c]
    if info.ndim is not None and type(info.shape) is tree.ShapeExpr and len(info.shape.values) != info.ndim:
        ctx.found.append(diag.ndim_mismatch(info, info.ndim, len(info.shape.values)))


def _shape(ctx: _Verifier, info: tree.ShapeStructInfo, in_dataflow: bool) -> None:
    # The rank agrees with the values. [W.14]
    if info.ndim is not None and info.values is not None and len(info.values) != info.ndim:
        ctx.found.append(diag.ndim_mismatch(info, info.ndim, len(info.values)))


def _function_info(ctx: _Verifier, info: tree.FuncStructInfo, in_dataflow: bool) -> None:
    """Parameters with a result, or a derive function. [W.15]"""
    if info.params is not None and info.derive_func is not None:
        ctx.found.append(diag.fn_info_shape(info, "both are given"))
    elif info.params is None and info.derive_func is None:
        ctx.found.append(diag.fn_info_shape(info, "neither is given"))
    elif (info.params is None) != (info.ret is None):
        ctx.found.append(diag.fn_info_shape(info, "parameters and a result belong together"))


def _dtype(ctx: _Verifier, dtype: tree.DType, in_dataflow: bool) -> None:
    # A dtype is one of the language's. [G.15 W.17]
    if dtype.name not in DTYPES:
        ctx.found.append(unknown_dtype(dtype, dtype.name, nearest(dtype.name, DTYPES)))


_CHECKS: dict[type[Node], Callable[[_Verifier, Any, bool], None]] = {
    tree.VarBinding: _binding,
    tree.MatchCast: _binding,
    tree.Function: _function,
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.FuncStructInfo: _function_info,
    tree.DType: _dtype,
}
"""Node class to what is checked of it."""
