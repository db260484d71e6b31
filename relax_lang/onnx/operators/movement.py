"""Padding, rearrangement, and parts of matrices."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid
from relax_lang.onnx.node import Node, axes_of, imports, known_array
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
        node.known(1, "the widths") if mode != "constant" else None
        widths = _by_data(node, len(axes))
    if len(widths) != 2 * len(axes):
        raise Invalid(f"{len(widths)} widths for {len(axes)} axes")
    before, after = [dim(0)] * rank, [dim(0)] * rank
    for at, axis in enumerate(axes):
        before[axis], after[axis] = widths[at], widths[at + len(axes)]
    return padded(node, x, before, after, mode, value)


def _by_data(node: Node, count: int) -> Sequence[dims.Dim]:
    """Return widths that are not known, which may not be negative then."""
    return node.builder.shape_of(node.input(1)) if count else ()


def padded(
    node: Node, x: Value, before: Sequence[dims.Dim], after: Sequence[dims.Dim], mode: str, value: Value
) -> Value:
    """Return a tensor with more elements around; widths below 0 cut."""
    b = node.builder
    first, last = dims.numbers(before), dims.numbers(after)
    fill = known_array(value)
    if first is None or last is None or (mode == "constant" and fill is None):
        return _masked(node, x, before, after, value)
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
        return _masked(
            node, x, [dim(max(one, 0)) for one in first], [dim(max(one, 0)) for one in last], value
        )
    return b.op("nn.pad", x, pad_width=widths, pad_value=float(fill.reshape(())))


def _masked(
    node: Node, x: Value, before: Sequence[dims.Dim], after: Sequence[dims.Dim], value: Value
) -> Value:
    """Return a tensor padded by reading at clamped places, and a choice."""
    b = node.builder
    rank = len(x.dims)
    for axis in range(rank):
        low, high = before[axis], after[axis]
        if dims.number(low) == 0 and dims.number(high) == 0:
            continue
        extent = x.dims[axis]
        size = dims.add(dims.add(extent, low), high)
        places = b.op("subtract", b.arange(size), Sizes((low,), scalar=True))
        inside = b.op(
            "logical_and",
            b.op("greater_equal", places, b.constant(0, "int64")),
            b.op("less", places, Sizes((extent,), scalar=True)),
        )
        taken = b.op("take", x, places, axis=axis, mode="clip")
        x = b.op("where", b.reshape(inside, [size, *[1] * (rank - axis - 1)]), taken, value)
    return x
