"""Rules about what may appear where that need scopes at most. [W.* G.* N.12]

Each function checks one thing and is called by the walk in `resolve` when it gets there. Reports are imported
when there is one to make, so that a clean program does not pay for them.
"""

from __future__ import annotations

from relax_lang.scope.spans import keyword_span, name_span
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.scope.context import Context, Resolved
    from relax_lang.syntax.parsed import Losses


def check_module(module: tree.IRModule, resolved: Resolved, losses: Losses) -> None:
    """Collect the items of a module: names are unique, something is public. [G.40 W.11 W.12]

    Incomplete items are collected without complaints about them.
    """
    by_name = resolved.globals
    public = losses.some or not module.items
    for item in module.items:
        public = public or not item.private
        if item in losses.incomplete:
            if item.name is not None:
                by_name.setdefault(item.name.name_hint, item)
            continue
        if item.name is not None:
            _collect(item, item.name, by_name, resolved)
        for attr in item.attrs:
            if attr.key == "global_symbol":
                _check_global_symbol(item, attr, resolved)
    if not public:
        from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

        resolved.diagnostics.append(diag.no_entry_point(_name_of(module.items[0])))


def _collect(
    item: tree.Item,
    name: tree.GlobalVar,
    by_name: dict[str, tree.Item],
    resolved: Resolved,
) -> None:
    first = by_name.setdefault(name.name_hint, item)
    if first is not item:
        from relax_lang.format.lexemes import global_name
        from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

        found = diag.duplicate_global(global_name(name.name_hint), name, _name_of(first))
        resolved.diagnostics.append(found)


def _name_of(item: tree.Item) -> tree.GlobalVar | tree.Item:
    return item.name or item


def _check_global_symbol(item: tree.Item, attr: tree.Attr, resolved: Resolved) -> None:
    # The symbol is the name; a private item has none. A value of another kind is reported by the parser. [W.12]
    value = attr.value
    if type(value) is not tree.StrLit or item.name is None:
        return
    name = item.name.name_hint
    if item.private or value.value != name:
        from relax_lang.format.lexemes import global_name, string
        from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

        place = attr if item.private else value
        found = diag.global_symbol_mismatch(
            place, value.value, global_name(name), string(name), private=item.private
        )
        resolved.diagnostics.append(found)


def check_parameters(ctx: Context, function: tree.Function) -> tuple[tree.Var, ...]:
    """Parameters have different names; return them, of a name that occurs twice the first. [S.9]"""
    params = function.params
    if len(params) == len({param.name_hint for param in params}):
        return params
    first: dict[str, tree.Var] = {}
    for param in params:
        name = param.name_hint
        if name == "_":
            continue
        earlier = first.setdefault(name, param)
        if earlier is not param:
            from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

            ctx.resolved.diagnostics.append(
                diag.duplicate_parameter(name, name_span(param), name_span(earlier))
            )
    return tuple(first.values())


def check_outputs(ctx: Context, block: tree.DataflowBlock) -> list[tuple[tree.Var, tree.Binder]]:
    """Return what leaves a dataflow block: each name of `output` with the last binding of that name. [S.8]"""
    if not block.outputs:
        return []
    last: dict[str, tree.Binder] = {}
    for binding in block.bindings:
        var = binding.var
        if var is not None and var.name_hint != "_":
            last[var.name_hint] = var
    leaving: list[tuple[tree.Var, tree.Binder]] = []
    listed: dict[str, tree.Var] = {}
    for output in block.outputs:
        binder = last.get(output.name_hint)
        earlier = listed.setdefault(output.name_hint, output)
        if binder is not None:
            leaving.append((output, binder))
        if binder is None or earlier is not output:
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.bad_output(ctx, block, output, earlier, last)
    return leaving


def ordinary_block_in_dataflow(ctx: Context, block: tree.BindingBlock) -> None:
    """Report a `bindings { }` block inside a dataflow block. [N.12]"""
    from relax_lang.scope.diagnostics import blocks as diag  # not needed for a clean program

    assert ctx.dataflow is not None
    place = (block.pos, min(block.end, block.pos + len("bindings")))
    ctx.resolved.diagnostics.append(diag.bindings_in_dataflow(place, keyword_span(ctx.dataflow)))


def if_in_dataflow(ctx: Context, node: tree.If, block: tree.DataflowBlock) -> None:
    """Report an `if` in a dataflow block. [W.6.3 N.15]"""
    from relax_lang.scope.diagnostics import blocks as diag  # not needed for a clean program

    place = (node.pos, min(node.end, node.pos + len("if")))
    ctx.resolved.diagnostics.append(diag.if_in_dataflow(place, keyword_span(block)))


def call_of_prim_func(ctx: Context, call: tree.Call, callee: tree.GlobalVar, item: tree.PrimFunc) -> None:
    """Check a direct call of a prim_func: all its parameters are given, and it has no result. [V.12 ERR.46]"""
    if len(call.args) == len(item.params) and not call.attrs and call.struct_info is None:
        return
    from relax_lang.scope.unresolved import (
        calls as unresolved_calls,  # only needed when there is something to report
    )

    unresolved_calls.direct_call_of_prim_func(ctx, call, callee, item)


def check_call_tir(ctx: Context, call: tree.Call) -> None:
    """Check that the first operand of `call_tir` names a prim_func. [O.1]"""
    if not call.args:
        return  # the number of operands is checked elsewhere
    callee = call.args[0]
    item = ctx.resolved.globals.get(callee.name_hint) if type(callee) is tree.GlobalVar else None
    if type(item) is tree.PrimFunc or (type(callee) is tree.GlobalVar and item is None):
        return  # right, or an undefined global, which has been reported
    if type(callee) is tree.Missing or (type(callee) is tree.Var and callee not in ctx.resolved.bindings):
        return  # not read, or an undefined variable, which has been reported
    from relax_lang.scope.unresolved import (
        calls as unresolved_calls,  # only needed when there is something to report
    )

    unresolved_calls.not_a_prim_func(ctx, callee, item)


def check_older_cast(ctx: Context, call: tree.Call) -> None:
    """`cast(x) -> S` takes one value. [B.23]"""
    if len(call.args) != 1 or call.attrs:
        from relax_lang.ops.core.diagnostics import calls as diag  # not needed for a clean program

        found = diag.arity(call, f"cast takes 1 argument and no attributes, {len(call.args)} are given")
        ctx.resolved.diagnostics.append(found.helped("write `match_cast(x, S)` as a statement of its own"))
