"""Quantized arithmetic: exact in int32, scaled in float32, rounded with halves to even, then moved, then saturated."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axis_of, imports, known_array
from relax_lang.onnx.operators.nn.convolution import conv, with_bias
from relax_lang.onnx.reading.tensors import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


def _spread(node: Node, value: Value, x: Value) -> Value:
    """Return a scale or a zero point so that it broadcasts: for all, along an axis, or in blocks."""
    b = node.builder
    rank = len(x.dims)
    if not value.dims or (len(value.dims) == 1 and dims.number(value.dims[0]) == 1 and rank != 1):
        return b.reshape(value, [])
    axis = axis_of(node.int("axis", 1), rank) if rank > 1 else 0
    if len(value.dims) == 1:
        return b.reshape(value, [value.dims[0], *[1] * (rank - axis - 1)])
    wide = b.op("repeat", value, repeats=max(node.int("block_size", 1), 1), axis=axis)
    if dims.equal(wide.dims[axis], x.dims[axis]):
        return wide
    return b.slice(wide, [axis], [0], [x.dims[axis]])


def saturated(node: Node, value: Value, dtype: str) -> Value:
    """Return whole floats as integers of a dtype; what is out of its range becomes its limit."""
    import numpy as np

    b, limits = node.builder, np.iinfo(dtype)
    value = b.op("maximum", value, b.like(int(limits.min), value))
    return b.cast(b.op("minimum", value, b.like(int(limits.max), value)), dtype)


def _is_zero(node: Node, zero: Value) -> bool:
    """Return whether a zero point is known and moves nothing; for comparison it is written out all the same."""
    found = known_array(zero)
    return node.builder.folds and found is not None and not found.any()


@imports("QuantizeLinear")
def quantize(node: Node) -> Value:
    """`round(x / scale) + zero point`, saturated."""
    b, x, scale = node.builder, node.input(0), node.input(1)
    zero = node.optional(2)
    named = node.dtype("output_dtype") if node.int("output_dtype", 0) else "uint8"
    dtype = zero.dtype if zero is not None else named
    precision = DTYPES.get(node.int("precision", 0), scale.dtype)
    precision = "float32" if precision in ("float16", "bfloat16") else precision
    wide, scale = b.cast(x, precision), b.cast(scale, precision)
    made = b.op("round", b.op("divide", wide, _spread(node, scale, x)))
    if zero is not None and not _is_zero(node, zero):
        made = b.op("add", made, _spread(node, b.cast(zero, precision), x))
    return saturated(node, made, dtype)


@imports("DequantizeLinear")
def dequantize(node: Node) -> Value:
    """`(x - zero point) * scale`."""
    b, x, scale = node.builder, node.input(0), node.input(1)
    dtype = node.dtype("output_dtype") if node.int("output_dtype", 0) else scale.dtype
    made = b.cast(x, "int32")
    if node.given(2) and x.dtype != "int32" and not _is_zero(node, node.input(2)):
        made = b.op("subtract", made, _spread(node, b.cast(node.input(2), "int32"), x))
    made = b.op("multiply", b.cast(made, "float32"), _spread(node, b.cast(scale, "float32"), x))
    return b.cast(made, dtype)


def _centred(node: Node, at: int, zero_at: int, *, rows: bool) -> Value:
    """Return an operand in int32 with its zero point subtracted; `rows`: a zero point for each row."""
    b, x = node.builder, b_cast(node, at)
    zero = node.optional(zero_at)
    if zero is None:
        return x
    zero = b.cast(zero, "int32")
    if len(zero.dims) == 1 and dims.number(zero.dims[0]) != 1:
        zero = b.reshape(zero, [zero.dims[0], 1]) if rows else zero
    elif len(zero.dims) == 1:
        zero = b.reshape(zero, [])
    return b.op("subtract", x, zero)


def b_cast(node: Node, at: int) -> Value:
    """Return an operand in int32."""
    return node.builder.cast(node.input(at), "int32")


@imports("MatMulInteger")
def matmul_integer(node: Node) -> Value:
    """The exact product in int32."""
    left, right = _centred(node, 0, 2, rows=True), _centred(node, 1, 3, rows=False)
    return node.builder.op("matmul", left, right)


@imports("QLinearMatMul")
def qlinear_matmul(node: Node) -> Value:
    """The product of quantized matrices, quantized again."""
    b = node.builder
    left, right = _centred(node, 0, 2, rows=True), _centred(node, 3, 5, rows=False)
    scales = [b.cast(node.input(at), "float32") for at in (1, 4, 6)]
    scales = [b.reshape(one, []) if dims.count(one.dims) == 1 else one for one in scales]
    if len(scales[0].dims) == 1:
        scales[0] = b.reshape(scales[0], [scales[0].dims[0], 1])
    factor = b.op("divide", b.op("multiply", scales[0], scales[1]), scales[2])
    return _requantized(node, b.op("matmul", left, right), factor, node.input(7))


def _requantized(node: Node, exact: Value, factor: Value, zero: Value) -> Value:
    b = node.builder
    made = b.op("round", b.op("multiply", b.cast(exact, "float32"), factor))
    point = b.cast(b.reshape(zero, []) if dims.count(zero.dims) == 1 else zero, "float32")
    return saturated(node, b.op("add", made, point), zero.dtype)


def _of_channels(node: Node, value: Value, rank: int) -> Value:
    """Return a number, or one for each channel of a result, so that it broadcasts."""
    b = node.builder
    if dims.count(value.dims) == 1:
        return b.reshape(value, [])
    return b.reshape(value, [value.dims[0], *[1] * (rank - 2)])


def _integer_conv(node: Node, x_at: int, w_at: int, zeros: tuple[int, int]) -> Value:
    b = node.builder
    x, w = b_cast(node, x_at), b_cast(node, w_at)
    if node.given(zeros[0]):
        x = b.op("subtract", x, b.reshape(b.cast(node.input(zeros[0]), "int32"), []))
    if node.given(zeros[1]):
        zero = b.cast(node.input(zeros[1]), "int32")
        shape = [] if dims.count(zero.dims) == 1 else [zero.dims[0], *[1] * (len(w.dims) - 1)]
        w = b.op("subtract", w, b.reshape(zero, shape))
    return conv(node, x, w)


@imports("ConvInteger")
def conv_integer(node: Node) -> Value:
    """The exact convolution in int32."""
    return _integer_conv(node, 0, 1, (2, 3))


@imports("QLinearConv")
def qlinear_conv(node: Node) -> Value:
    """The convolution of quantized tensors, quantized again."""
    b = node.builder
    exact = with_bias(node, _integer_conv(node, 0, 3, (2, 5)), node.optional(8))
    rank = len(exact.dims)
    x_scale, w_scale, y_scale = [_of_channels(node, node.input(at), rank) for at in (1, 4, 6)]
    factor = b.op("divide", b.op("multiply", x_scale, w_scale), y_scale)
    return _requantized(node, exact, factor, node.input(7))
