"""Messages about values that do not fit an annotation. [Z.2-Z.6] [D.8.2.3] [D.12.5]"""

from __future__ import annotations

from relax_lang.check.diagnostics import mismatch as diag
from relax_lang.check.infer.messages import common, dtypes
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.scope.diagnostics import dims as dims_diag
from relax_lang.struct_info.bound_variables import bare_names, names_in
from relax_lang.struct_info.match_casts import needs_match_cast, no_cast_helps
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.verdict import INCOMPATIBLE, POSSIBLY, Verdict
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State

    Info = tree.StructInfo

CAST = "check it with a match_cast"
RUN_TIME = "make the check at run time explicit with a match_cast"


def annotation(state: State, var: tree.Binder, parts: tuple[tree.Expr, Info, Info], verdict: Verdict) -> None:
    """Report a value that does not, or perhaps not, fit the annotation of its variable. [D.8.2.3] [ERR.33]"""
    place, found, expected = parts
    verdict = decisive(state, (found, expected), verdict)
    made = uncertain(state, place, (found, expected), verdict)
    if made is None:
        name = common.name_of(state, var)
        made = diag.annotation_mismatch(place, name, shown(expected), shown(found), str(verdict.reason))
        common.explain_direction(made, verdict.reason)
        if var.struct_info_annotation is not None:
            _offer_both(state, made, place, (found, expected), var.struct_info_annotation, state.shape_vars)
    else:
        title = RUN_TIME if verdict.answer == POSSIBLY else CAST
        common.offer_cast_of_binding(state, made, place, expected, title)
    assert var.struct_info_annotation is not None
    common.label_dimensions(state, made, verdict.reason)
    made.label(var.struct_info_annotation, f"expects `{shown(expected)}`")
    common.report(state, made)


def result(state: State, function: tree.Function, pair: tuple[Info, Info], verdict: Verdict) -> None:
    """Report a body that does not, or perhaps not, fit the declared result of its function. [D.12.5] [T.K11.4]"""
    found, expected = pair
    assert isinstance(function.body, tree.SeqExpr)
    assert function.ret_struct_info is not None
    place = function.body.body
    verdict = decisive(state, pair, verdict)
    made = uncertain(state, place, pair, verdict)
    if made is None:
        name = "the function" if function.name is None else global_name(function.name.name_hint)
        made = diag.return_mismatch(place, name, shown(found), shown(expected), str(verdict.reason))
        common.explain_direction(made, verdict.reason)
        params = [param.struct_info_annotation for param in function.params]
        names = bare_names([info for info in params if info is not None])
        _offer_both(state, made, place, pair, function.ret_struct_info, set(names))
    else:
        common.offer_cast(state, made, place, expected, RUN_TIME if verdict.answer == POSSIBLY else CAST)
    made.label(function.ret_struct_info, f"expects `{shown(expected)}`")
    common.label_definition(state, made, place)
    common.label_dimensions(state, made, verdict.reason)
    common.report(state, made)


def _offer_both(
    state: State,
    made: Diagnostic,
    value: Node,
    pair: tuple[Info, Info],
    annotation: Node,
    names: AbstractSet[str],
) -> None:
    """Offer to convert the value, and to change the annotation: that first where converting loses fractions."""
    loses = dtypes.loses_fractions(*pair)
    if not loses:
        dtypes.offer_for_value(state, value, pair, made)
    common.offer_info(made, annotation, pair[0], names)
    if loses:
        dtypes.offer_for_value(state, value, pair, made)


def no_size(state: State, dim: tree.PrimExpr) -> None:
    """Report a dimension of an annotation that is negative for all sizes that what is known leaves. [V.9] [Z.2]"""
    text = show(dim)
    made = dims_diag.negative_dimension(
        dim, f"`{text}` is negative for all sizes that are left here", "no size"
    )
    for name in sorted(names_in([dim])):
        binder = common.index_of(state).binder_of(state.function, name) if name in state.shape_vars else None
        if binder is not None and binder.pos != dim.pos:
            made.label(binder, f"`{name}` is bound here")
    common.report(
        state,
        made.note("a tensor with such a dimension cannot be made, so nothing after this would ever run"),
    )


def decisive(state: State, pair: tuple[Info, Info], verdict: Verdict) -> Verdict:
    """Return a verdict with a reason that no match_cast removes, if there is one: others matter less. [T.C3]"""
    reason = no_cast_helps(*pair, state.context) if verdict.answer == INCOMPATIBLE else None
    return verdict if reason is None else Verdict(INCOMPATIBLE, reason)


def uncertain(
    state: State,
    place: Node,
    pair: tuple[Info, Info],
    verdict: Verdict,
    names: dict[str, str] | None = None,
) -> Diagnostic | None:
    """Return a diagnostic about a value that may fit: by chance [Z.4], or if it were better known [Z.3]; else None.

    `names` are those that the author gave to dimensions of what is expected.
    """
    found, expected = pair
    expected_text = common.renamed(shown(expected), names or {})
    if verdict.answer == POSSIBLY:
        made = diag.possibly_incompatible(place, shown(found), expected_text)
        common.explain(state, made, verdict.reason, names or {})
        return made
    if needs_match_cast(found, expected, state.context):
        made = diag.needs_match_cast(place, shown(found), expected_text)
        return made.note(common.renamed(str(verdict.reason), names or {}))
    return None
