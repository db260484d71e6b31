"""How each kind of expression is translated. [R.38]"""

from __future__ import annotations

from relax_lang.base.node import assert_never, unreachable
from relax_lang.relay.operators.core import NotLowered, Refused
from relax_lang.relay.operators.symbolic import Atom, tensor_info
from relax_lang.relay.syntax import tree as relay
from relax_lang.relay.translation.emitter import any_info, function_info
from relax_lang.relay.translation.matches import translate_match
from relax_lang.relay.translation.translate import FunctionTranslator, install, local_name
from relax_lang.relay.types.typed import Scheme
from relax_lang.relay.unification.model import Func, Param, find_type
from relax_lang.runtime.calling.relay_objects import NEW
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.relay.unification.model import Type

    Known = dict[Param, Type]
    Row = Callable[["FunctionTranslator", Any], Atom]


def _const(self: FunctionTranslator, node: relay.Const) -> Atom:
    return self.to.const(node.value, node.dtype)


def _meta(self: FunctionTranslator, node: relay.MetaRef) -> Atom:
    metadata = self.translation.analysed.metadata
    array = None if metadata is None else metadata.constant(node.key, node.index)
    if array is None:
        return self.refuse(node, "an object that is not a constant")
    literal, dtype = self.translation.constant(array)
    return self.to.bound(tree.Constant(literal, dtype), tensor_info(array.shape, array.dtype), "c")


def _var(self: FunctionTranslator, node: relay.Var) -> Atom:
    bound = self.translation.analysed.resolved.bindings[node]
    alias = self.aliases.get(bound)
    if alias is not None:
        return _polymorphic(self, node, alias)
    return self.variables[bound]


def _polymorphic(self: FunctionTranslator, node: relay.Var, value: relay.Expr) -> Atom:
    """Translate a value that `let` binds for any types, for the types of one use."""
    if not isinstance(value, relay.Function):
        if isinstance(value, relay.OpRef | relay.Const | relay.GlobalVar):
            return self.expr(value)
        return self.refuse(node, "a polymorphic value that is another name of one")
    whole = find_type(self.type(node))
    assert isinstance(whole, Func)
    bound = self.translation.analysed.resolved.bindings[node]
    scheme = self.state.variables[bound]
    known = self.instance_of(node, scheme)
    # In itself it is of these types alone.
    self.state.variables[bound] = Scheme(whole)
    self.state.instance(value, whole, {param.name: one for param, one in known.items()})
    alias = self.aliases.pop(bound)
    made = _bound_function(self, bound, value, function_info(whole, pure=self.pure))
    self.aliases[bound] = alias
    self.state.variables[bound] = scheme
    return made


def _bound_function(
    self: FunctionTranslator, var: relay.Var, value: relay.Function, info: tree.StructInfo
) -> Atom:
    """Bind a function, which may call itself, to the name of a variable."""
    name = self.to.fresh(local_name(var.name))
    atom = self.variables[var] = Atom(tree.Var(name, None), info)
    made = self.function(value, None)
    self.to.blocks[-1].append(tree.VarBinding(tree.Var(name, info), made, value.pos, value.end))
    return atom


def _graph_var(self: FunctionTranslator, node: relay.GraphVar) -> Atom:
    return self.graph[self.translation.analysed.resolved.graph[node]]


def _global(self: FunctionTranslator, node: relay.GlobalVar) -> Atom:
    scheme = self.translation.analysed.typed.functions[node.name]
    try:
        name = self.translation.instance(node.name, self.instance_of(node, scheme))
    except NotLowered as wrong:
        return self.refuse(node, wrong.reason)
    return Atom(tree.GlobalVar(name, node.pos, node.end), self.info(node))


def _op_ref(self: FunctionTranslator, node: relay.OpRef) -> Atom:
    """A constructor or an operator as a value: a function that calls it."""
    info = self.typed.ctors.get(node)
    if info is not None and not info.ctor.fields:
        return _adt(self, node.name, info.index, [])
    whole = find_type(self.type(node))
    assert isinstance(whole, Func)
    params: list[tree.Var] = []
    atoms: list[Atom] = []
    for index, param in enumerate(whole.params):
        name = self.to.fresh("x")
        own = any_info(param, pure=self.pure)
        params.append(tree.Var(name, own))
        atoms.append(Atom(tree.Var(name, None), own, index=index))
    self.to.open()
    value = (
        _adt(self, node.name, info.index, atoms) if info is not None else _lowered(self, node, node, atoms)
    )
    body = self.to.close(value)
    result = any_info(whole.result, pure=self.pure)
    made = tree.Function(None, False, None if self.pure else "impure", tuple(params), result, (), body)
    return self.to.bound(made, function_info(whole, pure=self.pure), "f")


def _adt(self: FunctionTranslator, name: str, tag: int, fields: list[Atom]) -> Atom:
    tagged = self.to.const(tag, "int32")
    return self.to.packed(NEW + name, [tagged, *fields], tree.ObjectStructInfo(), pure=True)


def _lowered(self: FunctionTranslator, node: relay.Expr, op: relay.OpRef, atoms: list[Atom]) -> Atom:
    operator = self.typed.operators[op]
    calls = self.translation.used.setdefault(operator.name, [])
    before = len(self.to.blocks[-1])
    try:
        made = operator.lower(self.to, atoms, self.typed.attrs[op])
        calls.append(", ".join(called(self.to.blocks[-1][before:])) or "its argument")
        return made
    except (NotLowered, Refused) as wrong:
        calls.append("not translated")
        reason = wrong.reason if isinstance(wrong, NotLowered) else wrong.message
        return self.refuse(node, f"`{operator.name}`: {reason}")


def called(bindings: list[tree.Binding]) -> list[str]:
    """Return the names of what bindings call, each once; a PrimFunc with its sign."""
    found: list[str] = []
    for binding in bindings:
        call = binding.value
        if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Var | tree.Op):
            continue
        name = call.op.name_hint if isinstance(call.op, tree.Var) else call.op.op_name
        if name == "call_tir" and isinstance(call.args[0], tree.GlobalVar):
            name = f"PrimFunc @{call.args[0].name_hint}"
        if name not in found:
            found.append(name)
    return found


def _call(self: FunctionTranslator, node: relay.Call) -> Atom:
    callee = node.op
    if isinstance(callee, relay.OpRef):
        atoms = [self.expr(one) for one in node.args]
        info = self.typed.ctors.get(callee)
        if info is not None:
            return _adt(self, callee.name, info.index, atoms)
        given = [Atom(one.expr, one.info, typed=one.typed, number=one.number) for one in atoms]
        return _lowered(self, node, callee, given)
    function = self.expr(callee)
    atoms = [self.expr(one) for one in node.args]
    if isinstance(function.expr, tree.Var | tree.GlobalVar):
        call = tree.Call(function.expr, tuple([one.expr for one in atoms]), (), None, node.pos, node.end)
        return self.to.bound(call, self.info(node))
    return self.refuse(node, "what is called")


def _tuple(self: FunctionTranslator, node: relay.Tuple) -> Atom:
    return self.to.fields([self.expr(one) for one in node.fields])


def _proj(self: FunctionTranslator, node: relay.Proj) -> Atom:
    inner = self.expr(node.tuple)
    if isinstance(inner.expr, tree.Tuple):
        return self.to.field(inner, node.index)
    field = self.to.field(inner, node.index)
    known = field.info if not isinstance(field.info, tree.ObjectStructInfo) else self.info(node)
    return self.to.bound(field.expr, known or self.info(node))


def _function(self: FunctionTranslator, node: relay.Function) -> Atom:
    whole = find_type(self.type(node))
    assert isinstance(whole, Func)
    return self.to.bound(self.function(node, None), function_info(whole, pure=self.pure), "f")


def _if(self: FunctionTranslator, node: relay.If) -> Atom:
    condition = self.expr(node.cond)
    self.to.open()
    then = self.to.close(self.region(node.then, node.then))
    self.to.open()
    other = self.to.close(self.region(node.other, node.other))
    return self.to.bound(tree.If(condition.expr, then, other, node.pos, node.end), self.info(node))


def _ref_new(self: FunctionTranslator, node: relay.RefNew) -> Atom:
    return self.to.packed("relay.ref.new", [self.expr(node.value)], tree.ObjectStructInfo(), pure=False)


def _ref_read(self: FunctionTranslator, node: relay.RefRead) -> Atom:
    return self.to.packed("relay.ref.read", [self.expr(node.ref)], self.info(node), pure=False)


def _ref_write(self: FunctionTranslator, node: relay.RefWrite) -> Atom:
    cell, value = self.expr(node.ref), self.expr(node.value)
    return self.to.packed("relay.ref.write", [cell, value], tree.TupleStructInfo(()), pure=False)


def _block(self: FunctionTranslator, node: relay.Block) -> Atom:
    for binding in node.bindings:
        match binding:
            case relay.Let():
                _let(self, binding)
            case relay.GraphBind():
                _graph_bind(self, binding)
            case relay.FreeVar():
                refused = self.refuse(node.value, f"the free variable `%{binding.var.name}`")
                self.variables[binding.var] = refused
            case relay.Then():
                self.expr(binding.value)
            case _:
                assert_never(binding)
    return self.expr(node.value)


def _graph_bind(self: FunctionTranslator, node: relay.GraphBind) -> None:
    """Bind a graph node here, or where the only uses of it are; nowhere if there are none."""
    regions = self.translation.analysed.resolved.regions
    if node not in regions:
        return
    region = regions[node]
    if region is self.here:
        self.graph[node] = self.expr(node.value)
    else:
        self.pending.setdefault(region, []).append(node)


def _let(self: FunctionTranslator, node: relay.Let) -> None:
    scheme = self.state.variables.get(node.var)
    if scheme is not None and scheme.quantified:
        self.aliases[node.var] = node.value
        return
    to = self.to
    hint = local_name(node.var.name)
    if isinstance(node.value, relay.Function):
        _bound_function(self, node.var, node.value, self.info(node.value))
        return
    before = len(to.blocks[-1])
    value = self.expr(node.value)
    last = to.blocks[-1][-1] if len(to.blocks[-1]) > before else None
    own = value.expr.name_hint if isinstance(value.expr, tree.Var) else ""
    if isinstance(last, tree.VarBinding) and last.var.name_hint == own:
        name = to.fresh(hint)  # the variable of the source takes the place of a made-up one
        to.blocks[-1][-1] = tree.VarBinding(tree.Var(name, None, *to.place), last.value, last.pos, last.end)
        value = Atom(tree.Var(name, None), value.info)
    self.variables[node.var] = value


install(
    {
        relay.Const: _const,
        relay.MetaRef: _meta,
        relay.Var: _var,
        relay.GlobalVar: _global,
        relay.GraphVar: _graph_var,
        relay.OpRef: _op_ref,
        relay.Tuple: _tuple,
        relay.Proj: _proj,
        relay.Call: _call,
        relay.Function: _function,
        relay.If: _if,
        relay.Match: translate_match,
        relay.RefNew: _ref_new,
        relay.RefRead: _ref_read,
        relay.RefWrite: _ref_write,
        relay.Block: _block,
        relay.Missing: unreachable,
    }
)
