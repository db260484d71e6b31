"""Bodies of functions: those that a model brings, and those by which the standard defines operators."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.reading.model import FunctionDef, NodeDef, Reference
from relax_lang.onnx.reading.tensors import DTYPES, Bytes
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from relax_lang.onnx.values import Value


class Body:
    """A function body to be put in place of a node: names of inputs and outputs, and attributes with their values."""

    __slots__ = ("attrs", "inputs", "nodes", "opsets", "outputs")

    def __init__(self, function: FunctionDef, attrs: Mapping[str, Any]) -> None:
        self.inputs = function.inputs
        self.outputs = function.outputs
        self.nodes: Sequence[NodeDef] = function.nodes
        self.opsets = function.opsets
        self.attrs = attrs


def of_model(function: FunctionDef, node: NodeDef) -> Body:
    """Return the body of a function of the model for one node."""
    given = {key: value for key, value in node.attrs.items() if not isinstance(value, Reference)}
    return Body(function, {**function.defaults, **given})


def of_standard(node: NodeDef, values: Sequence[Value | None], opset: int) -> Body | None:
    """Return the body by which the standard defines an operator, or None if it does not.

    Raises Invalid for a node that its schema does not know.
    """
    from onnx import FunctionProto, defs, helper

    try:
        schema: Any = defs.get_schema(node.op, opset, "")
    except defs.SchemaError:
        raise Invalid(f"opset {opset} has no operator `{node.op}`") from None
    attrs = dict(node.attrs)
    for name, one in schema.attributes.items():
        if name not in attrs and one.default_value.type:
            attrs[name] = _default(one.default_value)
    if schema.has_function:
        data = _latest(schema.function_opset_versions, opset, schema.get_function_with_opset_version)
    elif schema.has_context_dependent_function:
        proto = helper.make_node(node.op, node.inputs, node.outputs)
        proto.attribute.extend([one for one in node.attribute_protos if not one.ref_attr_name])
        present = {one.name for one in proto.attribute}
        for name, value in attrs.items():
            if name not in present and isinstance(value, int | float | str | list):
                proto.attribute.append(helper.make_attribute(name, value))
        types = [_type_of(value) for value in values]

        def body(version: int) -> bytes:
            return schema.get_context_dependent_function_with_opset_version(
                version, proto.SerializeToString(), types
            )

        data = _latest(schema.context_dependent_function_opset_versions, opset, body)
    else:
        return None
    if not data:
        return None
    function = FunctionProto()
    function.ParseFromString(data)
    return Body(FunctionDef(function, Bytes(_no_files, {})), attrs)


def _latest(versions: Sequence[int], opset: int, body: Any) -> bytes:
    fitting = [one for one in versions if one <= opset] or list(versions)[:1]
    return body(max(fitting)) if fitting else b""


def _default(proto: Any) -> Any:
    match proto.type:
        case 1:
            return float(proto.f)
        case 2:
            return int(proto.i)
        case 3:
            return proto.s.decode()
        case 6:
            return [float(one) for one in proto.floats]
        case 7:
            return [int(one) for one in proto.ints]
        case _:
            return [one.decode() for one in proto.strings]


def _type_of(value: Value | None) -> bytes:
    from onnx import TypeProto, helper

    if value is None:
        return TypeProto().SerializeToString()
    number = next(number for number, name in DTYPES.items() if name == value.dtype)
    shape = [dims.number(one) if type(one) is tree.IntImm else dims.text([one]) for one in value.dims]
    return helper.make_tensor_type_proto(number, shape).SerializeToString()  # pyright: ignore[reportArgumentType]


def _no_files(_location: str, _offset: int, _length: int | None) -> bytes:
    raise Refused("data in files")
