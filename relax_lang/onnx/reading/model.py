"""Models of ONNX, decoded: graphs, nodes and weights as plain Python objects.

The package `onnx` reads the protocol buffers. Nothing that a file states is believed: sizes are compared with the
bytes that are there, data outside of the file comes from a function that the caller answers for, and graphs nest no
deeper than protocol buffers do.
"""

from __future__ import annotations

from relax_lang.onnx.errors import Invalid
from relax_lang.onnx.reading.tensors import HALF_BYTES, Bytes, array_of, half_bytes, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from relax_lang.onnx.reading.tensors import External
    from relax_lang.onnx.reading.wire import Read
    from relax_lang.onnx.values import Array


_OF_VALUES = ("Constant", "ConstantOfShape")
"""Operators whose nodes hold tensors, and which no function body needs."""
STANDARD = ("", "ai.onnx")
"""The names of the domain of the standard's own operators."""


def domain_of(proto: Any) -> str:
    """Return the domain that a message names, empty for the standard's own."""
    found = text(proto.domain)
    return "" if found in STANDARD else found


class Port:
    """An input or output of a graph. `dims` are numbers, names, or None where unknown; all unknown if it is None.

    `kind` is "tensor", or what it is instead (sequence, optional, map).
    """

    __slots__ = ("dims", "dtype", "kind", "name")

    def __init__(self, name: str, kind: str, dtype: int, dims: tuple[int | str | None, ...] | None) -> None:
        self.name = name
        self.kind = kind
        self.dtype = dtype
        self.dims = dims


class Reference:
    """The value of an attribute of the function that contains a node."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class NodeDef:
    """A node as it is written.

    Its message is kept only in short form: messages of one file are in memory until the last of them is dropped.
    """

    __slots__ = ("_message", "attrs", "doc", "domain", "index", "inputs", "name", "op", "outputs", "overload")

    def __init__(self, proto: Any, index: int, attrs: dict[str, Any]) -> None:
        self.index = index
        self.op = text(proto.op_type)
        self.domain = domain_of(proto)
        self.overload = text(getattr(proto, "overload", ""))
        self.name = text(proto.name)
        self.doc = text(proto.doc_string)
        self.inputs = [text(one) for one in proto.input]
        self.outputs = [text(one) for one in proto.output]
        self.attrs = attrs
        self._message: Any = None if self.op in _OF_VALUES else _short(proto)

    @staticmethod
    def made(op: str, name: str, attrs: dict[str, Any], inputs: list[str], outputs: list[str]) -> NodeDef:
        """Return a node that no model has."""
        node = NodeDef.__new__(NodeDef)
        node.index, node.op, node.domain, node.overload, node.name, node.doc = -1, op, "", "", name, ""
        node.inputs, node.outputs, node.attrs, node._message = inputs, outputs, attrs, None
        return node

    def with_attrs(self, attrs: dict[str, Any]) -> NodeDef:
        """Return the same node with other attributes."""
        node = NodeDef.made(self.op, self.name, attrs, self.inputs, self.outputs)
        node.index, node.domain, node.overload, node.doc = self.index, self.domain, self.overload, self.doc
        node._message = self._message
        return node

    def forget(self) -> None:
        """Drop what is not asked for once the node has been converted."""
        self._message = None
        if self.op == "Constant":
            self.attrs = {}

    @property
    def attribute_protos(self) -> Sequence[Any]:
        """The attributes as messages of the package `onnx`."""
        if self._message is None:
            return ()
        if not isinstance(self._message, bytes):
            return self._message.attribute
        from onnx import NodeProto

        return NodeProto.FromString(self._message).attribute


def _short(proto: Any) -> Any:
    """Return a message as bytes, which are short, or itself where tensors or graphs are in it."""
    if any(one.HasField("t") or one.HasField("g") or one.graphs or one.tensors for one in proto.attribute):
        return proto
    return proto.SerializeToString() if proto.attribute else None


class Graph:
    """A graph. The weights of `initializers` may also be inputs, whose defaults they are then.

    `narrow` has the dtypes of weights that are wider here than they are in the model.
    """

    __slots__ = ("initializers", "inputs", "name", "narrow", "nodes", "outputs")

    def __init__(self, name: str) -> None:
        self.name = name
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []
        self.initializers: dict[str, Array | Invalid] = {}
        self.narrow: dict[str, str] = {}
        self.nodes: list[NodeDef] = []


class FunctionDef:
    """A function of a model, or the body that the standard gives an operator."""

    __slots__ = ("attrs", "defaults", "inputs", "name", "nodes", "opsets", "outputs")

    def __init__(self, proto: Any, source: Bytes) -> None:
        self.name = text(proto.name)
        self.inputs = [text(one) for one in proto.input]
        self.outputs = [text(one) for one in proto.output]
        self.attrs = [text(one) for one in proto.attribute]
        self.defaults = _attributes(proto.attribute_proto, source)
        self.opsets = _opsets(proto.opset_import)
        self.nodes = _nodes(proto.node, source)


class Model:
    """A model: its graph, the opsets that it declares, its functions by domain, name and overload, its description.

    `release` is called when weights were read for the last time; it may give back what was needed to read them.
    """

    __slots__ = ("doc", "functions", "graph", "opsets", "release")

    def __init__(self, proto: Any, source: Bytes) -> None:
        self.doc = text(proto.doc_string) or text(proto.graph.doc_string)
        self.opsets = _opsets(proto.opset_import)
        self.functions: dict[tuple[str, str, str], FunctionDef] = {}
        for one in proto.functions:
            key = domain_of(one), text(one.name), text(getattr(one, "overload", ""))
            self.functions[key] = FunctionDef(one, source)
        self.graph = _graph(proto.graph, source)
        self.release: Callable[[], None] = _nothing


def _nothing() -> None:
    """What there is to give back of weights that are in memory."""


def decode(data: bytes | memoryview, external: External, read: Read | None = None) -> Model:
    """Return the model in a file. Raises Invalid if it is none, ImportError if the package `onnx` is missing.

    With `read`, which returns bytes of the file, large weights are parts of `data`, which may be a map of the file.
    """
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    from relax_lang.onnx.reading.wire import take_out

    proto = ModelProto()
    found = None if read is None else take_out(data, read)
    try:
        message: Any = data if found is None else found[0]  # memory is taken, too
        proto.ParseFromString(message)
    except (DecodeError, RuntimeError, RecursionError) as error:
        raise Invalid("it is not an ONNX model, or it is damaged") from error
    return of_proto(proto, external, None if found is None else found[1])


def of_proto(
    proto: Any, external: External, taken: Mapping[bytes, bytes | memoryview] | None = None
) -> Model:
    """Return a model that the package `onnx` has read; `taken` are bytes by marks in their place. Raises Invalid."""
    if not proto.HasField("graph"):
        raise Invalid("it is not an ONNX model, or it is damaged: it has no graph")
    return Model(proto, Bytes(external, taken or {}))


def _opsets(imports: Iterable[Any]) -> dict[str, int]:
    return {domain_of(one): int(one.version) for one in imports}


def _graph(proto: Any, source: Bytes) -> Graph:
    graph = Graph(text(proto.name))
    graph.inputs = [port_of(one) for one in proto.input]
    graph.outputs = [port_of(one) for one in proto.output]
    for tensor in proto.initializer:
        name = text(tensor.name)
        try:
            if tensor.data_type in HALF_BYTES:
                graph.initializers[name] = half_bytes(tensor, source)
                graph.narrow[name] = HALF_BYTES[tensor.data_type]
            else:
                graph.initializers[name] = array_of(tensor, source)
        except Invalid as error:
            graph.initializers[name] = error
    for sparse in proto.sparse_initializer:
        graph.initializers[text(sparse.values.name)] = Invalid("sparse tensors are not supported")
    graph.nodes = _nodes(proto.node, source)
    return graph


def _nodes(protos: Iterable[Any], source: Bytes) -> list[NodeDef]:
    return [NodeDef(one, index, _attributes(one.attribute, source)) for index, one in enumerate(protos)]


def _attributes(protos: Iterable[Any], source: Bytes) -> dict[str, Any]:
    return {text(one.name): _attribute(one, source) for one in protos}


def _attribute(one: Any, source: Bytes) -> Any:
    if one.ref_attr_name:
        return Reference(text(one.ref_attr_name))
    match one.type:
        case 1:
            return float(one.f)
        case 2:
            return int(one.i)
        case 3:
            return one.s.decode("utf-8", "replace")
        case 4:
            try:
                return array_of(one.t, source)
            except Invalid as error:
                return error
        case 5:
            return _graph(one.g, source)
        case 6:
            return [float(item) for item in one.floats]
        case 7:
            return [int(item) for item in one.ints]
        case 8:
            return [item.decode("utf-8", "replace") for item in one.strings]
        case _:
            return Invalid(f"the attribute `{one.name}` is of a kind that is not supported")


def port_of(info: Any) -> Port:
    """Return an input or output from its description."""
    kind = info.type.WhichOneof("value") or "unknown"
    if kind != "tensor_type":
        return Port(text(info.name), kind.removesuffix("_type"), 0, None)
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        return Port(text(info.name), "tensor", tensor.elem_type, None)
    dims: list[int | str | None] = []
    for one in tensor.shape.dim:
        which = one.WhichOneof("value")
        if which == "dim_value":
            dims.append(int(one.dim_value) if one.dim_value >= 0 else None)
        else:
            dims.append(text(one.dim_param) if which == "dim_param" and one.dim_param else None)
    return Port(text(info.name), "tensor", tensor.elem_type, tuple(dims))
