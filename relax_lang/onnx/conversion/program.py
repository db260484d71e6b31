"""The program of a model: its text, and the weights beside it."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.printer import print_tree
from relax_lang.onnx import operators as _operators
from relax_lang.onnx.building.blocks import drop_unread
from relax_lang.onnx.building.builder import Builder, info_of
from relax_lang.onnx.building.comments import mark_open_operands, remark
from relax_lang.onnx.building.layer_norms import write_layer_norms
from relax_lang.onnx.building.names import Names, identifier
from relax_lang.onnx.building.weights import Weights
from relax_lang.onnx.conversion.conversion import FAILED, Conversion, Failed
from relax_lang.onnx.conversion.reporting import Report
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.reading.tensors import DTYPES, OTHER_DTYPES
from relax_lang.onnx.values import Constant, Tensor
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.onnx.reading.model import Model, Port
    from relax_lang.onnx.values import Array, Value

assert _operators


class Imported:
    """A model as a program: the text, the arrays beside it, and what is wrong; there is no text then."""

    def __init__(
        self, text: str, weights: Mapping[str, Array], diagnostics: Sequence[Diagnostic], archive: str = ""
    ) -> None:
        self.text = text
        self.weights = weights
        self.arrays: dict[tuple[str, str | None], Array] = {
            (archive, key): array for key, array in weights.items()
        }
        self.diagnostics = list(diagnostics)


def import_model(
    model: Model,
    *,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    constants: Mapping[str, Array] | None = None,
    archive: str = "weights.npz",
    fold: bool = True,
) -> Imported:
    """Return a model as a program whose `main` takes the inputs of its graph in order. The model is used up.

    `shapes` fixes the shapes of inputs, `constants` the values of inputs that are not parameters then. Weights are read
    from `archive`.
    """
    names, weights = Names(), Weights(archive)
    names.fresh("main")
    builder = Builder(names, weights, fold=fold)
    conversion = Conversion(model, builder)
    report = Report(conversion.origins)
    parameters = _Parameters(model, names, report, shapes or {}, constants or {})
    params = parameters.make(conversion)
    builder.shape_vars = conversion.input_dims = frozenset(parameters.bound)
    results = conversion.run(model.graph)
    report.problems(conversion.problems)
    if report.diagnostics:
        return Imported("", {}, report.diagnostics)
    values = [one for one in results if not isinstance(one, Failed)]
    if fold:
        write_layer_norms(builder, values)
        drop_unread(builder, values)
    with deep_recursion():
        module = _module(conversion, builder, params, values, parameters.bound)
        if builder.deferred:
            mark_open_operands(module, builder)
        conversion.finish()
        head = [f"{comment}\n" for comment in remark(model.doc)]
        text = "".join([*head, print_tree(module, above=builder.comments)])
    used = {node.key for node in walk(module) if isinstance(node, tree.FileLit)}
    kept = {key: array for key, array in weights.arrays.items() if key in used}
    return Imported(text, kept, [], archive)


def _module(
    conversion: Conversion, builder: Builder, params: list[tree.Var], values: list[Value], bound: set[str]
) -> tree.IRModule:
    found = [builder.operand(one) for one in values]
    nodes, infos = [node for node, _ in found], [_outside(info, bound) for _, info in found]
    body, result = (
        (nodes[0], infos[0])
        if len(nodes) == 1
        else (tree.Tuple(tuple(nodes)), tree.TupleStructInfo(tuple(infos)))
    )
    block = (tree.BindingBlock(tuple(builder.bindings), False),) if builder.bindings else ()
    main = tree.Function(
        tree.GlobalVar("main"), False, None, tuple(params), result, (), tree.SeqExpr(block, body), -1
    )
    return tree.IRModule((), (main, *conversion.items.values()))


def _outside(info: tree.StructInfo, bound: set[str]) -> tree.StructInfo:
    """Return an info as the signature can state it: only with dimensions that the parameters bind."""
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        names = {name for one in info.shape.values for name in _names(one)}
        if names - bound:
            return tree.TensorStructInfo(None, info.dtype, len(info.shape.values))
    return info


def _names(node: tree.PrimExpr) -> set[str]:
    return {one.name for one in walk(node) if isinstance(one, tree.PrimVar)}


class _Parameters:
    """The inputs of the graph as parameters of the function."""

    def __init__(
        self,
        model: Model,
        names: Names,
        report: Report,
        shapes: Mapping[str, Sequence[int | str]],
        constants: Mapping[str, Array],
    ) -> None:
        self.model = model
        self.names = names
        self.report = report
        self.shapes = shapes
        self.constants = constants
        self.bound: set[str] = set()
        self._named: dict[str, tree.PrimExpr] = {}

    def make(self, conversion: Conversion) -> list[tree.Var]:
        """Return the parameters, and give the inputs their values."""
        graph = self.model.graph
        ports = {port.name for port in graph.inputs}
        for name in [*self.shapes, *self.constants]:
            if name not in ports:
                self.report.no_input(name, sorted(ports))
        params: list[tree.Var] = []
        for port in graph.inputs:
            if port.name in self.constants:
                conversion.scope.values[port.name] = Constant(self.constants[port.name], port.name)
            elif port.name not in graph.initializers:
                try:
                    params.append(self._parameter(port, conversion))
                except (Refused, Invalid) as error:
                    self.report.port(port.name, error)
                    conversion.scope.values[port.name] = FAILED
        return params

    def _parameter(self, port: Port, conversion: Conversion) -> tree.Var:
        if port.kind != "tensor":
            raise Refused(f"it is a {port.kind}; Relax programs take tensors")
        if port.dtype not in DTYPES:
            shown = OTHER_DTYPES.get(port.dtype, str(port.dtype))
            raise Refused(f"it has the dtype {shown}, which Relax does not have")
        given = self.shapes.get(port.name)
        written = tuple(given) if given is not None else port.dims
        if written is None:
            raise Refused("its shape is not known: give one with `--shape`")
        if given is not None and port.dims is not None and len(given) != len(port.dims):
            raise Invalid(f"the shape that was given has {len(given)} extents, it has {len(port.dims)}")
        shape = tuple([self._dim(one) for one in written])
        name = self.names.fresh(port.name)
        made = Tensor(name, shape, DTYPES[port.dtype])
        conversion.scope.values[port.name] = conversion.builder.made[name] = made
        return tree.Var(name, info_of(shape, DTYPES[port.dtype]))

    def _dim(self, written: int | str | None) -> tree.PrimExpr:
        if isinstance(written, int):
            return tree.IntImm(written)
        if written is not None and written in self._named:
            return self._named[written]
        anonymous = written is None or written.startswith("unk__") or not any(c.isalpha() for c in written)
        if anonymous or written is None:
            wanted = next((one for one in ("n", "m", "k", "d") if not self.names.taken(one)), "n")
        else:
            wanted = identifier(written)
        made = tree.PrimVar(self.names.fresh(wanted))
        self.bound.add(made.name)
        if written is not None and (written.startswith("unk__") or not anonymous):
            self._named[written] = made
        return made


__all__ = ["Imported", "import_model"]
