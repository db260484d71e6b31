"""Tensors from numbers."""

from __future__ import annotations

import math
import struct

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, imports, is_float, known_array
from relax_lang.onnx.building.prim_funcs import UNIFORM, call
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.values import Constant, Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


@imports("Constant")
def constant(node: Node) -> Value:
    """A tensor that is an attribute, in one of several forms."""
    b = node.builder
    attrs = node.definition.attrs
    if "value" in attrs:
        array = node.attribute("value")
        key = node.definition.outputs[0] if node.definition.outputs else ""
        return Constant(array, key)
    for name, dtype in (
        ("value_float", "float32"),
        ("value_floats", "float32"),
        ("value_int", "int64"),
        ("value_ints", "int64"),
    ):
        if name in attrs:
            return b.constant(node.attribute(name), dtype)
    raise Refused("it is a constant of strings, or a sparse one")


@imports("ConstantOfShape")
def constant_of_shape(node: Node) -> Value:
    """One value everywhere, 0 of float32 if none is given; a short list of integers may be sizes."""
    b, wanted = node.builder, node.input(0)
    value = node.attribute("value")
    dtype = "float32" if value is None else value.dtype.name
    element = 0 if value is None else value.reshape(-1)[0]
    shape = b.shape_of(wanted)
    return b.full(shape, element, dtype)


@imports("EyeLike")
def eye_like(node: Node) -> Value:
    """Ones on a diagonal."""
    x = node.input(0)
    dtype = node.dtype("dtype", x.dtype)
    if len(x.dims) != 2:
        raise Invalid("its operand must have rank 2")
    return node.builder.op("eye", x.dims[0], x.dims[1], dim(node.int("k", 0)), dtype=dtype)


@imports("Range")
def range_(node: Node) -> Value:
    """From `start` by `delta`, as many as lie before `limit`."""
    b = node.builder
    start, limit, delta = node.inputs()
    arrays = [known_array(one) for one in (start, limit, delta)]
    found = [one for one in arrays if one is not None]
    if len(found) == 3:
        import numpy as np

        first, last, step = [one.reshape(()).item() for one in found]
        if not step:
            raise Invalid("its step is 0")
        count = max(int(np.ceil((last - first) / step)), 0)
        if count <= 4096:
            return b.constant(first + np.arange(count) * step, start.dtype)
        return _progression(node, dim(count))
    sizes = [b.known_sizes(one) if not is_float(one.dtype) else None for one in (start, limit, delta)]
    known = [one[0] for one in sizes if one]
    if len(known) == 3 and dims.number(known[2]) == 1 and dims.not_below(known[1], known[0]):
        if dims.number(known[0]) == 0:
            return b.arange(known[1], start.dtype)
        return b.op("arange", known[0], known[1], dtype=start.dtype)
    wide = [b.cast(one, "float64") for one in (start, limit, delta)]
    steps = b.op("ceil", b.op("divide", b.op("subtract", wide[1], wide[0]), wide[2]))
    count = b.cast(b.op("maximum", steps, b.like(0, steps)), "int64")
    return _progression(node, b.size_of(count))


def _progression(node: Node, count: dims.Dim) -> Value:
    b = node.builder
    start, _, delta = node.inputs()
    steps = b.cast(b.arange(count), start.dtype)
    return b.op("add", start, b.op("multiply", steps, delta))


@imports("OneHot")
def one_hot(node: Node) -> Value:
    """Two values, chosen by comparing indices with a new axis; negative indices count from the end."""
    b = node.builder
    indices, depth, values = node.inputs()
    rank = len(indices.dims)
    axis = node.int("axis", -1)
    axis += rank + 1 if axis < 0 else 0
    known = known_array(depth)
    extent = dim(int(known.reshape(-1)[0])) if known is not None else b.size_of(b.cast(depth, "int64"))
    indices = b.cast(indices, "int64")
    size: Value = Sizes((extent,), scalar=True)
    indices = b.op("floor_mod", indices, size) if not _inside(node, extent) else indices
    places = b.reshape(b.arange(extent), [extent, *[1] * (rank - axis)])
    found = b.op("equal", b.op("expand_dims", indices, axis=axis), places)
    in_range = _in_range(node, size, rank, axis)
    found = found if in_range is None else b.op("logical_and", found, in_range)
    on, off = [b.reshape(b.slice(values, [0], [at], [at + 1]), []) for at in (1, 0)]
    return b.op("where", found, on, off)


def _inside(node: Node, extent: dims.Dim) -> bool:
    known = known_array(node.input(0))
    return known is not None and bool((known >= 0).all()) and dims.not_below(extent, 0)


def _in_range(node: Node, size: Value, rank: int, axis: int) -> Value | None:
    """Return whether indices are within [-depth, depth): others select nothing."""
    b, indices = node.builder, node.input(0)
    if known_array(indices) is not None:
        return None
    indices = b.cast(indices, "int64")
    low = b.op("greater_equal", indices, b.op("negative", size))
    inside = b.op("logical_and", low, b.op("less", indices, size))
    return b.op("expand_dims", inside, axis=axis)


@imports("RandomUniformLike", "RandomUniform", "RandomNormalLike", "RandomNormal")
def random(node: Node) -> Value:
    """Numbers by a hash of a seed and their place: the same in every run, and others at each node."""
    b = node.builder
    if node.op.endswith("Like"):
        shape, default = node.input(0).dims, node.input(0).dtype
    else:
        shape, default = tuple([dim(one) for one in node.ints("shape") or []]), "float32"
    dtype = node.dtype("dtype", default)
    if "Uniform" in node.op:
        low, high = node.float("low", 0.0), node.float("high", 1.0)
        made = b.op("multiply", uniform(node, shape), b.constant(high - low, "float64"))
        return b.cast(b.op("add", made, b.constant(low, "float64")), dtype)
    mean, scale = node.float("mean", 0.0), node.float("scale", 1.0)
    one = b.constant(1, "float64")
    radius = b.op("log", b.op("subtract", one, uniform(node, shape)))  # Box and Muller's method
    radius = b.op("sqrt", b.op("multiply", radius, b.constant(-2, "float64")))
    angle = b.op("multiply", uniform(node, shape, 1), b.constant(2 * math.pi, "float64"))
    made = b.op("multiply", b.op("multiply", radius, b.op("cos", angle)), b.constant(scale, "float64"))
    return b.cast(b.op("add", made, b.constant(mean, "float64")), dtype)


def uniform(node: Node, shape: dims.Dims, number: int = 0) -> Value:
    """Return numbers from 0 to 1 in float64; nodes, and calls of one with other numbers, give others."""
    b = node.builder
    seed = node.attribute("seed")
    first = hash_of(float(seed)) if seed is not None else node.definition.index
    first += 2 * len(b.bindings) + number
    made = call(node, UNIFORM, [b.constant([first], "int64")], (dims.product(shape),), "float64")
    return b.reshape(made, shape)


def hash_of(seed: float) -> int:
    """Return a number for a seed."""
    return int.from_bytes(struct.pack("<d", seed), "little") >> 2
