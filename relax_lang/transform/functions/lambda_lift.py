"""LambdaLift: local functions become functions of the module."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, replaced, unreachable, walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import sequence, with_body, with_branches, with_value
from relax_lang.transform.pass_manager.forms import LIFTED
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.typed import Typed


@module_pass("LambdaLift", gives=(LIFTED,), idempotent=True)
def lambda_lift(typed: Typed, run: Run) -> Typed:
    """Make private functions of the module of all local functions: `@main_f` of the function `f` in `@main`.

    What a local function uses of its surroundings becomes trailing parameters, which its calls pass; shape variables
    that these parameters do not determine are passed as a `Shape`. Where the function is used as a value, there is a
    closure of the new one, with the type that it had.

    ```relax before
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let f = fn (y: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
        let z = add(y, x);
        z
      };
      let a = f(x);
      a
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let a = @main_f(x, x);
      a
    }

    private def @main_f(y: Tensor[(n,), float32], x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let z = add(y, x);
      z
    }
    ```

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      let f = fn (y: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
        let z = add(y, x);
        z
      };
      (f, x)
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      let f_closure = make_closure(@main_f, (x,));
      let f = match_cast(f_closure, fn(Tensor[(n,), float32]) -> Tensor[(n,), float32]);
      (f, x)
    }

    private def @main_f(y: Tensor[(n,), float32], x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let z = add(y, x);
      z
    }
    ```
    """
    names = FreshNames(set(typed.items))
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        if any(isinstance(node, tree.Function) and node is not function for node in walk(function)):
            changed[function] = _Lifter(typed, run, function, names).lifted(function)
    return typed.with_items(changed, run.added)


class _Lifted:
    """A function of the module that was local: its name, and what it is passed behind its own arguments."""

    __slots__ = ("captured", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.captured: tuple[tree.Expr, ...] = ()


class _Lifter:
    """One function of the module with the local functions in it."""

    def __init__(self, typed: Typed, run: Run, top: tree.Function, names: FreshNames) -> None:
        self._infos = typed.infos
        self._run = run
        self._top = "" if top.name is None else top.name.name_hint
        self._names = names
        self._definitions: dict[str, tree.Binder] = {}
        self._as_values: set[str] = set()
        """Variables that are used otherwise than by calling them."""
        self._lifted: dict[str, _Lifted] = {}
        """Local functions by the variable that they are bound to."""
        called: set[tree.Node] = set()
        taken: set[str] = set()
        for node in walk(top):
            if isinstance(node, tree.Call):
                called.add(node.op)
            elif isinstance(node, tree.Function):
                self._definitions |= {param.name_hint: param for param in node.params}
            elif isinstance(node, tree.Binding) and node.var is not None:
                self._definitions[node.var.name_hint] = node.var
            elif isinstance(node, tree.PrimVar):
                taken.add(node.name)
            elif isinstance(node, tree.Op):
                taken.add(node.op_name)
        definitions = set(self._definitions.values())
        uses = [
            node
            for node in walk(top)
            if isinstance(node, tree.Var) and node not in called and node not in definitions
        ]
        self._as_values = {node.name_hint for node in uses}
        self._fresh = FreshNames({*self._definitions, *taken, "make_closure"})
        self._binders = _binders(top)
        self._whole = top

    def lifted(self, function: tree.Function) -> tree.Function:
        """Return a function without local functions."""
        return with_body(function, self._sequence(body_of(function.body)))

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            dataflow = isinstance(block, tree.DataflowBlock)
            made: list[tree.Binding] = []
            for binding in block.bindings:
                made += self._binding(binding, dataflow=dataflow)
            bindings = tuple(made)
            if bindings == block.bindings:
                blocks.append(block)
            elif isinstance(block, tree.DataflowBlock):
                defined = {one.var.name_hint for one in bindings if one.var is not None}
                outputs = tuple([var for var in block.outputs if var.name_hint in defined])
                blocks.append(tree.DataflowBlock(bindings, outputs, block.pos, block.end))
            else:
                blocks.append(tree.BindingBlock(bindings, block.explicit, block.pos, block.end))
        return sequence(seq, blocks, seq.body)

    def _binding(self, binding: tree.Binding, *, dataflow: bool) -> list[tree.Binding]:
        value = binding.value
        match value:
            case tree.If():
                one = self._sequence(body_of(value.true_branch))
                other = self._sequence(body_of(value.false_branch))
                return [with_value(binding, with_branches(value, one, other))]
            case tree.Call():
                return [with_value(binding, self._call(value))]
            case tree.Function():
                return self._function(binding, value, dataflow=dataflow)
            case tree.TupleGetItem() | tree.Atom():
                return [binding]
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _call(self, call: tree.Call) -> tree.Call:
        """Return a call of a local function as a call of a function of the module."""
        if not isinstance(call.op, tree.Var):
            return call
        found = self._lifted.get(call.op.name_hint)
        if found is None:
            return call
        callee = tree.GlobalVar(found.name, call.op.pos, call.op.end)
        return tree.Call(
            callee, (*call.args, *found.captured), call.attrs, call.struct_info, call.pos, call.end
        )

    def _function(
        self, binding: tree.Binding, function: tree.Function, *, dataflow: bool
    ) -> list[tree.Binding]:
        var = binding.var
        name = "lambda" if var is None or var.name_hint == "_" else var.name_hint
        lifted = _Lifted(self._names.fresh(f"{self._top}_{name}"))
        inner = self._inner(name, function, lifted)
        if name in self._as_values and any(
            isinstance(node, tree.Var) and node.name_hint == name for node in walk(inner.body)
        ):
            self._run.refuse(function, f"the local function `{name}` uses itself as a value")
        self._run.added.append(inner)
        if isinstance(binding, tree.VarBinding) and name not in self._as_values:
            return []
        return self._closure(binding, function, lifted, dataflow=dataflow)

    def _inner(self, name: str, function: tree.Function, lifted: _Lifted) -> tree.Function:
        """Return the function of the module, and note what its calls pass."""
        free = self._free(function, name)
        values = _used_as_values(function)
        names = [one for one in free if one not in self._lifted or one in values]
        for one in free:  # what calls of other local functions pass
            if one in self._lifted:
                names += [var.name_hint for var in self._lifted[one].captured if isinstance(var, tree.Var)]
        names = list(dict.fromkeys(names))
        params = [tree.Var(one, self._info(one)) for one in names]
        sizes = self._sizes(function, free, params)
        captured: list[tree.Expr] = [tree.Var(one, None) for one in names]
        if sizes:
            dims = tuple([tree.PrimVar(one) for one in sizes])
            params.insert(0, tree.Var(self._fresh.fresh("sizes"), tree.ShapeStructInfo(dims, None)))
            captured.insert(0, tree.ShapeExpr(dims))
        lifted.captured = tuple(captured)
        self._lifted[name] = lifted
        body = self._sequence(body_of(function.body))
        named = tree.GlobalVar(lifted.name)
        return replaced(function, name=named, private=True, params=(*function.params, *params), body=body)

    def _free(self, function: tree.Function, name: str) -> list[str]:
        """Return the variables that a local function takes from its surroundings, in order."""
        own = {name}
        for node in walk(function):
            if isinstance(node, tree.Function):
                own.update([param.name_hint for param in node.params])
            elif isinstance(node, tree.Binding) and node.var is not None:
                own.add(node.var.name_hint)
        used = [node.name_hint for node in walk(function) if isinstance(node, tree.Var)]
        return [one for one in dict.fromkeys(used) if one not in own]

    def _sizes(self, function: tree.Function, free: list[str], params: list[tree.Var]) -> list[str]:
        """Return the shape variables to be passed: those from outside that no captured variable determines."""
        infos = [param.struct_info_annotation for param in params]
        determined = {dim.name for info in infos if info is not None for dim in bare_dims(info)}
        parts: list[tree.Node] = [function, *[info for info in infos if info is not None]]
        for one in free:
            if one in self._lifted:
                parts += self._lifted[one].captured
        used = [node.name for part in parts for node in walk(part) if isinstance(node, tree.PrimVar)]
        around = self._around(function)
        return [
            one
            for one in dict.fromkeys(used)
            if one not in determined and any(binder in around for binder in self._binders.get(one, ()))
        ]

    def _around(self, function: tree.Function) -> set[tree.Node]:
        """Return the functions around a local one, whose shape variables are in view in it."""
        functions = [node for node in walk(self._whole) if isinstance(node, tree.Function)]
        return {
            one for one in functions if one is not function and any(node is function for node in walk(one))
        }

    def _info(self, name: str) -> tree.StructInfo:
        """Return what a captured variable is known to be, without names of other variables."""
        info = self._infos.get(self._definitions[name], tree.ObjectStructInfo())
        return without_variables(info, self._shape)

    def _shape(self, name: str) -> tree.StructInfo | None:
        """Return what is known of a variable that is a shape."""
        found = self._definitions.get(name)
        return None if found is None else self._infos.get(found)

    def _closure(
        self, binding: tree.Binding, function: tree.Function, lifted: _Lifted, *, dataflow: bool
    ) -> list[tree.Binding]:
        """Return the bindings that make a value of a function of the module."""
        callee: tree.Expr = tree.GlobalVar(lifted.name, function.pos, function.end)
        if not lifted.captured:
            return [with_value(binding, callee)]
        var = binding.var
        name = self._fresh.fresh("closure" if var is None else f"{var.name_hint}_closure")
        args = (callee, tree.Tuple(lifted.captured))
        call = tree.Call(tree.Op("make_closure"), args, (), None, function.pos, function.end)
        made = tree.DataflowVar(name, None) if dataflow else tree.Var(name, None)
        first = tree.VarBinding(made, call, binding.pos, binding.end)
        use = tree.Var(name, None, function.pos, function.end)
        if isinstance(binding, tree.MatchCast) or var is None:
            return [first, with_value(binding, use)]
        info = self._infos.get(var)
        if not isinstance(info, tree.FuncStructInfo):
            return [first, with_value(binding, use)]
        kind = type(var)
        bound = kind(var.name_hint, None, var.pos, var.end)
        return [
            first,
            tree.MatchCast(bound, without_variables(info, self._shape), use, binding.pos, binding.end),
        ]


def _used_as_values(function: tree.Function) -> set[str]:
    """Return the variables that a function does more with than calling them."""
    called = {node.op for node in walk(function) if isinstance(node, tree.Call)}
    return {node.name_hint for node in walk(function) if isinstance(node, tree.Var) and node not in called}


def _binders(top: tree.Function) -> dict[str, list[tree.Function]]:
    """Return the functions that bind each shape variable: by their parameters, or by a match_cast in their own body."""
    found: dict[str, list[tree.Function]] = {}
    owners: dict[tree.MatchCast, tree.Function] = {}
    for function in walk(top):
        if not isinstance(function, tree.Function):
            continue
        for param in function.params:
            if param.struct_info_annotation is not None:
                for dim in bare_dims(param.struct_info_annotation):
                    found.setdefault(dim.name, []).append(function)
        for node in walk(function):
            if isinstance(node, tree.MatchCast):
                owners[node] = function  # the innermost one comes last
    for cast, function in owners.items():
        for dim in bare_dims(cast.struct_info):
            found.setdefault(dim.name, []).append(function)
    return found


def without_variables(
    info: tree.StructInfo, shape_of: Callable[[str], tree.StructInfo | None]
) -> tree.StructInfo:
    """Return a struct info without names of other variables: shapes are written out as far as they are known."""
    from relax_lang.transform.core.rebuild import Rewriting

    def change(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.TensorStructInfo) and isinstance(node.shape, tree.Var):
            known = shape_of(node.shape.name_hint)
            if isinstance(known, tree.ShapeStructInfo):
                dims = None if known.values is None else tree.ShapeExpr(known.values)
                return tree.TensorStructInfo(dims, node.dtype, known.ndim if dims is None else None)
            return tree.TensorStructInfo(None, node.dtype, None)
        return node

    return Rewriting(change).of(info)
