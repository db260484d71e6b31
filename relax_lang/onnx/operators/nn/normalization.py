"""Normalization."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axis_of, imports, is_float
from relax_lang.onnx.errors import Invalid
from relax_lang.onnx.operators.nn.convolution import into_convolution
from relax_lang.onnx.operators.tensor.movement import padded
from relax_lang.onnx.values import Constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


@imports("BatchNormalization")
def batch_norm(node: Node) -> list[Value]:
    """Statistics are given, or in training mode those of the batch, and running ones come out."""
    b, x = node.builder, node.input(0)
    scale, bias, mean, var = [node.input(at) for at in (1, 2, 3, 4)]
    training = bool(node.int("training_mode", 0)) if node.opset >= 14 else not node.int("is_test", 1)
    epsilon, momentum = node.float("epsilon", 1e-5), node.float("momentum", 0.9)
    if not training:
        folded = _into_convolution(node, x, [scale, bias, mean, var], epsilon)
        if folded is not None:
            return [folded]
        return [_normalized(node, x, scale, bias, mean, var, epsilon)]
    axes = [at for at in range(len(x.dims)) if at != 1]
    batch_mean = b.op("mean", x, axis=axes)
    batch_var = b.op("variance", x, axis=axes)
    made = _normalized(node, x, scale, bias, batch_mean, batch_var, epsilon)
    running = [
        b.op("add", _times(node, old, momentum), _times(node, b.cast(new, old.dtype), 1 - momentum))
        for old, new in ((mean, batch_mean), (var, batch_var))
    ]
    return [made, *running]


def _into_convolution(node: Node, x: Value, statistics: list[Value], epsilon: float) -> Value | None:
    """Return the convolution before with scaled weights and a moved bias, if nothing else reads its result."""
    known = [one.array for one in statistics if isinstance(one, Constant) and one.dtype == x.dtype]
    if len(known) < 4:
        return None
    import numpy as np

    scale, bias, mean, var = [one.astype(np.float64) for one in known]
    factor = scale / np.sqrt(var + epsilon)
    return into_convolution(node, x, factor, bias - mean * factor)


def _times(node: Node, value: Value, factor: float) -> Value:
    return node.builder.op("multiply", value, node.builder.like(factor, value))


def _normalized(
    node: Node, x: Value, scale: Value, bias: Value, mean: Value, var: Value, epsilon: float
) -> Value:
    b = node.builder
    if len(x.dims) >= 2 and len({one.dtype for one in (x, scale, bias, mean, var)}) == 1:
        made: list[Value] = b.op("nn.batch_norm", x, scale, bias, mean, var, axis=1, epsilon=epsilon)
        return made[0]
    rest = max(len(x.dims) - 2, 0)
    wide = b.cast(x, mean.dtype)
    shape = [x.dims[1] if len(x.dims) > 1 else scale.dims[0], *[1] * rest]
    scale, bias, mean, var = [b.reshape(b.cast(one, mean.dtype), shape) for one in (scale, bias, mean, var)]
    spread = b.op("sqrt", b.op("add", var, b.like(epsilon, var)))
    made_ = b.op("divide", b.op("subtract", wide, mean), spread)
    return b.cast(b.op("add", b.op("multiply", made_, scale), bias), x.dtype)


@imports("InstanceNormalization")
def instance_norm(node: Node) -> Value:
    """Each channel of each image by its own mean and variance."""
    x = node.input(0)
    return node.builder.op(
        "nn.instance_norm",
        x,
        node.input(1),
        node.input(2),
        channel_axis=1,
        axes=list(range(2, len(x.dims))),
        epsilon=node.float("epsilon", 1e-5),
    )


@imports("LayerNormalization")
def layer_norm(node: Node) -> list[Value]:
    """The axes from `axis` on by their mean and variance, computed in float32."""
    b, x, scale = node.builder, node.input(0), node.input(1)
    rank = len(x.dims)
    axis = axis_of(node.int("axis", -1), rank)
    axes = list(range(axis, rank))
    epsilon = node.float("epsilon", 1e-5)
    bias = node.optional(2)
    plain = len(scale.dims) == len(axes) and all(
        dims.equal(one, own) for one, own in zip(scale.dims, x.dims[axis:], strict=True)
    )
    if plain and x.dtype == "float32" and node.n_outputs == 1:
        zero = b.full(scale.dims, 0, x.dtype) if bias is None else bias
        return [b.op("nn.layer_norm", x, scale, zero, axes=axes, epsilon=epsilon)]
    wide = b.cast(x, "float32") if is_float(x.dtype) and x.dtype != "float64" else x
    mean = b.op("mean", wide, axis=axes, keepdims=True)
    centred = b.op("subtract", wide, mean)
    variance = b.op("mean", b.op("multiply", centred, centred), axis=axes, keepdims=True)
    spread = b.op("sqrt", b.op("add", variance, b.like(epsilon, variance)))
    inverse = b.op("divide", b.like(1, spread), spread)
    made = b.op("multiply", b.cast(b.op("multiply", centred, inverse), x.dtype), scale)
    if bias is not None:
        made = b.op("add", made, bias)
    return [made, mean, inverse][: max(node.n_outputs, 1)]


_MOST_NEIGHBOURS = 1 << 10


@imports("LRN")
def lrn(node: Node) -> Value:
    """Each element by the squares of its neighbours along the channels."""
    b, x = node.builder, node.input(0)
    size = node.int("size")
    alpha, beta, bias = node.float("alpha", 1e-4), node.float("beta", 0.75), node.float("bias", 1.0)
    if not 1 <= size <= _MOST_NEIGHBOURS:
        raise Invalid(f"its size is {size}")
    rank = len(x.dims)
    before, after = [dims.dim(0)] * rank, [dims.dim(0)] * rank
    before[1], after[1] = dims.dim((size - 1) // 2), dims.dim(size // 2)
    squares = padded(node, b.op("multiply", x, x), before, after, "constant", b.like(0, x))
    total = None
    for at in range(size):
        part = b.slice(squares, [1], [at], [dims.add(x.dims[1], at)])
        total = part if total is None else b.op("add", total, part)
    assert total is not None
    scaled = b.op("add", b.op("multiply", total, b.like(alpha / size, x)), b.like(bias, x))
    return b.op("divide", x, b.op("power", scaled, b.like(beta, x)))


@imports("LpNormalization")
def lp_normalization(node: Node) -> Value:
    """Each element by the norm along an axis; 0 by 0 is 0."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", -1), len(x.dims))
    if node.int("p", 2) == 1:
        norm = b.op("sum", b.op("abs", x), axis=[axis], keepdims=True)
    else:
        norm = b.op("sqrt", b.op("sum", b.op("multiply", x, x), axis=[axis], keepdims=True))
    zero = b.op("equal", norm, b.like(0, x))
    return b.op("where", zero, b.like(0, x), b.op("divide", x, norm))


@imports("MeanVarianceNormalization")
def mean_variance(node: Node) -> Value:
    """Mean 0 and variance 1 over axes."""
    b, x = node.builder, node.input(0)
    axes = node.ints("axes") or [0, 2, 3]
    centred = b.op("subtract", x, b.op("mean", x, axis=axes, keepdims=True))
    spread = b.op("sqrt", b.op("variance", x, axis=axes, keepdims=True))
    return b.op("divide", centred, b.op("add", spread, b.like(1e-9, x)))
