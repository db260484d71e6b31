"""Calls of operators by the names of other frameworks: the fix makes all of the call right, or there is none. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.ops import registry
from relax_lang.ops.foreign_forms import simplified
from relax_lang.ops.suggestions import OURS, suggest
from relax_lang.scope.calls import methods
from relax_lang.scope.calls.other_meanings import as_elsewhere, is_settled
from relax_lang.scope.calls.renamed_arguments import arguments_of, settle_arguments, without_prefix
from relax_lang.scope.unresolved.calls import is_field_of_nothing
from relax_lang.scope.unresolved.names import missing_owner
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context


def settle(ctx: Context, call: tree.Call, op: tree.Op) -> Sequence[tree.Expr]:
    """Make the fix of an unknown operator one of the whole call; return the arguments that are left to be resolved.

    Arguments that the operator takes by name, or as a shape, are changed with the name; where it needs more than is
    given, there is no fix but the form of the call.
    """
    found = ctx.resolved.diagnostics[-1] if ctx.resolved.diagnostics else None
    if found is None or (found.slug, found.pos) != ("unknown-operator", op.pos):
        _hold_back_forms(ctx, call, op)
        return call.args

    if is_field_of_nothing(ctx, op) and _is_method(call, op):
        ctx.resolved.diagnostics.pop()
        missing_owner(ctx, op)
        return [arg for arg in call.args if not _is_dtype(arg)]
    found.data["operator"] = op.op_name
    found.data["arguments"] = arguments_of(call, op)
    if _settle_conversion(call, op, found):
        return call.args
    owner, _, last = op.op_name.partition(".")
    if not owner:
        receiver = call.args[0]
        if _is_update(receiver):
            return _settle_update(call, last, found)
        return [receiver, *methods.settle(ctx, call, op, receiver, found)]
    if owner in ctx.variables and "." not in last:
        receiver = tree.Var(owner, None, op.pos, op.pos + len(owner))
        return methods.settle(ctx, call, op, receiver, found)
    return _settle_renamed(ctx, call, op, found)


def _is_method(call: tree.Call, op: tree.Op) -> bool:
    """Return whether a call lacks an operand that comes before its dot: `k.sum()`, `k.reshape(2, 3)`, `k.matmul(x)`."""
    last = op.op_name.rpartition(".")[2]
    suggestion = suggest(last, method=True)
    only = last if registry.lookup(last) is not None else None if suggestion is None else suggestion.only
    operator = None if only is None else registry.lookup(only)
    if operator is None or not call.args:
        return operator is not None or not call.args
    needed = [param for param in operator.params if not param.optional and not param.variadic]
    first = call.args[0]
    is_tensor = not _is_dtype(first) and not isinstance(first, tree.Constant | tree.Missing)
    return len(call.args) < len(needed) or (not is_tensor and bool(needed) and needed[0].kind == "tensor")


def _is_dtype(arg: tree.Expr) -> bool:
    return isinstance(arg, tree.Var) and arg.name_hint in DTYPES


def _hold_back_forms(ctx: Context, call: tree.Call, op: tree.Op) -> None:
    """Hold back what is said of strings and lists in a call whose operator was reported at an earlier call. [Z.5]"""
    forms = [arg for arg in call.args if arg in ctx.losses.strings or arg in ctx.losses.lists]
    earlier = [one for one in ctx.resolved.diagnostics if one.data.get("operator") == op.op_name]
    if forms and earlier:
        first = earlier[-1]
        held: Any = first.data.get("rewritten", ())
        first.data["rewritten"] = frozenset(
            [*held, *[(arg.pos - first.pos, arg.end - first.pos) for arg in forms]]
        )


def _settle_renamed(ctx: Context, call: tree.Call, op: tree.Op, found: Diagnostic) -> Sequence[tree.Expr]:
    suggestion = suggest(op.op_name)
    operator = None if suggestion is None or suggestion.only is None else registry.lookup(suggestion.only)
    if suggestion is None or operator is None:
        return call.args
    last = simplified(op.op_name.rpartition(".")[2])
    if op.op_name == "cast" and len(call.args) == 2:  # of a value, to a dtype
        found.message = f"there is no operator `cast`; here it is `{operator.name}`"
        found.helped("").replace(op, operator.name, f"write `{operator.name}`")
    if suggestion.form and is_settled(last, call.args, call.attrs):
        found.message, found.help = f"{found.message}; here it is `{operator.name}`", ""
        found.replace(op, operator.name, f"write `{operator.name}`")
    elif not found.fixes:
        return call.args
    if operator.name == "shape_of" and len(call.args) != 1:  # `SHAPE(n, 4)`: the dimensions of one
        found.message, found.help = f"there is no operator `{op.op_name}`", ""
        found.fixes.clear()
        found.replace(op, "shape", "write `shape`, which takes dimensions")
        return call.args
    if suggestion.reason == OURS:
        return without_prefix(ctx, call, op, operator, found)
    if last == "transpose" and len(call.args) == 3:  # two axes that change places
        methods.exchange_axes(ctx, call, call.args[0], call.args[1:], found)
        return call.args
    left = as_elsewhere(ctx, op.op_name, operator, call, found)
    if left is None:
        return call.args
    return [*settle_arguments(ctx, left, op, operator, found), *call.args[len(left.args) :]]


def _is_update(receiver: tree.Expr) -> bool:
    """Return whether a value is `x.at[i]`, as JAX writes the place of an update."""
    while isinstance(receiver, tree.TupleGetItem | tree.MissingField):
        receiver = receiver.tuple_value
    return isinstance(receiver, tree.Op) and receiver.op_name.endswith(".at")


def _settle_update(call: tree.Call, last: str, found: Diagnostic) -> Sequence[tree.Expr]:
    """Say how elements are replaced: `x.at[i].set(u)`; return what is left of the call to be resolved."""
    found.data["rewritten"] = found.data["arguments"]  # what is wrong with the place, too
    accumulated = ", accumulate=true" if last == "add" else ""
    form = f"index_put(x, (indices,), values{accumulated})"
    slices = (
        f"{form}`, of a slice `slice_scatter(x, src, start, end, step, axis=…)" if last == "set" else form
    )
    if last in ("set", "add"):
        found.helped(f"no value changes; one with other elements is `{slices}`")
    else:
        found.helped("no value changes; see `relax ops scatter_elements`")
    return call.args[1:]


def _settle_conversion(call: tree.Call, op: tree.Op, found: Diagnostic) -> bool:
    """Make `float16(x)` a conversion, and `tuple(x, y)` a tuple; return whether it was one of them."""
    first = call.args[0] if call.args else None
    if first is None or call.attrs or call.pos < 0 or found.fixes:
        return False
    dtype = foreign_words.dtype_of(op.op_name) or foreign_words.dtype_with_prefix(op.op_name)
    if op.op_name == "tuple":
        closing = "," if len(call.args) == 1 else ""
        edits = Edit(op.pos, first.pos, "("), Edit(call.args[-1].end, call.end, f"{closing})")
        found.fix("write the values in parentheses", *edits)
    elif dtype is None or len(call.args) > 1:
        return False
    elif isinstance(first, tree.Constant) and first.dtype is None:
        found.fix(f"write `const(…, {dtype})`", Edit(op.pos, op.end, "const"), _last_operand(call, dtype))
    else:
        title = f"write `astype(…, dtype={dtype})`"
        found.fix(title, Edit(op.pos, op.end, "astype"), _last_operand(call, f"dtype={dtype}"))
    return True


def _last_operand(call: tree.Call, text: str) -> Edit:
    return Edit(call.args[-1].end, call.args[-1].end, f", {text}")
