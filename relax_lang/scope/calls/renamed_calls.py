"""Calls of operators by the names of other frameworks: the fix makes all of the call right, or there is none. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.ops import registry
from relax_lang.ops.suggestions import OURS, simplified, suggest
from relax_lang.scope.calls import methods
from relax_lang.scope.calls.renamed_arguments import settle_arguments
from relax_lang.syntax import foreign_words, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context


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
    if not owner:
        receiver = call.args[0]
        return [receiver, *methods.settle(ctx, call, op, receiver, found)]
    if owner in ctx.variables and "." not in last:
        receiver = tree.Var(owner, None, op.pos, op.pos + len(owner))
        return methods.settle(ctx, call, op, receiver, found)
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
        methods.exchange_axes(ctx, call, call.args[0], call.args[1:], found)
        return call.args
    if op.op_name.startswith("torch.") and operator.name in methods.OTHER_MEANING:
        found.note(methods.OTHER_MEANING[operator.name])
    return settle_arguments(ctx, call, op, operator, found)


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
