"""Messages about match_casts. [D.8.3] [T.K10.5] [T.K10.6] [B.4]"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.check.diagnostics import match_casts as diag
from relax_lang.check.diagnostics import mismatch as mismatch_diag
from relax_lang.check.infer.context.module_state import INVALIDATED
from relax_lang.check.infer.messages import common
from relax_lang.check.infer.messages.values import uncertain
from relax_lang.struct_info.compatibility import is_equivalent
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.verdict import COMPATIBLE, DIMENSION, RANK
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.state import State
    from relax_lang.struct_info.verdict import Reason, Verdict

    Info = tree.StructInfo


def no_shape(state: State, value: tree.Expr, info: Info) -> None:
    """Report a `match_shape` of a value that has no shape. [B.4]"""
    common.report(state, diag.match_shape_kind(value, shown(info)))


def never(state: State, binding: tree.MatchCast, pair: tuple[Info, Info], reason: Reason, trust: int) -> None:
    """Report a match_cast that cannot succeed, unless host code has changed the array. [D.8.3.3] [D.14] [ERR.35]"""
    found, target = pair
    text, expected = shown(found), shown(target)
    changed = (
        trust == INVALIDATED and type(found) is tree.TensorStructInfo and reason.what in (RANK, DIMENSION)
    )
    if changed or (state.rests_on_invalidated and reason.what == DIMENSION):
        made = mismatch_diag.possibly_incompatible(binding.struct_info, text, expected).note(str(reason))
        made.note(
            f"it fits only if host code has changed the shape of {'the' if changed else 'an'} array in place"
        )
    else:
        made = diag.match_cast_never(binding.struct_info, text, expected, str(reason), binding.value)
    common.label_definition(state, made, binding.value)
    common.report(state, made)


def redundant(state: State, binding: tree.MatchCast, target: Info) -> None:
    """Report a match_cast that always succeeds, unless an annotation asks for it. [D.8.3.3] [B.10]"""
    if state.module.origins.is_of_shape(binding):
        return
    made = diag.match_cast_redundant(binding.struct_info, shown(target))
    value, var = binding.value, binding.var
    if var is not None and var.name_hint != "_" and 0 <= var.end < value.pos:
        written = state.module.text[value.pos : value.end]
        made.fix("remove it", Edit(var.end, binding.end, f" = {written};"), applicability=UNSAFE)
    common.report(state, made)


def annotated(state: State, binding: tree.MatchCast, pair: tuple[Info, Info], verdict: Verdict) -> None:
    """Report an annotation of a match_cast that does not accept [ERR.36] or forgets what was checked. [T.K10.6]"""
    checked, expected = pair
    var = binding.var
    assert var is not None
    assert var.struct_info_annotation is not None
    if verdict.answer == COMPATIBLE:
        if not is_equivalent(checked, expected, state.context):
            made = diag.match_cast_annotated(var.struct_info_annotation, shown(checked))
            made.fix(
                "remove the annotation",
                Edit(common.span_of_name(state, var)[1], var.struct_info_annotation.end, ""),
                applicability=UNSAFE,
            )
            common.report(state, made)
        return
    made = uncertain(state, binding.struct_info, pair, verdict)
    if made is None:
        name = common.name_of(state, var)
        made = mismatch_diag.annotation_mismatch(
            binding.struct_info, name, shown(expected), shown(checked), str(verdict.reason)
        )
    made.label(var.struct_info_annotation, f"expects `{shown(expected)}`")
    common.report(state, made)
