"""Messages about calls of PrimFuncs: arguments and results that do not fit the buffers. [O.2] [O.3] [O.6]"""

from __future__ import annotations

from relax_lang.base.wording import counted, tuple_text
from relax_lang.check.diagnostics import kinds as diag
from relax_lang.check.infer.messages import common, dtypes
from relax_lang.check.infer.messages.values import CAST, RUN_TIME, decisive, uncertain
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.format.printer import show
from relax_lang.ops.core.diagnostics import calls as op_diag
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.verdict import POSSIBLY
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State
    from relax_lang.struct_info.verdict import Verdict

    Info = tree.StructInfo
    Param = tree.Buffer | tree.ScalarParam
    Pair = tuple[Info, Info]


def incomplete(state: State, call: tree.Call) -> None:
    """Report a result annotation without what is needed to allocate it. [O.2]"""
    message = "the result needs dimensions and a dtype: write `-> Tensor[(…), dtype]`"
    made = diag.call_tir_output_incomplete(call, message)
    if call.struct_info is not None:
        made.label(call.struct_info, f"`{shown(call.struct_info)}` does not have both")
    common.report(state, made)


def buffer_count(state: State, call: tree.Call, func: tree.PrimFunc, counts: tuple[int, int, int]) -> None:
    """Report that there are more or fewer arguments and results than buffers. [O.3]"""
    buffers, arguments, results = counts
    name = global_name(func.name.name_hint)
    message = f"{name} has {counted(buffers, 'buffer')}, the call gives {arguments + results}"
    made = diag.call_tir_arguments(call, message).label(func.name, "defined here")
    made.note(
        f"{counted(arguments, 'argument')} and {counted(results, 'result')}; each of them needs a buffer"
    )
    common.report(state, made)


def scalar_count(state: State, call: tree.Call, func: tree.PrimFunc, counts: tuple[int, int]) -> None:
    """Report that there are more or fewer scalars than scalar parameters. [O.4]"""
    takes, given = counts
    name = global_name(func.name.name_hint)
    place = call.args[2] if len(call.args) > 2 else call
    message = f"{name} has {counted(takes, 'scalar parameter')}, the call gives {given}"
    made = diag.call_tir_arguments(place, message).label(func.name, "defined here")
    if takes and not given:
        made.helped("pass them as a shape after the arguments: `call_tir(@f, (…), shape(…))`")
    common.report(state, made)


def has_result(state: State, call: tree.Call, func: tree.PrimFunc) -> None:
    """Report a call in destination-passing style of a prim_func that has a result of its own. [O.1]"""
    name = global_name(func.name.name_hint)
    made = diag.call_tir_arguments(call.args[0], f"{name} has a result, which `call_tir` cannot give")
    assert func.ret_dtype is not None
    made.label(func.ret_dtype, f"it is a number of type {func.ret_dtype.name}")
    made.helped(f"call it by its name: `{name}(…)`")
    common.report(state, made)


def argument(
    state: State,
    node: Node,
    func: tree.PrimFunc,
    param: Param,
    pair: Pair,
    verdict: Verdict,
) -> None:
    """Report an argument that does not fit its buffer, or its scalar. [O.6]"""
    found, expected = pair
    verdict = decisive(state, pair, verdict)
    made = uncertain(state, node, pair, verdict)
    if made is None:
        text = shown(found)
        message = f"the argument is `{text}` but {_parameter_of(func, param)}: {verdict.reason}"
        made = diag.call_tir_arguments(node, message)
        dtypes.offer_for_value(state, node, pair, made)
    else:
        common.offer_cast(state, made, node, expected, RUN_TIME if verdict.answer == POSSIBLY else CAST)
    made.label(param, f"{_word(param)} `{local_name(param.name)}`")
    common.label_definition(state, made, node)
    common.label_dimensions(state, made, verdict.reason)
    common.report(state, made)


def result(
    state: State,
    declared: Info,
    func: tree.PrimFunc,
    param: Param,
    expected: Info,
    verdict: Verdict,
) -> None:
    """Report a declared result that does not fit its buffer. [O.6]"""
    made = uncertain(state, declared, (declared, expected), verdict) if verdict.answer == POSSIBLY else None
    if made is None:
        text = shown(declared)
        message = f"result is declared `{text}` but {_parameter_of(func, param)}: {verdict.reason}"
        made = diag.call_tir_output_mismatch(declared, message)
        common.offer_info(made, declared, expected, state.shape_vars, "declare the result as")
    common.report(state, made.label(param, f"{_word(param)} `{local_name(param.name)}`"))


def _parameter_of(func: tree.PrimFunc, param: Param) -> str:
    name = global_name(func.name.name_hint)
    dtype = param.dtype.name
    if isinstance(param, tree.ScalarParam):
        return f"scalar `{local_name(param.name)}` of {name} is `{dtype}`"
    shape = tuple_text([show(dim) for dim in param.shape])
    return f"buffer `{local_name(param.name)}` of {name} is `Buffer[{shape}, {dtype}]`"


def _word(param: Param) -> str:
    return "buffer" if isinstance(param, tree.Buffer) else "scalar"


def bad_inplace_indices(state: State, call: tree.Call, results: int) -> None:
    """Report an `inplace_indices` that does not name the arguments that results take over."""
    place = next((attr for attr in call.attrs if attr.key == "inplace_indices"), call)
    each = f"for each of {counted(results, 'result')}" if results else "for each result"
    message = (
        f"bad attribute `inplace_indices`: it needs one index {each}, "
        "-1 or that of a tensor argument, none twice, and not -1 alone"
    )
    common.report(state, op_diag.op_attribute(place, message))


def inplace_result(state: State, place: Node, pair: Pair, verdict: Verdict) -> None:
    """Report an argument that cannot take the declared result. [O.6]"""
    found, declared = pair
    made = uncertain(state, place, pair, verdict)
    if made is None:
        text = shown(found)
        message = f"result is declared `{shown(declared)}` but takes over `{text}`: {verdict.reason}"
        made = diag.call_tir_output_mismatch(declared, message).label(place, "the argument it takes over")
    common.report(state, made)
