"""The types of expressions, and the table of all; calls and matches have modules of their own. [R.31]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.syntax import tree
from relax_lang.relay.types.calls import infer_call, infer_operator
from relax_lang.relay.types.infer import State, install
from relax_lang.relay.types.matches import infer_match
from relax_lang.relay.types.typed import Scheme
from relax_lang.relay.unification.model import (
    BOOL,
    REJECTED,
    UNIT,
    Func,
    Ref,
    Rejected,
    Tensor,
    Tuple,
    Unknown,
    find_type,
    scalar,
)
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import Mismatch, Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.relay.unification.model import Type


def _const(state: State, node: tree.Const) -> Type:
    """A number. [R.11]"""
    return scalar(node.dtype)


def _missing(state: State, node: tree.Missing) -> Type:
    """What was reported."""
    return REJECTED


def _meta(state: State, node: tree.MetaRef) -> Type:
    """A constant out of the metadata. [R.12]"""
    found = None if state.metadata is None else state.metadata.constant(node.key, node.index)
    if found is None:
        from relax_lang.relay.diagnostics.names import meta_missing  # only where something is wrong

        there = 0 if state.metadata is None else state.metadata.count(node.key)
        state.report(meta_missing(node, node.key, node.index, there))
        return REJECTED
    return Tensor(found.shape, found.dtype)


def _var(state: State, node: tree.Var) -> Type:
    """A local variable; what is not defined was reported. [R.7]"""
    bound = state.resolved.bindings.get(node)
    if bound is None:
        return REJECTED
    scheme = state.variables.get(bound)
    return REJECTED if scheme is None else state.use(node, scheme)


def _global(state: State, node: tree.GlobalVar) -> Type:
    """A function of the module. [R.7]"""
    scheme = state.typed.functions.get(node.name)
    return REJECTED if scheme is None else state.use(node, scheme)


def _graph(state: State, node: tree.GraphVar) -> Type:
    """A node of a graph. [R.8]"""
    bound = state.resolved.graph.get(node)
    return REJECTED if bound is None else state.graph.get(bound, REJECTED)


def _tuple(state: State, node: tree.Tuple) -> Type:
    """`(a, b)`. [R.13]"""
    return Tuple(tuple([state.type(one) for one in node.fields])) if node.fields else UNIT


class _Projection:
    """A projection from what is not known to be a tuple yet."""

    def __init__(self, state: State, node: tree.Proj, inner: Type, result: Unknown) -> None:
        self.state = state
        self.node = node
        self.inner = inner
        self.result = result

    def solve(self) -> None:
        """Take the field. Raises Wait."""
        inner = find_type(self.inner)
        if isinstance(inner, Unknown):
            raise Wait([inner])
        found = _field(self.state, self.node, inner)
        self.state.unify(self.result, found, self.node, "the field is used differently")

    def linked(self) -> list[Type]:
        """Return what the relation is about."""
        return [self.inner, self.result]

    def explain(self) -> Diagnostic:
        """Return why it was never solved."""
        from relax_lang.relay.diagnostics.types import under_constrained

        return under_constrained(self.node.tuple, f".{self.node.index}", "the tuple")


def _proj(state: State, node: tree.Proj) -> Type:
    """`t.0`. [R.13]"""
    inner = find_type(state.type(node.tuple))
    if not isinstance(inner, Unknown):
        return _field(state, node, inner)
    result = state.fresh()
    waiting = _Projection(state, node, inner, result)
    state.solver.add(waiting.solve, waiting)
    return result


def _field(state: State, node: tree.Proj, inner: Type) -> Type:
    if isinstance(inner, Tuple) and node.index < len(inner.fields):
        return inner.fields[node.index]
    if not isinstance(inner, Rejected):
        from relax_lang.relay.diagnostics.types import projection  # only where something is wrong

        if isinstance(inner, Tuple):
            counted = len(inner.fields)
            message = (
                f"the tuple has {counted} field{'s' if counted != 1 else ''}, so there is no `.{node.index}`"
            )
        else:
            message = f"`.{node.index}` takes a field of a tuple, and this is {show(inner)}"
        state.report(projection(node, message))
    return REJECTED


def _function(state: State, node: tree.Function) -> Type:
    """`fn (%x) { … }`. [R.15]"""
    return state.function(node)


def _if(state: State, node: tree.If) -> Type:
    """`if (c) { … } else { … }`. [R.16]"""
    condition = state.type(node.cond)
    state.unify(BOOL, condition, node.cond, "the condition of an `if`")
    then = state.type(node.then)
    other = state.type(node.other)
    try:
        return state.solver.join(then, other)
    except Mismatch as wrong:
        because = (node.then.value, f"this branch is {show(then)}")
        state.mismatch(
            then, other, node.other.value, "both branches of an `if` have one type", wrong, because
        )
        return REJECTED


def _ref_new(state: State, node: tree.RefNew) -> Type:
    """`ref(e)`. [R.18]"""
    return Ref(state.type(node.value))


def _ref_read(state: State, node: tree.RefRead) -> Type:
    """`ref_read(r)`. [R.18]"""
    return _content(state, node.ref)


def _ref_write(state: State, node: tree.RefWrite) -> Type:
    """`ref_write(r, e)`. [R.18]"""
    content = _content(state, node.ref)
    value = state.type(node.value)
    state.unify(content, value, node.value, "the value that is written")
    return UNIT


def _content(state: State, node: tree.Expr) -> Type:
    found = find_type(state.type(node))
    if isinstance(found, Ref):
        return found.value
    if isinstance(found, Rejected):
        return REJECTED
    content = state.fresh()
    return content if state.unify(Ref(content), found, node, "a reference") else REJECTED


SYNTACTIC_VALUES = (tree.Function, tree.Var, tree.GlobalVar, tree.OpRef, tree.Const)
"""What `let` generalizes: evaluating it does nothing, so that all uses may differ."""


def _block(state: State, node: tree.Block) -> Type:
    """Bindings and a value. [R.19] [R.20]"""
    for binding in node.bindings:
        match binding:
            case tree.Let():
                _let(state, binding)
            case tree.GraphBind():
                state.graph[binding] = state.typed.types[binding.var] = state.type(binding.value)
            case tree.FreeVar():
                made = state.fresh() if binding.annotation is None else state.annotation(binding.annotation)
                state.variables[binding.var] = Scheme(made)
                state.typed.types[binding.var] = made
            case tree.Then():
                state.type(binding.value)
            case _:
                assert_never(binding)
    return state.type(node.value)


def _let(state: State, node: tree.Let) -> None:
    value = node.value
    is_function = isinstance(value, tree.Function)
    generalizes = isinstance(value, SYNTACTIC_VALUES) and node.annotation is None
    declared = None if node.annotation is None else state.annotation(node.annotation)
    if generalizes:
        state.level += 1
    if is_function and value.relations:
        state.constrained[node.var] = value
    if is_function:  # it may call itself
        own = Func(tuple([state.fresh() for _ in value.params]), state.fresh())
        state.variables[node.var] = Scheme(declared or own)
    found = state.type(value)
    if is_function and declared is None:
        itself = find_type(found)
        plain = Func(itself.params, itself.result) if isinstance(itself, Func) else itself
        state.unify(
            state.variables[node.var].type, plain, node.var, f"`%{node.var.name}` is used differently"
        )
    if generalizes:
        state.level -= 1
        state.variables[node.var] = state.generalized(found)
    else:
        if declared is not None:
            annotation = node.annotation
            because = None if annotation is None else (annotation, "expected because of this")
            state.unify(declared, found, value, f"the value of `%{node.var.name}`", because)
        state.variables[node.var] = Scheme(declared or found)
    state.typed.types[node.var] = state.variables[node.var].type


install(
    {
        tree.Const: _const,
        tree.MetaRef: _meta,
        tree.Var: _var,
        tree.GlobalVar: _global,
        tree.GraphVar: _graph,
        tree.OpRef: infer_operator,
        tree.Tuple: _tuple,
        tree.Proj: _proj,
        tree.Call: infer_call,
        tree.Function: _function,
        tree.If: _if,
        tree.Match: infer_match,
        tree.RefNew: _ref_new,
        tree.RefRead: _ref_read,
        tree.RefWrite: _ref_write,
        tree.Block: _block,
        tree.Missing: _missing,
    }
)
