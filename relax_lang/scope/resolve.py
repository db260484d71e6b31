"""Name resolution: the walk over a module as written that finds what every name means. [S.1-S.21]

Reports what scopes alone can decide, once each; the result of a bad name is silent. Knows no types, and
changes nothing: what it learns is in the tables of `Resolved`.
"""

from __future__ import annotations

from relax_lang.base.cancellation import in_batches
from relax_lang.base.node import assert_never
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.scope import well_formed
from relax_lang.scope.calls.resolution import (
    resolve_call,
    resolve_infix,
    resolve_prefix_operator,
    resolve_shape_expr,
    resolve_value,
)
from relax_lang.scope.context import Context, Frame, Resolved
from relax_lang.scope.sizes.scalar_operands import resolve_scalar
from relax_lang.scope.struct_infos import bind_info, bind_signature, resolve_info
from relax_lang.scope.uses import (
    bind_variable,
    use_global,
    use_variable,
)
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Losses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.base.node import Node, Table
    from relax_lang.scope.context import Memory

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def resolve(
    module: tree.IRModule,
    losses: Losses | None = None,
    parens: Mapping[Node, tuple[int, int]] | None = None,
) -> Resolved:
    """Find what every name of a module means, and check the rules that need only scopes. [S.* W.1-W.17]

    `losses` is what the parser left out or found wrong. Incomplete items are only known by name. `parens` has the
    spans of the parentheses that the author put around nodes, for fixes.
    """
    resolved = Resolved()
    losses = losses or Losses()
    resolved.rejected.update(losses.unreadable())
    well_formed.check_module(module, resolved, losses)
    with no_collection():
        _items(Context(module, resolved, losses, parens, expression=resolve_expression))
    if resolved.diagnostics:
        from relax_lang.base.diagnostic import in_order

        resolved.diagnostics = in_order(resolved.diagnostics)
    return resolved


def resolve_item(
    module: tree.IRModule,
    item: tree.Function,
    globals_: dict[str, tree.Item],
    losses: Losses,
    parens: Mapping[Node, tuple[int, int]] | None = None,
    memory: Memory | None = None,
) -> Resolved:
    """Find what the names of one function of a module mean; `globals_` are the items of the module by name.

    `parens` are those of `resolve`; `memory` has what is known of parts of a long function.
    """
    resolved = Resolved()
    resolved.globals = globals_
    resolved.rejected.update(losses.unreadable())
    ctx = Context(module, resolved, losses, parens, expression=resolve_expression)
    ctx.memory = memory
    _item(ctx, item)
    return resolved


def _items(ctx: Context) -> None:
    for item in ctx.module.items:
        if type(item) is tree.Function and (
            item not in ctx.losses.incomplete or item in ctx.losses.understood
        ):
            _item(ctx, item)
        elif type(item) is tree.Function:
            ctx.resolved.leave_unresolved((item,))


def _item(ctx: Context, item: tree.Function) -> None:
    ctx.open_item(item)
    before = len(ctx.resolved.diagnostics)
    _function(ctx, item)
    if item in ctx.losses.incomplete:  # what is wrong with the rest may follow from what is missing
        del ctx.resolved.diagnostics[before:]


def resolve_expression(ctx: Context, node: tree.Expr) -> None:
    """Find what the names of an expression mean, in the scopes that are open."""
    _EXPRESSIONS[type(node)](ctx, node)


def _function(ctx: Context, function: tree.Function) -> None:
    # A function is a scope; its parameters come first, then its result, then its body. [S.3 S.12 S.20]
    variables, shapes = ctx.variable_mark(), ctx.shape_mark()
    dataflow, ctx.dataflow = ctx.dataflow, None
    ctx.depth += 1
    ctx.functions.append(function)
    params = well_formed.check_parameters(ctx, function)
    for param in params:
        bind_variable(ctx, param)
    bind_signature(ctx, function.params)
    if function.ret_struct_info is not None:
        _result(ctx, function.ret_struct_info)
    resolve_expression(ctx, function.body)
    ctx.functions.pop()
    ctx.depth -= 1
    ctx.dataflow = dataflow
    ctx.close_shapes(shapes)
    ctx.close_variables(variables)


def _result(ctx: Context, info: tree.StructInfo) -> None:
    # A result annotation uses what the parameters bound, and nothing of the body. [W.4]
    ctx.in_result = True
    resolve_info(ctx, info)
    ctx.in_result = False


def _seq_expr(ctx: Context, seq: tree.SeqExpr) -> None:
    """`{ }` is a scope of variables and of the shape variables bound by match_casts. [S.5 S.6 S.13]"""
    variables, shapes = ctx.variable_mark(), ctx.shape_mark()
    frame = Frame(seq)
    ctx.frames.append(frame)
    for block in seq.blocks:
        frame.block = block
        if type(block) is tree.DataflowBlock:
            _dataflow_block(ctx, block, frame)
        elif type(block) is tree.BindingBlock:
            if ctx.dataflow is not None and block.explicit:
                well_formed.ordinary_block_in_dataflow(ctx, block)
            _bindings(ctx, block.bindings, frame)
        else:
            assert_never(block)
    frame.block = frame.binding = None
    resolve_expression(ctx, seq.body)
    ctx.frames.pop()
    ctx.close_shapes(shapes)
    ctx.close_variables(variables)


def _dataflow_block(ctx: Context, block: tree.DataflowBlock, frame: Frame) -> None:
    """Only what `output` lists is visible after a dataflow block; shape variables are. [S.7 S.8 S.13]"""
    outer = ctx.dataflow
    mark = ctx.variable_mark()
    leaving = well_formed.check_outputs(ctx, block)
    if outer is None:
        ctx.dataflow = block
        ctx.resolved.outputs.update([binder for _, binder in leaving])
    _bindings(ctx, block.bindings, frame)
    ctx.dataflow = outer
    ctx.close_variables(mark)
    for output, binder in leaving:
        ctx.resolved.bindings[output] = binder
        ctx.set_variable(binder.name_hint, (binder, ctx.depth, outer))


def _bindings(ctx: Context, bindings: tuple[tree.Binding, ...], frame: Frame) -> None:
    if ctx.memory is not None and ctx.depth == 1 and len(ctx.frames) == 1:
        ctx.memory.resolve(ctx, bindings, lambda part: _in_turn(ctx, part, frame))
    else:
        _in_turn(ctx, bindings, frame)
    frame.binding = None


def _in_turn(ctx: Context, bindings: Sequence[tree.Binding], frame: Frame) -> None:
    for batch in in_batches(bindings):
        for binding in batch:
            frame.binding = binding
            if type(binding) is tree.VarBinding:
                _var_binding(ctx, binding)
            elif type(binding) is tree.MatchCast:
                _match_cast(ctx, binding)
            else:
                assert_never(binding)


def _var_binding(ctx: Context, binding: tree.VarBinding) -> None:
    # The value is resolved before the variable exists, but a function literal knows its name. [S.4 W.2.b]
    var = binding.var
    value = binding.value
    block = None if ctx.dataflow is None or var in ctx.resolved.outputs else ctx.dataflow
    if type(value) is tree.Call:  # most of them
        resolve_call(ctx, value)
    elif type(value) is tree.Function:
        # The name is known inside as what it will be: an ordinary variable, whatever block it is bound in.
        mark = ctx.variable_mark()
        if var.name_hint != "_":
            ctx.set_variable(var.name_hint, (var, ctx.depth, None))
        _function(ctx, value)
        ctx.close_variables(mark)
        _note_recursion(ctx, value, var)
    else:
        _EXPRESSIONS[type(value)](ctx, value)
    if var.struct_info_annotation is not None:
        resolve_info(ctx, var.struct_info_annotation)
    bind_variable(ctx, var, block)


def _note_recursion(ctx: Context, function: tree.Function, var: tree.Var | tree.DataflowVar) -> None:
    captures = ctx.resolved.captures.get(function)
    if captures is not None and captures.pop(var, None) is not None:
        ctx.resolved.recursive.add(function)


def _match_cast(ctx: Context, binding: tree.MatchCast) -> None:
    resolve_expression(ctx, binding.value)
    bind_info(ctx, binding.struct_info)
    var = binding.var
    if var is None:
        return
    if var.struct_info_annotation is not None:
        resolve_info(ctx, var.struct_info_annotation)
    bind_variable(ctx, var, None if ctx.dataflow is None or var in ctx.resolved.outputs else ctx.dataflow)


def _if(ctx: Context, node: tree.If) -> None:
    """`if` has no place in a dataflow block; within it, nothing more is said of that. [W.6.3 N.15]"""
    dataflow = ctx.dataflow
    if dataflow is not None:
        well_formed.if_in_dataflow(ctx, node, dataflow)
        ctx.dataflow = None
    resolve_value(ctx, node.cond)
    resolve_expression(ctx, node.true_branch)
    resolve_expression(ctx, node.false_branch)
    ctx.dataflow = dataflow


def _tuple(ctx: Context, node: tree.Tuple) -> None:
    for field in node.fields:
        _EXPRESSIONS[type(field)](ctx, field)


def _field(ctx: Context, node: tree.TupleGetItem | tree.MissingField) -> None:
    if type(node.tuple_value) is tree.Op:
        from relax_lang.scope.unresolved import extents  # no operator is a tuple

        if extents.report(ctx, node):
            return
    resolve_expression(ctx, node.tuple_value)


def _op_as_value(ctx: Context, node: tree.Op) -> None:
    # An operator is only called. [W.8]
    from relax_lang.scope.unresolved import (
        names as unresolved_names,  # only needed when there is something to report
    )

    unresolved_names.name_as_value(ctx, node)


def _binder_as_value(ctx: Context, node: tree.DataflowVar) -> None:
    # A DataflowVar stands for a definition; a tree made in Python may show it as a use all the same.
    use_variable(ctx, node)


def _prim_value(ctx: Context, node: tree.PrimValue) -> None:
    # A scalar outside of a scalar operand comes from Python only; its names are resolved all the same.
    resolve_scalar(ctx, node, "", 0)


def _constant(ctx: Context, node: tree.Constant) -> None:
    # A bare integer is int32, but in a scalar operand, which this walk does not concern itself with, int64. [G.22]
    data = node.data
    if node.dtype is None and type(data) is tree.IntLit and not INT32_MIN <= data.value <= INT32_MAX:
        from relax_lang.syntax import diagnostics as diag  # not needed for a clean program

        text = data.text or str(data.value)
        found = diag.literal_does_not_fit(node, text, "int32")
        if -(1 << 63) <= data.value < 1 << 63 and node.pos >= 0:
            form = f"const({text}, int64)"
            found.replace(node, form, f"write `{form}`")
        ctx.resolved.diagnostics.append(found)


def _atom(ctx: Context, node: tree.Expr) -> None:
    """Do nothing: an extern function, or a gap, mentions no name."""


_EXPRESSIONS: Table[tree.Expr, Callable[[Context, Any], object]] = {
    tree.Var: use_variable,
    tree.Call: resolve_call,
    tree.Constant: _constant,
    tree.DataflowVar: _binder_as_value,
    tree.GlobalVar: use_global,
    tree.Tuple: _tuple,
    tree.SeqExpr: _seq_expr,
    tree.Function: _function,
    tree.If: _if,
    tree.ExternFunc: _atom,
    tree.ShapeExpr: resolve_shape_expr,
    tree.TupleGetItem: _field,
    tree.MissingField: _field,
    tree.Op: _op_as_value,
    tree.PrimValue: _prim_value,
    tree.BinaryOp: resolve_infix,
    tree.UnaryOp: resolve_prefix_operator,
    tree.Missing: _atom,
}
"""Expression class to what resolves its names."""
