"""Scalar operands: where an operator asks for a number or a dimension expression, not for a tensor.

`arange(0, n * 2)`: the names there are shape variables, the numbers are plain. What the parser read as an
expression becomes a `PrimValue` here, once, for name resolution and for the normal form. [X15.1]
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.scope.sizes.dims import CONDITIONS, resolve_condition, resolve_integer
from relax_lang.scope.uses import operator_name
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import FLOATS, INTEGERS
from relax_lang.syntax.vocabulary.operators import DIMENSION_INFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.scope.context import Context


class _Names:
    """The names of one operand: the scopes that they are looked up in, and the variables with what was written."""

    __slots__ = ("ctx", "variables")

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.variables: list[tuple[tree.PrimVar, tree.Var]] = []


def resolve_scalar(
    ctx: Context, operand: tree.Expr, operator: str, number: int, call: tree.Call | None = None
) -> None:
    """Resolve one scalar operand (operand `number`, from 0) and remember its `PrimValue`."""
    if type(operand) is tree.PrimValue:  # the tree is in normal form already
        _resolve_value(ctx, operand.value)
        return
    names = _Names(ctx)
    value = _operand(operand, names)
    if value is None:
        ctx.resolved.leave_unresolved((operand,))
        if any(type(part) is tree.Missing for part in walk(operand)):
            return  # which was reported
        from relax_lang.scope.unresolved import (
            calls as unresolved_calls,  # only needed when there is something to report
        )

        unresolved_calls.not_a_scalar(ctx, operand, operator, number)
        if call is not None:
            ctx.resolved.rejected.add(call)
        return
    ctx.resolved.scalars[operand] = value
    if operator == "prim_value" and call is not None and _unbound(ctx, names):
        from relax_lang.scope.unresolved import calls as unresolved_calls

        if unresolved_calls.computed_scalar(ctx, call, operand, [name for _, name in names.variables]):
            return
    _resolve_operand(ctx, value)
    _note_names(ctx, names)


def as_dimension(ctx: Context, operand: tree.Expr) -> tree.PrimExpr:
    """Return an expression over names and integers as a dimension expression."""
    value = _prim(operand, _Names(ctx))
    assert value is not None
    return value


def resolve_size(ctx: Context, operand: tree.Expr) -> None:
    """Resolve a dimension expression that stands for a value, and remember its `PrimValue`."""
    names = _Names(ctx)
    value = _prim(operand, names)
    assert value is not None  # `sizes` has looked
    ctx.resolved.sizes[operand] = tree.PrimValue(value, operand.pos, operand.end)
    ctx.operators.add("scalar")
    _resolve_value(ctx, value)
    _note_names(ctx, names)


def _unbound(ctx: Context, names: _Names) -> bool:
    """Return whether there is a name in an operand that is not a shape variable."""
    return any(variable.name not in ctx.shapes for variable, _ in names.variables)


def _note_names(ctx: Context, names: _Names) -> None:
    for variable, name in names.variables:
        binder = ctx.resolved.shape_bindings.get(variable)
        if binder is not None:
            ctx.resolved.shape_bindings[name] = binder


def _resolve_operand(ctx: Context, operand: Node) -> None:
    if type(operand) is tree.PrimValue:
        _resolve_value(ctx, operand.value)
    elif type(operand) is tree.Tuple:
        for field in operand.fields:
            _resolve_operand(ctx, field)


def _resolve_value(ctx: Context, value: tree.PrimExpr) -> None:
    # A number of any kind may stand alone; within arithmetic only dimensions do.
    kind = type(value)
    if kind in (tree.FloatImm, tree.BoolImm) or (type(value) is tree.Neg and type(value.a) is tree.FloatImm):
        return
    if kind in CONDITIONS:
        resolve_condition(ctx, value)
    else:
        resolve_integer(ctx, value)


def _operand(node: tree.Expr, names: _Names) -> tree.Expr | None:
    """Return a `PrimValue`, or a tuple of operands; None if the expression is neither."""
    if type(node) is tree.Tuple:
        fields: list[tree.Expr] = []
        for field in node.fields:
            converted = _operand(field, names)
            if converted is None:
                return None
            fields.append(converted)
        return tree.Tuple(tuple(fields), node.pos, node.end)
    if type(node) is tree.PrimValue:
        return node
    value = _prim(node, names)
    if value is not None and type(node) is tree.Constant and node.dtype is not None:
        value = _typed(node, node.dtype) or value
    return None if value is None else tree.PrimValue(value, node.pos, node.end)


def _prim(node: tree.Expr, names: _Names) -> tree.PrimExpr | None:
    convert = _CONVERT.get(type(node))
    return None if convert is None else convert(node, names)


def _variable(node: tree.Var, names: _Names) -> tree.PrimExpr | None:
    variable = tree.PrimVar(node.name_hint, node.pos, node.end)
    names.variables.append((variable, node))
    return variable


def _constant(node: tree.Constant, names: _Names) -> tree.PrimExpr | None:
    data = node.data
    pos, end = node.pos, node.end
    if type(data) is tree.BoolLit:
        return tree.BoolImm(data.value, pos, end)
    if type(data) is tree.IntLit:
        if data.value < 0:  # without a dtype, a sign is an operator
            return tree.Neg(tree.IntImm(-data.value, None, None, pos, end), pos, end)
        return tree.IntImm(data.value, None, data.text, pos, end)
    if type(data) is tree.FloatLit:
        if repr(data.value)[0] == "-":
            return tree.Neg(tree.FloatImm(-data.value, None, None, pos, end), pos, end)
        return tree.FloatImm(data.value, None, data.text, pos, end)
    return None


def _typed(node: tree.Constant, dtype: tree.DType) -> tree.PrimExpr | None:
    """Return a `const` that names its dtype as a number of that dtype; within arithmetic it is a plain number."""
    data = node.data
    if type(data) is tree.IntLit and dtype.name in INTEGERS:
        return tree.IntImm(data.value, dtype, data.text, node.pos, node.end)
    if (type(data) is tree.IntLit or type(data) is tree.FloatLit) and dtype.name in FLOATS:
        text = data.text if type(data) is tree.FloatLit else None
        return tree.FloatImm(float(data.value), dtype, text, node.pos, node.end)
    return None


def _prefix(node: tree.UnaryOp, names: _Names) -> tree.PrimExpr | None:
    operand = _prim(node.operand, names)
    if operand is None:
        return None
    if node.op == "!":
        return tree.Not(operand, node.pos, node.end)
    return tree.Neg(operand, node.pos, node.end)


def _infix(node: tree.BinaryOp, names: _Names) -> tree.PrimExpr | None:
    make = DIMENSION_INFIX.get(node.op)
    if make is None:
        return None
    a = _prim(node.lhs, names)
    b = _prim(node.rhs, names)
    if a is None or b is None:
        return None
    return make(a, b, node.pos, node.end)


def _call(node: tree.Call, names: _Names) -> tree.PrimExpr | None:
    """`min`, `max` and `select` are the functions of dimensions; others stay calls, for the message."""
    names.ctx.resolved.unresolved.add(node)
    name = operator_name(names.ctx, node.op)
    if name is None or node.attrs or node.struct_info is not None:
        return None
    args: list[tree.PrimExpr] = []
    for arg in node.args:
        converted = _prim(arg, names)
        if converted is None:
            return None
        args.append(converted)
    if name == "min" and len(args) == 2:
        return tree.Min(args[0], args[1], node.pos, node.end)
    if name == "max" and len(args) == 2:
        return tree.Max(args[0], args[1], node.pos, node.end)
    if name == "select" and len(args) == 3:
        return tree.Select(args[0], args[1], args[2], node.pos, node.end)
    return tree.PrimCall(name, tuple(args), node.pos, node.end)


_CONVERT: dict[type[Node], Callable[[Any, _Names], tree.PrimExpr | None]] = {
    tree.Var: _variable,
    tree.Constant: _constant,
    tree.UnaryOp: _prefix,
    tree.BinaryOp: _infix,
    tree.Call: _call,
}
"""Expression class to what reads it as a dimension expression."""
