"""Matrix products."""

from __future__ import annotations

from relax_lang.onnx.building.node import Node, imports, is_float
from relax_lang.onnx.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


@imports("MatMul")
def matmul(node: Node) -> Value:
    """The product of the last two axes; others are broadcast."""
    return node.builder.op("matmul", node.input(0), node.input(1))


@imports("Gemm")
def gemm(node: Node) -> Value:
    """`alpha * A @ B + beta * C`; a factor of 1 is left out."""
    b = node.builder
    x, w = node.input(0), node.input(1)
    if len(x.dims) != 2 or len(w.dims) != 2:
        raise Invalid("its operands must have rank 2")
    x = b.transpose(x, [1, 0]) if node.int("transA", 0) else x
    w = b.transpose(w, [1, 0]) if node.int("transB", 0) else w
    made = _scaled(node, b.op("matmul", x, w), node.float("alpha", 1.0))
    bias = node.optional(2)
    if bias is None or node.float("beta", 1.0) == 0:
        return made
    return b.op("add", made, _scaled(node, bias, node.float("beta", 1.0)))


def _scaled(node: Node, value: Value, factor: float) -> Value:
    if factor == 1:
        return value
    b = node.builder
    if is_float(value.dtype):
        return b.op("multiply", value, b.like(factor, value))
    wide = b.cast(value, "float64")
    return b.cast(b.op("multiply", wide, b.like(factor, wide)), value.dtype)


@imports("Einsum")
def einsum(node: Node) -> Value:
    """Sums of products by subscripts, with an ellipsis if there is one."""
    equation = node.string("equation").replace(" ", "")
    return node.builder.op("einsum", tuple(node.inputs()), subscripts=equation)
