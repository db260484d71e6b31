"""How the value of a variable that is written in a dimension can be a size there.

Only imported once there is something to report.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.base.node import walk
from relax_lang.format.lexemes import local_name
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import DIMENSION_INFIX, PRIM_INFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context

_MOST_NESTED = 20
_OF_SIZES = ("scalar", "prim_value")
"""Operators that make a value of a size."""


def help_with(ctx: Context, use: tree.PrimVar, binder: tree.Binder, found: Diagnostic) -> None:
    """Say what to write for a variable in a dimension: the size that it is, or what makes a size of its value."""
    size = _size_of(ctx, binder, _MOST_NESTED)
    name = local_name(use.name)
    if size is not None:
        plain = isinstance(size, tree.PrimVar | tree.IntImm)
        written = show(size) if plain else f"({show(size)})"
        is_whole = plain or _is_whole(ctx, use)
        written = show(size) if is_whole else written
        found.replace(use, written, f"write `{show(size)}`, which `{name}` is", SAFE)
        return
    found.helped(_how_to_make(ctx, binder, name))


def _how_to_make(ctx: Context, binder: tree.Binder, name: str) -> str:
    """Return what makes a size of the value of a variable; empty if nothing is known that does."""
    info, value = binder.struct_info_annotation, _value_of(ctx, binder)
    if (
        isinstance(info, tree.ShapeStructInfo)
        or _calls(value, "shape_of")
        or isinstance(value, tree.ShapeExpr)
    ):
        return f"a match_cast names the sizes of a shape: `match_cast({name}, Shape[(n, m)])`"
    if isinstance(info, tree.PrimStructInfo) and value is None:
        return "a size as a parameter is a shape, `Shape[(n,)]`, which binds it"
    if not isinstance(info, tree.TensorStructInfo) or info.dtype is None or info.dtype.name != "int64":
        return ""
    is_scalar = isinstance(info.shape, tree.ShapeExpr) and not info.shape.values
    tensor = f"reshape({name}, shape(1))" if is_scalar else name
    return f"a match_cast names a size that is data: `match_cast(tensor_to_shape({tensor}), Shape[(n,)])`"


def _size_of(ctx: Context, binder: tree.Binder, depth: int) -> tree.PrimExpr | None:
    """Return the dimension expression that a variable is bound to; None if it is anything else."""
    value = _value_of(ctx, binder)
    if (
        isinstance(value, tree.Call)
        and any(_calls(value, name) for name in _OF_SIZES)
        and len(value.args) == 1
    ):
        value = value.args[0]
    return None if value is None or depth == 0 else _as_size(ctx, value, depth)


def _as_size(ctx: Context, value: tree.Expr, depth: int) -> tree.PrimExpr | None:
    """Return an expression over sizes, integers and variables that are sizes; None if it is anything else."""
    match value:
        case tree.Var(name_hint=name):
            entry = ctx.variables.get(name)
            if entry is not None:
                return _size_of(ctx, entry[0], depth - 1)
            return tree.PrimVar(name) if name in ctx.shapes else None
        case tree.Constant(data=tree.IntLit(value=number), dtype=None):
            return tree.IntImm(number)
        case tree.UnaryOp(op="-", operand=operand):
            inner = _as_size(ctx, operand, depth - 1) if depth else None
            return None if inner is None else tree.Neg(inner)
        case tree.BinaryOp(op=op, lhs=lhs, rhs=rhs) if op in DIMENSION_INFIX and depth:
            a, b = _as_size(ctx, lhs, depth - 1), _as_size(ctx, rhs, depth - 1)
            return None if a is None or b is None else PRIM_INFIX[op](a, b)
        case _:
            return None


def _value_of(ctx: Context, binder: tree.Binder) -> tree.Expr | None:
    """Return what a variable of the function at hand is bound to; None for a parameter."""
    for frame in ctx.frames:
        for block in frame.seq.blocks:
            for binding in block.bindings:
                if isinstance(binding, tree.VarBinding) and binding.var is binder:
                    return binding.value
    return None


def _calls(value: tree.Expr | None, operator: str) -> bool:
    """Return whether an expression is a call of an operator."""
    if not isinstance(value, tree.Call):
        return False
    callee = value.op
    name = callee.op_name if isinstance(callee, tree.Op) else getattr(callee, "name_hint", "")
    return name == operator


def _is_whole(ctx: Context, use: tree.PrimVar) -> bool:
    """Return whether a name is a dimension by itself, so that no other operator is around it."""
    assert ctx.item is not None
    shapes = [node for node in walk(ctx.item) if isinstance(node, tree.ShapeExpr)]
    return any(dim is use for shape in shapes for dim in shape.values)
