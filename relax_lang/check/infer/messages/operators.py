"""Messages about operator calls: the findings of their rules, each at its place. [OP.3-OP.8]"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT
from relax_lang.base.diagnostic import Edit, span_of
from relax_lang.base.node import walk
from relax_lang.check.diagnostics import mismatch as mismatch_diag
from relax_lang.check.infer.messages import common, divisors, dtypes
from relax_lang.check.infer.messages.arguments import argument_at, info_at
from relax_lang.check.infer.messages.values import CAST
from relax_lang.ops.core.diagnostics import calls as diag
from relax_lang.ops.plugins import diagnostics as plugins_diag
from relax_lang.ops.registry import lookup
from relax_lang.struct_info.printing import shown
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import DeferredCheck, Finding
    from relax_lang.ops.core.signature import Param

    Info = tree.StructInfo


def findings(state: State, call: tree.Call, infos: Sequence[Info | None], found: Sequence[Finding]) -> None:
    """Report what a rule found, each thing at its argument or attribute, else at the call."""
    for finding in _independent(state, call, infos, found):
        made = _made(state, call, infos, finding)
        made.primary = finding.message.partition(" do not fit: ")[2] or made.primary
        for where, message in finding.labels:
            place = argument_at(call, where)
            if place is not None:
                _label(state, made, place, message)
        if finding.note:
            made.note(finding.note)
        if finding.help:
            made.helped(finding.help)
        if finding.slug == "op-dtype-mismatch":
            dtypes.offer(state, call, infos, finding, made)
        place = None if finding.argument is None else argument_at(call, finding.argument)
        if finding.bare:
            dtypes.offer_bare_numbers(call, finding.bare, made)
        if finding.slug == "op-argument" and isinstance(place, tree.Tuple):
            _offer_shape(state, call, place, made)
        if place is not None and finding.slug in _ABOUT_ALL:
            info = info_at(infos, finding.argument)  # type: ignore[arg-type]
            made.label(place, "this argument" if info is None else f"this is `{shown(info)}`")
        if place is not None:
            common.label_definition(state, made, place)
        common.report(state, made)


def deferred(
    state: State, call: tree.Call, infos: Sequence[Info | None], found: Sequence[DeferredCheck]
) -> None:
    """Report the first pair of extents that nothing relates, if there are sizes for which the call fails. [OP.6]"""
    from relax_lang.arith.counter_models import clash

    assert isinstance(call.op, tree.Op)
    for check in () if _is_misannotated(state, call) else found:
        example = clash(check.a, check.b, state.context.facts, or_one=check.or_one)
        if example is None:
            continue
        names = common.author_names(state, example)
        message = f"{call.op.op_name}: {check.reason()}"
        is_empty = check.fits_empty_only(state.context.facts)
        make = mismatch_diag.operands_fit_empty_only if is_empty else mismatch_diag.operands_may_differ
        made = make(call, message)
        differ = state.context.relation(check.a, check.b) == DIFFERENT
        made.primary = (
            "they differ, unless one of them is 1" if differ else "nothing says that they are equal"
        )
        number = check.b.value if isinstance(check.b, tree.IntImm) and len(check.arguments) == 1 else None
        if check.wanted is not None:
            made.primary = "nothing says that it is"
        elif number is not None:
            made.primary = f"nothing says that it is {number}"
        if is_empty:
            made.primary = "they differ, unless a size is 0"
        for where in check.arguments:
            place = argument_at(call, where)
            info = info_at(infos, where)
            if place is not None and info is not None:
                _label(state, made, place, shown(info))
        made.note(f"fails for {', '.join([f'{name} = {value}' for name, value in names.items()])}")
        made.data["counterexample"] = names
        if is_empty:
            common.report(state, made)
            return
        if check.wanted is None and divisors.offer(state, call, check, made):
            common.report(state, made)
            return
        if check.wanted is not None:
            made.helped(check.wanted())
        elif number is not None:
            made.helped("check it with a match_cast before")
        else:
            made.helped("give equal dimensions one name, or check them with a match_cast before")
        common.report(state, made)
        return


def _is_misannotated(state: State, call: tree.Call) -> bool:
    """Return whether the annotation of an argument was reported as wrong. [Z.5]"""
    used = [node.name_hint for arg in call.args for node in walk(arg) if isinstance(node, tree.Var)]
    return not state.misannotated.keys().isdisjoint(used)


def _follows(finding: Finding, found: Sequence[Finding]) -> bool:
    """Return whether a finding is about several dtypes, one of which is rejected by itself. [Z.5]"""
    if finding.slug != "op-dtype-mismatch" or finding.argument is not None:
        return False
    refused = {
        where
        for other in found
        if other.refused is not None
        for where in (other.argument, *[labelled for labelled, _ in other.labels])
    }
    return not refused.isdisjoint([where for where, _ in finding.labels])


def _label(state: State, found: Diagnostic, place: Node, info: str) -> None:
    """Label an argument with its info, at its definition if it is a variable."""
    binder = state.binders.get(place.name_hint) if isinstance(place, tree.Var) else None
    is_written = binder is not None and binder.end > binder.pos  # else the text was mended
    if binder is None or binder.pos == place.pos or not is_written:
        found.label(place, info)
        return
    span, message = common.span_of_name(state, binder), f"`{common.name_of(state, binder)}` is `{info}`"
    if not any((one.pos, one.end, one.message) == (*span, message) for one in found.labels):
        found.label(span, message)  # one variable may be several arguments


def _made(state: State, call: tree.Call, infos: Sequence[Info | None], finding: Finding) -> Diagnostic:
    place = _place(call, finding)
    if finding.slug != "needs-match-cast":
        return _MAKE[finding.slug](place, finding.message)
    info = None if finding.argument is None else info_at(infos, finding.argument)
    expected = finding.expected
    wanted = "a tuple" if expected is None else shown(expected)
    made = mismatch_diag.needs_match_cast(place, "Object" if info is None else shown(info), wanted)
    made.message = finding.message
    if expected is not None and finding.argument is not None:
        value = argument_at(call, finding.argument)
        if value is not None:
            common.offer_cast(state, made, value, expected, CAST)
    return made


def _offer_shape(state: State, call: tree.Call, given: tree.Tuple, found: Diagnostic) -> None:
    """Offer to write a tuple of numbers as a shape, where one is needed: `shape(2, 3)` for `(2, 3)`. [OP.3]"""
    assert isinstance(call.op, tree.Op)
    operator = lookup(call.op.op_name)
    assert operator is not None, "its rule was asked"
    wanted = dict(zip(call.args, operator.params, strict=False)).get(given)
    numbers = [
        field
        for field in given.fields
        if isinstance(field, tree.Constant) and isinstance(field.data, tree.IntLit)
    ]
    if wanted is None or wanted.kind != "shape" or len(numbers) < len(given.fields) or given.pos < 0:
        return
    text = ", ".join([state.module.text[slice(*span_of(field))] for field in given.fields])
    found.replace(given, f"shape({text})", f"write `shape({text})`")


def _independent(
    state: State, call: tree.Call, infos: Sequence[Info | None], found: Sequence[Finding]
) -> list[Finding]:
    """Return the findings that do not follow from others; exchanged arguments are reported as one."""
    exchanged = _exchanged(state, call, infos, found) if len(found) == 2 else None
    if exchanged is not None:
        common.report(state, exchanged)
        return []
    return [finding for finding in found if not _follows(finding, found)]


def _exchanged(
    state: State, call: tree.Call, infos: Sequence[Info | None], found: Sequence[Finding]
) -> Diagnostic | None:
    """Return the one mistake of two arguments that have each other's place; None if there is another one. [OP.3]"""
    wrong = [finding.argument for finding in found if finding.slug == "op-argument"]
    if len(wrong) != 2 or not isinstance(call.op, tree.Op):
        return None
    (first, second), operator = wrong, lookup(call.op.op_name)
    if not isinstance(first, int) or not isinstance(second, int) or operator is None:
        return None
    params = operator.params
    if max(first, second) >= len(params):
        return None
    if not _fits(state, infos[second], params[first]) or not _fits(state, infos[first], params[second]):
        return None
    if _fits(state, infos[first], params[first]) and _fits(state, infos[second], params[second]):
        return None  # what is wrong with them would be so in the other's place, too
    one, other = call.args[first], call.args[second]
    message = f"arguments {first + 1} and {second + 1} of {operator.name} are the other way round"
    made = diag.op_argument(one, message).note(operator.signature)
    for place, info in ((one, infos[first]), (other, infos[second])):
        made.label(place, "" if info is None else f"this is `{shown(info)}`")
    if min(one.pos, other.pos) >= 0:
        text = state.module.text
        texts = text[slice(*span_of(one))], text[slice(*span_of(other))]
        edits = Edit(*span_of(one), texts[1]), Edit(*span_of(other), texts[0])
        made.fix("exchange the arguments", *edits)
    return made


def _fits(state: State, info: Info | None, param: Param) -> bool:
    """Return whether a value is of the kind and rank that a parameter takes."""
    if isinstance(info, tree.TensorStructInfo):
        return param.kind == "tensor" and param.ndim in (None, state.context.rank_of(info))
    kinds = {"shape": tree.ShapeStructInfo, "tensors": tree.TupleStructInfo, "tuple": tree.TupleStructInfo}
    return isinstance(info, kinds.get(param.kind, ()))


def _place(call: tree.Call, finding: Finding) -> Node:
    """Return the node that a finding is about. [Z.6]"""
    if finding.slug in _ABOUT_ALL:
        return call
    if finding.attribute is not None:
        for attr in call.attrs:
            if attr.key == finding.attribute:
                return attr
    place = None if finding.argument is None else argument_at(call, finding.argument)
    return call if place is None else place


_ABOUT_ALL = frozenset(("op-dtype-mismatch", "op-shape-mismatch"))
"""Findings about the arguments of a call together, even if one of them does not fit."""

_MAKE: dict[str, Callable[[Location, str], Diagnostic]] = {
    "op-argument": diag.op_argument,
    "op-attribute": diag.op_attribute,
    "op-axis": diag.op_axis,
    "op-dtype-mismatch": diag.op_dtype_mismatch,
    "rule-failed": plugins_diag.rule_failed,
    "op-shape-mismatch": mismatch_diag.op_shape_mismatch,
}
