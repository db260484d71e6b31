"""The reference interpreter: what every construct of the normal form evaluates to. [X.*]

It is written to be read beside the specification, rule by rule; the compiled engines are held against it.
Values are passed by reference unless a rule makes something new. A construct evaluates to its
value, or, if Relax code has to run first, to the `Activation` of that code; `sequence` is the one place that
waits for them.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, unreachable
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.calling.packed import call_packed
from relax_lang.runtime.calling.strict_effects import Snapshot, claims_purity
from relax_lang.runtime.interpreter import dps, operator_calls
from relax_lang.runtime.interpreter.atoms import NOT_NORMAL, atom
from relax_lang.runtime.interpreter.dps import spread
from relax_lang.runtime.interpreter.inplace import call_inplace_packed
from relax_lang.runtime.interpreter.machine import (
    Activation,
    Scope,
    exhausted,
    function_name,
    interrupted,
    placed,
)
from relax_lang.runtime.values.display import show_brief
from relax_lang.runtime.values.match_cast import compare, match, match_signature
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import Closure, PackedFunc, RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.runtime.interpreter.machine import Machine, Steps
    from relax_lang.runtime.values.mismatch import Mismatch


# Functions and blocks.


def activate(
    machine: Machine, closure: Closure, arguments: tuple[object, ...], call: tree.Call | None
) -> Activation:
    """Begin a call of a closure; `call` is None for the entry of the program. [X.9.2]"""
    return Activation(_body(machine, closure, (*arguments, *closure.bound), call), closure, call)


def _body(machine: Machine, closure: Closure, arguments: tuple[object, ...], call: tree.Call | None) -> Steps:
    """Bind the arguments and check them [M.6], evaluate the body, check the result [M.7]."""
    function = closure.function
    assert isinstance(function, tree.Function)
    if len(arguments) != len(function.params):
        raise wrong_arity(closure, len(arguments), call)
    scope = Scope(machine, dict(closure.variables), dict(closure.shape_vars))
    if function.name is None and closure.name and not closure.bound:
        scope.variables[closure.name] = closure  # its own name means itself [X.6] [V.7]
    for param, argument in zip(function.params, arguments, strict=True):
        scope.variables[param.name_hint] = argument
    refused = match_signature(arguments, function.params, scope)
    if refused is not None:
        raise argument_failure(closure, *refused, call, scope)
    assert isinstance(function.body, tree.SeqExpr)
    if machine.watch is not None:
        machine.watch.enter(closure.name)
    result = yield from sequence(function.body, scope)
    if machine.watch is not None:
        machine.watch.leave()
    if function.ret_struct_info is not None:
        mismatch = compare(result, function.ret_struct_info, scope)
        if mismatch is not None:
            raise return_failure(closure, function.ret_struct_info, mismatch, scope)
    return result


def sequence(seq: tree.SeqExpr, scope: Scope) -> Steps:
    """Evaluate the bindings in order, then the result, in a scope that is this sequence's own. [X.10]"""
    node: tree.Node = seq
    watch = scope.machine.watch
    try:
        for block in seq.blocks:
            for binding in block.bindings:  # X.10.2
                node = binding
                if watch is not None:
                    watch.begin(binding)
                value = _right_hand_side(binding, scope)
                if type(value) is Activation:
                    value = yield value
                _bind(binding, value, scope)
                if watch is not None:
                    watch.bound(value, scope)
            if type(block) is tree.DataflowBlock:
                _leave_dataflow(block, scope.variables)
        node = seq.body
        return atom(seq.body, scope)  # X.10.4; N.9: an atom
    except RunFailure as failure:
        placed(failure, node, scope)
        raise
    except MemoryError:
        failure = exhausted(node)
        placed(failure, node, scope)
        raise failure from None
    except KeyboardInterrupt:
        raise interrupted(node) from None


def _bind(binding: tree.Binding, value: object, scope: Scope) -> None:
    """Give a variable its value, the value itself and never a copy, once it is checked. [X.9.3] [M.10]"""
    if type(binding) is tree.MatchCast:
        match_cast(binding, value, scope)
    elif type(binding) is not tree.VarBinding:
        assert_never(binding)
    var = binding.var
    if var is None:
        return
    if var.struct_info_annotation is not None:
        check_annotation(var, binding, value, scope)
    if var.name_hint != "_":  # `_` never binds a readable name [S.21]
        scope.variables[var.name_hint] = value


def _leave_dataflow(block: tree.DataflowBlock, variables: dict[str, object]) -> None:
    """X.10.3: DataflowVars leave after their block."""
    for binding in block.bindings:
        if isinstance(binding.var, tree.DataflowVar):
            variables.pop(binding.var.name_hint, None)


def evaluate(expr: tree.Expr, scope: Scope) -> object:
    """Evaluate a right-hand side that is not a function literal: to its value, or to what has to run first."""
    return _EVALUATE[type(expr)](expr, scope)


def _right_hand_side(binding: tree.Binding, scope: Scope) -> object:
    """Evaluate the value of a binding; a function literal learns the name it is bound to. [X.6]"""
    value = binding.value
    if type(value) is tree.Function:
        return _closure(value, binding.var.name_hint if binding.var is not None else "", scope)
    return evaluate(value, scope)


def match_cast(binding: tree.MatchCast, value: object, scope: Scope) -> None:
    """Check a value and bind shape variables; the value itself passes through uncopied. [M.10] [M.11]"""
    mismatch = match(value, binding.struct_info, scope)
    if mismatch is not None:
        info = shown(binding.struct_info)
        raise RunFailure("match-cast-failed", f"match_cast to `{info}` failed: {mismatch}", binding)


def check_annotation(
    var: tree.Var | tree.DataflowVar, binding: tree.Binding, value: object, scope: Scope
) -> None:
    """Check `let v: S = e;`; an annotation binds no shape variables. [ERR.33]"""
    info = var.struct_info_annotation
    assert info is not None
    mismatch = compare(value, info, scope)
    if mismatch is not None:
        message = f"value of `{var.name_hint}` does not match its annotation `{shown(info)}`: {mismatch}"
        raise RunFailure("annotation-check-failed", message, binding.value)


# What else there is on a right-hand side.


def _tuple_get_item(expr: tree.TupleGetItem, scope: Scope) -> object:
    """X.4: the stored field itself."""
    operand = atom(expr.tuple_value, scope)
    if not is_tuple(operand) or not 0 <= expr.index < len(operand):
        raise field_failure(operand, expr.index, expr)
    return operand[expr.index]


def _closure(function: tree.Function, bound_to: str, scope: Scope) -> Closure:
    """X.6: a new closure that captures variables of both kinds by reference; V.7: and knows its own name."""
    names = scope.machine.names  # names are unique: a function captures those of its names that are in scope
    variables = {name: scope.variables[name] for name in names.of(function) if name in scope.variables}
    shape_vars = {dim: scope.shape_vars[dim] for dim in names.sizes_of(function) if dim in scope.shape_vars}
    return Closure(function, "" if bound_to == "_" else bound_to, variables, shape_vars)


def _if(expr: tree.If, scope: Scope) -> Activation:
    """X.7: the condition, then exactly one branch, in a scope of its own."""
    condition = atom(expr.cond, scope)
    if not is_tensor(condition) or condition.ndim != 0 or condition.dtype != bool:
        raise condition_failure(condition, expr.cond)
    branch = expr.true_branch if condition else expr.false_branch
    assert isinstance(branch, tree.SeqExpr)
    return Activation(sequence(branch, scope.pushed()))


def _call(call: tree.Call, scope: Scope) -> object:
    """X.9.1: arguments, then the operator. X.9.2: callee, then arguments, then the call."""
    op = call.op
    if type(op) is tree.Op:
        if op.op_name in CLOSURE_CALLS:
            values = [atom(argument, scope) for argument in call.args]
            return CLOSURE_CALLS[op.op_name](call, values, scope)
        return operator_calls.call_operator(call, op.op_name, scope)
    callee = atom(op, scope)
    arguments = tuple([atom(argument, scope) for argument in call.args])
    return apply(callee, arguments, call, scope.machine)


def apply(callee: object, arguments: tuple[object, ...], call: tree.Call, machine: Machine) -> object:
    """Call what a callee evaluated to. [X.9.2] [V.5] [V.12]"""
    if isinstance(callee, Closure):
        return machine.activate(machine, callee, arguments, call)
    if isinstance(callee, PackedFunc):
        kept = Snapshot(arguments) if machine.strict_effects and claims_purity(call) else None
        result = call_packed(callee, arguments, call.struct_info, call)
        if kept is not None:
            kept.check(callee.name, call)
        return result
    if isinstance(callee, tree.PrimFunc):
        if not isinstance(call.op, tree.GlobalVar):
            name = global_name(callee.name.name_hint)
            message = f"{name} is a prim_func; call it by its name, or with call_tir"
            raise RunFailure("primfunc-call", message, call)
        return dps.direct_call(callee, arguments, call, machine)
    raise RunFailure("not-callable", f"`{show_brief(callee)}` cannot be called", call.op)


def _invoke_closure(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`invoke_closure(f, (args…))` calls `f` with the fields of the tuple."""
    return apply(values[0], spread(call, 1, values), call, scope.machine)


def _call_pure_packed(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_pure_packed(extern "f", args…) -> S` is the call itself, promised to be pure."""
    return apply(values[0], tuple(values[1:]), call, scope.machine)


def _call_py_func(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_py_func(extern "f", (args…)) -> S` calls `f` with the fields of the tuple, promised to be pure."""
    return apply(values[0], spread(call, 1, values), call, scope.machine)


def _call_builtin_with_ctx(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_builtin_with_ctx(extern "f", (args…)) -> S` calls `f` with the fields of the tuple; `()` without `-> S`."""
    result = apply(values[0], spread(call, 1, values), call, scope.machine)
    return () if call.struct_info is None else result


def _call_inplace_packed(call: tree.Call, values: Sequence[object], scope: Scope) -> object:
    """`call_inplace_packed(extern "f", args…, inplace_indices=0)`: `f` writes into arguments, returns them."""
    arguments = tuple(values[1:])
    return call_inplace_packed(
        call, arguments, scope, lambda: apply(values[0], arguments, call, scope.machine)
    )


def _make_closure(call: tree.Call, values: Sequence[object], scope: Scope) -> Closure:
    """`make_closure(f, (args…))`: `f` with its last arguments given."""
    callee = values[0]
    if not isinstance(callee, Closure):
        message = f"make_closure: argument 0 must be a function, not `{show_brief(callee)}`"
        raise RunFailure("op-argument", message, call.args[0])
    given = spread(call, 1, values)
    variables = callee.variables
    function = callee.function
    if isinstance(function, tree.Function) and function.name is None and callee.name and not callee.bound:
        variables = {
            **variables,
            callee.name: callee,
        }  # its own name means itself, without what is given [V.7]
    return Closure(function, callee.name, variables, callee.shape_vars, (*given, *callee.bound))


# Failures.


def field_failure(operand: object, index: int, node: tree.Node | None = None) -> RunFailure:
    """Return the failure of an index that is outside of a tuple, or of what is none. [X.4]"""
    if not is_tuple(operand):
        return RunFailure("not-a-tuple", f"only tuples can be indexed; this is `{show_brief(operand)}`", node)
    return RunFailure("tuple-index", f"index {index}, but the tuple has {len(operand)} fields", node)


def condition_failure(condition: object, node: tree.Node | None = None) -> RunFailure:
    """Return the failure of a condition that decides nothing. [X.7]"""
    message = f"the condition must be a scalar bool, not `{show_brief(condition)}`"
    return RunFailure("condition-not-bool", message, node)


def wrong_arity(closure: Closure, given: int, call: tree.Call | None) -> RunFailure:
    """Return the failure of a call with too few or too many arguments. [X.9.2]"""
    function = closure.function
    assert isinstance(function, tree.Function)
    takes, given = len(function.params) - len(closure.bound), given - len(closure.bound)
    message = f"{function_name(closure)} takes {takes} arguments, {given} are given"
    return RunFailure("arity", message, call or function)


def argument_failure(
    closure: Closure, param: tree.Var, mismatch: Mismatch, call: tree.Call | None, scope: Scope
) -> RunFailure:
    """Return the failure of an argument; its place is the call, if there is one. [M.6]"""
    info = param.struct_info_annotation
    assert info is not None
    name = function_name(closure)
    message = f"parameter `{param.name_hint}` of {name} does not match `{shown(info)}`: {mismatch}"
    failure = RunFailure("argument-check-failed", message, call or param, parameter=param)
    placed(failure, call or param, scope)
    return failure


def return_failure(closure: Closure, info: tree.StructInfo, mismatch: Mismatch, scope: Scope) -> RunFailure:
    """Return the failure of a result. [M.7]"""
    function = closure.function
    assert isinstance(function, tree.Function)
    assert isinstance(function.body, tree.SeqExpr)
    message = f"return value of {function_name(closure)} does not match `{shown(info)}`: {mismatch}"
    failure = RunFailure("return-check-failed", message, function.body.body, annotation=info)
    placed(failure, function.body.body, scope)
    return failure


_EVALUATE: Table[tree.Expr, Callable[[Any, Scope], object]] = {
    tree.Constant: atom,
    tree.Var: atom,
    tree.GlobalVar: atom,
    tree.Tuple: atom,
    tree.ShapeExpr: atom,
    tree.ExternFunc: atom,
    tree.PrimValue: atom,
    tree.TupleGetItem: _tuple_get_item,
    tree.If: _if,
    tree.Call: _call,
    **dict.fromkeys((tree.Function, *NOT_NORMAL), unreachable),
}

CLOSURE_CALLS: dict[str, Callable[[tree.Call, Sequence[object], Scope], object]] = {
    "invoke_closure": _invoke_closure,
    "invoke_pure_closure": _invoke_closure,
    "make_closure": _make_closure,
    "call_pure_packed": _call_pure_packed,
    "call_inplace_packed": _call_inplace_packed,
    "call_py_func": _call_py_func,
    "call_builtin_with_ctx": _call_builtin_with_ctx,
}
"""Operators that run Relax code; all others are in `operators`."""
