"""Why a name means nothing where it is, and what was probably meant: variables and shape variables.

Only imported once there is something to report. One name is reported once in a function. [Z.5]
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.names import nearest
from relax_lang.base.node import children, walk
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.ops import registry
from relax_lang.scope.diagnostics import blocks as blocks_diag
from relax_lang.scope.diagnostics import dims as dims_diag
from relax_lang.scope.diagnostics import names as names_diag
from relax_lang.scope.spans import keyword_span, name_span
from relax_lang.scope.unresolved import calls as unresolved_calls
from relax_lang.scope.unresolved import out_of_scope, sizes_of_values
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary import foreign_words
from relax_lang.syntax.vocabulary.words import literal_of_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context


def missing_variable(ctx: Context, use: tree.Var | tree.DataflowVar) -> None:
    """Report a variable that is not visible. [S.3 S.6 S.7 S.20 S.21 W.2 W.3 W.8 G.1]

    That a name is used after its dataflow block is another mistake than that it is used before it.
    """
    name = use.name_hint
    opened = out_of_scope.find_open(ctx, name)
    escaped = opened is not None and opened[0] == out_of_scope.ESCAPED
    if ctx.first_report("escaped variable" if escaped else "variable", name):
        ctx.resolved.diagnostics.append(_why_missing(ctx, use))


def name_as_value(ctx: Context, use: tree.Op) -> None:
    """Report a name with a dot, or an operator, where a value is needed. [W.8]"""
    is_written_otherwise = foreign_words.number_with_prefix(use.op_name) or foreign_words.dtype_with_prefix(
        use.op_name
    )
    if unresolved_calls.is_field_of_nothing(ctx, use) and not is_written_otherwise:
        missing_owner(ctx, use)
    else:
        unresolved_calls.operator_as_value(ctx, use)


def missing_owner(ctx: Context, use: tree.Op) -> None:
    """Report `k.size` and `k.sum()` where nothing is called `k`: what is asked of it is not a mistake of its own."""
    owner = use.op_name.partition(".")[0]
    missing_variable(ctx, tree.Var(owner, None, use.pos, use.pos + len(owner)))


def name_as_shape(ctx: Context, use: tree.Var) -> None:
    """Report `Tensor[n]` with a shape variable, or a new name, where `Tensor[(n,)]` is meant. [G.1 G.16]"""
    name = use.name_hint
    dims = f"({local_name(name)},)"
    if name in ctx.shapes:
        if ctx.first_report("variable", name):
            found = dims_diag.shape_var_as_value(use, name, ctx.shapes[name][0], dims)
            ctx.resolved.diagnostics.append(found)
        return
    before = len(ctx.resolved.diagnostics)
    missing_variable(ctx, use)
    for found in ctx.resolved.diagnostics[before:]:
        if not found.fixes and not found.help:
            found.helped(f"a dimension is written in parentheses: `{dims}`")


def _why_missing(ctx: Context, use: tree.Var | tree.DataflowVar) -> Diagnostic:
    name = use.name_hint
    if name == "_":
        found = names_diag.undefined_variable(
            use, "`_` is not defined: it never binds a name", "cannot be read"
        )
        return found.helped("give the value a name where it is bound")
    opened = out_of_scope.find_open(ctx, name)
    if opened is not None and opened[0] == out_of_scope.ESCAPED:
        return _open(use, name, opened)
    shape = ctx.shapes.get(name)
    if shape is not None:
        own = local_name(name)
        return dims_diag.shape_var_as_value(use, name, shape[0], f"scalar({own})", f"shape({own})")
    if opened is not None:
        return _open(use, name, opened)
    operator = registry.lookup(name)
    if operator is not None:
        return names_diag.op_as_value(use, name, unresolved_calls.wrapped_operator(operator))
    return _somewhere_else(ctx, use, name) or _unknown(ctx, use, name)


def missing_operator(ctx: Context, use: tree.Op) -> None:
    """Report a callee that is not an operator: a variable that is not visible, or an unknown name. [G.34 OP.1]"""
    unresolved_calls.missing_operator(ctx, use, _hidden_callee(ctx, use))


def _hidden_callee(ctx: Context, use: tree.Op) -> Diagnostic | None:
    name = use.op_name
    opened = out_of_scope.find_open(ctx, name)
    if opened is not None:
        return _open(use, name, opened)
    shape = ctx.shapes.get(name)
    if shape is not None:
        return dims_diag.shape_var_as_value(use, name, shape[0])
    other = out_of_scope.other_variable(ctx, name, use.pos)
    return _somewhere_else(ctx, use, name) if other is not None and other[1] is ctx.item else None


def _open(use: tree.Expr, name: str, opened: tuple[str, out_of_scope.Bound, object]) -> Diagnostic:
    kind, bound, _ = opened
    place = name_span(bound.binder)
    if kind == out_of_scope.ESCAPED:
        assert type(bound.block) is tree.DataflowBlock
        edit = _output_edit(bound.block, name)
        return names_diag.dataflow_var_escapes(name, use, place, keyword_span(bound.block), edit)
    same = kind == out_of_scope.SAME_STATEMENT
    return names_diag.use_before_bind(name, use, place, same_statement=same)


def _output_edit(block: tree.DataflowBlock, name: str) -> Edit | None:
    """Return the edit that lists a variable in `output`; None if the block has no text."""
    if block.pos < 0:
        return None
    if block.outputs:
        last = block.outputs[-1].end
        return Edit(last, last, f", {local_name(name)}")
    return Edit(block.end - 1, block.end - 1, f"output {local_name(name)}; ")


def _somewhere_else(ctx: Context, use: tree.Expr, name: str) -> Diagnostic | None:
    # The name exists, but not here: in a block or function that has ended, or in another function.
    other = out_of_scope.other_variable(ctx, name, use.pos)
    if other is None:
        return None
    binder, item = other
    if item is ctx.item:
        found = names_diag.undefined_variable(use, f"`{name}` is local to a block or function that has ended")
        found.label(name_span(binder), f"`{name}` is local to the `{{ }}` it is bound in")
        return found.helped(f"let the block have `{name}` as its value, and bind that here")
    if item.name is None:
        return None
    near = nearest(name, ctx.variables) if ctx.searches else None
    where = global_name(item.name.name_hint)
    message = f"`{name}` is not defined" + (f" (nearest: `{near}`)" if near else "")
    found = names_diag.undefined_variable(use, message)
    found.label(name_span(binder), f"this `{name}` is local to {where}")
    return found.replace(use, local_name(near), f"write `{near}`") if near else found


def _unknown(ctx: Context, use: tree.Expr, name: str) -> Diagnostic:
    if name in ctx.resolved.globals:
        written = global_name(name)
        found = names_diag.undefined_variable(use, f"`{name}` is not defined (nearest: `{written}`)")
        return found.replace(use, written, f"write `{written}`")
    if name in DTYPES:
        found = names_diag.undefined_variable(use, f"`{name}` is not defined")
        return found.helped(f"a dtype is not a value; where a call takes one, it has a name: `dtype={name}`")
    written = literal_of_python(name, "()")
    if written is not None:
        if written == "()" and _is_compared(ctx, use):
            found = names_diag.undefined_variable(use, "`None` is not defined: a tensor always has a value")
            return found.helped("what may be absent is a bool beside it, or another function")
        if written == "()" and _is_needed(ctx, use):
            found = names_diag.undefined_variable(use, "`None` is not defined: this operand is needed")
            return found.helped("`()` is an operand that is left out; only optional ones can be")
        return names_diag.undefined_variable(
            use, f"`{name}` is not defined; it is written `{written}`"
        ).replace(use, written, f"write `{written}`", SAFE)
    near = nearest(name, ctx.variables) if ctx.searches else None
    if near is None:
        return names_diag.undefined_variable(use, f"`{name}` is not defined")
    found = names_diag.undefined_variable(use, f"`{name}` is not defined (nearest: `{near}`)")
    found.label(name_span(ctx.variables[near][0]), f"`{near}` is defined here")
    return found.replace(use, local_name(near), f"write `{near}`")


def captured_dataflow_variable(
    ctx: Context, use: tree.Binder, binder: tree.Binder, block: tree.DataflowBlock
) -> None:
    """Report a function in a dataflow block that uses a variable of the block. [W.10 S.18]"""
    name = use.name_hint
    own = {part for binding in block.bindings for part in children(binding)}
    edit = _output_edit(block, name) if binder in own else None
    found = names_diag.closure_captures_dataflow_var(name, use, name_span(binder), edit)
    ctx.resolved.diagnostics.append(found)


def bad_output(
    ctx: Context,
    block: tree.DataflowBlock,
    output: tree.Var,
    earlier: tree.Var,
    bound: dict[str, tree.Binder],
) -> None:
    """Report a name in `output` that the block does not bind, or that is listed before. [S.8]"""
    name = output.name_hint
    if name in bound:
        before = block.outputs[block.outputs.index(output) - 1]
        # Names of several `output` statements, which is a mistake of its own, have bindings between them.
        is_apart = before.end > output.pos or any(
            before.end <= binding.pos < output.pos for binding in block.bindings
        )
        rest = None if is_apart else Edit(before.end, output.end, "")
        ctx.resolved.diagnostics.append(blocks_diag.duplicate_output(name, output, earlier, rest))
        return
    if earlier is not output:
        return
    entry = ctx.variables.get(name)
    near = None
    if ctx.searches:
        listed = {one.name_hint for one in block.outputs}
        free = [one for one in bound if one not in listed]
        near = nearest(name, free) or (free[0] if len(free) == 1 else None)
    outside = None if entry is None else name_span(entry[0])
    if output not in ctx.resolved.rejected:
        ctx.resolved.diagnostics.append(blocks_diag.output_undefined(name, output, near, outside))
    # Uses after the block are consequences, of this name and of the one that was probably meant.
    ctx.reported |= {("variable", name), ("escaped variable", name)}
    if near is not None and entry is None:
        ctx.reported |= {("variable", near), ("escaped variable", near)}


def missing_shape_variable(ctx: Context, use: tree.PrimVar) -> None:
    """Report a shape variable that is not bound. [S.12-S.16 W.4 W.5 W.13.b W.14 G.8 G.17 G.32]"""
    if not ctx.first_report("shape variable", use.name):
        return
    variable = ctx.variables.get(use.name)
    if variable is not None:
        found = dims_diag.value_in_dim(use, use.name, name_span(variable[0]))
        sizes_of_values.help_with(ctx, use, variable[0], found)
    else:
        found = _why_unbound(ctx, use)
    ctx.resolved.diagnostics.append(found)


def _why_unbound(ctx: Context, use: tree.PrimVar) -> Diagnostic:
    name = use.name
    other = out_of_scope.other_shape_variable(ctx, name)
    if ctx.in_result:
        bound = other[0] if other is not None and other[1] is ctx.item else None
        return dims_diag.return_annotation_unbound(use, name, bound)
    if other is None:
        near = nearest(name, ctx.shapes) if ctx.searches else None
        found = dims_diag.undefined_shape_var(use, name, near)
        if found.fixes:
            return found
        return _help_to_bind(found, name)
    variable, item, kind = other
    found = dims_diag.undefined_shape_var(use, name)
    if item is not ctx.item:
        where = "another function" if item.name is None else global_name(item.name.name_hint)
        return _help_to_bind(found.label(variable, f"this `{name}` belongs to {where}"), name)
    if kind == out_of_scope.FUNCTION_TYPE:
        found.label(variable, f"`{name}` belongs to this function type")
        return found.note(f"`{name}` belongs to the type that it occurs in, and is not known outside of it")
    if variable.pos > use.pos:
        return found.label(variable, f"`{name}` is bound here, further down").helped("move the match_cast up")
    found.label(variable, f"`{name}` is bound here, in a `{{ }}` that has ended")
    return found.helped(f"match `{name}` again, or before that block")


def _help_to_bind(found: Diagnostic, name: str) -> Diagnostic:
    """Help with what binds a shape variable. [S.12] [S.13]"""
    return found.helped(f"let `{name}` be a whole dimension of a parameter or of a match_cast first")


def _is_needed(ctx: Context, use: tree.Expr) -> bool:
    """Return whether a value is an operand that its operator cannot do without."""
    if ctx.item is None:
        return False
    for call in walk(ctx.item):
        if isinstance(call, tree.Call) and any(arg is use for arg in call.args):
            callee = call.op
            name = callee.op_name if isinstance(callee, tree.Op) else getattr(callee, "name_hint", "")
            operator = registry.lookup(name)
            at = next(at for at, arg in enumerate(call.args) if arg is use)
            return operator is not None and at < len(operator.params) and not operator.params[at].optional
    return False


def _is_compared(ctx: Context, use: tree.Expr) -> bool:
    """Return whether a value is an operand of an infix operator."""
    if ctx.item is None:
        return False
    infix = [node for node in walk(ctx.item) if isinstance(node, tree.BinaryOp)]
    return any(node.lhs is use or node.rhs is use for node in infix)
