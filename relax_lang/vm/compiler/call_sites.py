"""Call sites: what code keeps of the program for messages, and of calls for what is not a value.

A site is a binding, a call or an expression without what the code has itself: bodies of functions and branches are
empty, constants are empty tuples at their places.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, replaced, unreachable
from relax_lang.syntax import tree


def signature_of(function: tree.Function) -> tree.Function:
    """Return a function without its body; the value of the body keeps its place."""
    body = function.body
    value = body.body if isinstance(body, tree.SeqExpr) else body
    empty = tree.SeqExpr((), tree.Tuple((), value.pos, value.end), body.pos, body.end)
    return replaced(function, body=empty)


def site_of(binding: tree.Binding) -> tree.Binding:
    """Return the site of a binding."""
    value = short(binding.value)
    if value is binding.value:
        return binding
    if isinstance(binding, tree.MatchCast):
        return replaced(binding, value=value)
    return tree.VarBinding(binding.var, value, binding.pos, binding.end)


def short(value: tree.Expr) -> tree.Expr:
    """Return an expression without bodies and constants."""
    match value:
        case tree.Constant():
            return tree.Tuple((), value.pos, value.end)
        case tree.If():
            nothing = tree.SeqExpr((), tree.Tuple(()))
            return tree.If(short(value.cond), nothing, nothing, value.pos, value.end)
        case tree.Function():
            return signature_of(value)
        case tree.Tuple():
            fields = tuple([short(one) for one in value.fields])
            same = all(one is old for one, old in zip(fields, value.fields, strict=True))
            return value if same else tree.Tuple(fields, value.pos, value.end)
        case tree.Call():
            args = tuple([short(one) for one in value.args])
            if all(one is old for one, old in zip(args, value.args, strict=True)):
                return value
            return tree.Call(value.op, args, value.attrs, value.struct_info, value.pos, value.end)
        case tree.TupleGetItem():
            return tree.TupleGetItem(
                short(value.tuple_value), value.index, value.pos, value.end, value.index_pos, value.index_end
            )
        case tree.Var() | tree.DataflowVar() | tree.GlobalVar() | tree.ExternFunc() | tree.ShapeExpr():
            return value
        case tree.PrimValue():
            return value
        case tree.NeverBound():
            return unreachable(value)
        case _:
            return assert_never(value)
