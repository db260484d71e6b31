"""Padding, rearrangement, and parts of matrices."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axes_of, imports, known_array
from relax_lang.onnx.building.size_arithmetic import on_sizes
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid
from relax_lang.onnx.values import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.onnx.values import Value

_MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}


@imports("Trilu")
def trilu(node: Node) -> Value:
    """The upper or the lower part of matrices."""
    x = node.input(0)
    k = int(node.known(1, "the diagonal").reshape(-1)[0]) if node.given(1) else 0
    return node.builder.op("triu" if node.int("upper", 1) else "tril", x, dim(k))


@imports("ReverseSequence")
def reverse_sequence(node: Node) -> Value:
    """The first elements of each sequence in opposite order."""
    batch, time = node.int("batch_axis", 1), node.int("time_axis", 0)
    return node.builder.op("reverse_sequence", node.input(0), node.input(1), seq_axis=time, batch_axis=batch)


@imports("DepthToSpace")
def depth_to_space(node: Node) -> Value:
    """Channels become blocks of pixels, in one of two orders."""
    b, x = node.builder, node.input(0)
    size = node.int("blocksize")
    n, c, h, w = x.dims
    rest = dims.floor_div(c, size * size)
    if node.string("mode", "DCR") == "DCR":
        x = b.transpose(b.reshape(x, [n, size, size, rest, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        x = b.transpose(b.reshape(x, [n, rest, size, size, h, w]), [0, 1, 4, 2, 5, 3])
    return b.reshape(x, [n, rest, dims.mul(h, size), dims.mul(w, size)])


@imports("SpaceToDepth")
def space_to_depth(node: Node) -> Value:
    """Blocks of pixels become channels; the order of `mode` as in DepthToSpace."""
    b, x = node.builder, node.input(0)
    size = node.int("blocksize")
    n, c, h, w = x.dims
    rows, columns = dims.floor_div(h, size), dims.floor_div(w, size)
    x = b.reshape(x, [n, c, rows, size, columns, size])
    order = [0, 3, 5, 1, 2, 4] if node.string("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    return b.reshape(b.transpose(x, order), [n, dims.mul(c, size * size), rows, columns])


@imports("Pad")
def pad(node: Node) -> Value:
    """Widths before and after each axis; negative ones cut."""
    b, x = node.builder, node.input(0)
    rank = len(x.dims)
    mode = node.string("mode", "constant")
    if mode not in _MODES:
        raise Invalid(f"there is no mode `{mode}`")
    if node.opset < 11:
        widths: Sequence[dims.Dim] | None = [
            dim(one) for one in node.ints("pads" if node.opset > 1 else "paddings") or []
        ]
        value: Value = b.like(node.float("value", 0.0), x)
        axes = list(range(rank))
    else:
        axes = axes_of(node.known_ints(3, "the axes") or list(range(rank)), rank)
        widths = b.known_sizes(node.input(1))
        value = node.input(2) if node.given(2) else b.like(0, x)
        value = b.reshape(value, [])
    if widths is None:
        return _by_data(node, x, axes, mode, value)
    if len(widths) != 2 * len(axes):
        raise Invalid(f"{len(widths)} widths for {len(axes)} axes")
    before, after = [dim(0)] * rank, [dim(0)] * rank
    for at, axis in enumerate(axes):
        before[axis], after[axis] = widths[at], widths[at + len(axes)]
    return padded(node, x, before, after, mode, value)


def _by_data(node: Node, x: Value, axes: Sequence[int], mode: str, value: Value) -> Value:
    """Return a tensor padded by widths that are not known, and may be negative."""
    b = node.builder
    widths = b.cast(node.input(1), "int64")
    for at, axis in enumerate(axes):
        low, high = [b.op("take", widths, b.constant(one, "int64"), axis=0) for one in (at, at + len(axes))]
        x = _read(node, x, axis, low, high, mode, value)
    return x


def padded(
    node: Node, x: Value, before: Sequence[dims.Dim], after: Sequence[dims.Dim], mode: str, value: Value
) -> Value:
    """Return a tensor with more elements around; widths below 0 cut."""
    b = node.builder
    first, last = dims.numbers(before), dims.numbers(after)
    fill = known_array(value)
    if first is None or last is None or (mode == "constant" and fill is None):
        return _masked(node, x, before, after, mode, value)
    cut = [at for at in range(len(x.dims)) if first[at] < 0 or last[at] < 0]
    if cut:
        begins = [dim(max(-first[at], 0)) for at in cut]
        ends = [dims.add(x.dims[at], min(last[at], 0)) for at in cut]
        x = b.slice(x, cut, begins, ends)
    widths = [width for pair in zip(first, last, strict=True) for width in (max(pair[0], 0), max(pair[1], 0))]
    if not any(widths):
        return x
    if mode != "constant" or fill is None:
        return b.op("nn.pad", x, pad_width=widths, pad_mode=_MODES[mode])
    if x.dtype in ("int64", "uint64") or x.dtype == "bool":
        lows, highs = [[dim(max(one, 0)) for one in found] for found in (first, last)]
        return _masked(node, x, lows, highs, mode, value)
    return b.op("nn.pad", x, pad_width=widths, pad_value=float(fill.reshape(())))


def _masked(
    node: Node, x: Value, before: Sequence[dims.Dim], after: Sequence[dims.Dim], mode: str, value: Value
) -> Value:
    """Return a tensor padded by reading at other places, and a choice."""
    for axis in range(len(x.dims)):
        low, high = before[axis], after[axis]
        if dims.number(low) != 0 or dims.number(high) != 0:
            widths = Sizes((low,), scalar=True), Sizes((high,), scalar=True)
            x = _read(node, x, axis, *widths, mode, value)
    return x


def _read(node: Node, x: Value, axis: int, low: Value, high: Value, mode: str, value: Value) -> Value:
    """Return a tensor with `low` and `high` elements more at the ends of an axis; below 0 they cut first."""
    b = node.builder
    zero: Value = Sizes((dim(0),), scalar=True)
    one: Value = Sizes((dim(1),), scalar=True)
    extent: Value = Sizes((x.dims[axis],), scalar=True)
    first = _of_sizes(node, "Sub", zero, _of_sizes(node, "Min", low, zero))
    length = _of_sizes(node, "Sub", _of_sizes(node, "Add", extent, _of_sizes(node, "Min", high, zero)), first)
    size = b.size_of(_of_sizes(node, "Add", _of_sizes(node, "Add", extent, low), high))
    places: Value = b.op("subtract", b.arange(size), _of_sizes(node, "Max", low, zero))
    within = places
    match mode:
        case "wrap":
            within = b.op("floor_mod", places, length)
        case "reflect":
            last = _of_sizes(node, "Sub", length, one)
            around = _of_sizes(node, "Max", _of_sizes(node, "Add", last, last), one)
            within = b.op("floor_mod", places, around)
            within = b.op("minimum", within, b.op("subtract", around, within))
        case _:
            last = _of_sizes(node, "Sub", length, one)
            within = b.op("maximum", b.op("minimum", places, last), b.constant(0, "int64"))
    if not (isinstance(first, Sizes) and dims.number(first.items[0]) == 0):
        within = b.op("add", within, first)
    taken = b.op("take", x, within, axis=axis, mode="clip")
    if mode != "constant":
        return taken
    inside = b.op(
        "logical_and",
        b.op("greater_equal", places, b.constant(0, "int64")),
        b.op("less", places, length),
    )
    return b.op("where", b.reshape(inside, [size, *[1] * (len(x.dims) - axis - 1)]), taken, value)


_BY_TENSORS = {"Add": "add", "Sub": "subtract", "Min": "minimum", "Max": "maximum"}


def _of_sizes(node: Node, op: str, left: Value, right: Value) -> Value:
    """Return the result of an operator on integers: an extent if both are."""
    found = on_sizes(op, (left, right))
    return node.builder.op(_BY_TENSORS[op], left, right) if found is None else found
