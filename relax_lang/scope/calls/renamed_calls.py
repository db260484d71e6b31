"""Calls of operators by the names of other frameworks: the fix makes all of the call right, or there is none. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.format.lexemes import local_name
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.attributes import attribute_values, check_call
from relax_lang.ops.suggestions import OURS, simplified, suggest
from relax_lang.scope.calls import misplaced_arguments
from relax_lang.syntax import foreign_words, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context

_PLACEHOLDERS = {"shape": "shape(…)", "tensors": "(…)", "prims": "(…)", "tuple": "(…)"}


def settle(ctx: Context, call: tree.Call, op: tree.Op) -> Sequence[tree.Expr]:
    """Make the fix of an unknown operator one of the whole call; return the arguments that are left to be resolved.

    Arguments that the operator takes by name, or as a shape, are changed with the name; where it needs more than is
    given, there is no fix but the form of the call.
    """
    found = ctx.resolved.diagnostics[-1] if ctx.resolved.diagnostics else None
    if found is None or (found.slug, found.pos) != ("unknown-operator", op.pos):
        return call.args
    if _settle_conversion(call, op, found):
        return call.args
    owner, _, last = op.op_name.partition(".")
    if owner in ctx.variables and "." not in last:
        return _settle_method(ctx, call, op, found)
    if not found.fixes:
        return call.args
    suggestion = suggest(op.op_name)
    operator = None if suggestion is None or suggestion.only is None else registry.lookup(suggestion.only)
    if operator is None:
        return call.args
    if operator.name == "shape_of" and len(call.args) != 1:  # `SHAPE(n, 4)`: the dimensions of one
        found.message, found.help = f"there is no operator `{op.op_name}`", ""
        found.fixes.clear()
        found.replace(op, "shape", "write `shape`, which takes dimensions")
        return call.args
    if suggestion is not None and suggestion.reason == OURS:
        return call.args  # a prefix of Python: what else is wrong is another mistake
    if (
        simplified(op.op_name.rpartition(".")[2]) == "transpose" and len(call.args) == 3
    ):  # two axes that change places
        found.fixes.clear()
        found.helped(f"write `{operator.name}(x, axes=[…])`, with all axes in their new order")
        return call.args
    return _settle_arguments(ctx, call, op, operator, found)


def _settle_conversion(call: tree.Call, op: tree.Op, found: Diagnostic) -> bool:
    """Make `float16(x)` a conversion, and `tuple(x, y)` a tuple; return whether it was one of them."""
    first = call.args[0] if call.args else None
    if first is None or call.attrs or call.pos < 0 or found.fixes:
        return False
    dtype = foreign_words.dtype_of(op.op_name)
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


def _settle_method(ctx: Context, call: tree.Call, op: tree.Op, found: Diagnostic) -> Sequence[tree.Expr]:
    """Make `x.sum(axis=1)` the call `sum(x, axis=1)`, if all of it is understood."""
    owner, _, last = op.op_name.partition(".")
    suggestion = suggest(last)
    name = last if suggestion is None or suggestion.only is None else suggestion.only
    operator = registry.lookup(name)
    if operator is None or (suggestion is not None and suggestion.form):
        return call.args
    variable = local_name(owner)
    if simplified(last) == "transpose" and len(call.args) == 2:  # PyTorch and NumPy mean different things
        found.helped(f"write `{name}({variable}, axes=[…])`, with all axes in their new order")
        return call.args
    starts = [ctx.parens.get(arg, (arg.pos, 0))[0] for arg in call.args[:1]]
    starts += [attr.pos for attr in call.attrs[:1]]
    receiver = tree.Var(owner, None, op.pos, op.pos + len(owner))
    whole = tree.Call(op, (receiver, *call.args), call.attrs, None, call.pos, call.end)
    found.help = ""
    found.note("variables have no methods and no fields")
    title = f"write `{name}({variable}{', …' if starts else ''})`"
    if starts:
        found.fix(title, Edit(op.pos, min(starts), f"{name}({variable}, "))
    else:
        found.fix(title, Edit(op.pos, call.end, f"{name}({variable})"))
    rest = _settle_arguments(ctx, whole, op, operator, found)
    wrong = check_call(operator, len(whole.args), attribute_values(call.attrs))
    if any(rest is whole.args or one.attribute is not None for one in wrong):
        found.fixes.clear()  # it would lead to the next error
    return [arg for arg in rest if arg is not receiver]


def _settle_arguments(
    ctx: Context, call: tree.Call, op: tree.Op, operator: registry.Operator, found: Diagnostic
) -> Sequence[tree.Expr]:
    """Give the fix of the name what else has to change in the call; return the arguments that are left."""
    needed = [param for param in operator.params if not param.optional and not param.variadic]
    rest = None
    if len(call.args) >= len(needed):
        before = len(ctx.resolved.diagnostics)
        rest = misplaced_arguments.report(ctx, call, tree.Op(operator.name, op.pos, op.end))
        reported = ctx.resolved.diagnostics[before:]
        if rest is not None and reported:
            _join(ctx, found, reported[0], before)
            return rest
    _rename_attributes(call, operator, found)
    given = {attr.key for attr in call.attrs}
    missing = [spec.name for spec in operator.attrs if spec.required and spec.name not in given]
    most = len(operator.params)
    if rest is None and len(call.args) > most and not (most and operator.params[-1].variadic):
        found.fixes.clear()  # what the others are is not known
        found.helped(f"compare the arguments: `relax ops {operator.name}`")
    elif missing or len(call.args) < len(needed):
        shown = [show(arg) for arg in call.args]
        shown += [_PLACEHOLDERS.get(param.kind, "…") for param in needed[len(call.args) :]]
        shown += [f"{attr.key}={show(attr.value)}" for attr in call.attrs] + [f"{name}=…" for name in missing]
        found.fixes.clear()
        found.helped(f"write `{operator.name}({', '.join(shown)})`")
    return call.args if rest is None else rest


def _rename_attributes(call: tree.Call, operator: registry.Operator, found: Diagnostic) -> None:
    """Change the names of attributes with that of the operator: `softmax(x, dim=1)` is `nn.softmax(x, axis=1)`."""
    if not found.fixes:
        return
    nearest = {
        one.attribute: one.nearest
        for one in check_call(operator, len(call.args), attribute_values(call.attrs))
        if one.nearest is not None
    }
    edits = [
        Edit(attr.pos, attr.pos + len(attr.key), str(nearest[attr.key]))
        for attr in call.attrs
        if attr.key in nearest and attr.pos >= 0
    ]
    if edits:
        first = found.fixes[0]
        found.fixes.clear()
        found.fix(first.title, *first.edits, *edits, applicability=UNSAFE)


def _join(ctx: Context, found: Diagnostic, other: Diagnostic, before: int) -> None:
    """Add the edits of a report about the arguments to those of the name, and take that report back."""
    del ctx.resolved.diagnostics[before:]
    if not other.fixes:
        found.fixes.clear()
        found.helped(other.message)
        return
    edits: list[Edit] = []
    for edit in sorted([*found.fixes[0].edits, *other.fixes[0].edits], key=lambda edit: (edit.pos, edit.end)):
        if edits and edits[-1].end == edit.pos:  # edits that touch have no order
            edit = Edit(edits[-1].pos, edit.end, edits.pop().text + edit.text)
        edits.append(edit)
    title = found.fixes[0].title
    found.fixes.clear()
    found.fix(title, *edits, applicability=UNSAFE)
