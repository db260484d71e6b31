"""Messages about calls: callees and arguments. [T.K7] [D.11.2]"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.wording import counted, ordinal, tuple_text
from relax_lang.check.diagnostics import kinds as kinds_diag
from relax_lang.check.diagnostics import mismatch as diag
from relax_lang.check.infer.messages import common, dtypes
from relax_lang.check.infer.messages.kinds import MANY_FIELDS
from relax_lang.check.infer.messages.values import CAST, RUN_TIME, decisive, uncertain
from relax_lang.format.lexemes import local_name
from relax_lang.ops.core.diagnostics import calls as op_diag
from relax_lang.struct_info.match_casts import needs_match_cast
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.types import erase
from relax_lang.struct_info.verdict import POSSIBLY
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.module_state import Signature
    from relax_lang.check.infer.context.state import State
    from relax_lang.struct_info.verdict import Verdict

    Info = tree.StructInfo


def not_a_function(state: State, call: tree.Call, info: Info, infos: Sequence[Info]) -> None:
    """Report a callee that is not a function, or not known to be one. [T.K7.3] [D.11.2.1]"""
    params = tuple([erase(one, state.context) for one in infos])
    expected = tree.FuncStructInfo(params, tree.ObjectStructInfo(), None, False)
    if needs_match_cast(info, expected, state.context):
        expected = tree.FuncStructInfo(params, tree.ObjectStructInfo(), None, True)
        made = diag.needs_match_cast(call.op, shown(info), shown(expected))
        common.offer_cast(state, made, call.op, expected, CAST)
    else:
        made = kinds_diag.not_callable(call.op, f"`{shown(info)}` cannot be called")
        text, end = state.module.text, call.op.end
        if call.pos >= 0 and "\n" in text[end : text.find("(", end)]:
            made.fix("end the statement before this line with `;`", Edit(end, end, ";"))
    common.label_definition(state, made, call.op)
    common.report(state, made)


def arity(
    state: State, call: tree.Call, takes: int, signature: Signature | None, given: int | None = None
) -> None:
    """Report a wrong number of arguments, unless some were given by name, which was reported. [T.K7.3] [D.11.2.3]"""
    if state.module.is_rejected(call):
        return
    name = common.function_text(signature, call)
    count = len(call.args) if given is None else given
    message = f"{name} takes {counted(takes, 'argument')}, {count} {'is' if count == 1 else 'are'} given"
    made = op_diag.arity(call, message)
    if signature is not None:
        node = signature.node
        if node.name is not None:
            made.label(node.name, "defined here")
        missing = [f"`{local_name(param.name_hint)}`" for param in node.params[count:]]
        if missing:
            made.helped(f"missing: {', '.join(missing)}")
    common.report(state, made)


def argument(
    state: State,
    call: tree.Call,
    index: int,
    pair: tuple[Info, Info],
    verdict: Verdict,
    signature: Signature | None,
    *,
    place: Node | None = None,
) -> None:
    """Report an argument that does not, or perhaps not, fit its parameter. [D.11.2.5]"""
    found, expected = pair
    verdict = decisive(state, pair, verdict)
    place = place or call.args[index]
    param = None if signature is None else signature.node.params[index]
    declared = None if param is None else param.struct_info_annotation
    names = {} if declared is None else common.callee_names(state, declared, expected)
    made = uncertain(state, place, pair, verdict, names)
    if made is None:
        name = f"the {ordinal(index + 1)} parameter"
        if param is not None:
            name = f"parameter `{common.name_of(state, param)}`"
        function = common.function_text(signature, call)
        message = (
            f"the argument is `{shown(found)}` but {name} of {function} "
            f"expects `{common.renamed(shown(expected), names)}`: {verdict.reason}"
        )
        made = diag.argument_mismatch(place, message, shown(found))
        common.explain_direction(made, verdict.reason)
        dtypes.offer_for_value(state, place, pair, made)
    else:
        common.offer_cast(state, made, place, expected, RUN_TIME if verdict.answer == POSSIBLY else CAST)
    if param is not None and declared is not None:
        made.label(param, f"parameter `{common.name_of(state, param)}` expects `{shown(declared)}`")
    common.label_definition(state, made, place)
    common.label_dimensions(state, made, verdict.reason)
    common.report(state, made)


def operand(
    state: State, found: tuple[tree.Expr, int, Info], expected: Info | None, kind: str, operator: str
) -> None:
    """Report an argument, of a wrong kind or too little known, of an operator that calls something. [OP.3]"""
    place, index, info = found
    if expected is not None and isinstance(info, tree.ObjectStructInfo):
        made = diag.needs_match_cast(place, shown(info), shown(expected))
        common.offer_cast(state, made, place, expected, CAST)
    else:
        message = f"argument {index + 1} of {operator} must be {kind}, not `{shown(info)}`"
        made = op_diag.op_argument(place, message)
        if isinstance(info, tree.TupleStructInfo):
            _offer_fields(state, made, place, len(info.fields))
        elif kind.startswith("a tuple"):
            if isinstance(info, tree.TensorStructInfo) and place.pos >= 0:
                edits = Edit(place.pos, place.pos, "("), Edit(place.end, place.end, ",)")
                made.fix("a tuple with one field is written `(x,)`", *edits, applicability=SAFE)
            else:
                made.helped("a tuple with one field is written `(x,)`")
    common.label_definition(state, made, place)
    common.report(state, made)


def _offer_fields(state: State, found: Diagnostic, value: Node, count: int) -> None:
    """Offer to write out the fields of a tuple. [X15.7]"""
    found.helped("write out the fields: `(t[0], t[1])`")
    if isinstance(value, tree.Var) and count <= MANY_FIELDS:
        name = state.module.text[value.pos : value.end]
        fields = tuple_text([f"{name}[{index}]" for index in range(count)])
        found.replace(value, fields, "write out the fields")
