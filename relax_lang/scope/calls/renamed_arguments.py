"""The arguments of calls whose operator has another name here: the fix changes them with the name. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.attributes import attribute_values, check_call, words_in
from relax_lang.ops.suggestions import frameworks_of
from relax_lang.scope.calls import misplaced_arguments
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.ops.core.attributes import Problem
    from relax_lang.scope.context import Context

_PLACEHOLDERS = {"shape": "shape(…)", "tensors": "(…)", "prims": "(…)", "tuple": "(…)"}


def arguments_of(call: tree.Call, op: tree.Op) -> frozenset[Span]:
    """Return the places of the arguments of a call, counted from its operator."""
    parts = [one for one in (*call.args, *call.attrs) if one.pos >= 0]
    return frozenset([(one.pos - op.pos, one.end - op.pos) for one in parts])


def settle_arguments(
    ctx: Context, call: tree.Call, op: tree.Op, operator: registry.Operator, found: Diagnostic
) -> Sequence[tree.Expr]:
    """Give the fix of the name what else has to change in the call; return the arguments that are left."""
    needed = [param for param in operator.params if not param.optional and not param.variadic]
    placed, first = misplaced_arguments.attributes_by_position(ctx, call, operator)
    by_position = {name: value for name, (_, value, _) in (placed or {}).items()}
    wrong = check_call(
        operator, first if placed else len(call.args), {**by_position, **attribute_values(call.attrs)}
    )
    _rename_attributes(call, wrong, found)
    given = {*by_position, *[attr.key for attr in call.attrs], *[one.nearest for one in wrong]}
    missing = [spec.name for spec in operator.attrs if spec.required and spec.name not in given]
    if missing == ["dtype"] and len(call.args) >= len(needed):
        missing = _add_dtype(call, op, operator, found)
    rest = None
    if len(call.args) >= len(needed):
        before = len(ctx.resolved.diagnostics)
        rest = misplaced_arguments.report(ctx, call, operator.name)
        reported = ctx.resolved.diagnostics[before:]
        if rest is not None and reported:
            _join(ctx, found, reported[0], before)
    most = len(operator.params)
    if rest is None and len(call.args) > most and not (most and operator.params[-1].variadic):
        found.fixes.clear()  # what the others are is not known
        found.helped(f"compare the arguments: `relax ops {operator.name}`")
    elif missing or len(call.args) < len(needed):
        shown = [show(arg) for arg in call.args]
        shown += [_PLACEHOLDERS.get(param.kind, "…") for param in needed[len(call.args) :]]
        names = {spec.name: spec.name for spec in operator.attrs}
        names |= {one.attribute: one.nearest for one in wrong if one.attribute and one.nearest}
        known = [(names[attr.key], attr.value) for attr in call.attrs if attr.key in names]
        shown += [f"{name}={show(value)}" for name, value in known] + [f"{name}=…" for name in missing]
        found.fixes.clear()
        found.helped(f"write `{operator.name}({', '.join(shown)})`")
    elif _has_others(call, wrong):
        found.fixes.clear()
        found.helped(f"compare the arguments: `relax ops {operator.name}`")
    return call.args if rest is None else rest


def _has_others(call: tree.Call, wrong: Sequence[Problem]) -> bool:
    """Return whether a call has attributes that the operator does not take, or not so; words are reported apart."""
    words = {attr.key for attr in call.attrs if next(words_in(attr.value), None) is not None}
    return any(
        one.attribute is not None and one.nearest is None and one.attribute not in words for one in wrong
    )


_DTYPES = {"torch": "float32", "jax": "float32", "np": "float64"}
"""The dtype of zeros and ones in other frameworks, if none is given."""


def _add_dtype(call: tree.Call, op: tree.Op, operator: registry.Operator, found: Diagnostic) -> list[str]:
    """Add the dtype that `torch.zeros(2, 3)` leaves out; return what is still missing."""
    dtype = next((_DTYPES[one] for one in frameworks_of(op.op_name) or () if one in _DTYPES), None)
    if dtype is None or operator.name not in ("ones", "zeros") or not found.fixes:
        return ["dtype"]
    edits = found.fixes[0].edits
    found.fixes.clear()
    found.helped("").fix(
        f"write `{operator.name}(…, dtype={dtype})`",
        *edits,
        Edit(call.end - 1, call.end, f", dtype={dtype})"),
    )
    return []


def _rename_attributes(call: tree.Call, wrong: Sequence[Problem], found: Diagnostic) -> None:
    """Change the names of attributes with that of the operator: `softmax(x, dim=1)` is `nn.softmax(x, axis=1)`."""
    if not found.fixes:
        return
    nearest = {one.attribute: one.nearest for one in wrong if one.nearest is not None}
    edits = [
        Edit(attr.pos, attr.pos + len(attr.key), str(nearest[attr.key]))
        for attr in call.attrs
        if attr.key in nearest and attr.pos >= 0
    ]
    if edits:
        first = found.fixes[0]
        found.fixes.clear()
        found.fix(first.title, *first.edits, *edits, applicability=UNSAFE)


def without_prefix(
    ctx: Context, call: tree.Call, op: tree.Op, operator: registry.Operator, found: Diagnostic
) -> Sequence[tree.Expr]:
    """Add to the fix of `R.sum(x, 1)` what TVMScript writes otherwise in its arguments; return those that are left.

    What else is wrong with them is another mistake.
    """
    before = len(ctx.resolved.diagnostics)
    rest = misplaced_arguments.report(ctx, call, operator.name)
    reported = ctx.resolved.diagnostics[before:]
    if rest is None or not reported or not reported[0].fixes:
        return call.args if rest is None else rest
    _join(ctx, found, reported[0], before)
    found.note(reported[0].message)
    return rest


def _join(ctx: Context, found: Diagnostic, other: Diagnostic, before: int) -> None:
    """Add the edits of a report about the arguments to those of the name, and take that report back."""
    del ctx.resolved.diagnostics[before:]
    rewritten: Any = other.data.get("rewritten", ())
    found.data["rewritten"] = frozenset(
        [(other.pos + pos - found.pos, other.pos + end - found.pos) for pos, end in rewritten]
    )
    if not other.fixes:
        found.fixes.clear()
        found.helped(other.message)
        return
    first = found.fixes[0] if found.fixes else None
    if first is not None:
        first.add(other.fixes[0].edits)
