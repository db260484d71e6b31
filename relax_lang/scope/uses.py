"""Definitions and uses: what a name means where it is.

The quick road: one look-up. Where there is nothing to find, `explain` works out what to report.
"""

from __future__ import annotations

from relax_lang.ops import registry
from relax_lang.scope.operands import Operands
from relax_lang.scope.spans import name_span
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.scope.context import Context


def bind_variable(ctx: Context, binder: tree.Binder, block: tree.DataflowBlock | None = None) -> None:
    """Make a new variable; `block` is given if it lives in that dataflow block only. [S.5 S.7 S.10 S.21]"""
    name = binder.name_hint
    if name == "_":
        return
    names = ctx.variable_names
    if name not in names:
        names[name] = binder
        if name in ctx.shape_names:
            _both_namespaces(ctx, name, binder, ctx.shape_names[name])
    older = ctx.set_variable(name, (binder, ctx.depth, block))
    if older is not None:
        from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

        ctx.resolved.diagnostics.append(diag.shadowing(name, name_span(binder), name_span(older[0])))


def use_variable(ctx: Context, use: tree.Var | tree.DataflowVar) -> None:
    """Find what a variable means. [S.3 S.5 S.6 S.7 S.18 S.20 W.2.a W.3]"""
    entry = ctx.variables.get(use.name_hint)
    if entry is None:
        if use not in ctx.resolved.rejected:
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.missing_variable(ctx, use)
        return
    ctx.resolved.bindings[use] = entry[0]
    if entry[1] != ctx.depth:
        _capture(ctx, use, entry)


def _capture(
    ctx: Context, use: tree.Binder, entry: tuple[tree.Binder, int, tree.DataflowBlock | None]
) -> None:
    # A function uses a variable from outside; DataflowVars cannot be. [S.18 W.10]
    binder, depth, block = entry
    if block is not None:
        if ctx.first_report("captured", use.name_hint):
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.captured_dataflow_variable(ctx, use, binder, block)
        return
    for function in ctx.functions[depth:]:
        ctx.resolved.captures.setdefault(function, {}).setdefault(binder, use)


def bind_shape_variable(ctx: Context, variable: tree.PrimVar) -> None:
    """Bind a shape variable for the rest of the current scope. [S.12 S.13 S.14]"""
    name = variable.name
    ctx.set_shape(name, (variable, ctx.depth))
    if name not in ctx.shape_names:
        ctx.shape_names[name] = variable
        if name == "None":
            from relax_lang.scope.diagnostics import dims  # not needed for a clean program

            ctx.resolved.diagnostics.append(dims.none_as_dimension(variable))
        other = ctx.variable_names.get(name)
        if other is not None:
            _both_namespaces(ctx, name, other, variable)


def use_shape_variable(ctx: Context, use: tree.PrimVar) -> None:
    """Find what a shape variable means. [S.14 S.15 S.16 W.5 W.13.b W.14]"""
    entry = ctx.shapes.get(use.name)
    if entry is None:
        if use not in ctx.resolved.rejected:
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.missing_shape_variable(ctx, use)
        return
    binder = entry[0]
    ctx.resolved.shape_bindings[use] = binder
    if ctx.pending and binder in ctx.pending:
        _bound_further_right(ctx, use, binder)


def _bound_further_right(ctx: Context, use: tree.PrimVar, binder: tree.PrimVar) -> None:
    if use is binder:
        assert ctx.pending is not None
        ctx.pending.discard(binder)
    elif ctx.first_report("later dimension", use.name):
        from relax_lang.scope.diagnostics import dims as diag  # not needed for a clean program

        ctx.resolved.diagnostics.append(diag.dim_used_before_bound(use, binder))


def use_global(ctx: Context, use: tree.GlobalVar) -> tree.Item | None:
    """Find the item that `@name` means. [S.1 G.25]"""
    item = ctx.resolved.globals.get(use.name_hint)
    if item is None:
        is_reported = use in ctx.resolved.rejected or use.name_hint in ctx.losses.names
        if not is_reported and ctx.first_report("global", use.name_hint):
            from relax_lang.scope.unresolved import (
                calls as unresolved_calls,  # only needed when there is something to report
            )

            unresolved_calls.missing_global(ctx, use)
        return None
    ctx.references.append((use, item, ctx.dataflow))
    return item


def operator_name(ctx: Context, callee: tree.Expr) -> str | None:
    """Return the name of the operator that a callee means, known or not; None if it is a value. [G.34]

    A bare name is an operator unless a local variable of that name is in scope; a name with dots always is.
    """
    if type(callee) is tree.Var:
        return None if callee.name_hint in ctx.variables else callee.name_hint
    return callee.op_name if type(callee) is tree.Op else None


def note_hidden(ctx: Context, callee: tree.Op) -> None:
    """Note an operator with the name of a visible variable if its text would be that of the variable. [G.43]"""
    from relax_lang.format.lexemes import DOTTED  # only for a strange tree, which was built in Python

    if not DOTTED.fullmatch(callee.op_name):
        ctx.resolved.hidden.append(callee)


def as_operator(callee: tree.Var | tree.Op) -> tree.Op:
    """Return a callee that means an operator as the node that it is in the normal form. [G.34]"""
    return callee if type(callee) is tree.Op else tree.Op(callee.name_hint, callee.pos, callee.end)


def use_operator(ctx: Context, name: str, written: tree.Var | tree.Op) -> Operands | None:
    """Find an operator in callee position, `written` in the tree; return what its operands are. [G.34 OP.1]"""
    known = ctx.operands.get(name)
    if known is not None:
        ctx.operators.add(name)
        return known
    operator = registry.lookup(name)
    if operator is None:
        if written not in ctx.resolved.rejected and ctx.first_report("operator", name):
            from relax_lang.scope.unresolved import (
                names as unresolved_names,  # only needed when there is something to report
            )

            unresolved_names.missing_operator(ctx, as_operator(written))
        return None
    operands = _OPERANDS.get(operator)
    if operands is None:
        operands = _OPERANDS[operator] = Operands(operator)
    ctx.operands[name] = operands
    ctx.operators.add(name)
    return operands


def may_be_misplaced(ctx: Context, args: Sequence[tree.Expr], operands: Operands) -> bool:
    """Return whether a call may have attributes without names, or something else than a shape for a shape."""
    last = args[-1]
    if len(args) > operands.most or (
        last.name_hint in DTYPES if type(last) is tree.Var else type(last) in (tree.Op, tree.Missing)
    ):
        return True
    if operands.scalars is not None and ctx.losses.lists:
        return True
    shape = operands.shape
    return shape < len(args) and type(args[shape]) is not tree.ShapeExpr


def hold_back(ctx: Context, before: int) -> None:
    """Take back what was reported of operands that an unknown operator may well take: `R.reshape(x, (n, m))`. [Z.5]

    `before` is how many diagnostics there were without them.
    """
    found = ctx.resolved.diagnostics
    kept = [one for one in found[before:] if one.slug not in ("shape-var-as-value", "literal-does-not-fit")]
    found[before:] = [one for one in kept if not one.data.get("may_be_size")]  # `max(n - 1, 0)`


_OPERANDS: dict[registry.Operator, Operands] = {}
"""Operator to what `use_operator` returns; not by name, as an operator of a plugin may be declared anew."""


def _both_namespaces(ctx: Context, name: str, variable: tree.Binder, shape_variable: tree.PrimVar) -> None:
    # One name for a variable and for a shape variable; reported at the one that comes second. [S.19]
    from relax_lang.scope.diagnostics import names as diag  # not needed for a clean program

    first, second = name_span(variable), (shape_variable.pos, shape_variable.end)
    if second < first:
        first, second = second, first
    ctx.resolved.diagnostics.append(diag.name_in_both_namespaces(name, first, second))
