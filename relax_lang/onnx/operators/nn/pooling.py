"""Pooling."""

from __future__ import annotations

import math

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, bounded, imports, static_dims
from relax_lang.onnx.dims import dim
from relax_lang.onnx.operators.nn.convolution import Window
from relax_lang.onnx.operators.tensor.movement import padded
from relax_lang.onnx.values import Constant, Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


def _pool(node: Node, name: str, x: Value, *, counts_padding: bool) -> Value:
    window = Window(node, x, node.ints("kernel_shape") or [])
    x, padding = window.padding(x)
    return node.builder.op(
        f"nn.{name}_pool{window.rank}d",
        x,
        pool_size=window.kernel,
        strides=window.strides,
        padding=padding,
        dilation=window.dilations,
        ceil_mode=bool(node.int("ceil_mode", 0)),
        count_include_pad=counts_padding,
    )


@imports("AveragePool")
def average_pool(node: Node) -> Value:
    """Averages of windows; padding counts if `count_include_pad` is set."""
    return _pool(node, "avg", node.input(0), counts_padding=bool(node.int("count_include_pad", 0)))


@imports("MaxPool")
def max_pool(node: Node) -> list[Value]:
    """The largest elements of windows, and on demand where they are in the whole tensor."""
    x = node.input(0)
    made = _pool(node, "max", x, counts_padding=False)
    return [made, _places(node, x, made)] if node.wants(1) else [made]


def _places(node: Node, x: Value, made: Value) -> Value:
    """Return the indices of the largest elements: the first in each window."""
    import numpy as np

    b = node.builder
    window = Window(node, x, node.ints("kernel_shape") or [])
    x, pads = window.padding(x)
    extents, results = static_dims(x, "its operand's shape"), static_dims(made, "its shape")
    spatial = extents[2:]
    order = list(range(len(spatial)))
    if node.int("storage_order", 0):
        order.reverse()
    weights = [0] * len(spatial)
    step = 1
    for at in reversed(order):
        weights[at], step = step, step * spatial[at]
    bounded(*results[2:], *window.kernel)
    flat = np.zeros([*results[2:], *window.kernel], np.int64)
    number = np.zeros_like(flat)
    valid = np.ones(flat.shape, bool)
    rank = len(spatial)
    for at in range(rank):
        shape = [1] * (2 * rank)
        shape[at] = results[2 + at]
        first = np.arange(results[2 + at]).reshape(shape) * window.strides[at] - pads[at]
        shape = [1] * (2 * rank)
        shape[rank + at] = window.kernel[at]
        places = first + np.arange(window.kernel[at]).reshape(shape) * window.dilations[at]
        valid &= (places >= 0) & (places < spatial[at])
        places = np.clip(places, 0, spatial[at] - 1)
        flat += places * math.prod(spatial[at + 1 :])
        number += places * weights[at]
    count = math.prod(window.kernel)
    rows = b.reshape(x, [x.dims[0], x.dims[1], math.prod(spatial)])
    taken = b.op("take", rows, b.constant(flat.reshape(-1, count), "int64"), axis=2)
    lowest = b.like(_lowest(x.dtype), x)
    taken = b.op("where", b.constant(valid.reshape(-1, count), "bool"), taken, lowest)
    best = b.op("argmax", taken, axis=3, keepdims=True)
    table = b.op("broadcast_to", b.constant(number.reshape(1, 1, -1, count), "int64"), taken.dims)
    index = b.reshape(b.op("gather_elements", table, best, axis=3), made.dims)
    size = step
    bounded(results[0], results[1])
    planes = np.arange(results[0] * results[1]).reshape(results[0], results[1], *[1] * rank) * size
    return b.op("add", index, b.constant(planes, "int64"))


def _lowest(dtype: str) -> float | int:
    import numpy as np

    return float("-inf") if dtype.startswith(("float", "bfloat")) else int(np.iinfo(dtype).min)


@imports("GlobalAveragePool")
def global_average(node: Node) -> Value:
    """The mean over all axes after the second."""
    x = node.input(0)
    return node.builder.op("mean", x, axis=list(range(2, len(x.dims))), keepdims=True)


@imports("GlobalMaxPool")
def global_max(node: Node) -> Value:
    """The largest element over all axes after the second."""
    x = node.input(0)
    return node.builder.op("max", x, axis=list(range(2, len(x.dims))), keepdims=True)


@imports("LpPool")
def lp_pool(node: Node) -> Value:
    """Norms of windows: the average of powers, times the number of elements."""
    b, x = node.builder, node.input(0)
    p = node.int("p", 2)
    powers = b.op("power", b.op("abs", x), b.like(p, x))
    average = _pool(node, "avg", powers, counts_padding=True)
    total = b.op("multiply", average, b.like(math.prod(node.ints("kernel_shape") or []), x))
    return b.op("power", total, b.like(1 / p, x))


@imports("GlobalLpPool")
def global_lp(node: Node) -> Value:
    """The norm over all axes after the second."""
    b, x = node.builder, node.input(0)
    p = node.int("p", 2)
    powers = b.op("power", b.op("abs", x), b.like(p, x))
    total = b.op("sum", powers, axis=list(range(2, len(x.dims))), keepdims=True)
    return b.op("power", total, b.like(1 / p, x))


@imports("MaxUnpool")
def max_unpool(node: Node) -> Value:
    """Elements are put back where the indices say, zeros elsewhere."""
    b, x, places = node.builder, node.input(0), node.input(1)
    window = Window(node, x, node.ints("kernel_shape") or [])
    if node.given(2):
        shape = list(b.shape_of(node.input(2)))
        natural = [*x.dims[:2], *[_unpooled(window, one, at) for at, one in enumerate(x.dims[2:])]]
    else:
        shape = natural = [*x.dims[:2], *[_unpooled(window, one, at) for at, one in enumerate(x.dims[2:])]]
    if any(not dims.equal(a, c) for a, c in zip(shape, natural, strict=True)):
        places = _moved(node, places, natural, shape)
    size = dims.product(shape)
    zeros = b.op("zeros", [size], dtype=x.dtype)
    flat, index = [b.reshape(one, [dims.product(x.dims)]) for one in (x, places)]
    return b.reshape(b.op("scatter_elements", zeros, index, flat, axis=0), shape)


def _unpooled(window: Window, extent: dims.Dim, at: int) -> dims.Dim:
    steps = dims.mul(dims.sub(extent, 1), window.strides[at])
    return dims.sub(dims.add(steps, window.kernel[at]), window.pads[at] + window.pads[at + window.rank])


def _moved(node: Node, places: Value, old: list[dims.Dim], new: list[dims.Dim]) -> Value:
    """Return indices into a tensor of one shape as indices into one of another shape."""
    b = node.builder
    moved: Value | None = None
    for at in range(len(old)):
        below: Value = Sizes((dims.product(old[at + 1 :]),), scalar=True)
        coordinate = b.op("floor_divide", places, below)
        coordinate = b.op("floor_mod", coordinate, Sizes((old[at],), scalar=True))
        part = b.op("multiply", coordinate, Sizes((dims.product(new[at + 1 :]),), scalar=True))
        moved = part if moved is None else b.op("add", moved, part)
    assert moved is not None
    return moved


@imports("Col2Im")
def col2im(node: Node) -> Value:
    """Columns are added up where their elements come from; the places are known at import."""
    import numpy as np

    b, x = node.builder, node.input(0)
    image = [int(one) for one in node.known(1, "the shape of the image").reshape(-1)]
    block = [int(one) for one in node.known(2, "the shape of the blocks").reshape(-1)]
    rank = len(image)
    strides, dilations = node.ints("strides") or [1] * rank, node.ints("dilations") or [1] * rank
    pads = node.ints("pads") or [0] * (2 * rank)
    wide = [image[at] + pads[at] + pads[at + rank] for at in range(rank)]
    counts = [(wide[at] - dilations[at] * (block[at] - 1) - 1) // strides[at] + 1 for at in range(rank)]
    bounded(*block, *counts)
    index = np.zeros([*block, *counts], np.int64)
    for at in range(rank):
        shape = [1] * (2 * rank)
        shape[at] = block[at]
        inner = np.arange(block[at]).reshape(shape) * dilations[at]
        shape = [1] * (2 * rank)
        shape[rank + at] = counts[at]
        index += (inner + np.arange(counts[at]).reshape(shape) * strides[at]) * math.prod(wide[at + 1 :])
    n = x.dims[0]
    channels = dims.floor_div(x.dims[1], math.prod(block))
    size = index.size
    zeros = b.op("zeros", [n, channels, math.prod(wide)], dtype=x.dtype)
    places = b.op("broadcast_to", Constant(index.reshape(1, 1, size)), [n, channels, size])
    values = b.reshape(x, [n, channels, size])
    made = b.op("scatter_elements", zeros, places, values, axis=2, reduction="add")
    made = b.reshape(made, [n, channels, *wide])
    before = [dim(0), dim(0), *[dim(-pads[at]) for at in range(rank)]]
    after = [dim(0), dim(0), *[dim(-pads[at + rank]) for at in range(rank)]]
    return padded(node, made, before, after, "constant", b.like(0, made))
