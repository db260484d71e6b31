"""FuseTIR: the PrimFuncs of a group become one."""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.analysis.escape import closed_prim_func
from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.tir.ir.signature import buffers
from relax_lang.transform.core.grouping import PRIMITIVE
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.prim_func_copies import BodyCopy
from relax_lang.transform.core.rebuild import with_bindings, with_blocks, with_value
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("FuseTIR", idempotent=True)
def fuse_tir(typed: Typed, run: Run) -> Typed:
    """Make one PrimFunc of every function with the attribute `Primitive`, and `call_tir`s of its calls.

    The bodies of its PrimFuncs follow each other; what they pass on is allocated inside. All names are made unique,
    and dimensions take those of the function; sizes that no tensor has become scalars. A function that does something
    else than calling PrimFuncs stays, and so do the PrimFuncs that were fused: `DeadCodeElimination` removes those that
    nothing calls.

    ```relax before
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let z = @fused_twice_twice(x);
      z
    }

    private prim_func @twice(X: Buffer[(k,), float32], Y: Buffer[(k,), float32]) {
      for i in 0..k {
        Y[i] = X[i] * 2.0;
      }
    }

    private def @fused_twice_twice(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] attrs {
      Primitive: true,
    } {
      dataflow {
        let y = call_tir(@twice, (x,)) -> Tensor[(n,), float32];
        let z = call_tir(@twice, (y,)) -> Tensor[(n,), float32];
        output z;
      }
      z
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let z = call_tir(@fused_twice_twice, (x,)) -> Tensor[(n,), float32];
      z
    }

    private prim_func @twice(X: Buffer[(k,), float32], Y: Buffer[(k,), float32]) {
      for i in 0..k {
        Y[i] = X[i] * 2.0;
      }
    }

    private prim_func @fused_twice_twice(x: Buffer[(n,), float32], z: Buffer[(n,), float32]) {
      alloc y: Buffer[(n,), float32];
      for i in 0..n {
        y[i] = x[i] * 2.0;
      }
      for i in 0..n {
        z[i] = y[i] * 2.0;
      }
    }
    ```
    """
    fused: dict[str, tuple[tree.Function, tree.PrimFunc]] = {}
    for function in typed.functions:
        if any(attr.key == PRIMITIVE for attr in function.attrs) and function.private:
            func = _merged(typed, function)
            if func is None:
                run.remark(function, f"`@{_name(function)}` stays: it is not a chain of calls of PrimFuncs")
            else:
                fused[_name(function)] = function, func
    for name in _used_otherwise(typed, fused):
        run.remark(fused[name][0], f"`@{name}` stays: it is used in another way than by calls")
        del fused[name]
    if not fused:
        return typed
    changed: dict[tree.Item, tree.Item | None] = dict(fused.values())
    for function in typed.functions:
        if function not in changed:
            made = _with_calls(typed, function, fused)
            if made is not function:
                changed[function] = made
    return typed.with_items(changed)


def _name(function: tree.Function) -> str:
    assert function.name is not None
    return function.name.name_hint


def _used_otherwise(typed: Typed, fused: dict[str, tuple[tree.Function, tree.PrimFunc]]) -> set[str]:
    """Return the functions among them that are mentioned where no call can become a `call_tir`."""
    found: set[str] = set()
    for function in typed.functions:
        names = typed.mentions(function).functions & fused.keys()
        if not names:
            continue
        mentioned = [
            node for node in walk(function) if isinstance(node, tree.GlobalVar) and node.name_hint in names
        ]
        called = {
            call.op
            for node in walk(function)
            if isinstance(node, tree.VarBinding) and (call := _call_of(node, fused)) is not None
        }
        for node in mentioned:
            if node not in called and node is not function.name:
                found.add(node.name_hint)
    return found


def _call_of(
    binding: tree.Binding, fused: dict[str, tuple[tree.Function, tree.PrimFunc]]
) -> tree.Call | None:
    """Return the call of a fused function that a binding makes, if its arguments are as they must be."""
    call = binding.value
    if not isinstance(binding, tree.VarBinding) or not isinstance(call, tree.Call):
        return None
    if not isinstance(call.op, tree.GlobalVar) or call.op.name_hint not in fused:
        return None
    function = fused[call.op.name_hint][0]
    if len(call.args) != len(function.params):
        return None
    for param, arg in zip(function.params, call.args, strict=True):
        is_shape = isinstance(param.struct_info_annotation, tree.ShapeStructInfo)
        if is_shape and not isinstance(arg, tree.ShapeExpr):
            return None
        if not is_shape and not isinstance(arg, tree.Var | tree.Constant):
            return None
    return call


def _with_calls(
    typed: Typed, function: tree.Function, fused: dict[str, tuple[tree.Function, tree.PrimFunc]]
) -> tree.Function:
    if not typed.mentions(function).functions & fused.keys():
        return function

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        return with_bindings(one, tuple([changed(binding) for binding in one.bindings]))

    def changed(binding: tree.Binding) -> tree.Binding:
        call = _call_of(binding, fused)
        if call is None or not isinstance(call.op, tree.GlobalVar):
            return binding
        inner, func = fused[call.op.name_hint]
        tensors: list[tree.Expr] = []
        sizes: dict[str, tree.PrimExpr] = {}
        for param, arg in zip(inner.params, call.args, strict=True):
            info = param.struct_info_annotation
            if isinstance(arg, tree.ShapeExpr) and isinstance(info, tree.ShapeStructInfo):
                for dim, value in zip(info.values or (), arg.values, strict=True):
                    assert isinstance(dim, tree.PrimVar)
                    sizes[dim.name] = value
            else:
                tensors.append(arg)
        args: list[tree.Expr] = [
            tree.GlobalVar(call.op.name_hint, call.op.pos, call.op.end),
            tree.Tuple(tuple(tensors)),
        ]
        scalars = [param.name for param in func.params if isinstance(param, tree.ScalarParam)]
        if scalars:
            args.append(tree.ShapeExpr(tuple([sizes[name] for name in scalars])))
        assert binding.var is not None
        result = typed.infos[binding.var]
        op = tree.Op("call_tir", call.op.pos, call.op.end)
        return with_value(binding, tree.Call(op, tuple(args), (), result, call.pos, call.end))

    return with_blocks(function, block)


def _merged(typed: Typed, function: tree.Function) -> tree.PrimFunc | None:
    """Return the PrimFunc that does what a function of a group does; None if there is none."""
    body = body_of(function.body)
    calls: list[tree.VarBinding] = []
    for binding in bindings_of(body):
        if not isinstance(binding, tree.VarBinding) or binding.var.struct_info_annotation is not None:
            return None
        calls.append(binding)
    if not calls or not isinstance(body.body, tree.Var) or body.body.name_hint != calls[-1].var.name_hint:
        return None
    return _Merger(typed, function).merged(calls)


class _Merger:
    """One function of a group whose bodies are put together."""

    def __init__(self, typed: Typed, function: tree.Function) -> None:
        self._typed = typed
        self._function = function
        self._infos = KnownInfos(typed, function)
        self._shapes: dict[str, tuple[tree.PrimExpr, ...]] = {}
        """The dimensions of buffers in the terms of the function."""
        dims = {node.name for node in walk(function) if isinstance(node, tree.PrimVar)}
        params = [param.name_hint for param in function.params]
        inner = [node.var.name_hint for node in walk(function) if isinstance(node, tree.VarBinding)]
        names = FreshNames(dims)
        results = [one for name in inner for one, _ in self._results(name)]
        self._buffers = {
            name: names.fresh(name.replace(".", "_")) for name in dict.fromkeys((*params, *inner, *results))
        }
        self._copy = BodyCopy([*dims, *self._buffers.values()])

    def merged(self, calls: list[tree.VarBinding]) -> tree.PrimFunc | None:
        params: list[tree.PrimParam] = []
        sizes: list[str] = []
        for param in self._function.params:
            info = param.struct_info_annotation
            if isinstance(info, tree.ShapeStructInfo) and info.values is not None:
                if not all(isinstance(dim, tree.PrimVar) for dim in info.values):
                    return None
                sizes += [dim.name for dim in info.values if isinstance(dim, tree.PrimVar)]
                continue
            made = self._buffer(param.name_hint, info)
            if made is None:
                return None
            params.append(made)
        statements: list[tree.Stmt] = []
        if not self._bodies(calls, params, statements):
            return None
        bound = {
            dim.name
            for param in params
            if isinstance(param, tree.Buffer)
            for dim in param.shape
            if isinstance(dim, tree.PrimVar)
        }
        used = {
            node.name
            for part in (*params, *statements)
            for node in walk(part)
            if isinstance(node, tree.PrimVar)
        }
        scalars = [
            tree.ScalarParam(name, tree.DType("int64"))
            for name in sizes
            if name not in bound and name in used
        ]
        return tree.PrimFunc(
            tree.GlobalVar(_name(self._function)), True, (*params, *scalars), (), tuple(statements),
            None, None, self._function.pos, self._function.end,
        )  # fmt: skip

    def _bodies(
        self, calls: list[tree.VarBinding], params: list[tree.PrimParam], statements: list[tree.Stmt]
    ) -> bool:
        """Add the buffer of the result and what all calls do; return whether everything is known that is needed."""
        wanted = self._results_of(calls)
        for binding in calls:
            if isinstance(binding.value, tree.TupleGetItem):
                if not self._named(binding):
                    return False
                continue
            results = self._results(binding.var.name_hint)
            for name, info in results:
                made = self._buffer(name, info)
                if made is None:
                    return False
                if name in wanted:
                    params.append(made)
                else:
                    statements.append(tree.Allocate(made, None, (), binding.pos, binding.end))
            if not self._add(binding, [name for name, _ in results], statements):
                return False
        return bool(wanted)

    def _results(self, name: str) -> list[tuple[str, tree.StructInfo]]:
        """Return the names under which the results of a call are kept, and what is known of them."""
        info = self._infos[name]
        if not isinstance(info, tree.TupleStructInfo):
            return [(name, info)]
        return [(f"{name}.{at}", field) for at, field in enumerate(info.fields)]

    def _named(self, binding: tree.VarBinding) -> bool:
        """Note that a variable is a field of the results of a call before; return whether it is."""
        value = binding.value
        if not isinstance(value, tree.TupleGetItem) or not isinstance(value.tuple_value, tree.Var):
            return False
        field = f"{value.tuple_value.name_hint}.{value.index}"
        if field not in self._shapes:
            return False
        self._shapes[binding.var.name_hint] = self._shapes[field]
        self._buffers[binding.var.name_hint] = self._buffers[field]
        return True

    def _results_of(self, calls: list[tree.VarBinding]) -> list[str]:
        """Return the names under which the results of the function are kept: those of a call, or of a field."""
        last = calls[-1]
        value = last.value
        if not isinstance(value, tree.TupleGetItem):
            return [name for name, _ in self._results(last.var.name_hint)]
        return (
            [f"{value.tuple_value.name_hint}.{value.index}"]
            if isinstance(value.tuple_value, tree.Var)
            else []
        )

    def _buffer(self, name: str, info: tree.StructInfo | None) -> tree.Buffer | None:
        if not isinstance(info, tree.TensorStructInfo) or info.dtype is None:
            return None
        if not isinstance(info.shape, tree.ShapeExpr):
            return None
        self._shapes[name] = info.shape.values
        return tree.Buffer(self._buffers[name], info.shape.values, tree.DType(info.dtype.name))

    def _add(self, binding: tree.VarBinding, results: list[str], statements: list[tree.Stmt]) -> bool:
        """Add what a call does; return whether it is a call of which everything is known."""
        call = binding.value
        if (
            not isinstance(call, tree.Call)
            or not isinstance(call.op, tree.Op)
            or call.op.op_name != "call_tir"
        ):
            return False
        func = closed_prim_func(call, self._typed.prim_funcs)
        given = call.args[1]
        if func is None or not isinstance(given, tree.Tuple):
            return False
        names = [arg.name_hint for arg in given.fields if isinstance(arg, tree.Var)]
        if len(names) < len(given.fields) or any(name not in self._shapes for name in names):
            return False
        meaning = self._meaning(func, [*names, *results], call.args[2:])
        if meaning is None:
            return False
        statements += self._copy.statements(func.body, meaning)
        return True

    def _meaning(
        self, func: tree.PrimFunc, names: list[str], rest: tuple[tree.Expr, ...]
    ) -> dict[str, tree.PrimExpr] | None:
        """Return what the parameters and dimensions of a PrimFunc are in the merged one."""
        tensors = buffers(func)
        scalars = [param.name for param in func.params if isinstance(param, tree.ScalarParam)]
        if len(tensors) != len(names):
            return None
        values: tuple[tree.PrimExpr, ...] = ()
        if scalars:
            if len(rest) != 1 or not isinstance(rest[0], tree.ShapeExpr):
                return None
            values = rest[0].values
        if len(values) != len(scalars):
            return None
        meaning: dict[str, tree.PrimExpr] = dict(zip(scalars, values, strict=True))
        for buffer, name in zip(tensors, names, strict=True):
            shape = self._shapes[name]
            if len(shape) != len(buffer.shape):
                return None
            meaning[buffer.name] = tree.PrimVar(self._buffers[name])
            for dim, value in zip(buffer.shape, shape, strict=True):
                if isinstance(dim, tree.PrimVar):
                    meaning.setdefault(dim.name, value)
        return meaning
