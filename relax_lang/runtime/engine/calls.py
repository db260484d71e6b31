"""Calls as Python statements: functions, operators, destination passing. [X.9] [O.*]

What is known of the arguments decides how short the way is: NumPy's own function, the kernel without the checks of
the signature, the operator with all of them, or the interpreter.
"""

from __future__ import annotations

from relax_lang.ops.dtypes import CLASSES
from relax_lang.ops.registry import BY_KERNEL, lookup
from relax_lang.runtime.engine import sites
from relax_lang.runtime.engine.declared import result_of
from relax_lang.runtime.engine.facts import dtype_of, sizes_of
from relax_lang.runtime.engine.graph import INVOKING, OVERWRITING, PACKED_CALLS, is_ours
from relax_lang.runtime.engine.keeping import TIR_CALLS, closed_prim_func, only_looks, param_at, prim_func_of
from relax_lang.runtime.engine.leaves import dims_site, leaf, operand, plain_sizes
from relax_lang.runtime.engine.numpy_calls import write_numpy_call
from relax_lang.runtime.mismatch import shown
from relax_lang.runtime.prepared import prepare
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.registry import Operator
    from relax_lang.ops.signature import Param
    from relax_lang.runtime.engine.function_writer import FunctionWriter
    from relax_lang.runtime.prepared import Prepared

_BY_INTERPRETER = ("print", "reshape", "make_closure", *OVERWRITING, *PACKED_CALLS)
"""Operators that `runtime.operators` and the interpreter evaluate in a way of their own."""


def write_call(writer: FunctionWriter, call: tree.Call, target: str) -> None:
    """Write a call and what is certain of its value."""
    op = call.op
    if not isinstance(op, tree.Op):
        _function_call(writer, call, op, call.args, target)
    elif op.op_name in INVOKING and len(call.args) == 2 and isinstance(call.args[1], tree.Tuple):
        _function_call(writer, call, call.args[0], call.args[1].fields, target)
    elif op.op_name in TIR_CALLS:
        _tir_call(writer, call, target)
    elif op.op_name in (*_BY_INTERPRETER, *INVOKING):
        _by_interpreter(writer, call, target)
    else:
        _operator_call(writer, call, op.op_name, target)


# Functions.


def _function_call(
    writer: FunctionWriter, call: tree.Call, callee: tree.Expr, args: Sequence[tree.Expr], target: str
) -> None:
    """X.9.2: the callee, then the arguments from the left, then the call."""
    module = writer.module
    known = module.graph.callees.get(call)
    if isinstance(known, tree.Function):
        _known_function(writer, call, callee, (known, args), target)
        return
    texts = ", ".join([leaf(writer, each) for each in (callee, *args)])
    if isinstance(known, tree.ExternFunc):
        writer.facts.forget()
        writer.assign(target, f"{module.site('call_packed', sites.applied(call))}({texts})")
        return
    _maybe_later(writer, f"{module.site('apply', sites.applied(call))}({texts})", target)


def _maybe_later(writer: FunctionWriter, text: str, target: str) -> None:
    """Write a call that gives a value, or what the machine has to run for it."""
    writer.facts.forget()
    writer.yields = True
    held = target or writer.module.names.fresh("value")
    writer.line(f"{held} = {text}", writer.place())
    writer.line(f"if type({held}) is Activation:")
    writer.line(f"    {held} = yield {held}")
    if not target:
        writer.line(f"del {held}")


def _known_function(
    writer: FunctionWriter,
    call: tree.Call,
    callee: tree.Expr,
    called: tuple[tree.Function, Sequence[tree.Expr]],
    target: str,
) -> None:
    function, args = called
    module = writer.module
    plan = module.graph.plans[function]
    texts = [leaf(writer, each) for each in args]
    # The machine counts the calls of stepping functions, so it makes all of them.
    by_machine = writer.plan.stepping or plan.stepping or not plan.compiled
    closure = leaf(writer, callee) if by_machine or function is not plan.top else ""
    infos = [writer.facts.of(each) for each in args]
    if not plan.quiet:
        writer.facts.forget()
    if by_machine:
        writer.yields = True
        name = module.functions.get(function, "function")
        site = module.site(f"call_{name}", sites.applied(call))
        writer.assign(target, f"yield {site}({', '.join([closure, *texts])})")
    else:
        given = [closure, *texts] if closure else texts
        writer.assign(target, f"{module.functions[function]}({', '.join(given)})", writer.place(call=call))
    if function.ret_struct_info is not None:
        writer.learn(result_of(function, infos))


def _by_interpreter(writer: FunctionWriter, call: tree.Call, target: str) -> None:
    assert isinstance(call.op, tree.Op)
    name = call.op.op_name
    text = writer.interpreted(call)
    is_packed = isinstance(writer.module.graph.callees.get(call), tree.ExternFunc)
    if name in (*INVOKING, *PACKED_CALLS) and not is_packed:
        _maybe_later(writer, text, target)
        return
    if name in (*PACKED_CALLS, *OVERWRITING):
        writer.facts.forget()
    operator = lookup(name)
    writer.assign(target, text)
    if operator is not None and name == "reshape":
        writer.learn(writer.facts.of_call(operator, call))


# Operators.


def _operator_call(writer: FunctionWriter, call: tree.Call, name: str, target: str) -> None:
    """X.9.1: the arguments from the left, then the operator."""
    operator = lookup(name)
    try:
        prepared = prepare(call, name)
    except RunFailure:  # the program says so when it gets there
        writer.assign(target, writer.interpreted(call))
        return
    assert operator is not None
    if operator.kernel is None:
        writer.assign(target, writer.interpreted(call))
        return
    if not write_numpy_call(writer, call, prepared, target):
        _checked_call(writer, call, prepared, target)


def _checked_call(writer: FunctionWriter, call: tree.Call, prepared: Prepared, target: str) -> None:
    operator, module = prepared.operator, writer.module
    ours = is_ours(operator)
    info = writer.facts.of_call(operator, call) if ours else None
    direct = _kernel_arguments(writer, call, prepared) if ours else None
    what = ", ".join([operator.name, *[f"{attr.key}={shown(attr.value)[:60]}" for attr in call.attrs]])
    key = (operator.name, repr(sorted(prepared.named.items())), repr(sorted(prepared.options.items())))
    if direct is not None:
        site = module.site(operator.name, sites.kernel(prepared), ("kernel", *key), f"the kernel of {what}")
        text = f"{site}({', '.join(direct)})"
    else:
        texts = [_argument(writer, operator, at, arg) for at, arg in enumerate(call.args)]
        site = module.site(operator.name, sites.operator(prepared), ("operator", *key), what)
        text = f"{site}({', '.join(texts)})"
    if not ours:
        writer.facts.forget()
    writer.assign(target, text, writer.place(operator=operator))
    is_new = not operator.aliases and operator.evaluated == BY_KERNEL
    writer.learn(info, fresh=is_new and isinstance(info, tree.TensorStructInfo))


def _argument(writer: FunctionWriter, operator: Operator, at: int, arg: tree.Expr) -> str:
    """Return an argument; the memory of what the operator only looks at does not get another owner."""
    return operand(writer, arg) if only_looks(operator, at) else leaf(writer, arg)


def _kernel_arguments(writer: FunctionWriter, call: tree.Call, prepared: Prepared) -> list[str] | None:
    """Return what the kernel itself is called with; None unless all arguments are certain to be right. [OP.3]"""
    operator = prepared.operator
    if prepared.named or not _all_fit(writer, call, prepared):
        return None
    texts: list[str] = []
    for at, arg in enumerate(call.args):
        param = param_at(operator, at)
        if param is not None and param.kind == "shape":
            assert isinstance(arg, tree.ShapeExpr)
            texts.append(plain_sizes(writer, arg) or f"{dims_site(writer, arg, 'shape')}.values")
        elif _left_out(arg):
            texts.append("None")
        else:
            texts.append(_argument(writer, operator, at, arg))
    return texts + ["None"] * (len(operator.params) - len(texts))


def _left_out(arg: tree.Expr) -> bool:
    return isinstance(arg, tree.Tuple) and not arg.fields


def _all_fit(writer: FunctionWriter, call: tree.Call, prepared: Prepared) -> bool:
    params, estimated = prepared.operator.params, prepared.estimate is not None
    if len(call.args) > len(params) or (params and params[-1].variadic):
        return False
    if [param for param in params[len(call.args) :] if not param.optional]:
        return False
    for param, arg in zip(params, call.args, strict=False):
        if param.optional and _left_out(arg):
            continue
        if not _fits(writer, param, arg, estimated):
            return False
    return True


def _fits(writer: FunctionWriter, param: Param, arg: tree.Expr, estimated: bool) -> bool:
    """Tell whether an argument is certain to be right; what estimates the memory wants shapes as values."""
    info = writer.facts.of(arg)
    if param.kind == "tensor":
        return _is_tensor(info, param)
    if param.kind == "tensors":
        return isinstance(info, tree.TupleStructInfo) and not [
            field for field in info.fields if not _is_tensor(field, param)
        ]
    if param.kind == "shape":
        return isinstance(arg, tree.ShapeExpr) and not estimated
    return param.kind == "prim" and isinstance(arg, tree.PrimValue) and not param.dtypes


def _is_tensor(info: tree.StructInfo, param: Param) -> bool:
    if not isinstance(info, tree.TensorStructInfo):
        return False
    if param.ndim is not None:
        sizes = sizes_of(info)
        if sizes is None or len(sizes) != param.ndim:
            return False
    return not param.dtypes or dtype_of(info) in CLASSES[param.dtypes][0]


# Destination passing.


def _tir_call(writer: FunctionWriter, call: tree.Call, target: str) -> None:
    """O.1-O.7: allocate the results, run the PrimFunc, return them."""
    func = prim_func_of(call, writer.module.graph.prim_funcs)
    shapes = _result_shapes(writer, call)
    passed = call.args[1] if len(call.args) > 1 else tree.Tuple(())
    numbers = _numbers(writer, call)
    if func is None or shapes is None or numbers is None or not isinstance(passed, tree.Tuple):
        text = writer.interpreted(call)
        writer.facts.forget()
        writer.assign(target, text)
        return
    is_closed = closed_prim_func(call, writer.module.graph.prim_funcs) is not None
    texts = [operand(writer, arg) if is_closed else leaf(writer, arg) for arg in passed.fields]
    given = f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
    site = writer.module.site(f"call_tir_{func.name.name_hint}", sites.tir_call(call, func))
    if not is_closed:
        writer.facts.forget()
    writer.assign(target, f"{site}({', '.join([given, numbers, *shapes])})")
    writer.learn(call.struct_info, fresh=is_closed and not isinstance(call.struct_info, tree.TupleStructInfo))


def _result_shapes(writer: FunctionWriter, call: tree.Call) -> list[str] | None:
    """Return the shapes of the results as Python tuples; None where only the interpreter knows. [O.2]"""
    declared = call.struct_info
    texts: list[str] = []
    for info in declared.fields if isinstance(declared, tree.TupleStructInfo) else (declared,):
        if (
            not isinstance(info, tree.TensorStructInfo)
            or not isinstance(info.shape, tree.ShapeExpr)
            or info.dtype is None
        ):
            return None
        texts.append(plain_sizes(writer, info.shape) or f"{dims_site(writer, info.shape, 'shape')}.values")
    return texts


def _numbers(writer: FunctionWriter, call: tree.Call) -> str | None:
    """Return the values of the scalar parameters as a Python tuple. [O.4]"""
    if len(call.args) < 3 or _left_out(call.args[2]):
        return "()"
    shape = call.args[2]
    if len(call.args) > 3 or not isinstance(shape, tree.ShapeExpr):
        return None
    return plain_sizes(writer, shape) or f"{dims_site(writer, shape, 'shape')}.values"
