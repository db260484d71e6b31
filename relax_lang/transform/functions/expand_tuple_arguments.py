"""ExpandTupleArguments: parameters that are tuples become one parameter for each field."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced, walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.ops.core.terms import Term
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import Emitting, names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import sequence, with_bindings, with_blocks, with_value
from relax_lang.transform.pass_manager.finding import private_callees
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("ExpandTupleArguments", idempotent=True)
def expand_tuple_arguments(typed: Typed, run: Run) -> Typed:
    """Give private functions a parameter for each field of a parameter that is a tuple, nested ones too.

    Their callers pass the fields. Public functions keep their signatures, and so does a function that is used as a
    value: closures and packed functions call it with what it takes now.

    ```relax before
    private def @f(t: (Tensor[(n,), float32], Tensor[(n,), float32])) {
      let a = t[0];
      let b = t[1];
      let c = add(a, b);
      c
    }

    def @main(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) {
      let z = @f((x, y));
      z
    }
    ```

    ```relax after
    private def @f(t_0: Tensor[(n,), float32], t_1: Tensor[(n,), float32]) {
      let t = (t_0, t_1);
      let a = t[0];
      let b = t[1];
      let c = add(a, b);
      c
    }

    def @main(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) {
      let z = @f(x, y);
      z
    }
    ```
    """
    expanded = {
        name: function
        for name, function in private_callees(typed).items()
        if any(isinstance(param.struct_info_annotation, tree.TupleStructInfo) for param in function.params)
    }
    if not expanded:
        return typed
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        made = _with_fields(typed, function, expanded)
        if function.name is not None and function.name.name_hint in expanded:
            made = _with_parameters(made)
        changed[function] = made
    return typed.with_items({old: new for old, new in changed.items() if new is not old})


def _with_parameters(function: tree.Function) -> tree.Function:
    """Return a function whose tuples are made of parameters when it begins."""
    names = FreshNames(names_of(function))
    params: list[tree.Var] = []
    bindings: list[tree.Binding] = []

    def fields(name: str, info: tree.StructInfo, place: tree.Var) -> tree.Expr:
        if isinstance(info, tree.TupleStructInfo):
            parts = [fields(f"{name}_{at}", one, place) for at, one in enumerate(info.fields)]
            return tree.Tuple(tuple(parts), place.pos, place.end)
        fresh = names.fresh(name)
        params.append(tree.Var(fresh, info, place.pos, place.end))
        return tree.Var(fresh, None)

    for param in function.params:
        info = param.struct_info_annotation
        if isinstance(info, tree.TupleStructInfo):
            whole = fields(param.name_hint, info, param)
            var = tree.Var(param.name_hint, None, param.pos, param.end)
            bindings.append(tree.VarBinding(var, whole, param.pos, param.end))
        else:
            params.append(param)
    body = body_of(function.body)
    first = tree.BindingBlock(tuple(bindings), False, function.pos, function.end)
    return replaced(function, params=tuple(params), body=sequence(body, (first, *body.blocks), body.body))


def _with_fields(typed: Typed, function: tree.Function, expanded: dict[str, tree.Function]) -> tree.Function:
    """Return a function whose calls pass the fields of tuples."""

    def callee(value: tree.Node) -> tree.Function | None:
        if not isinstance(value, tree.Call) or not isinstance(value.op, tree.GlobalVar):
            return None
        return expanded.get(value.op.name_hint)

    if not any(callee(node) is not None for node in walk(function)):
        return function
    infos, names = KnownInfos(typed, function), FreshNames(names_of(function))

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        emitting = Emitting(names, dataflow=isinstance(one, tree.DataflowBlock))
        for binding in one.bindings:
            value = binding.value
            called = callee(value)
            if called is not None:
                assert isinstance(value, tree.Call)
                emitting.place = value.pos, value.end
                args: list[tree.Expr] = []
                for arg, param in zip(value.args, called.params, strict=True):
                    args += _fields(emitting, Term(arg, infos.of(arg)), param.struct_info_annotation)
                value = tree.Call(value.op, tuple(args), value.attrs, value.struct_info, value.pos, value.end)
            emitting.bindings.append(with_value(binding, value))
        return with_bindings(one, tuple(emitting.bindings))

    return with_blocks(function, block)


def _fields(emitting: Emitting, arg: Term, info: tree.StructInfo | None) -> list[tree.Expr]:
    """Return what is passed for an argument: itself, or its fields."""
    if not isinstance(info, tree.TupleStructInfo):
        return [emitting.atom(arg)]
    found: list[tree.Expr] = []
    for at, field in enumerate(info.fields):
        one = Term(arg.node.fields[at]) if isinstance(arg.node, tree.Tuple) else arg[at]
        found += _fields(emitting, one, field)
    return found
