"""Calls as Python statements: functions, destination passing; `operator_calls` has those of operators. [X.9] [O.*]"""

from __future__ import annotations

from relax_lang.analysis.effects import INVOKING, KILLING, OVERWRITING, PACKED_CALLS
from relax_lang.analysis.escape import TIR_CALLS, closed_prim_func, prim_func_of, written_by_direct_call
from relax_lang.arith.evaluate import names_in
from relax_lang.runtime.compiler import call_stubs, tir_calls
from relax_lang.runtime.compiler.codegen.atoms import atom, dims_stub, operand, plain_sizes
from relax_lang.runtime.compiler.codegen.declared_results import result_of
from relax_lang.runtime.compiler.codegen.operator_calls import left_out, write_operator_call
from relax_lang.runtime.compiler.codegen.shared_memory import shared_memory
from relax_lang.runtime.compiler.refinements import dtype_of, sizes_of
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter

_BY_INTERPRETER = ("print", "make_closure", *OVERWRITING, *PACKED_CALLS)
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
    elif op.op_name in KILLING and not target:
        return  # variables are deleted at their last use anyway
    elif op.op_name in (*_BY_INTERPRETER, *INVOKING):
        _by_interpreter(writer, call, target)
    else:
        write_operator_call(writer, call, op.op_name, target)


# Functions.


def _function_call(
    writer: FunctionWriter, call: tree.Call, callee: tree.Expr, args: Sequence[tree.Expr], target: str
) -> None:
    """X.9.2: the callee, then the arguments from the left, then the call."""
    module = writer.module
    if type(callee) is tree.GlobalVar and callee.name_hint in module.graph.prim_funcs:
        _direct_call(writer, call, module.graph.prim_funcs[callee.name_hint], target)
        return
    known = module.graph.callees.get(call)
    if isinstance(known, tree.Function):
        _known_function(writer, call, callee, (known, args), target)
        return
    texts = ", ".join([atom(writer, each) for each in (callee, *args)])
    if isinstance(known, tree.ExternFunc):
        writer.facts.forget()
        writer.assign(target, f"{module.stub('call_packed', call_stubs.applied(call))}({texts})")
        return
    _maybe_later(writer, f"{module.stub('apply', call_stubs.applied(call))}({texts})", target)


def _direct_call(writer: FunctionWriter, call: tree.Call, func: tree.PrimFunc, target: str) -> None:
    """V.12: a PrimFunc stores into arguments."""
    written = written_by_direct_call(call, writer.module.graph.prim_funcs)
    texts = [
        atom(writer, arg) if written is None or arg in written else operand(writer, arg) for arg in call.args
    ]
    writer.facts.forget()
    stub = writer.module.stub(f"call_{func.name.name_hint}", tir_calls.direct_call(call, func))
    writer.assign(target, f"{stub}({', '.join(texts)})")


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
    texts = [atom(writer, each) for each in args]
    # The machine counts the calls of stepping functions, so it makes all of them.
    by_machine = writer.plan.stepping or plan.stepping or not plan.compiled
    closure = atom(writer, callee) if by_machine or function is not plan.top else ""
    infos = [writer.facts.of(each) for each in args]
    if not plan.quiet:
        writer.facts.forget()
    if by_machine:
        writer.yields = True
        name = module.functions.get(function, "function")
        stub = module.stub(f"call_{name}", call_stubs.applied(call))
        writer.assign(target, f"yield {stub}({', '.join([closure, *texts])})")
    else:
        given = [closure, *texts] if closure else texts
        writer.assign(target, f"{module.functions[function]}({', '.join(given)})", writer.place(call=call))
    if function.ret_struct_info is not None:
        writer.refine(result_of(function, infos))


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
    writer.assign(target, text)


# Destination passing.


def _tir_call(writer: FunctionWriter, call: tree.Call, target: str) -> None:
    """O.1-O.7: allocate the results, run the PrimFunc, return them."""
    func = prim_func_of(call, writer.module.graph.prim_funcs)
    shapes = _result_shapes(writer, call)
    passed = call.args[1] if len(call.args) > 1 else tree.Tuple(())
    numbers = _numbers(writer, call)
    among = func is not None and bool(scalars(func)) and len(call.args) < 3  # scalars among the arguments
    if func is None or shapes is None or numbers is None or among or not isinstance(passed, tree.Tuple):
        text = writer.interpreted(call)
        writer.facts.forget()
        writer.assign(target, text)
        return
    is_closed = closed_prim_func(call, writer.module.graph.prim_funcs) is not None
    texts = [operand(writer, arg) if is_closed else atom(writer, arg) for arg in passed.fields]
    infos = [writer.facts.of(arg) for arg in passed.fields]
    dims = certain_dims(infos, call, writer.dims) if is_closed else None
    if dims is not None:
        sharing, is_fresh = shared_memory(writer, call, func, passed.fields)
        stub = writer.module.stub(
            f"call_tir_{func.name.name_hint}", tir_calls.planned_tir_call(call, func, dims, sharing, infos)
        )
        texts = [*[writer.dim(name) for name in dims], *texts]
        writer.assign(target, f"{stub}({', '.join(texts)})")
        writer.refine(call.struct_info, fresh=is_fresh)
        return
    given = f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
    stub = writer.module.stub(f"call_tir_{func.name.name_hint}", tir_calls.tir_call(call, func))
    if not is_closed:
        writer.facts.forget()
    writer.assign(target, f"{stub}({', '.join([given, numbers, *shapes])})")
    writer.refine(
        call.struct_info, fresh=is_closed and not isinstance(call.struct_info, tree.TupleStructInfo)
    )


def certain_dims(
    infos: Sequence[tree.StructInfo], call: tree.Call, known: Collection[str]
) -> tuple[str, ...] | None:
    """Return the shape variables that decide dtypes, shapes and scalars of a `call_tir`; None if these are not certain.

    `infos` is what is certain of its arguments, `known` are the shape variables in scope.
    """
    if [info for info in infos if dtype_of(info) is None or sizes_of(info) is None]:
        return None
    parts = [*infos, call.struct_info, *call.args[2:]]
    names = [use.name for part in parts if part is not None for use in names_in(part)]
    return None if not {*names} <= {*known} else tuple(dict.fromkeys(names))


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
        texts.append(plain_sizes(writer, info.shape) or f"{dims_stub(writer, info.shape, 'shape')}.values")
    return texts


def _numbers(writer: FunctionWriter, call: tree.Call) -> str | None:
    """Return the values of the scalar parameters as a Python tuple. [O.4]"""
    if len(call.args) < 3 or left_out(call.args[2]):
        return "()"
    shape = call.args[2]
    if len(call.args) > 3 or not isinstance(shape, tree.ShapeExpr):
        return None
    return plain_sizes(writer, shape) or f"{dims_stub(writer, shape, 'shape')}.values"
