"""Calls that get the tensors to write to: results as declared, arguments against buffers. [O.1-O.8]

A PrimFunc is read as a function type whose parameters are its buffers: the same procedure binds its dimensions, by the
arguments first, then by the declared results.
"""

from __future__ import annotations

from relax_lang.check.infer.context.module_state import PROVEN
from relax_lang.check.infer.rules.annotations import checked_annotation
from relax_lang.check.infer.rules.dispatch import derive, derive_all
from relax_lang.check.infer.rules.refinements import assume_argument
from relax_lang.struct_info.bound_variables import fresh_copies, rename_binders, substitute_all
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import REJECTED
from relax_lang.struct_info.types import PACKED
from relax_lang.struct_info.verdict import COMPATIBLE, POSSIBLY, YES
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.operator import Operator
    from relax_lang.struct_info.calls import Application

    Info = tree.StructInfo
    Param = tree.Buffer | tree.ScalarParam
    Results = list[tree.TensorStructInfo]


class Passed:
    """What a call passes: the tensors with their infos, the declared results, the scalars.

    `trust` is the provenance of all the infos together.
    """

    __slots__ = ("infos", "nodes", "results", "scalars", "trust")

    def __init__(
        self, nodes: list[tree.Expr], infos: list[Info], results: Results, scalars: Scalars, trust: int
    ) -> None:
        self.nodes = nodes
        self.infos = infos
        self.results = results
        self.scalars = scalars
        self.trust = trust


class Scalars:
    """The shape that is passed for scalar parameters: their number, and their values, both if known."""

    __slots__ = ("count", "values")

    def __init__(self, count: int | None, values: tuple[tree.PrimExpr, ...] | None) -> None:
        self.count = count
        self.values = values


def call_tir(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_tir(@f, (args…), shape(k)?) -> S`: the new tensors that are declared. [O.1-O.7]"""
    passed = _passed(state, call, operator)
    if passed is None:
        return _declared(state, call)
    func = _prim_func(state, call)
    if func is not None:
        _check_buffers(state, call, func, passed)
    return _declared(state, call)


def call_tir_inplace(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_tir_inplace(@f, (args…), inplace_indices=[0, -1]) -> S`: results may be arguments that are written."""
    passed = _passed(state, call, operator)
    if passed is None:
        return _declared(state, call)
    indices = taken_over(state, call, (passed.nodes, passed.infos), passed.results)
    if indices is None:
        return _declared(state, call)
    passed.results = [one for one, index in zip(passed.results, indices, strict=True) if index < 0]
    func = _prim_func(state, call)
    if func is not None:
        _check_buffers(state, call, func, passed)
    _note_host_code(state, call)
    # A result may be an argument. What is declared of it is checked, but host code may change it later.
    return call.struct_info or REJECTED, passed.trust


def direct_call(state: State, call: tree.Call, func: tree.PrimFunc) -> Derived:
    """`@f(x, k, y)`: all parameters in order; what `f` stores into its buffers is seen by the caller. [V.12]"""
    infos, trust = derive_all(state, call.args)
    if len(infos) != len(func.params):
        return REJECTED, PROVEN  # which was reported
    _check_buffers(state, call, func, Passed(list(call.args), infos, [], Scalars(0, ()), trust))
    if state.module.features.tir_externs:
        state.host_code_may_run()
    if func.ret_dtype is not None:
        return tree.PrimStructInfo(func.ret_dtype, call.pos, call.end), PROVEN
    return tree.TupleStructInfo((), call.pos, call.end), PROVEN


def call_tir_dyn(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`vm.call_tir_dyn(@f, (x, k, y))`: the direct call, with the arguments in a tuple."""
    passed = _passed(state, call, operator, results=False)
    func = _prim_func(state, call)
    if passed is not None and func is not None:
        _check_buffers(state, call, func, passed)
    _note_host_code(state, call)
    return tree.TupleStructInfo((), call.pos, call.end), PROVEN


def taken_over(
    state: State,
    call: tree.Call,
    arguments: tuple[Sequence[tree.Expr], Sequence[Info]],
    results: Sequence[Info],
) -> list[int] | None:
    """Return the arguments that results take over, checked against these; None if the attribute is wrong.

    `results` is empty where nothing is declared.
    """
    nodes, infos = arguments
    indices = _inplace_indices(call)
    if (results and len(indices) != len(results)) or not _are_tensor_arguments(indices, infos):
        from relax_lang.check.infer.messages import (
            prim_func_calls as prim_func_call_messages,  # here and below: only where something is wrong
        )

        prim_func_call_messages.bad_inplace_indices(state, call, len(results))
        return None
    for index, result in zip(indices, results, strict=False):
        if index >= 0:
            verdict = check_compatibility(infos[index], result, state.context)
            if verdict.answer != COMPATIBLE:
                from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

                prim_func_call_messages.inplace_result(state, nodes[index], (infos[index], result), verdict)
    return indices


def call_dps_packed(state: State, call: tree.Call, operator: Operator) -> Derived:
    """`call_dps_packed(extern "f", (args…)) -> S`: a packed function writes the declared results. [O.8]"""
    callee, _ = derive(state, call.args[0])
    _passed(state, call, operator)
    if callee is not REJECTED and not (type(callee) is tree.FuncStructInfo and callee.params is None):
        from relax_lang.check.infer.messages import calls as call_messages

        call_messages.operand(state, (call.args[0], 0, callee), PACKED, "a packed function", operator.name)
    return _declared(state, call)


def _declared(state: State, call: tree.Call) -> Derived:
    """Return the info of the results, which are allocated as declared. [O.7]"""
    _note_host_code(state, call)
    info = call.struct_info
    if info is None:
        return REJECTED, PROVEN
    fields = info.fields if type(info) is tree.TupleStructInfo else (info,)
    return (info if all(_is_complete(field) for field in fields) else REJECTED), PROVEN


def _note_host_code(state: State, call: tree.Call) -> None:
    """A packed function runs host code; a PrimFunc does if any of them does. [TIR.19]"""
    if state.module.features.tir_externs or not isinstance(call.args[0], tree.GlobalVar):
        state.host_code_may_run()


def _is_complete(info: Info) -> bool:
    return isinstance(info, tree.TensorStructInfo) and info.shape is not None and info.dtype is not None


def _passed(state: State, call: tree.Call, operator: Operator, *, results: bool = True) -> Passed | None:
    """Return what a call passes; None if part of it is wrong. Without `results` it declares none. [O.2] [X15.7]"""
    infos: list[Info] = []
    trust = PROVEN
    arguments = call.args[1] if len(call.args) > 1 else None
    if isinstance(arguments, tree.Tuple):
        infos, trust = derive_all(state, arguments.fields)
    elif arguments is not None:
        info, _ = derive(state, arguments)
        if info is not REJECTED:
            from relax_lang.check.infer.messages import calls as call_messages

            call_messages.operand(state, (arguments, 1, info), None, "a tuple, written out", operator.name)
    scalars, trust_in_scalars = _scalars(state, call, operator)
    declared = _results(state, call) if results else []
    if declared is None or scalars is None or not isinstance(arguments, tree.Tuple):
        return None
    return Passed(list(arguments.fields), infos, declared, scalars, max(trust, trust_in_scalars))


def _results(state: State, call: tree.Call) -> Results | None:
    """Return the declared results: tensors with dimensions and a dtype. [O.2]"""
    info = call.struct_info
    if info is not None and checked_annotation(state, info) is REJECTED:
        return None
    fields = info.fields if isinstance(info, tree.TupleStructInfo) else (info,)
    results: Results = []
    for field in fields:
        if not isinstance(field, tree.TensorStructInfo) or not _is_complete(field):
            from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

            prim_func_call_messages.incomplete(state, call)
            return None
        results.append(field)
    return results


def _scalars(state: State, call: tree.Call, operator: Operator) -> tuple[Scalars | None, int]:
    """Return the scalars, from the shape that may follow the arguments, and its provenance. [O.4]"""
    if len(call.args) < 3 or (isinstance(call.args[2], tree.Tuple) and not call.args[2].fields):
        return Scalars(0, ()), PROVEN
    info, trust = derive(state, call.args[2])
    if isinstance(info, tree.ShapeStructInfo):
        values = state.context.shape_of(info)
        return Scalars(state.context.rank_of(info), values if isinstance(values, tuple) else None), trust
    if info is not REJECTED:
        from relax_lang.check.infer.messages import calls as call_messages

        expected = tree.ShapeStructInfo(None, None)
        call_messages.operand(state, (call.args[2], 2, info), expected, "a shape", operator.name)
    return None, trust


def _prim_func(state: State, call: tree.Call) -> tree.PrimFunc | None:
    """Return the PrimFunc that is called, unless something about it was reported. [O.1]"""
    callee = call.args[0]
    item = state.module.items.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None
    if not isinstance(item, tree.PrimFunc):
        return None
    if item.ret_dtype is not None:
        from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

        prim_func_call_messages.has_result(state, call, item)
        return None
    return item


def _check_buffers(state: State, call: tree.Call, func: tree.PrimFunc, passed: Passed) -> None:
    """Check arguments and results against the buffers, and scalars among them against theirs. [O.3] [O.6]"""
    params: Sequence[Param] = [param for param in func.params if isinstance(param, tree.Buffer)]
    names = [param.name for param in func.params if isinstance(param, tree.ScalarParam)]
    scalars = passed.scalars
    given = len(passed.infos) + len(passed.results)
    in_order = bool(names) and scalars.count == 0 and given == len(func.params)
    if in_order:
        params = func.params
        scalars = Scalars(len(names), None)
    if len(params) != given:
        from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

        prim_func_call_messages.buffer_count(
            state, call, func, (len(params), len(passed.infos), len(passed.results))
        )
        return
    if scalars.count is not None and scalars.count != len(names):
        from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

        prim_func_call_messages.scalar_count(state, call, func, (len(names), scalars.count))
        return
    values = scalars.values
    repeated = state.repeated_calls
    tensors = [*passed.infos, *passed.results]
    key = None if names else repeated.key_of_tensors(func, tensors, state.context.facts)
    if key in repeated.fitting:
        if state.proves(passed.trust):
            state.module.inferred.proved.add(call)
        return
    info = _as_function(state, params, names, values) if names else _buffers_as_function(state, func, params)
    applied = apply(info, tensors, state.context)
    if key is not None and all(verdict is YES for verdict in applied.verdicts):
        repeated.fitting.add(key)
    proved = state.proves(passed.trust) and (not names or values is not None or in_order)
    if _fit(state, func, params, passed, applied) and proved:
        state.module.inferred.proved.add(call)
    elif passed.trust == PROVEN:
        for index, verdict in enumerate(applied.verdicts):
            if verdict.answer == POSSIBLY:
                assume_argument(state, applied.params[index], tensors[index])


def _fit(
    state: State, func: tree.PrimFunc, params: Sequence[Param], passed: Passed, applied: Application
) -> bool:
    """Report what does not certainly fit its buffer; return whether all does."""
    fits = True
    for index, verdict in enumerate(applied.verdicts):
        if verdict is YES:
            continue
        from relax_lang.check.infer.messages import prim_func_calls as prim_func_call_messages

        fits = False
        param = applied.params[index]
        if index >= len(passed.infos):
            result = passed.results[index - len(passed.infos)]
            prim_func_call_messages.result(state, result, func, params[index], param, verdict)
        elif not (verdict.answer == POSSIBLY and _is_sized_by_heap(state, passed.infos[index])):
            # else its sizes are numbers in memory, so that no annotation could say more
            pair = passed.infos[index], param
            prim_func_call_messages.argument(state, passed.nodes[index], func, params[index], pair, verdict)
    return fits


def _is_sized_by_heap(state: State, info: Info) -> bool:
    """Return whether a tensor was made with sizes from a shape heap."""
    shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
    made = state.values.get(shape.name_hint) if isinstance(shape, tree.Var) else None
    return isinstance(made, tree.Call) and isinstance(made.op, tree.Op) and made.op.op_name == "vm.make_shape"


def _buffers_as_function(state: State, func: tree.PrimFunc, params: Sequence[Param]) -> tree.FuncStructInfo:
    """Return the function type of a PrimFunc without scalars: one for all calls, until there are more names."""
    names = len(state.all_names)
    known = state.buffer_types.get(func)
    if known is None or known[0] != names:
        known = state.buffer_types[func] = names, _as_function(state, params, [], None)
    return known[1]


def _as_function(
    state: State,
    params: Sequence[Param],
    names: list[str],
    values: tuple[tree.PrimExpr, ...] | None,
) -> tree.FuncStructInfo:
    """Return the function type of the buffers, and of scalars among them, for the scalars of a call. [TIR.1]"""
    infos: list[Info] = []
    for param in params:
        dims = param.shape if isinstance(param, tree.Buffer) else ()
        shape = tree.ShapeExpr(dims, param.pos, param.end)
        infos.append(tree.TensorStructInfo(shape, param.dtype, None, param.pos, param.end))
    info: Info = tree.FuncStructInfo(tuple(infos), tree.ObjectStructInfo(), None, True)
    info = rename_binders(info, frozenset(names), state.all_names)
    assert isinstance(info, tree.FuncStructInfo)
    assert info.params is not None
    if not names:
        return info
    given = fresh_copies(names, state.all_names) if values is None else dict(zip(names, values, strict=True))
    bound = substitute_all(info.params, given, frozenset(names))
    return tree.FuncStructInfo(bound, info.ret, None, True)


def _inplace_indices(call: tree.Call) -> list[int]:
    for attr in call.attrs:
        if attr.key == "inplace_indices":
            items = attr.value.items if isinstance(attr.value, tree.ListLit) else (attr.value,)
            return [item.value for item in items if isinstance(item, tree.IntLit)]
    return []


def _are_tensor_arguments(indices: list[int], infos: Sequence[Info]) -> bool:
    """Return whether each index is -1 or that of a tensor argument, none twice, and not all are -1."""
    used = [index for index in indices if index >= 0]
    if not used or min(indices) < -1 or len(set(used)) != len(used):
        return False
    for index in used:
        if index >= len(infos):
            return False
        info = infos[index]
        if info is not REJECTED and not isinstance(info, tree.TensorStructInfo | tree.ObjectStructInfo):
            return False
    return True
