"""Names in calls, and in operators between operands, which are calls that are written otherwise. [OP.2-OP.9]

An operand is a value or a dimension expression, which becomes a scalar tensor. [X15.1]
"""

from __future__ import annotations

from relax_lang.scope import well_formed
from relax_lang.scope.operands import CALLS_INTO_TIR
from relax_lang.scope.sizes.dims import resolve_dims
from relax_lang.scope.sizes.scalar_operands import resolve_scalar, resolve_size
from relax_lang.scope.sizes.size_operands import may_be_dimension, resolve_operand, resolve_prefix
from relax_lang.scope.struct_infos import bind_info, resolve_info
from relax_lang.scope.uses import (
    as_operator,
    hold_back,
    may_be_misplaced,
    note_hidden,
    use_global,
    use_operator,
    use_variable,
)
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.operators import INFIX_SUGAR, PREFIX_SUGAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.scope.context import Context
    from relax_lang.scope.uses import Operands


def resolve_shape_expr(ctx: Context, node: tree.ShapeExpr, *, inferred: bool = False) -> None:
    """Resolve the dimensions of a shape; with `inferred`, one of them may be -1."""
    diagnostics = ctx.resolved.diagnostics
    before = len(diagnostics)
    resolve_dims(ctx, node.values, inferred=inferred)
    if len(diagnostics) != before:
        ctx.reject_if_wrong(node, before)


def resolve_call(ctx: Context, call: tree.Call) -> None:
    """Resolve a callee, the operands from the left, then the struct info of the result, which binds nothing."""
    op = call.op
    if type(op) is tree.Var:
        name = op.name_hint
        if name in ctx.variables:
            _other_call(ctx, call, op)
            return
    elif type(op) is tree.Op:
        name = op.op_name
        if name in ctx.variables:
            note_hidden(ctx, op)
    else:
        _other_call(ctx, call, op)
        return
    args = call.args
    operands = ctx.operands.get(name)
    if operands is None or not args or not operands.are_plain:
        _operator_call(ctx, name, op, call)
        return
    last, shape = args[-1], operands.shape
    if (  # what `may_be_misplaced` asks, as far as it is not known of the operator
        len(args) > operands.most
        or (last.name_hint in DTYPES if type(last) is tree.Var else type(last) is tree.Op)
        or (shape < len(args) and type(args[shape]) is not tree.ShapeExpr)
    ):
        _operator_call(ctx, name, op, call)
        return
    # The usual call: everything that the other way would ask is known of the operator.
    ctx.operators.add(name)
    _resolve_values(ctx, args, operands)
    if call.struct_info is not None:
        resolve_info(ctx, call.struct_info)


def _other_call(ctx: Context, call: tree.Call, op: tree.Expr) -> None:
    if type(op) is tree.GlobalVar:
        item = use_global(ctx, op)
        if type(item) is tree.PrimFunc:
            well_formed.call_of_prim_func(ctx, call, op, item)
            for arg in call.args:
                resolve_value(ctx, arg)
            if call.struct_info is not None:
                ctx.resolved.leave_unresolved((call.struct_info,))
            return
    else:
        ctx.expression(ctx, op)
    for arg in call.args:
        ctx.expression(ctx, arg)
    if call.struct_info is not None:
        resolve_info(ctx, call.struct_info)


def _operator_call(ctx: Context, name: str, op: tree.Var | tree.Op, call: tree.Call) -> None:
    if name == "cast" and call.struct_info is not None:
        _older_cast(ctx, call)
        return
    operands = use_operator(ctx, name, op)
    args: Sequence[tree.Expr] = call.args
    scalars = None
    if operands is None:
        args = _without_renamed(ctx, call, as_operator(op))
    elif args:
        args, scalars = _without_misplaced(ctx, call, name, operands)
    if scalars is None:
        before = len(ctx.resolved.diagnostics)
        _resolve_values(ctx, args, operands)
        if operands is None and len(ctx.resolved.diagnostics) > before:
            hold_back(ctx, before)
    else:
        for index, arg in enumerate(args):
            if index < len(scalars) and scalars[index]:
                resolve_scalar(ctx, arg, name, index, call)
            else:
                resolve_value(ctx, arg)
    if call.struct_info is not None:
        resolve_info(ctx, call.struct_info)
    if name in CALLS_INTO_TIR:
        well_formed.check_call_tir(ctx, call)


def _without_renamed(ctx: Context, call: tree.Call, op: tree.Op) -> Sequence[tree.Expr]:
    """Report the arguments of an operator of another framework with its name; return the others."""
    if not ctx.searches:
        return call.args
    from relax_lang.scope.calls import renamed_calls  # not needed for a clean program

    rest = renamed_calls.settle(ctx, call, op)
    _leave_others(ctx, call, rest)
    return rest


def _without_misplaced(
    ctx: Context, call: tree.Call, name: str, operands: Operands
) -> tuple[Sequence[tree.Expr], tuple[bool, ...] | None]:
    """Report arguments in a form that the call cannot have; return the others, and which of them are scalars."""
    if not may_be_misplaced(ctx, call.args, operands):
        return call.args, operands.scalars
    from relax_lang.scope.calls import misplaced_arguments  # hardly any call looks like it

    rest = misplaced_arguments.report(ctx, call, name)
    if rest is None:
        return call.args, operands.scalars
    _leave_others(ctx, call, rest)
    return rest, None


def _leave_others(ctx: Context, call: tree.Call, rest: Sequence[tree.Expr]) -> None:
    kept = {*rest}
    ctx.resolved.leave_unresolved([arg for arg in call.args if arg not in kept])


def _resolve_values(ctx: Context, nodes: Sequence[tree.Expr], operands: Operands | None) -> None:
    """Resolve operands of an operator; variables of the current function, which most are, in one step."""
    variables, depth, bindings = ctx.variables, ctx.depth, ctx.resolved.bindings
    for node in nodes:
        if type(node) is tree.Var:
            entry = variables.get(node.name_hint)
            if entry is not None and entry[1] == depth:
                bindings[node] = entry[0]
            else:
                resolve_value(ctx, node)
        elif type(node) is tree.ShapeExpr:
            infers = operands is None or (operands.infers and (node is not nodes[0] or len(nodes) == 1))
            resolve_shape_expr(ctx, node, inferred=infers)
        elif type(node) is tree.Call and not may_be_dimension(node):
            resolve_call(ctx, node)
        elif type(node) is tree.BinaryOp:
            resolve_infix(ctx, node)
        elif type(node) is not tree.Constant or node.dtype is None:  # others mention nothing
            resolve_value(ctx, node)


def resolve_value(ctx: Context, node: tree.Expr) -> None:
    """Resolve an operand of an operator, or a condition: a value, or a dimension expression. [X15.1]"""
    if type(node) is tree.Var:  # the usual cases first: names are many, and so are calls
        name = node.name_hint
        entry = ctx.variables.get(name)
        if entry is not None and entry[1] == ctx.depth:
            ctx.resolved.bindings[node] = entry[0]
        elif entry is None and name in ctx.shapes:
            resolve_size(ctx, node)
        else:
            use_variable(ctx, node)
    elif type(node) is tree.Call:
        if not may_be_dimension(node) or not resolve_operand(ctx, node):
            resolve_call(ctx, node)
    else:
        ctx.expression(ctx, node)


def _older_cast(ctx: Context, call: tree.Call) -> None:
    """`cast(x) -> S` is `match_cast(x, S)`: it binds shape variables where it is. [B.23]"""
    for arg in call.args:
        ctx.expression(ctx, arg)
    well_formed.check_older_cast(ctx, call)
    assert call.struct_info is not None
    bind_info(ctx, call.struct_info)


def resolve_infix(ctx: Context, node: tree.BinaryOp) -> None:
    """Infix sugar; a long chain leans to the left, so that side is a loop and not a recursion. [OP.8]"""
    chain = [node]
    left = node.lhs
    while type(left) is tree.BinaryOp:
        chain.append(left)
        left = left.lhs
    is_variable = type(left) is tree.Var and left.name_hint in ctx.variables
    if is_variable or not resolve_prefix(ctx, chain, left):
        resolve_value(ctx, left)
    for link in reversed(chain):
        resolve_value(ctx, link.rhs)
        ctx.operators.add(INFIX_SUGAR[link.op])


def resolve_prefix_operator(ctx: Context, node: tree.UnaryOp) -> None:
    """Resolve the operand of prefix sugar, unless the whole is a dimension expression. [OP.8] [X15.1]"""
    if not resolve_operand(ctx, node):
        resolve_value(ctx, node.operand)
        ctx.operators.add(PREFIX_SUGAR[node.op])
