"""Calls: of operators, of functions of the module, of what a variable holds. [T.K7] [D.11]"""

from __future__ import annotations

from relax_lang.check.infer.context.module_state import ASSUMED, PROVEN
from relax_lang.check.infer.rules.annotations import checked_annotation
from relax_lang.check.infer.rules.dispatch import derive, derive_all
from relax_lang.check.infer.rules.refinements import assume_argument, assume_compared
from relax_lang.check.infer.rules.special_calls import SPECIAL
from relax_lang.normalize.sizes import is_made
from relax_lang.ops.registry import lookup
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.context import REJECTED
from relax_lang.struct_info.verdict import INCOMPATIBLE, YES
from relax_lang.struct_info.widening import bounded
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.module_state import Derived, Signature
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import DeferredCheck

    Info = tree.StructInfo

_SCALAR = tree.TensorStructInfo(tree.ShapeExpr(()), None, None)


def derive_call(state: State, call: tree.Call) -> Derived:
    """Derive a call by its callee. [T.K7] [D.11]"""
    info, trust = _derive_call(state, call)
    return bounded(info), trust


def _derive_call(state: State, call: tree.Call) -> Derived:
    op = call.op
    if type(op) is tree.Op:
        return _operator_call(state, call, op.op_name)
    if type(op) is tree.GlobalVar:
        item = state.module.items.get(op.name_hint)
        if type(item) is tree.PrimFunc:
            from relax_lang.check.infer.rules.prim_func_calls import direct_call  # only for such a call

            return direct_call(state, call, item)
        found = state.signature_of(op.name_hint)
        args = derive_all(state, call.args)
        if found is None:  # an undefined name, or a function that could not be read
            return REJECTED, args[1]
        return _function_call(state, call, args, found[1], found[0])
    return _call_of_value(state, call, op)


def _operator_call(state: State, call: tree.Call, name: str) -> Derived:
    """The operator's own rule, which may reject. [T.K7.1] [D.11.1]"""
    operator = lookup(name)
    special = SPECIAL.get(name)
    if special is not None and operator is not None:
        return (REJECTED, PROVEN) if state.module.is_rejected(call) else special(state, call, operator)
    infos: list[Info | None] = []
    trust = PROVEN
    for arg in call.args:
        if type(arg) is tree.PrimValue:
            infos.append(None)
            continue
        info, own = derive(state, arg)
        infos.append(info)
        trust = own if own > trust else trust
    if operator is None or state.module.is_rejected(call):
        return REJECTED, trust
    repeated = state.repeated_calls
    key = repeated.key(operator, call, infos, state.context.facts)
    known = None if key is None else repeated.get(key, call)
    if known is not None:
        return known, trust
    deferred: list[DeferredCheck] = []
    info, findings = infer_call(operator, call, infos, state.context, deferred)
    if findings and name == "scalar" and is_made(call):
        return _SCALAR, trust  # that it is to be like no tensor is reported at the operator which has both
    if findings:
        from relax_lang.check.infer.messages import (
            operators as operator_messages,  # only where something is wrong
        )

        operator_messages.findings(state, call, infos, findings)
        return REJECTED, trust  # [Z.5]
    if deferred:
        from relax_lang.check.infer.messages import operators as operator_messages

        operator_messages.deferred(state, call, infos, deferred)
        if trust == PROVEN:
            assume_compared(state, deferred)
    elif key is not None:
        repeated.put(key, call, info)
    return info, trust


def _call_of_value(state: State, call: tree.Call, callee: tree.Expr) -> Derived:
    """Derive a call of a variable or an extern. [T.K7.2] [T.K7.3] [D.11.2]"""
    name = callee.name_hint if isinstance(callee, tree.Var) else ""
    literal = state.literals.get(name)
    info = derive(state, callee)[0] if literal is None else state.infos.get(name, REJECTED)
    args = derive_all(state, call.args)
    if type(info) is not tree.FuncStructInfo:
        if info is not REJECTED:
            from relax_lang.check.infer.messages import (
                calls as call_messages,  # only where something is wrong
            )

            call_messages.not_a_function(state, call, info, args[0])
        return REJECTED, args[1]
    if literal is None and type(callee) is not tree.ExternFunc:
        state.module.note_callee(call, info)
    if info.params is None:
        return _packed_call(state, call, info)
    if call.struct_info is not None:
        from relax_lang.check.diagnostics import calls as calls_diag

        state.module.report(calls_diag.type_args_ignored(call.struct_info, callee, "is in its type"))
    return _function_call(state, call, args, info, literal)


def _packed_call(state: State, call: tree.Call, callee: tree.FuncStructInfo) -> Derived:
    """The derive function gives the result; nothing checks it. [T.K7.2] [D.11.2.2] [D.14] [E.3] [E.4] [ERR.13]"""
    state.host_code_may_run()
    info = state.context.derive(callee, call)
    return (checked_annotation(state, info) if info is call.struct_info else info), ASSUMED


def _function_call(
    state: State, call: tree.Call, args: tuple[list[Info], int], callee: Info, signature: Signature | None
) -> Derived:
    """Arguments against parameters, then the result for these arguments. [T.K7.3] [D.11.2.3-D.11.2.6]

    `signature` is that of the function if it is known which one is called.
    """
    infos, trust = args
    if type(callee) is not tree.FuncStructInfo or callee.params is None:
        return REJECTED, trust
    if len(infos) != len(callee.params):
        from relax_lang.check.infer.messages import (
            calls as call_messages,  # here and below: only where something is wrong
        )

        call_messages.arity(state, call, len(callee.params), signature)
        return REJECTED, trust
    applied = apply(callee, infos, state.context)
    rejected, proved = False, signature is not None and signature.complete and state.proves(trust)
    for index, verdict in enumerate(applied.verdicts):
        if verdict is YES:
            continue
        from relax_lang.check.infer.messages import calls as call_messages

        proved = False
        rejected = verdict.answer == INCOMPATIBLE or rejected
        call_messages.argument(state, call, index, (infos[index], applied.params[index]), verdict, signature)
    if rejected or (any(info is REJECTED for info in infos) and _depends_on_sizes(callee)):
        return REJECTED, trust
    if signature is not None and trust == PROVEN:
        for index, verdict in enumerate(applied.verdicts):
            if verdict is not YES:
                assume_argument(state, applied.params[index], infos[index])
    if proved:
        state.module.inferred.proved.add(call)
    if signature is not None and not state.rests_on_invalidated:  # else the second derivation says it
        (state.module.sure if proved else state.module.doubted).add(signature.node)
    if signature is None or signature.runs_host_code:
        state.host_code_may_run()
    return state.enter(applied.result), ASSUMED if signature is None else signature.trust


def _depends_on_sizes(callee: tree.FuncStructInfo) -> bool:
    """Return whether the arguments of a function decide sizes of its result. [D.11.2.6]"""
    from relax_lang.struct_info.bound_variables import names_in  # only where an argument is wrong

    return callee.ret is not None and bool(names_in([callee.ret]))
