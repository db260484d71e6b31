"""One Relax function as a Python function: parameters, blocks, branches, checks, the end of values. [X.6-X.10]

    def main(x, w):
        n, m = check_arguments_of_main(x, w)
        lv = np.add(x, w)
        gv = np.maximum(lv, 0)
        del lv
        return check_result_of_main(gv, n, m)

Every statement is on its own line, because the lines show where a program failed.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.analysis.shape_vars import binders
from relax_lang.base.node import assert_never, unreachable
from relax_lang.runtime.compiler import call_stubs
from relax_lang.runtime.compiler.codegen.atoms import atom, operand, shared_constant
from relax_lang.runtime.compiler.codegen.calls import write_call
from relax_lang.runtime.compiler.codegen.function_writer import FunctionWriter
from relax_lang.runtime.compiler.codegen.row_runs import RowRun
from relax_lang.runtime.compiler.codegen.written import Written
from relax_lang.runtime.interpreter.atoms import NOT_NORMAL
from relax_lang.runtime.interpreter.machine import function_name
from relax_lang.runtime.values.mismatch import shown
from relax_lang.syntax import tree
from relax_lang.values import Closure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.analysis.call_graph import Plan
    from relax_lang.base.node import Table
    from relax_lang.runtime.compiler.codegen.writer import ModuleWriter
    from relax_lang.runtime.compiler.refinements import Refinements

    Names = tuple[str, ...]


def write_function(module: ModuleWriter, plan: Plan, captured: Names = (), dims: Names = ()) -> None:
    """Write a function; a local one has captured variables and shape variables. [X.6]"""
    writer = FunctionWriter(module, plan, captured, dims)
    function = plan.function
    params = [_parameter(writer, param) for param in function.params]
    own = [] if function is plan.top else [_own_name(writer)]
    module.lines += ["", ""]
    module.written.add(function)
    module.line(0, f"def {module.functions[function]}({', '.join(own + params)}):")
    for name in captured:
        writer.line(f"{writer.variable(name)} = {own[0]}.variables[{name!a}]")
    for name in dims:
        writer.line(f"{writer.dim(name)} = {own[0]}.shape_vars[{name!a}]")
    _check_arguments(writer, params)
    body = function.body
    assert isinstance(body, tree.SeqExpr)
    _bindings(writer, body)
    _return(writer, body.body)
    if plan.stepping and not writer.yields:
        writer.line("yield  # never reached: it makes this a generator, as the callers expect")


def _parameter(writer: FunctionWriter, param: tree.Var) -> str:
    name = param.name_hint
    if name == "_":
        return writer.module.names.fresh("unused")
    writer.scope.add(name)
    return writer.variable(name)


def _own_name(writer: FunctionWriter) -> str:
    """Return the name of the closure in its own code: its own name means itself. [X.6] [V.7]"""
    name = writer.plan.bound_to
    if not name:
        return writer.module.names.fresh("closure")
    writer.scope.add(name)
    return writer.variable(name)


def _check_arguments(writer: FunctionWriter, params: list[str]) -> None:
    """M.6: all parameters, before anything else."""
    function = writer.plan.function
    infos = [param.struct_info_annotation for param in function.params]
    if not [info for info in infos if not _says_nothing(info)]:
        return
    new = tuple(binders(infos, writer.dims))
    others = writer.others(infos, [param.name_hint for param in function.params])
    proved = function in writer.module.proved
    if new or not proved:
        stub = writer.module.stub(
            f"check_arguments_of_{writer.module.functions[function]}",
            call_stubs.arguments(function, writer.plan.bound_to, new, tuple(writer.dims), others, proved),
            remark=f"what the annotations of {shown_name(writer.plan)} say",
        )
        given = ", ".join([*params, *writer.given(writer.dims, others)])
        writer.line(f"{_target(writer, new)}{stub}({given})")
    writer.bind_dims(new)
    for param in function.params:
        writer.facts.refine(param.name_hint, param.struct_info_annotation)


def shown_name(plan: Plan) -> str:
    """Return how messages call a function. [Z.7]"""
    return function_name(Closure(plan.function, plan.bound_to, {}, {}))


def _source(info: tree.StructInfo | None) -> str:
    """Return an info for a remark; long ones only begin there."""
    return "" if info is None else shown(info)[:80]


def _says_nothing(info: tree.StructInfo | None) -> bool:
    return info is None or isinstance(info, tree.ObjectStructInfo)


def _target(writer: FunctionWriter, new: Names) -> str:
    return f"{', '.join([writer.dim(name) for name in new])} = " if new else ""


def _return(writer: FunctionWriter, value: tree.Expr) -> None:
    """X.10.4, then M.7."""
    module, function = writer.module, writer.plan.function
    writer.binding = value
    text = atom(writer, value)
    place = None if isinstance(value, tree.Var) else writer.place()
    info = function.ret_struct_info
    if info in module.proved or writer.facts.prove(writer.facts.of(value), info, writer.dims):
        writer.line(f"return {text}", place)
        return
    if place is not None:  # a failure of the value has another place than one of the check
        held = module.names.fresh("value")
        writer.line(f"{held} = {text}", place)
        text = held
    others = writer.others([info])
    stub = module.stub(
        f"check_result_of_{module.functions[function]}",
        call_stubs.result(function, writer.plan.bound_to, tuple(writer.dims), others),
        remark=f"what {shown_name(writer.plan)} says of its result",
    )
    writer.line(f"return {stub}({', '.join([text, *writer.given(writer.dims, others)])})")


# Bindings.


def _bindings(writer: FunctionWriter, seq: tree.SeqExpr) -> None:
    """Write the bindings of a body or a branch. [X.10]"""
    run = RowRun(writer, write_binding)
    for binding in bindings_of(seq):
        if binding in writer.liveness.dead:
            continue
        if run.takes(binding):
            run.write(binding)
        else:
            run.end()
            write_binding(writer, binding)
    run.end()


def write_binding(writer: FunctionWriter, binding: tree.Binding) -> Written:
    """Write a binding; return what is to be known of it."""
    writer.binding = binding
    is_checked = False
    var, value = binding.var, binding.value
    name = var.name_hint if var is not None else "_"
    unneeded = name == "_" or binding in writer.liveness.unneeded
    checked = isinstance(binding, tree.MatchCast) or (
        var is not None and var.struct_info_annotation is not None
    )
    target = ""
    if not unneeded or (checked and name != "_"):
        target = writer.variable(name)
    elif checked:
        target = writer.module.names.fresh("value")
    _RIGHT_HAND_SIDES[type(value)](writer, value, target)
    writer.binding = binding
    if type(binding) is tree.MatchCast:
        _match_cast(writer, binding, target)
    elif type(binding) is not tree.VarBinding:
        assert_never(binding)
    if var is not None and var.struct_info_annotation is not None:
        is_checked = _annotation(writer, binding, target)
    if not unneeded:
        writer.scope.add(name)
    ended = writer.end(writer.liveness.last_uses[binding])
    if target and unneeded:
        writer.line(f"del {target}")
    return Written(binding, writer.facts.named(name), ended, unneeded, is_checked)


def _annotation(writer: FunctionWriter, binding: tree.Binding, target: str) -> bool:
    """Check `let v: S = e;`; return whether that was written. [ERR.33]"""
    var = binding.var
    assert var is not None
    info = var.struct_info_annotation
    if writer.facts.prove(writer.facts.named(var.name_hint), info, writer.dims):
        return False
    assert info is not None  # which asks nothing
    is_written = info not in writer.module.proved
    if is_written:
        dims, others = writer.dims_in(info), writer.others([info])
        stub = writer.module.stub(
            "check_annotation", call_stubs.annotation(binding, dims, others), remark=_source(info)
        )
        given = ", ".join([target, *writer.given(dims, others)])
        writer.line(f"{stub}({given})", writer.place(binding.value))
    writer.refine(info)
    return is_written


def _match_cast(writer: FunctionWriter, binding: tree.MatchCast, target: str) -> None:
    """M.10: check, and bind shape variables."""
    info = binding.struct_info
    var = binding.var
    certain = writer.facts.of(binding.value) if var is None else writer.facts.named(var.name_hint)
    if writer.facts.prove(certain, info, writer.dims):
        return
    proved = binding in writer.module.proved
    new = tuple(binders([info], writer.dims))
    if new or not proved:
        dims, others = writer.dims_in(info), writer.others([info])
        stub = writer.module.stub(
            "match_cast", call_stubs.cast(binding, new, dims, others, proved), remark=_source(info)
        )
        given = ", ".join([target, *writer.given(dims, others)])
        writer.line(f"{_target(writer, new)}{stub}({given})", writer.place())
    writer.bind_dims(new)
    writer.refine(info)


# What there is on a right-hand side, calls aside.


def _atom(writer: FunctionWriter, value: Any, target: str) -> None:
    info = writer.facts.of(value)
    fresh = isinstance(value, tree.Constant)
    if isinstance(value, tree.Constant) and writer.only_looked_at():
        text, fresh = shared_constant(writer, value), False
    else:
        text = atom(writer, value)
    if target or not isinstance(value, tree.Var):
        writer.assign(target, text)
    writer.refine(info, fresh)


def _tuple_get_item(writer: FunctionWriter, value: tree.TupleGetItem, target: str) -> None:
    """X.4: the stored field itself."""
    info = writer.facts.of(value.tuple_value)
    text = atom(writer, value.tuple_value)
    if isinstance(info, tree.TupleStructInfo) and 0 <= value.index < len(info.fields):
        writer.assign(target, f"{text}[{value.index}]")
        writer.refine(info.fields[value.index])
    else:
        writer.assign(target, f"field({text}, {value.index})", writer.place(value))


def _function(writer: FunctionWriter, function: tree.Function, target: str) -> None:
    """X.6: a closure, with what is in scope and mentioned in it."""
    names = writer.module.graph.names
    used_dims = names.sizes_of(function)
    captured = tuple(sorted([name for name in names.of(function) if name in writer.scope]))
    dims = tuple([name for name in writer.dims if name in used_dims])
    plan = writer.module.graph.plans[function]
    for name in captured:
        writer.facts.escapes(name)
    stub = writer.module.stub("closure", call_stubs.closure(function, plan.bound_to, captured, dims))
    texts = [*[writer.variable(name) for name in captured], *[writer.dim(name) for name in dims]]
    writer.assign(target, f"{stub}({', '.join(texts)})")
    if plan.compiled:
        writer.module.waiting.append((plan, captured, dims))


def _if(writer: FunctionWriter, value: tree.If, target: str) -> None:
    """X.7: the condition, then exactly one branch."""
    info = writer.facts.of(value.cond)
    certain = (
        isinstance(info, tree.TensorStructInfo)
        and info.dtype is not None
        and info.dtype.name == "bool"
        and isinstance(info.shape, tree.ShapeExpr)
        and not info.shape.values
    )
    text = operand(writer, value.cond)
    writer.line(f"if {text}:" if certain else f"if truth({text}):", writer.place(value.cond))
    binding, facts, scope = writer.binding, writer.facts, writer.scope
    dims, held = writer.dims, writer.held
    facts.keep(scope)  # each branch gets a copy
    left: set[str] = scope
    ends: list[tuple[Refinements, tree.StructInfo]] = []
    for branch in (value.true_branch, value.false_branch):
        assert isinstance(branch, tree.SeqExpr)
        if ends:
            writer.line("else:")
        writer.facts, writer.scope = facts.copy(), set(scope)
        writer.dims, writer.held = dict(dims), held
        ends.append((writer.facts, _branch(writer, branch, target)))
        left = left & writer.scope  # variables may end in the branches
    writer.binding, writer.facts, writer.scope = binding, facts, left
    writer.dims, writer.held = dims, held
    (one, yes), (other, no) = ends
    facts.join(one, other)
    if facts.prove(no, yes, dims) and facts.prove(yes, no, dims):
        writer.refine(yes)


def _branch(writer: FunctionWriter, branch: tree.SeqExpr, target: str) -> tree.StructInfo:
    """Write a branch; return what is certain of its value."""
    writer.level += 1
    before = len(writer.module.lines)
    writer.end(writer.liveness.last_uses[branch])
    _bindings(writer, branch)
    writer.binding = branch.body
    info = writer.facts.of(branch.body)
    if target or not isinstance(branch.body, tree.Var):
        writer.assign(target, atom(writer, branch.body))
    writer.end(writer.liveness.ends[branch])
    if len(writer.module.lines) == before:
        writer.line("pass")
    writer.level -= 1
    return info


_RIGHT_HAND_SIDES: Table[tree.Expr, Callable[[FunctionWriter, Any, str], None]] = {
    tree.Constant: _atom,
    tree.Var: _atom,
    tree.GlobalVar: _atom,
    tree.Tuple: _atom,
    tree.ShapeExpr: _atom,
    tree.ExternFunc: _atom,
    tree.PrimValue: _atom,
    tree.TupleGetItem: _tuple_get_item,
    tree.Function: _function,
    tree.If: _if,
    tree.Call: write_call,
    **dict.fromkeys(NOT_NORMAL, unreachable),
}
"""Expression class to the function that writes a binding of it."""
