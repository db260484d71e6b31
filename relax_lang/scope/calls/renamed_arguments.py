"""The arguments of calls whose operator has another name here: the fix changes them with the name. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.attributes import attribute_values, check_call
from relax_lang.scope.calls import misplaced_arguments
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context

_PLACEHOLDERS = {"shape": "shape(…)", "tensors": "(…)", "prims": "(…)", "tuple": "(…)"}


def settle_arguments(
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
