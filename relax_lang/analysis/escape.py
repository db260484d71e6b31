"""Which variables something may keep or change: all others are only looked at. [X.1] [X.O4]

A constant is new memory at each evaluation because it could be changed. Where its variable is only looked at,
that makes no difference, and large weights are not copied.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of, names_in
from relax_lang.analysis.effects import calls_out, stored_to
from relax_lang.base.node import assert_never, unreachable
from relax_lang.ops.registry import is_built_in, lookup
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import buffers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.analysis.bindings import FreeNames
    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.core.signature import Param

    PrimFuncs = dict[str, tree.PrimFunc]

TIR_CALLS = ("call_tir", "call_tir_with_grad", "dist.call_tir_local_view")


def kept_names(seq: tree.SeqExpr, prim_funcs: PrimFuncs, names: FreeNames | None = None) -> set[str]:
    """Return the variables that more than a look is taken at, in a body and its branches.

    All that local functions mention is among them; what they bind themselves is left out where `names` are given.
    """
    kept: set[str] = set()
    todo = [seq]
    while todo:
        part = todo.pop()
        kept |= names_in(part.body)
        for binding in bindings_of(part):
            value = binding.value
            match value:
                case tree.If():
                    for branch in (value.true_branch, value.false_branch):
                        assert isinstance(branch, tree.SeqExpr)
                        todo.append(branch)
                case tree.Call():
                    kept |= _kept_by(value, prim_funcs)
                case tree.Function():
                    kept.update(names_in(value) if names is None else names.of(value))
                case tree.Var() | tree.DataflowVar() | tree.Tuple() | tree.TupleGetItem():
                    kept |= names_in(value)
                case tree.Constant() | tree.GlobalVar() | tree.ExternFunc() | tree.ShapeExpr():
                    pass
                case tree.PrimValue():
                    pass
                case tree.NeverBound():
                    unreachable(value)
                case _:
                    assert_never(value)
    return kept


def _kept_by(call: tree.Call, prim_funcs: PrimFuncs) -> set[str]:
    written = written_by_direct_call(call, prim_funcs)
    if written is not None:
        return {name for arg in written for name in names_in(arg)}
    if not isinstance(call.op, tree.Op):
        return names_in(call)
    name = call.op.op_name
    if name in TIR_CALLS:
        return set() if closed_prim_func(call, prim_funcs) is not None else names_in(call)
    operator = lookup(name)
    if operator is None or operator.kernel is None:
        return names_in(call)
    kept: set[str] = set()
    for at, arg in enumerate(call.args):
        if not only_looks(operator, at):
            kept |= names_in(arg)
    return kept


def only_looks(operator: Operator, at: int) -> bool:
    """Return whether an operator neither keeps nor changes an argument, nor gives its memory to the result."""
    param = param_at(operator, at)
    if param is None or not is_built_in(operator):
        return False
    return param.kind == "tensor" and param.name not in (*operator.aliases, *operator.writes)


def param_at(operator: Operator, at: int) -> Param | None:
    """Return the parameter that an argument is for."""
    params = operator.params
    return params[min(at, len(params) - 1)] if params else None


def prim_func_of(call: tree.Call, prim_funcs: PrimFuncs) -> tree.PrimFunc | None:
    """Return the PrimFunc that a `call_tir` calls. [O.1]"""
    callee = call.args[0] if call.args else None
    return prim_funcs.get(callee.name_hint) if isinstance(callee, tree.GlobalVar) else None


def closed_prim_func(call: tree.Call, prim_funcs: PrimFuncs) -> tree.PrimFunc | None:
    """Return the PrimFunc of a `call_tir` if its arguments are written out, and it only reads them. [O.5]"""
    func = prim_func_of(call, prim_funcs)
    passed = call.args[1] if len(call.args) > 1 else None
    if func is None or calls_out(func) or not isinstance(passed, tree.Tuple):
        return None
    inputs = {buffer.name for buffer in buffers(func)[: len(passed.fields)]}
    return None if inputs & stored_to(func) else func


def written_by_direct_call(call: tree.Call, prim_funcs: PrimFuncs) -> list[tree.Expr] | None:
    """Return the arguments that a PrimFunc writes which is called by its name, and which only looks at all others.

    None if it is not such a call, or if something else may see the arguments.
    """
    func = prim_funcs.get(call.op.name_hint) if isinstance(call.op, tree.GlobalVar) else None
    if func is None or calls_out(func):
        return None
    written = stored_to(func)
    return [arg for arg, param in zip(call.args, func.params, strict=False) if param.name in written]
