"""Struct infos: the variables in them, and which shape variables they bind.

A parameter and a match_cast bind shape variables that stand alone as a dimension; everywhere else names must
be bound already. Inside one annotation or signature the order does not matter. [S.12-S.16 W.5 W.13 W.14]
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.scope.sizes.dims import resolve_dims
from relax_lang.scope.spans import bare_dims
from relax_lang.scope.uses import bind_shape_variable, use_variable
from relax_lang.struct_info.context import DERIVE_FUNCTIONS
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.scope.context import Context


def resolve_info(ctx: Context, info: tree.StructInfo) -> None:
    """Resolve the names in an annotation that binds nothing. [W.13 W.14]"""
    diagnostics = ctx.resolved.diagnostics
    before = len(diagnostics)
    RESOLVE_INFO[type(info)](ctx, info)
    if len(diagnostics) != before:
        ctx.reject_if_wrong(info, before)


def bind_info(ctx: Context, info: tree.StructInfo) -> None:
    """Resolve the names in the target of a match_cast, which binds new ones first. [S.13 W.5]"""
    _compute(ctx, info)
    new: set[tree.PrimVar] = set()
    _bind_bare(ctx, info, new)
    ctx.pending = new
    resolve_info(ctx, info)
    ctx.pending = None


def bind_signature(ctx: Context, params: tuple[tree.Var, ...]) -> None:
    """Bind the shape variables of a signature, then resolve its annotations. [S.12 ERR.40]"""
    new: set[tree.PrimVar] = set()
    for param in params:
        if param.struct_info_annotation is not None:
            _bind_bare(ctx, param.struct_info_annotation, new)
    ctx.pending = new
    for param in params:
        if param.struct_info_annotation is not None:
            resolve_info(ctx, param.struct_info_annotation)
    ctx.pending = None


def _bind_bare(ctx: Context, info: tree.StructInfo, new: set[tree.PrimVar]) -> None:
    for variable in bare_dims(info):
        if variable.name not in ctx.shapes:
            bind_shape_variable(ctx, variable)
            new.add(variable)


def _tensor(ctx: Context, info: tree.TensorStructInfo) -> None:
    shape = info.shape
    if shape is None:
        return
    if type(shape) is tree.ShapeExpr:
        resolve_dims(ctx, shape.values)
    elif type(shape) is tree.Var:
        name = shape.name_hint
        if name not in ctx.variables and shape not in ctx.resolved.rejected:
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.name_as_shape(ctx, shape)
        else:
            use_variable(ctx, shape)
    elif info not in ctx.resolved.computed:
        _computed(ctx, info, shape)


def _computed(ctx: Context, info: tree.TensorStructInfo, shape: tree.Expr) -> None:
    # It is computed before what the annotation belongs to, so it sees the same variables. [B.10]
    if ctx.in_function_type:
        from relax_lang.syntax.diagnostics import shape_field_not_var_or_literal  # not for a clean program

        ctx.resolved.diagnostics.append(shape_field_not_var_or_literal(shape))
        ctx.resolved.leave_unresolved((shape,))
        return
    ctx.resolved.computed.add(info)
    ctx.expression(ctx, shape)


def _compute(ctx: Context, info: tree.StructInfo) -> None:
    """Resolve computed shapes before the struct info that they belong to binds anything."""
    match info:
        case tree.TensorStructInfo():
            if info.shape is not None and type(info.shape) not in (tree.ShapeExpr, tree.Var):
                _computed(ctx, info, info.shape)
        case tree.TupleStructInfo():
            for field in info.fields:
                _compute(ctx, field)
        case tree.MissingStructInfo():
            if info.part is not None:
                _compute(ctx, info.part)
        case tree.ShapeStructInfo() | tree.MatchShapeInfo() | tree.ObjectStructInfo() | tree.PrimStructInfo():
            pass
        case tree.FuncStructInfo():
            pass  # a shape that is computed in one is reported, in `_tensor`
        case _:
            assert_never(info)


def _shape(ctx: Context, info: tree.ShapeStructInfo | tree.MatchShapeInfo) -> None:
    if info.values is not None:
        resolve_dims(ctx, info.values)


def _tuple(ctx: Context, info: tree.TupleStructInfo) -> None:
    for field in info.fields:
        RESOLVE_INFO[type(field)](ctx, field)


def _function(ctx: Context, info: tree.FuncStructInfo) -> None:
    # A function type is a scope: what its parameters show first belongs to it. [S.16]
    if info.derive_func is not None and info.derive_func not in DERIVE_FUNCTIONS:
        from relax_lang.scope.unresolved import (
            calls as unresolved_calls,  # only needed when there is something to report
        )

        unresolved_calls.missing_derive_function(ctx, info, DERIVE_FUNCTIONS)
    mark = ctx.shape_mark()
    ctx.in_function_type += 1
    for param in info.params or ():
        for variable in bare_dims(param):
            if variable.name not in ctx.shapes:
                ctx.type_variables.add(variable.name)
                ctx.set_shape(variable.name, (variable, ctx.depth))
    for param in info.params or ():
        RESOLVE_INFO[type(param)](ctx, param)
    if info.ret is not None:
        RESOLVE_INFO[type(info.ret)](ctx, info.ret)
    ctx.in_function_type -= 1
    ctx.close_shapes(mark)


def _object(ctx: Context, info: Node) -> None:
    """`Object` mentions no name."""


def _missing(ctx: Context, info: tree.MissingStructInfo) -> None:
    # What could be read uses names, and binds them.
    if info.part is not None:
        RESOLVE_INFO[type(info.part)](ctx, info.part)


RESOLVE_INFO: Table[tree.StructInfo, Callable[[Context, Any], None]] = {
    tree.TensorStructInfo: _tensor,
    tree.ShapeStructInfo: _shape,
    tree.MatchShapeInfo: _shape,
    tree.ObjectStructInfo: _object,
    tree.PrimStructInfo: _object,
    tree.TupleStructInfo: _tuple,
    tree.FuncStructInfo: _function,
    tree.MissingStructInfo: _missing,
}
"""Struct info class to what resolves its names."""
