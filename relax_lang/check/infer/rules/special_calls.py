"""Operators that call functions, where the callee and its arguments give the result. [O.1-O.8] [P.3]

`call_tir` and its like are in `prim_func_calls`.
"""

from __future__ import annotations

from relax_lang.check.infer.context.module_state import ASSUMED, PROVEN
from relax_lang.check.infer.rules.annotations import checked_annotation
from relax_lang.check.infer.rules.dispatch import derive, derive_all
from relax_lang.check.infer.rules.prim_func_calls import (
    call_dps_packed,
    call_tir,
    call_tir_dyn,
    call_tir_inplace,
    taken_over,
)
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.context import REJECTED
from relax_lang.struct_info.types import PACKED
from relax_lang.struct_info.verdict import INCOMPATIBLE, POSSIBLY, YES
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.operator import Operator

    Info = tree.StructInfo


def _call_packed(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_pure_packed(extern "f", args…) -> S`: a call of a packed function, promised to be pure."""
    callee, _ = derive(state, call.args[0])
    derive_all(state, call.args[1:])
    if type(callee) is tree.FuncStructInfo and callee.params is None:
        return _claimed(state, call)
    _refuse(state, (call, 0, callee), PACKED, "a packed function", operator)
    return REJECTED, ASSUMED


def _call_py_func(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_py_func(extern "f", (args…)) -> S`: a call of a packed function, promised to be pure."""
    callee, _ = derive(state, call.args[0])
    given = _fields(state, call, 1, operator)
    if type(callee) is tree.FuncStructInfo and callee.params is None:
        return (REJECTED, ASSUMED) if given is None else _claimed(state, call)
    _refuse(state, (call, 0, callee), PACKED, "a packed function", operator)
    return REJECTED, ASSUMED


def _call_builtin_with_ctx(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_builtin_with_ctx(extern "f", (args…)) -> S`: the same with any effect; the unit without `-> S`."""
    info, provenance = _call_py_func(state, call, operator)
    if call.struct_info is None and info is not REJECTED:
        return tree.TupleStructInfo((), call.pos, call.end), PROVEN
    return info, provenance


def _call_inplace_packed(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_inplace_packed(extern "f", args…, inplace_indices=0) -> S`: results may be arguments that are written."""
    callee, _ = derive(state, call.args[0])
    arguments = call.args[1:]
    infos, _ = derive_all(state, arguments)
    if type(callee) is not tree.FuncStructInfo or callee.params is not None:
        _refuse(state, (call, 0, callee), PACKED, "a packed function", operator)
        return REJECTED, ASSUMED
    declared = call.struct_info
    if declared is not None and checked_annotation(state, declared) is REJECTED:
        declared = None
    results = (
        declared.fields if type(declared) is tree.TupleStructInfo else () if declared is None else (declared,)
    )
    if taken_over(state, call, (arguments, infos), results) is None:
        return REJECTED, ASSUMED
    return _claimed(state, call)


def _invoke_closure(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`invoke_closure(c, (args…)) -> S`: `c` is an object that `make_closure` made, or a function."""
    callee, _ = derive(state, call.args[0])
    given = _fields(state, call, 1, operator)
    if callee is REJECTED or given is None:
        return REJECTED, ASSUMED
    if type(callee) is tree.FuncStructInfo and callee.params is not None and len(given) == len(callee.params):
        applied = _apply(state, call, callee, given)
        if applied is None or call.struct_info is None:
            state.host_code_may_run()
            return (REJECTED if applied is None else state.enter(applied)), ASSUMED
    elif type(callee) not in (tree.FuncStructInfo, tree.ObjectStructInfo):
        _refuse(state, (call, 0, callee), _CLOSURE, "a closure", operator)
        return REJECTED, ASSUMED
    elif type(callee) is tree.FuncStructInfo and callee.params is not None:
        from relax_lang.check.infer.messages import (
            calls as call_messages,  # here and below: only where something is wrong
        )

        call_messages.arity(state, call, len(callee.params), None)
        return REJECTED, ASSUMED
    return _claimed(state, call)


def _make_closure(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`make_closure(f, (args…))`: a function with its last arguments given, as an object."""
    callee, _ = derive(state, call.args[0])
    given = _fields(state, call, 1, operator)
    if type(callee) is not tree.FuncStructInfo or callee.params is None:
        _refuse(state, (call, 0, callee), _CLOSURE, "a function", operator)
        return REJECTED, PROVEN
    if given is None:
        return REJECTED, PROVEN
    if len(given) > len(callee.params):
        from relax_lang.check.infer.messages import calls as call_messages

        call_messages.arity(state, call, len(callee.params), None, given=len(given))
        return REJECTED, PROVEN
    missing = len(callee.params) - len(given)
    _apply(state, call, callee, [*[REJECTED] * missing, *given], missing)
    return tree.ObjectStructInfo(call.pos, call.end), PROVEN


def _apply(
    state: State, call: tree.Call, callee: tree.FuncStructInfo, given: list[Info], missing: int = 0
) -> Info | None:
    """Check the fields of the tuple of arguments against parameters; return the result, None if one is rejected.

    The first `missing` arguments come later: dimensions that they bind are open.
    """
    applied = apply(callee, given, state.context)
    tuple_ = call.args[1]
    rejected = False
    for index, verdict in enumerate(applied.verdicts[missing:]):
        if verdict is not YES:
            param = applied.params[missing + index]
            if missing and verdict.answer == POSSIBLY and not names_in([param]) <= state.shape_vars:
                continue
            from relax_lang.check.infer.messages import calls as call_messages

            place = tuple_.fields[index] if isinstance(tuple_, tree.Tuple) else tuple_
            pair = given[missing + index], param
            call_messages.argument(state, call, index, pair, verdict, None, place=place)
            rejected = rejected or verdict.answer == INCOMPATIBLE
    return None if rejected else applied.result


def _fields(state: State, call: tree.Call, index: int, operator: Operator) -> list[Info] | None:
    """Return the infos in the tuple of arguments. [X15.7]"""
    info, _ = derive(state, call.args[index])
    if isinstance(info, tree.TupleStructInfo):
        return list(info.fields)
    _refuse(state, (call, index, info), None, "a tuple", operator)
    return None


def _claimed(state: State, call: tree.Call) -> Derived:
    """Return the result that the program claims with `-> S`; nothing checks it. [ERR.13]"""
    state.host_code_may_run()
    info = call.struct_info
    if info is None:
        return tree.ObjectStructInfo(call.pos, call.end), ASSUMED
    return checked_annotation(state, info), ASSUMED


def _refuse(
    state: State,
    found: tuple[tree.Call, int, Info],
    expected: Info | None,
    kind: str,
    operator: Operator,
) -> None:
    call, index, info = found
    if info is not REJECTED:
        from relax_lang.check.infer.messages import calls as call_messages

        call_messages.operand(state, (call.args[index], index, info), expected, kind, operator.name)


_CLOSURE = tree.FuncStructInfo((), tree.ObjectStructInfo(), None, False)

SPECIAL: dict[str, Callable[[State, tree.Call, Operator], Derived]] = {
    "call_tir": call_tir,
    "call_tir_with_grad": call_tir,
    "dist.call_tir_local_view": call_tir,
    "call_tir_inplace": call_tir_inplace,
    "call_dps_packed": call_dps_packed,
    "vm.call_tir_dyn": call_tir_dyn,
    "call_pure_packed": _call_packed,
    "call_inplace_packed": _call_inplace_packed,
    "call_py_func": _call_py_func,
    "call_builtin_with_ctx": _call_builtin_with_ctx,
    "make_closure": _make_closure,
    "invoke_closure": _invoke_closure,
    "invoke_pure_closure": _invoke_closure,
}
"""Name of an operator that the runtime evaluates to the function that derives its calls."""
