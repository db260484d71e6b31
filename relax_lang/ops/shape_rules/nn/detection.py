"""Rules of the operators that choose among boxes."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.shape_rules.shared.broadcast import clash_text, same_dtype
from relax_lang.ops.shape_rules.shared.dims import multiply, number, product, value_of
from relax_lang.ops.shape_rules.shared.extents import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

    Dim = tree.PrimExpr

VARIANCES = "four numbers are needed: for x, y, w and h"
_ONE = number(1)


def bad_index(options: dict[str, Any], length: int | None) -> tuple[str, str] | None:
    """Return the attribute that names no number of a box, and why; `length` is how many it has, None if unknown."""
    for name, width, least in (("coord_start", 4, 0), ("score_index", 1, 0), ("id_index", 1, None)):
        index = options[name]
        if least is not None and index < least:
            return name, f"it is {index}; a box has no such number"
        if length is not None and index + width > length:
            numbers = "four numbers" if width == 4 else "a number"
            return name, f"there are not {numbers} at {index} of {length}" if width == 4 else (
                f"it is {index}; a box has {length} numbers"
            )
    return None


def non_max_suppression(call: Inference) -> tree.StructInfo:
    """Infer indices and counts, the boxes, or all three."""
    data, counts, indices = call.tensor(0), call.tensor(1), call.tensor(2)
    length = None if data.dims is None else value_of(data.dims[2])
    problem = bad_index(call.attrs, length)
    if problem is not None:
        call.bad_attribute(*problem)
    if data.dims is not None:
        for index, other in ((1, counts), (2, indices)):
            for axis, extent in enumerate(other.dims or ()):
                clash = axis, data.dims[axis], extent
                call.clash(
                    data.dims[axis],
                    extent,
                    (0, index),
                    partial(clash_text, clash, call.name(0), call.name(index)),
                )
    boxes = call.like(data, data.dtype)
    if not call.attrs["return_indices"]:
        return boxes
    if data.dims is None:
        fields = [call.of_rank(2, "int32"), call.of_rank(2, "int32")]
    else:
        fields = [
            call.tensor_of(data.dims[:2], "int32"),
            call.tensor_of((data.dims[0], _ONE), "int32"),
        ]
    return call.tuple_of([boxes, *fields] if call.attrs["soft_nms_sigma"] > 0 else fields)


def all_class_non_max_suppression(call: Inference) -> tree.StructInfo:
    """Infer rows of image, class and box, or of class and box for each image."""
    boxes, scores = call.tensor(0), call.tensor(1)
    if boxes.dims is not None:
        corners = boxes.dims[2]
        call.clash(corners, number(4), (0,), lambda: f"a box is 4 numbers, not {text(corners)}")
    if boxes.dims is not None and scores.dims is not None:
        for axis, a, b in ((0, boxes.dims[0], scores.dims[0]), (2, boxes.dims[1], scores.dims[2])):
            call.clash(a, b, (0, 1), partial(_needed, axis, call.name(1), b, a))
    for index in (2, 3, 4):
        dims = call.tensor(index).dims
        if dims is not None:
            count = product(call, dims)
            call.clash(count, _ONE, (index,), partial(_elements, call.name(index), count))
    is_onnx = call.attrs["output_format"] == "onnx"
    images = None if boxes.dims is None else boxes.dims[0]
    count = None if boxes.dims is None else boxes.dims[1]
    if boxes.dims is None and scores.dims is not None:
        images, count = scores.dims[0], scores.dims[2]
    if images is None or count is None or scores.dims is None:
        if is_onnx:
            return call.tuple_of([call.of_rank(2, "int64"), call.tensor_of((_ONE,), "int64")])
        fields = [call.of_rank(3, "int64"), call.of_rank(2, scores.dtype), call.of_rank(1, "int64")]
        return call.tuple_of(fields)
    rows = multiply(call, scores.dims[1], count)
    if is_onnx:
        table = call.tensor_of((multiply(call, images, rows), number(3)), "int64")
        return call.tuple_of([table, call.tensor_of((_ONE,), "int64")])
    fields = [
        call.tensor_of((images, rows, number(2)), "int64"),
        call.tensor_of((images, rows), scores.dtype),
        call.tensor_of((images,), "int64"),
    ]
    return call.tuple_of(fields)


def multibox_transform_loc(call: Inference) -> tree.StructInfo:
    """Infer boxes (B, N, 4) and scores (B, C, N)."""
    classes, offsets, anchors = call.tensor(0), call.tensor(1), call.tensor(2)
    dtypes = [same_dtype(call, classes, other, 0, index) for index, other in ((1, offsets), (2, anchors))]
    if len(call.attrs["variances"]) != 4:
        call.bad_attribute("variances", VARIANCES)
    dtype = None if None in dtypes else classes.dtype
    if anchors.dims is not None:
        for axis, wanted in ((0, _ONE), (2, number(4))):
            extent = anchors.dims[axis]
            call.clash(extent, wanted, (2,), partial(_needed, axis, call.name(2), extent, wanted))
    if classes.dims is None:
        return call.tuple_of([call.of_rank(3, dtype), call.of_rank(3, dtype)])
    images, _, count = classes.dims
    if offsets.dims is not None:
        for axis, wanted in ((0, images), (1, multiply(call, count, number(4)))):
            extent = offsets.dims[axis]
            call.clash(extent, wanted, (0, 1), partial(_needed, axis, call.name(1), extent, wanted))
    if anchors.dims is not None:
        extent = anchors.dims[1]
        call.clash(extent, count, (0, 2), partial(_needed, 1, call.name(2), extent, count))
    boxes = call.tensor_of((images, count, number(4)), dtype)
    return call.tuple_of([boxes, call.tensor_of(classes.dims, dtype)])


def _needed(axis: int, name: str, extent: Dim, wanted: Dim) -> str:
    return f"axis {axis} of {name} is {text(extent)}, where {text(wanted)} is needed"


def _elements(name: str, count: Dim) -> str:
    return f"{name} has {text(count)} elements, where 1 is needed"
