"""Conversions between dtypes."""

from __future__ import annotations

from relax_lang.onnx.building.node import Node, imports
from relax_lang.onnx.errors import Refused
from relax_lang.onnx.reading.tensors import numpy_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


@imports("Cast")
def cast(node: Node) -> Value:
    """Fractions are rounded toward zero, numbers out of range are what the dtypes make of them."""
    to = node.attribute("to")
    if isinstance(to, str):  # before opset 6
        to_dtype = {"FLOAT": "float32", "DOUBLE": "float64"}.get(to, to.lower())
    else:
        to_dtype = node.dtype("to")
    return node.builder.cast(node.input(0), to_dtype)


@imports("BitCast")
def bit_cast(node: Node) -> Value:
    """The bits of the elements read as another dtype of the same width."""
    x, to = node.input(0), node.dtype("to")
    if numpy_dtype(to).itemsize != numpy_dtype(x.dtype).itemsize:
        raise Refused(f"from {x.dtype} to {to} the width changes")
    return x if to == x.dtype else node.builder.op("memory.view", x, None, None, dtype=to)
