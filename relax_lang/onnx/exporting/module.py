"""The walk over a program in normal form: a function becomes a graph, those that it calls become part of it."""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.analysis.operand_infos import operand_info
from relax_lang.base.node import assert_never, unreachable
from relax_lang.onnx import diagnostics as diag
from relax_lang.onnx.exporting import elements, expansions, movement, networks
from relax_lang.onnx.exporting.call import EXPORTS, Call
from relax_lang.onnx.exporting.graph import DTYPES, Graph, NotInOnnx
from relax_lang.ops.core.inference import Inference
from relax_lang.ops.registry import lookup
from relax_lang.struct_info.context import Context
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.onnx.exporting.call import Value
    from relax_lang.typed import Typed

    Load = Callable[[tree.Constant], Any]

assert elements, "importing them"
assert expansions, "as well"
assert movement, "registers"
assert networks, "their rules"

MOST_BYTES = (1 << 31) - 1
"""What a file of ONNX may hold."""


class Exported:
    """A model, or everything that has no counterpart."""

    __slots__ = ("diagnostics", "model")

    def __init__(self, model: Any, diagnostics: Sequence[Diagnostic]) -> None:
        self.model = model
        self.diagnostics = list(diagnostics)


def export_function(program: Typed, name: str, opset: int, load: Load, *, beside: bool = False) -> Exported:
    """Write a function of a program, with all it calls, as a model of ONNX; `load` reads constants.

    Weights that will be in a file `beside` the model may be of any size. Everything without a counterpart is found in
    one run. Raises ImportError without the package `onnx`.
    """
    from onnx import helper  # optional

    return _Export(program, opset, load, helper).run(name, MOST_BYTES if not beside else None)


class _Export:
    def __init__(self, program: Typed, opset: int, load: Load, helper: Any) -> None:
        self._program = program
        self._load = load
        self._helper = helper
        self._opset = opset
        self._refused: dict[tuple[str, str], list[tree.Node]] = {}
        self._open: list[str] = []
        self._infos: dict[str, tree.StructInfo] = {}

    def run(self, name: str, most: int | None) -> Exported:
        function = self._program.items[name]
        assert isinstance(function, tree.Function)
        graph = Graph(self._helper, self._opset)
        env: dict[str, Value] = {}
        inputs = [self._input(graph, param, env) for param in function.params]
        assert isinstance(function.body, tree.SeqExpr)
        self._open.append(name)
        result = self._sequence(graph, function.body, env)
        signature = self._program.signatures[name]
        info = signature.ret if isinstance(signature, tree.FuncStructInfo) else None
        outputs = self._outputs(graph, function, result, info)
        if self._refused:
            return Exported(None, self._diagnostics())
        size = sum([len(one.raw_data) for one in graph.initializers])
        if most is not None and size > most:
            why = f"{size} bytes are more than the 2 GiB of a file; `--weights` puts them beside it"
            return Exported(None, [diag.not_exported(function.name, "weights", why, 0)])
        helper = self._helper
        made = helper.make_graph(
            graph.nodes, name, [one for one in inputs if one], outputs, graph.initializers
        )
        versions = [helper.make_opsetid("", self._opset)]
        model = helper.make_model(made, opset_imports=versions, producer_name="relax-lang")
        model.ir_version = helper.find_min_ir_version_for(versions)
        return Exported(model, ())

    def _diagnostics(self) -> list[Diagnostic]:
        return [
            diag.not_exported(nodes[0], what, why, len(nodes) - 1)
            for (what, why), nodes in self._refused.items()
        ]

    def _refuse(self, node: tree.Node, refusal: NotInOnnx) -> None:
        self._refused.setdefault((refusal.what, refusal.why), []).append(node)

    # Inputs and outputs.

    def _input(self, graph: Graph, param: tree.Var, env: dict[str, Value]) -> Any:
        info = param.struct_info_annotation
        name = graph.names.take(param.name_hint)
        env[param.name_hint] = name
        self._infos[param.name_hint] = info or tree.ObjectStructInfo()
        shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
        if (
            not isinstance(info, tree.TensorStructInfo)
            or not isinstance(shape, tree.ShapeExpr)
            or info.dtype is None
        ):
            why = "it is not a tensor with a dtype and a shape"
            self._refuse(param, NotInOnnx(f"parameter `{param.name_hint}`", why))
            return None
        _bind_sizes(graph, name, shape.values)
        return self._value_info(name, info)

    def _value_info(self, name: str, info: tree.StructInfo | None) -> Any:
        assert isinstance(info, tree.TensorStructInfo)
        assert info.dtype is not None
        shape = None
        if isinstance(info.shape, tree.ShapeExpr):
            shape = [_dim_text(dim) for dim in info.shape.values]
        elif info.ndim is not None:
            shape = [None] * info.ndim
        return self._helper.make_tensor_value_info(name, DTYPES[info.dtype.name], shape)

    def _outputs(
        self, graph: Graph, function: tree.Function, result: Value, info: tree.StructInfo | None
    ) -> list[Any]:
        found: list[Any] = []
        for value, field in zip(_flat(result), _flat_infos(info), strict=False):
            known = isinstance(field, tree.TensorStructInfo) and field.dtype is not None
            if value is None and self._refused:
                continue
            if not isinstance(value, str) or not known:
                why = "it is not a tensor with a dtype"
                self._refuse(function.body, NotInOnnx("a result", why))
                continue
            # What is an input or a constant, or returned twice, gets a name of its own.
            found.append(self._value_info(graph.op("Identity", value, hint="result"), field))
        return found

    # Values.

    def _sequence(self, graph: Graph, seq: tree.SeqExpr, env: dict[str, Value]) -> Value:
        for binding in bindings_of(seq):
            value = self._binding(graph, binding, env)
            if isinstance(binding, tree.MatchCast):
                self._cast(graph, binding, value)
            if binding.var is not None:
                env[binding.var.name_hint] = value
                self._infos[binding.var.name_hint] = (
                    self._program.infos.get(binding.var) or tree.ObjectStructInfo()
                )
        return self._atom(graph, seq.body, env)

    def _binding(self, graph: Graph, binding: tree.Binding, env: dict[str, Value]) -> Value:
        value = binding.value
        try:
            return self._right_hand_side(graph, binding, env)
        except NotInOnnx as refusal:
            self._refuse(value, refusal)
            return None

    def _right_hand_side(self, graph: Graph, binding: tree.Binding, env: dict[str, Value]) -> Value:
        value = binding.value
        match value:
            case tree.Call():
                info = None if binding.var is None else self._program.infos.get(binding.var)
                return self._call(graph, value, info or tree.ObjectStructInfo(), env)
            case tree.If():
                return self._choice(graph, value, env)
            case tree.Function():
                raise NotInOnnx("a function as a value")
            case tree.TupleGetItem() | tree.Atom():
                return self._atom(graph, value, env)
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _atom(self, graph: Graph, expr: tree.Expr, env: dict[str, Value]) -> Value:
        match expr:
            case tree.Var():
                return env.get(expr.name_hint)
            case tree.Tuple():
                return [self._atom(graph, field, env) for field in expr.fields]
            case tree.TupleGetItem():
                whole = self._atom(graph, expr.tuple_value, env)
                return whole[expr.index] if isinstance(whole, list) else None
            case tree.Constant():
                hint = expr.data.key if isinstance(expr.data, tree.FileLit) else None
                return graph.constant(self._load(expr), hint or "const")
            case tree.ShapeExpr():
                return expr.values
            case tree.PrimValue() | tree.GlobalVar() | tree.ExternFunc():
                return None
            case tree.If() | tree.Call() | tree.Function() | tree.DataflowVar():
                return unreachable(expr)  # not an atom
            case tree.NeverBound():
                return unreachable(expr)
            case _:
                return assert_never(expr)

    def _constant_info(self, constant: tree.Constant) -> tree.StructInfo:
        array = self._load(constant)
        dims = tree.ShapeExpr(tuple([tree.IntImm(size) for size in array.shape]))
        return tree.TensorStructInfo(dims, tree.DType(array.dtype.name), None)

    def _call(self, graph: Graph, call: tree.Call, info: tree.StructInfo, env: dict[str, Value]) -> Value:
        if isinstance(call.op, tree.GlobalVar):
            callee = self._program.items.get(call.op.name_hint)
            if isinstance(callee, tree.Function):
                return self._inlined(graph, callee, call, env)
        if not isinstance(call.op, tree.Op):
            raise NotInOnnx("a call of a function that is not known")
        name = call.op.op_name
        operator, rule = lookup(name), EXPORTS.get(name)
        values = [self._atom(graph, arg, env) for arg in call.args]
        if operator is None or rule is None:
            raise NotInOnnx(f"`{name}`")
        lost = [arg for arg, value in zip(call.args, values, strict=True) if value is None]
        if any(isinstance(arg, tree.Var) for arg in lost):
            return None  # a consequence of what is refused already
        infos = [operand_info(arg, self._infos.get, self._constant_info) for arg in call.args]
        site = Inference(operator, call, infos, Context(variables=self._infos))
        found = rule(Call(graph, site, values, info))
        return found if isinstance(found, str) else list(found)

    def _inlined(self, graph: Graph, callee: tree.Function, call: tree.Call, env: dict[str, Value]) -> Value:
        assert callee.name is not None
        name = callee.name.name_hint
        if name in self._open:
            raise NotInOnnx("recursion", f"@{name} calls itself")
        own: dict[str, Value] = {}
        before = dict(graph.sizes)
        kept_infos = dict(self._infos)
        for param, arg in zip(callee.params, call.args, strict=True):
            own[param.name_hint] = value = self._atom(graph, arg, env)
            info = param.struct_info_annotation
            self._infos[param.name_hint] = info or tree.ObjectStructInfo()
            shape = info.shape if isinstance(info, tree.TensorStructInfo) else None
            if isinstance(shape, tree.ShapeExpr) and isinstance(value, str):
                _bind_sizes(graph, value, shape.values)
        assert isinstance(callee.body, tree.SeqExpr)
        self._open.append(name)
        found = self._sequence(graph, callee.body, own)
        self._open.pop()
        self._infos = kept_infos
        graph.forget([one for one in {*before, *graph.sizes} if before.get(one) != graph.sizes.get(one)])
        graph.sizes = before
        return found

    def _choice(self, graph: Graph, value: tree.If, env: dict[str, Value]) -> Value:
        condition = self._atom(graph, value.cond, env)
        if not isinstance(condition, str):
            return None
        branches: list[Any] = []
        shapes: list[Value] = []
        for label, branch in (("then", value.true_branch), ("else", value.false_branch)):
            inner = Graph(self._helper, self._opset, graph)
            assert isinstance(branch, tree.SeqExpr)
            result = self._sequence(inner, branch, dict(env))
            names = [inner.op("Identity", one) for one in _flat(result) if isinstance(one, str)]
            if len(names) != len(_flat(result)):
                return None
            outputs = [self._helper.make_empty_tensor_value_info(one) for one in names]
            branches.append(self._helper.make_graph(inner.nodes, label, [], outputs))
            shapes.append(result)
        count = len(_flat(shapes[0]))
        made = graph.ops("If", condition, outputs=count, then_branch=branches[0], else_branch=branches[1])
        return _shaped(shapes[0], made)

    def _cast(self, graph: Graph, binding: tree.MatchCast, value: Value) -> None:
        """Bind the shape variables of a match_cast; what it compares is not compared there."""
        info = binding.struct_info
        if isinstance(value, str) and isinstance(info, tree.TensorStructInfo):
            if isinstance(info.shape, tree.ShapeExpr):
                _bind_sizes(graph, value, info.shape.values, new_only=True)
        elif isinstance(value, tuple) and isinstance(info, tree.ShapeStructInfo) and info.values is not None:
            for dim, known in zip(info.values, value, strict=True):
                if isinstance(dim, tree.PrimVar) and dim.name not in graph.sizes:
                    graph.sizes[dim.name] = known


def _bind_sizes(graph: Graph, tensor: str, dims: Sequence[tree.PrimExpr], *, new_only: bool = False) -> None:
    for axis, dim in enumerate(dims):
        if isinstance(dim, tree.PrimVar) and not (new_only and dim.name in graph.sizes):
            if dim.name not in graph.sizes or not new_only:
                graph.forget([dim.name])
            graph.sizes[dim.name] = (tensor, axis)


def _dim_text(dim: tree.PrimExpr) -> int | str | None:
    if isinstance(dim, tree.IntImm):
        return dim.value
    return dim.name if isinstance(dim, tree.PrimVar) else None


def _flat(value: Value) -> list[Any]:
    if isinstance(value, list):
        return [one for field in value for one in _flat(field)]
    return [value]


def _flat_infos(info: tree.StructInfo | None) -> list[tree.StructInfo | None]:
    if isinstance(info, tree.TupleStructInfo):
        return [one for field in info.fields for one in _flat_infos(field)]
    return [info]


def _shaped(like: Value, names: list[str]) -> Value:
    """Return names in the form of another value; they are taken from the front."""
    if isinstance(like, list):
        return [_shaped(field, names) for field in like]
    return names.pop(0)
