"""Detection and determinants: what goes element by element is a PrimFunc."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, imports, static_dims
from relax_lang.onnx.building.prim_funcs import (
    DEFORMED_COLUMNS,
    DETERMINANT,
    SAMPLE_AVERAGES,
    SAMPLE_MAXIMA,
    SUPPRESSION,
    call,
)
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Refused
from relax_lang.onnx.operators.nn.convolution import Window, with_bias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


@imports("NonMaxSuppression")
def non_max_suppression(node: Node) -> Value:
    """Boxes by descending score, each kept unless it overlaps one that was kept before."""
    b = node.builder
    boxes, scores = node.input(0), node.input(1)
    limits = [
        _limit(node, 2, 0.0, "float32"),
        _limit(node, 3, 0.0, "float32"),
        _limit(node, 4, float("-inf"), "float32"),
    ]
    parts = [b.reshape(b.slice(boxes, [2], [at], [at + 1]), boxes.dims[:2]) for at in range(4)]
    if node.int("center_point_box", 0):
        half = b.like(0.5, boxes)
        x, y, w, h = parts
        w, h = b.op("multiply", w, half), b.op("multiply", h, half)
        corners = [b.op("subtract", y, h), b.op("subtract", x, w), b.op("add", y, h), b.op("add", x, w)]
    else:
        corners = [
            b.op("minimum", parts[0], parts[2]), b.op("minimum", parts[1], parts[3]),
            b.op("maximum", parts[0], parts[2]), b.op("maximum", parts[1], parts[3]),
        ]  # fmt: skip
    corners_ = b.op("stack", tuple(corners), axis=2)
    order = b.op("argsort", scores, axis=2, descending=True, dtype="int64")
    values = b.op("concat", tuple(limits), axis=0)
    kept = call(node, SUPPRESSION, [corners_, scores, order, values], scores.dims, "bool")
    places = b.transpose(b.op("nonzero", kept, dims=[dim(3), None]), [1, 0])
    box = b.op("expand_dims", b.op("gather_nd", order, places), axis=1)
    return b.op("concat", (b.slice(places, [1], [0], [2]), box), axis=1)


def _limit(node: Node, at: int, default: float, dtype: str) -> Value:
    b = node.builder
    if not node.given(at):
        return b.constant([default], dtype)
    return b.reshape(b.cast(node.input(at), dtype), [1])


@imports("RoiAlign")
def roi_align(node: Node) -> Value:
    """Averages or maxima of samples between pixels, on a grid in each box."""
    b = node.builder
    x, rois, batches = [node.input(at) for at in range(3)]
    height, width = node.int("output_height", 1), node.int("output_width", 1)
    half = node.opset >= 16 and node.string("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    facts = [
        node.float("spatial_scale", 1.0),
        0.5 if half else 0.0,
        float(node.int("sampling_ratio", 0)),
        float(half),
    ]
    shape = (rois.dims[0], x.dims[1], dim(height), dim(width))
    kind = SAMPLE_MAXIMA if node.string("mode", "avg") == "max" else SAMPLE_AVERAGES
    values = [
        b.cast(x, "float64"),
        b.cast(rois, "float64"),
        b.cast(batches, "int64"),
        b.constant(facts, "float64"),
    ]
    return b.cast(call(node, kind, values, shape, "float64"), x.dtype)


@imports("DeformConv")
def deform_conv(node: Node) -> Value:
    """A convolution whose samples are moved by offsets, and weighted by a mask: columns first, then a product."""
    b, x, w, offset = node.builder, node.input(0), node.input(1), node.input(2)
    window = Window(node, x, static_dims(w, "the shape of its kernel")[2:])
    if window.rank != 2:
        raise Refused(f"over {window.rank} axes")
    groups, offset_groups = node.int("group", 1), node.int("offset_group", 1)
    n, (oh, ow) = x.dims[0], offset.dims[2:]
    kh, kw = window.kernel
    mask = node.optional(4)
    if mask is None:
        mask = b.full([n, dim(offset_groups * kh * kw), oh, ow], 1, x.dtype)
    offsets = b.reshape(offset, [n, offset_groups, kh, kw, 2, oh, ow])
    masks = b.reshape(mask, [n, offset_groups, kh, kw, oh, ow])
    facts = b.constant([*window.strides, *window.pads[:2], *window.dilations], "int64")
    shape = (n, x.dims[1], dim(kh), dim(kw), oh, ow)
    values = [b.cast(one, "float32") for one in (x, offsets, masks)]
    columns = call(node, DEFORMED_COLUMNS, [*values, facts], shape, "float32")
    inner = dims.mul(w.dims[1], kh * kw)
    area = dims.mul(oh, ow)
    columns = b.reshape(columns, [n, groups, inner, area])
    weights = b.reshape(b.cast(w, "float32"), [groups, dims.floor_div(w.dims[0], groups), inner])
    made = b.reshape(b.op("matmul", weights, columns), [n, w.dims[0], oh, ow])
    return with_bias(node, b.cast(made, x.dtype), node.optional(3))


@imports("Det")
def det(node: Node) -> Value:
    """Determinants of the last two axes, by elimination with pivots."""
    b, x = node.builder, node.input(0)
    outer, side = x.dims[:-2], x.dims[-1]
    flat = b.reshape(x, [dims.product(outer), side, side])
    wide = b.cast(flat, "float64")
    made = call(node, DETERMINANT, [wide], (dims.product(outer),), "float64")
    return b.reshape(b.cast(made, x.dtype), outer)


@imports("Shrink")
def shrink(node: Node) -> Value:
    """Elements within `lambd` of 0 are 0, others move toward it by `bias`."""
    b, x = node.builder, node.input(0)
    limit, bias = node.float("lambd", 0.5), node.float("bias", 0.0)
    low = b.op("less", x, b.like(-limit, x))
    high = b.op("greater", x, b.like(limit, x))
    rest = b.op("where", high, b.op("subtract", x, b.like(bias, x)), b.like(0, x))
    return b.op("where", low, b.op("add", x, b.like(bias, x)), rest)
