"""The normal form of a module: order-preserving A-normal form, no nested blocks, no sugar. [N.0-N.17]

Right-hand sides have only atoms below them; what had no name gets one, in the order of evaluation: from the
left, callee before operands, operands before the call. Blocks are merged, names are unique in their
function. Nodes that are normal already are reused as they are; new ones have the span of what they stand
for. No types are known here, and the tree that comes in stays as it is.
"""

from __future__ import annotations

from relax_lang.base.cancellation import in_batches
from relax_lang.base.node import assert_never, replaced
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.python.plain_functions import partial
from relax_lang.normalize import computed_shapes, sizes
from relax_lang.normalize.blocks import Blocks
from relax_lang.normalize.origins import Origins
from relax_lang.normalize.rename import rename
from relax_lang.normalize.state import (
    ATOMS,
    State,
    annotated,
    bind,
    check_shape,
    signature,
    size,
    use_of_binder,
    variable,
)
from relax_lang.scope.spans import bare_dims, name_span
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import INFIX_SUGAR, PREFIX_SUGAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.normalize.remembered import Memory
    from relax_lang.scope.context import Resolved


def normalize(
    module: tree.IRModule, resolved: Resolved, origins: Origins | None = None, memory: Memory | None = None
) -> tree.IRModule:
    """Return the normal form of a module whose names are resolved without errors; fill `origins`. [N.0]

    `memory` has what is known of parts of the one function of the module.
    """
    into = Origins() if origins is None else origins
    with no_collection():
        items = [
            _top_level(item, resolved, into, memory) if type(item) is tree.Function else item
            for item in module.items
        ]
    return tree.IRModule(module.attrs, tuple(items), module.pos, module.end)


def _top_level(
    function: tree.Function, resolved: Resolved, origins: Origins, memory: Memory | None
) -> tree.Function:
    ctx = State(function, resolved, origins)
    ctx.memory = memory
    for param in function.params:
        ctx.names.keep(param)
        if param.struct_info_annotation is not None:
            ctx.names.keep_shapes(bare_dims(param.struct_info_annotation))
    params = tuple([_parameter(ctx, param) for param in function.params])
    normal = _with_body(ctx, function, params)
    if ctx.names.renamed or ctx.names.renamed_shapes or ctx.names.computed:
        origins.add_names(normal, ctx.names.authors())
    return normal


def _parameter(ctx: State, param: tree.Var) -> tree.Var:
    # The names of parameters and their dimensions stay; only what was rejected is missing.
    info = param.struct_info_annotation
    new = None if info is None else signature(ctx, info)
    return param if new is info else tree.Var(param.name_hint, new, param.pos, param.end)


def _with_body(ctx: State, function: tree.Function, params: tuple[tree.Var, ...]) -> tree.Function:
    ret = function.ret_struct_info
    new_ret = None if ret is None else signature(ctx, ret)
    checked = computed_shapes.in_signature(ctx.computed, function) if ctx.computed else False
    normal = replaced(
        function,
        params=params,
        ret_struct_info=new_ret,
        body=_scope(ctx, function.body, function if checked else None),
    )
    ctx.origins.add_function(normal, function)
    return normal


def _scope(ctx: State, body: tree.Expr, checked: tree.Function | None = None) -> tree.SeqExpr:
    # The body of a function or a branch: a SeqExpr with blocks of its own and an atom as its value. [N.5 N.9]
    outer, outer_dataflow, memory = ctx.out, ctx.dataflow, ctx.memory
    ctx.out, ctx.dataflow = Blocks(), False
    value = _atom(ctx, body) if checked is None else _checked_body(ctx, checked)
    blocks = ctx.out.close()
    ctx.out, ctx.dataflow, ctx.memory = outer, outer_dataflow, memory
    return tree.SeqExpr(blocks, value, body.pos, body.end)


def _annotation(ctx: State, info: tree.StructInfo) -> Any:
    return annotated(ctx, info, partial(_atom, ctx)) if ctx.computed else rename(ctx.names, info)


def _checked_body(ctx: State, function: tree.Function) -> tree.Expr:
    """Compute the shapes of a signature first, and check arguments and the result against them. [B.10] [B.12]"""
    for param in function.params:
        info = param.struct_info_annotation
        if info is not None and computed_shapes.is_among(ctx.computed, info):
            name = ctx.names.renamed.get(param, param.name_hint)
            check_shape(ctx, None, _annotation(ctx, info), tree.Var(name, None, *name_span(param)))
    ret = function.ret_struct_info
    if ret is None or not computed_shapes.is_among(ctx.computed, ret):
        return _atom(ctx, function.body)
    info = _annotation(ctx, ret)
    value = _atom(ctx, function.body)
    name = ctx.names.temporary(dataflow=False)
    check_shape(ctx, tree.Var(name, None, value.pos, value.end), info, value)
    return tree.Var(name, None, value.pos, value.end)


def _atom(ctx: State, node: tree.Expr) -> Any:
    """Return an atom with the value of an expression; anything else is bound to a name. [N.2 N.9 N.10]"""
    if ctx.sizes and node in ctx.sizes:
        return size(ctx, ctx.sizes[node], None)
    value = _NORMAL_FORM[type(node)](ctx, node)
    return value if type(value) in ATOMS else bind(ctx, value)


def _right_hand_side(ctx: State, node: tree.Expr) -> Any:
    """Return an expression that is allowed on the right of a binding. [N.1 N.15]"""
    if ctx.sizes and node in ctx.sizes:
        return sizes.scalar(rename(ctx.names, ctx.sizes[node]), None)
    return _NORMAL_FORM[type(node)](ctx, node)


def _binder(ctx: State, var: tree.Binder, name: str) -> tree.Binder:
    """Return a definition under its new name: a DataflowVar iff it lives in a dataflow block only. [N.14]"""
    local = ctx.dataflow and name != "_" and var not in ctx.outputs
    kind = tree.DataflowVar if local else tree.Var
    annotation = var.struct_info_annotation
    if annotation is not None:
        annotation = _annotation(ctx, annotation)
    if kind is type(var) and name == var.name_hint and annotation is var.struct_info_annotation:
        return var
    return kind(name, annotation, var.pos, var.end)


def _bindings(ctx: State, bindings: tuple[tree.Binding, ...]) -> None:
    memory, ctx.memory = ctx.memory, None
    if memory is None:
        _in_turn(ctx, bindings)
        return
    parts = ctx.names, ctx.out, ctx.origins
    memory.normalize(parts, bindings, partial(_in_turn, ctx), dataflow=ctx.dataflow)
    ctx.memory = memory


def _in_turn(ctx: State, bindings: Sequence[tree.Binding]) -> None:
    for batch in in_batches(bindings):
        for binding in batch:
            if type(binding) is tree.VarBinding:
                _var_binding(ctx, binding)
            elif type(binding) is tree.MatchCast:
                _match_cast(ctx, binding)
            else:
                assert_never(binding)


def _var_binding(ctx: State, binding: tree.VarBinding) -> None:
    var, value = binding.var, binding.value
    if type(value) is tree.Call and (not ctx.sizes or value not in ctx.sizes):  # most of them
        if value.struct_info is not None and value.args and ctx.resolved.operator_of(value) == "cast":
            named = None if var.name_hint == "_" and var.struct_info_annotation is None else var
            span = binding.pos, binding.end, value.pos, value.end
            _match_cast(ctx, tree.MatchCast(named, value.struct_info, value.args[0], *span))
            return
        new = _call(ctx, value)
        name = ctx.names.define(var)
    elif type(value) is tree.Function:  # its name is known inside of it
        name = ctx.names.define(var)
        new = _function(ctx, value)
    else:
        new = _right_hand_side(ctx, value)
        name = ctx.names.define(var)
    if ctx.dataflow or type(var) is not tree.Var or var.struct_info_annotation is not None:
        var = _binder(ctx, var, name)
    elif name != var.name_hint:
        var = tree.Var(name, None, var.pos, var.end)
    if new is not value or var is not binding.var:
        binding = tree.VarBinding(var, new, binding.pos, binding.end)
    ctx.out.add(binding, dataflow=ctx.dataflow)


def _match_cast(ctx: State, node: tree.MatchCast) -> None:
    """Emit a match_cast; its new shape variables are named, then its variable. [S.13 B.23]"""
    value = _right_hand_side(ctx, node.value)
    ctx.names.define_shapes(bare_dims(node.struct_info))
    info = _annotation(ctx, node.struct_info)
    binder = None if node.var is None else _binder(ctx, node.var, ctx.names.define(node.var))
    binding = tree.MatchCast(binder, info, value, node.pos, node.end, node.cast_pos, node.cast_end)
    ctx.out.add(binding, dataflow=ctx.dataflow)


def _call(ctx: State, node: tree.Call) -> Any:
    # Callee, then operands from the left; `cast(x) -> S` becomes a match_cast of its own. [N.10 N.13 B.23]
    op, info = node.op, node.struct_info
    operator = ctx.resolved.operator_of(node)
    if operator is None:
        op = _atom(ctx, op)
    elif info is not None and operator == "cast" and node.args:  # without an operand, it was reported
        return _cast_inside(ctx, node, info)
    elif type(op) is tree.Var:
        op = tree.Op(operator, op.pos, op.end)
    if ctx.sizes and any(arg in ctx.sizes for arg in node.args):
        args = _with_sizes(ctx, op, node.args)
    else:
        args = _operands(ctx, node.args)
    if info is not None:
        info = _annotation(ctx, info)
    if op is node.op and args is node.args and info is node.struct_info:
        return node
    call = tree.Call(op, args, node.attrs, info, node.pos, node.end)
    ctx.origins.calls[call] = node
    return call


def _cast_inside(ctx: State, node: tree.Call, info: tree.StructInfo) -> tree.Var:
    name = ctx.names.temporary(dataflow=ctx.dataflow)
    value = _right_hand_side(ctx, node.args[0])
    ctx.names.define_shapes(bare_dims(info))
    kind = tree.DataflowVar if ctx.dataflow else tree.Var
    binder = kind(name, None, node.pos, node.end)
    binding = tree.MatchCast(binder, _annotation(ctx, info), value, node.pos, node.end)
    ctx.out.add(binding, dataflow=ctx.dataflow)
    return tree.Var(name, None, node.pos, node.end)


def _operands(ctx: State, args: tuple[tree.Expr, ...]) -> tuple[tree.Expr, ...]:
    scalars = ctx.scalars
    if not (scalars or ctx.sizes or ctx.names.renamed):
        for arg in args:
            if type(arg) is tree.Var:
                if arg.struct_info_annotation is not None:
                    break
            elif type(arg) is not tree.Constant:
                break
        else:
            return args  # most are variables and constants, which stay
    if scalars:
        new = [rename(ctx.names, scalars[arg]) if arg in scalars else _atom(ctx, arg) for arg in args]
    else:
        new = [_atom(ctx, arg) for arg in args]
    return args if new == [*args] else tuple(new)  # nodes are equal by identity only


def _with_sizes(ctx: State, op: tree.Expr, args: Sequence[tree.Expr]) -> tuple[tree.Expr, ...]:
    operator = op.op_name if type(op) is tree.Op else ""
    given = [None if arg in ctx.sizes else _operands(ctx, (arg,))[0] for arg in args]
    return sizes.operands(operator, given, [ctx.sizes.get(arg) for arg in args], partial(size, ctx))


def _tuple(ctx: State, node: tree.Tuple) -> tree.Tuple:
    # A tuple is an atom once its fields are. [N.3]
    fields = _operands(ctx, node.fields)
    return node if fields is node.fields else tree.Tuple(fields, node.pos, node.end)


def _tuple_get_item(ctx: State, node: tree.TupleGetItem) -> tree.TupleGetItem:
    value = _atom(ctx, node.tuple_value)
    rest = node.index, node.pos, node.end, node.index_pos, node.index_end
    return node if value is node.tuple_value else ctx.origins.like(node, tree.TupleGetItem(value, *rest))


def _missing_field(ctx: State, node: tree.MissingField) -> tree.MissingField:
    value = _atom(ctx, node.tuple_value)
    if value is node.tuple_value:
        return node
    return tree.MissingField(value, node.several, node.pos, node.end, node.index_pos, node.index_end)


def _infix(ctx: State, node: tree.BinaryOp) -> tree.Call:
    """Infix sugar is the call; a long chain leans to the left, so that side is a loop. [OP.8]"""
    sized = ctx.sizes
    chain = [node]
    innermost = node.lhs
    while type(innermost) is tree.BinaryOp and innermost not in sized:
        chain.append(innermost)
        innermost = innermost.lhs
    left = innermost if sized and innermost in sized else _atom(ctx, innermost)
    while True:
        link = chain.pop()
        op = tree.Op(INFIX_SUGAR[link.op], link.pos, link.end)
        if sized and (left in sized or link.rhs in sized):
            args = _with_sizes(ctx, op, (left, link.rhs))
        else:
            args = (left, _atom(ctx, link.rhs))
        call = tree.Call(op, args, (), None, link.pos, link.end)
        if not chain:
            return call
        left = bind(ctx, call)


def _prefix(ctx: State, node: tree.UnaryOp) -> tree.Call:
    op = tree.Op(PREFIX_SUGAR[node.op], node.pos, node.end)
    return tree.Call(op, (_atom(ctx, node.operand),), (), None, node.pos, node.end)


def _if(ctx: State, node: tree.If) -> tree.If:
    # An `if` stays whole: its condition is an atom, its branches are scopes. [N.5 N.15]
    cond = _atom(ctx, node.cond)
    true_branch = _scope(ctx, node.true_branch)
    return tree.If(cond, true_branch, _scope(ctx, node.false_branch), node.pos, node.end)


def _function(ctx: State, node: tree.Function) -> tree.Function:
    # A function literal stays whole; its parameters are named like other local variables. [N.15]
    for param in node.params:
        if param.struct_info_annotation is not None:
            ctx.names.define_shapes(bare_dims(param.struct_info_annotation))
    names = [ctx.names.define(param) for param in node.params]
    params: list[tree.Var] = []
    for param, name in zip(node.params, names, strict=True):
        annotation = param.struct_info_annotation
        new = None if annotation is None else signature(ctx, annotation)
        if name == param.name_hint and new is annotation:
            params.append(param)
        else:
            params.append(tree.Var(name, new, param.pos, param.end))
    return _with_body(ctx, node, tuple(params))


def _seq_expr(ctx: State, node: tree.SeqExpr) -> Any:
    # A block on the way is flattened: its bindings join the surrounding ones, its value takes its place. [N.11]
    for block in node.blocks:
        if type(block) is tree.DataflowBlock:
            _dataflow_block(ctx, block)
        elif type(block) is tree.BindingBlock:
            _bindings(ctx, block.bindings)
        else:
            assert_never(block)
    return _right_hand_side(ctx, node.body)


def _dataflow_block(ctx: State, block: tree.DataflowBlock) -> None:
    # Inside another dataflow block its bindings are more of those; else it opens or continues one. [N.6 N.12]
    if ctx.dataflow or not block.bindings:
        _bindings(ctx, block.bindings)
        return
    ctx.out.open_dataflow(block.pos, block.end)
    ctx.dataflow = True
    _bindings(ctx, block.bindings)
    ctx.dataflow = False
    ctx.out.leave([variable(ctx, output) for output in block.outputs])


def _unchanged(ctx: State, node: Any) -> Any:
    return node


def _with_dims(ctx: State, node: Any) -> Any:
    return rename(ctx.names, node)


_NORMAL_FORM: Table[tree.Expr, Callable[[State, Any], Any]] = {
    tree.Var: variable,
    tree.DataflowVar: use_of_binder,
    tree.GlobalVar: _unchanged,
    tree.Constant: _unchanged,
    tree.ExternFunc: _unchanged,
    tree.Op: _unchanged,
    tree.ShapeExpr: _with_dims,
    tree.PrimValue: _with_dims,
    tree.Tuple: _tuple,
    tree.Missing: _unchanged,
    tree.Call: _call,
    tree.TupleGetItem: _tuple_get_item,
    tree.MissingField: _missing_field,
    tree.BinaryOp: _infix,
    tree.UnaryOp: _prefix,
    tree.If: _if,
    tree.Function: _function,
    tree.SeqExpr: _seq_expr,
}
"""Expression class to the function that makes a right-hand side or an atom of it. [N.1 N.2]"""
