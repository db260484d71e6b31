"""Whether a tree is in normal form. [N.1-N.10 N.14]

Passes that promise normal form are held to it by this; it reports what a person needs to find the place.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.base.node import children
from relax_lang.scope.diagnostics import trees as diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node, Table

ATOMS = (
    tree.Var,
    tree.GlobalVar,
    tree.Constant,
    tree.ShapeExpr,
    tree.Tuple,
    tree.ExternFunc,
    tree.PrimValue,
)
"""What may appear anywhere in normal form; `Op` is one too, as a callee. [N.2 ERR.61]"""


class _Verifier:
    """The names given so far in the current top-level function, and what is wrong."""

    __slots__ = ("found", "names")

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.names: dict[str, Node] = {}

    def report(self, node: Node, why: str) -> None:
        self.found.append(diag.not_normal(node, why))

    def define(self, var: tree.Binder | None) -> None:
        """Every local name is given once. [N.14]"""
        if var is not None and var.name_hint != "_":
            if var.name_hint in self.names:
                self.report(var, f"`{var.name_hint}` is the name of another variable of the function, too")
            self.names[var.name_hint] = var


def verify_normal_form(module: tree.IRModule) -> list[Diagnostic]:
    """Return what keeps a module from being in normal form; nothing if it is. Iterative."""
    ctx = _Verifier()
    for item in module.items:
        if type(item) is tree.Function:
            ctx.names = {}
            todo: list[Node] = [item]
            while todo:
                node = todo.pop()
                if isinstance(node, tree.Expr | tree.Binding | tree.BlockOfBindings):
                    _CHECKS[type(node)](ctx, node)
                todo.extend(reversed(list(children(node))))
    return in_order(ctx.found)


def _atom(ctx: _Verifier, node: Node, what: str) -> None:
    # An atom, and within a tuple only atoms. [N.2 N.3]
    todo = [node]
    while todo:
        part = todo.pop()
        if type(part) is tree.Tuple:
            todo.extend(part.fields)
        elif type(part) not in ATOMS:
            ctx.report(part, f"{what} is not an atom")


def _function(ctx: _Verifier, node: tree.Function) -> None:
    for param in node.params:
        ctx.define(param)
    _is_scope(ctx, node.body, "the body of a function")


def _if(ctx: _Verifier, node: tree.If) -> None:
    _atom(ctx, node.cond, "the condition")
    _is_scope(ctx, node.true_branch, "a branch")
    _is_scope(ctx, node.false_branch, "a branch")


def _is_scope(ctx: _Verifier, body: tree.Expr, what: str) -> None:
    if type(body) is not tree.SeqExpr:
        ctx.report(body, f"{what} is not a SeqExpr")


def _seq_expr(ctx: _Verifier, node: tree.SeqExpr) -> None:
    """Blocks alternate and are not empty; the result is an atom. [N.6 N.7 N.8 N.9]"""
    previous: type[Node] | None = None
    for block in node.blocks:
        if not block.bindings:
            ctx.report(block, "the block is empty")
        if type(block) is previous:
            ctx.report(block, "the block belongs to the one before it")
        previous = type(block)
    _atom(ctx, node.body, "the result")


def _dataflow_block(ctx: _Verifier, block: tree.DataflowBlock) -> None:
    # A Var leaves the block, a DataflowVar does not. [N.14 G.24]
    outputs = {output.name_hint for output in block.outputs}
    for binding in block.bindings:
        var = binding.var
        if var is None or var.name_hint == "_":
            continue
        if (type(var) is tree.Var) != (var.name_hint in outputs):
            ctx.report(var, "a variable of a dataflow block is a DataflowVar unless the block outputs it")


def _binding_block(ctx: _Verifier, block: tree.BindingBlock) -> None:
    for binding in block.bindings:
        if type(binding.var) is tree.DataflowVar:
            ctx.report(binding.var, "a DataflowVar is bound outside a dataflow block")


def _binding(ctx: _Verifier, binding: tree.Binding) -> None:
    ctx.define(binding.var)
    _right_hand_side(ctx, binding.value)


def _right_hand_side(ctx: _Verifier, value: tree.Expr) -> None:
    # An atom, or something with only atoms below; `if` and functions stay whole. [N.1 N.4 N.15]
    kind = type(value)
    if kind in (tree.Call, tree.If, tree.Function, tree.TupleGetItem):
        return  # their parts are checked when they are reached
    _atom(ctx, value, "the value")


def _call(ctx: _Verifier, call: tree.Call) -> None:
    """Callee and operands are atoms, operators are an `Op`. [N.10 G.34]"""
    op = call.op
    if type(op) is tree.Var and op.name_hint not in ctx.names:
        ctx.report(op, f"the callee `{op.name_hint}` is not a variable; an operator is an Op")
    elif type(op) is not tree.Op:
        _atom(ctx, op, "the callee")
    elif op.op_name == "cast" and call.struct_info is not None:
        ctx.report(call, "`cast` is written as a match_cast")
    for arg in call.args:
        _atom(ctx, arg, "an argument")


def _tuple_get_item(ctx: _Verifier, node: tree.TupleGetItem) -> None:
    _atom(ctx, node.tuple_value, "the tuple")


def _sugar(ctx: _Verifier, node: tree.BinaryOp | tree.UnaryOp) -> None:
    ctx.report(node, f"`{node.op}` is written as a call")


def _missing(ctx: _Verifier, node: tree.Missing | tree.MissingField) -> None:
    ctx.report(node, "an expression is missing")


def _nothing(_: _Verifier, node: tree.Expr) -> None:
    """Accept a node wherever its parent allows it."""


_CHECKS: Table[tree.Expr | tree.Binding | tree.BlockOfBindings, Callable[[_Verifier, Any], None]] = {
    tree.Var: _nothing,
    tree.DataflowVar: _nothing,
    tree.GlobalVar: _nothing,
    tree.Constant: _nothing,
    tree.ExternFunc: _nothing,
    tree.Op: _nothing,
    tree.ShapeExpr: _nothing,
    tree.PrimValue: _nothing,
    tree.Tuple: _nothing,
    tree.Function: _function,
    tree.If: _if,
    tree.SeqExpr: _seq_expr,
    tree.DataflowBlock: _dataflow_block,
    tree.BindingBlock: _binding_block,
    tree.VarBinding: _binding,
    tree.MatchCast: _binding,
    tree.Call: _call,
    tree.TupleGetItem: _tuple_get_item,
    tree.BinaryOp: _sugar,
    tree.UnaryOp: _sugar,
    tree.Missing: _missing,
    tree.MissingField: _missing,
}
"""Node class to the function that checks it."""
