"""Operators of Relax that are several of ONNX: attention, group normalization, repetition, quantization."""

from __future__ import annotations

import math

import numpy as np

from relax_lang.onnx.exporting.call import exports
from relax_lang.onnx.exporting.graph import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.exporting.call import Call

HALVES = ("float16", "bfloat16")
FLOATS = (*HALVES, "float32", "float64")


@exports("nn.attention", "nn.attention_bias")
def attention(call: Call) -> str:
    """Products and a softmax, with the heads in front; key heads are repeated for the query heads they serve."""
    call.need(call.dtype() in FLOATS, f"attention of {call.dtype()}")
    graph, attrs, dtype = call.graph, call.attrs, _computed_in(call)
    heads, groups, depth = call.extent(0, 2), call.extent(1, 2), call.extent(0, 3)
    query = call.op("Transpose", _operand(call, 0), perm=[0, 2, 1, 3])
    key = call.op("Transpose", _shared(call, 1, heads, groups), perm=[0, 2, 3, 1])
    value = call.op("Transpose", _shared(call, 2, heads, groups), perm=[0, 2, 1, 3])
    scale = attrs["scale"]
    if scale is None:
        scale = 1 / math.sqrt(depth) if depth else 1.0
    scores = call.op("Mul", call.op("MatMul", query, key), graph.scalar(scale, dtype))
    if call.name == "nn.attention_bias":
        scores = call.op("Add", scores, _operand(call, 3))
    if attrs["causal_mask"] is not None:
        scores = call.op("Where", _seen(call), scores, graph.scalar(-math.inf, dtype))
    mixed = call.op("MatMul", call.op("Softmax", scores, axis=-1), value)
    return _result(call, call.op("Transpose", mixed, perm=[0, 2, 1, 3]))


def _computed_in(call: Call) -> str:
    """Return the dtype that an operator computes in: halves are widened, and rounded once at the end."""
    return "float32" if call.dtype() in HALVES else call.dtype()


def _operand(call: Call, index: int) -> str:
    """Return an operand in the dtype that its operator computes in."""
    value, dtype = call.tensor(index), _computed_in(call)
    return value if call.dtype(index) == dtype else call.op("Cast", value, to=DTYPES[dtype])


def _result(call: Call, value: str) -> str:
    """Return what was computed in the dtype of the result."""
    same = call.result_dtype == _computed_in(call)
    return value if same else call.op("Cast", value, to=DTYPES[call.result_dtype])


def _shared(call: Call, index: int, heads: int, groups: int) -> str:
    """Return keys or values with as many heads as the queries have."""
    if heads == groups:
        return _operand(call, index)
    order = np.repeat(np.arange(groups), heads // max(1, groups))
    return call.op("Gather", _operand(call, index), call.graph.ints(order.tolist()), axis=2)


def _seen(call: Call) -> str:
    """Return which keys each query sees: up to its own place, or to that counted from the end; or the last of those."""
    graph = call.graph
    queries, keys = graph.size(call.extents(0)[1]), graph.size(call.extents(1)[1])
    empty = graph.ints([])
    first, step = graph.scalar(0, "int64"), graph.scalar(1, "int64")
    rows = graph.op("Range", first, graph.op("Reshape", queries, empty), step)
    columns = graph.op("Range", first, graph.op("Reshape", keys, empty), step)
    last = graph.op("Unsqueeze", rows, graph.ints([1]))
    if call.attrs["causal_mask"] == "BottomRight":
        last = graph.op("Add", last, graph.op("Sub", keys, queries))
    seen = graph.op("LessOrEqual", columns, last)
    window = call.attrs["window_size"]
    if window is None:
        return seen
    return graph.op("And", seen, graph.op("Greater", columns, graph.op("Sub", last, graph.ints([window]))))


@exports("nn.group_norm")
def group_norm(call: Call) -> str:
    """GroupNormalization of opset 21 has a scale for each channel; before, an instance normalization of groups."""
    attrs, rank = call.attrs, call.rank()
    call.need(attrs["center"] and attrs["scale"], "without center or scale")
    rest = list(range(2, rank))
    call.need(
        call.axis("channel_axis") == 1 and sorted(call.axes("axes")) == rest and rest, "its axes are others"
    )
    call.need(call.dtype() in FLOATS, f"a normalization of {call.dtype()}")
    dtype = _computed_in(call)
    graph, groups, channels = call.graph, int(attrs["num_groups"]), call.extent(0, 1)
    x, scale, bias = [_operand(call, index) for index in range(3)]
    epsilon = float(attrs["epsilon"])
    if graph.opset >= 21:
        made = call.op("GroupNormalization", x, scale, bias, num_groups=groups, epsilon=epsilon)
        return _result(call, made)
    each = call.op("Reshape", x, graph.ints([0, groups, -1]))
    ones = graph.constant(np.ones(groups, dtype), "ones")
    zeros = graph.constant(np.zeros(groups, dtype), "zeros")
    normal = graph.op("InstanceNormalization", each, ones, zeros, epsilon=epsilon)
    normal = graph.op("Reshape", normal, graph.op("Shape", x))
    shape = graph.ints([1, channels, *[1] * len(rest)])
    scaled = graph.op("Mul", normal, graph.op("Reshape", scale, shape))
    return _result(call, graph.op("Add", scaled, graph.op("Reshape", bias, shape)))


@exports("repeat")
def repeat(call: Call) -> str:
    """An axis behind the one that is repeated, stretched, and both as one."""
    graph, times, given = call.graph, int(call.attrs["repeats"]), call.attrs["axis"]
    call.need(times > 0, "without elements")
    flat = call.op("Reshape", call.tensor(0), graph.ints([-1])) if given is None else call.tensor(0)
    rank = 1 if given is None else call.rank()
    axis = 0 if given is None else call.axis()
    wide = graph.op("Unsqueeze", flat, graph.ints([axis + 1]))
    counts = graph.ints([*[1] * (axis + 1), times, *[1] * (rank - axis - 1)])
    return graph.op("Reshape", graph.op("Tile", wide, counts), graph.shape(call.result_dims))


def _parameter(call: Call, index: int, rank: int, axis: int) -> str:
    """Return a scale or zero point as a float32 in a shape that goes with the data."""
    value = call.op("Cast", call.tensor(index), to=DTYPES["float32"])
    dims = call.extents(index)
    one = all(getattr(dim, "value", None) == 1 for dim in dims)
    shape = [] if one else [-1, *[1] * (rank - axis - 1)]
    return call.graph.op("Reshape", value, call.graph.ints(shape))


@exports("quantize")
def quantize(call: Call) -> str:
    """Written out: QuantizeLinear takes fewer dtypes, and adds its zero point after rounding as well."""
    call.need(call.dtype() == "float32" == call.dtype(1), "halves round after each step")
    call.need(call.dtype(2) in ("int8", "uint8", "int16", "uint16"), f"a zero point of {call.dtype(2)}")
    graph, rank = call.graph, call.rank()
    scale, zero = [_parameter(call, index, rank, call.axis()) for index in (1, 2)]
    made = graph.op("Add", graph.op("Round", graph.op("Div", call.tensor(0), scale)), zero)
    limits = np.iinfo(call.result_dtype)
    made = graph.op("Clip", made, graph.scalar(limits.min, "float32"), graph.scalar(limits.max, "float32"))
    missing = graph.op("IsNaN", made)
    made = graph.op("Where", missing, graph.scalar(0, "float32"), made)
    return graph.op("Cast", made, to=DTYPES[call.result_dtype])


@exports("dequantize")
def dequantize(call: Call) -> str:
    """Written out, for all dtypes whose differences float32 holds."""
    small = ("int8", "uint8", "int16", "uint16")
    call.need(call.dtype() in small and call.dtype(2) in small, "of more than 16 bits, or of floats")
    call.need(call.dtype(1) == "float32" == call.result_dtype, "halves round after each step")
    rank = call.rank()
    scale, zero = [_parameter(call, index, rank, call.axis()) for index in (1, 2)]
    wide = call.op("Cast", call.tensor(0), to=DTYPES["float32"])
    return call.graph.op("Mul", call.graph.op("Sub", wide, zero), scale)
