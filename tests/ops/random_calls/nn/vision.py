"""Random calls of the operators on boxes and regions of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.strategies import Call, Draw


def _valid_counts(draw: Draw) -> Call:
    length = draw.one_of(2, 3, 6)
    data = draw.tensor((draw.extent(), draw.extent(), length), draw.dtype("float"))
    attrs = draw.some(
        score_threshold=draw.one_of(-1.0, 0.0, 1.5, 9.0),
        id_index=draw.one_of(-1, 0, length - 1),
        score_index=draw.one_of(0, 1),
    )
    return [data], attrs


def _roi_pool(draw: Draw) -> Call:
    count = draw.one_of(1, 2)
    layout = draw.one_of("NCHW", "NHWC")
    sizes = {"N": count, "C": draw.extent(), "H": draw.extent(), "W": draw.extent()}
    data = draw.tensor(tuple([sizes[letter] for letter in layout]), draw.dtype("float"))
    rois = draw.tensor((draw.extent(), 5), "float32") * np.float32(draw.one_of(0.5, 1.0, 2.0))
    rois[:, 0] = draw.whole((len(rois),), 0, count - 1, "float32")
    pooled = draw.one_of(1, 2, [2, 3])
    return [data, rois], {"pooled_size": pooled, "spatial_scale": draw.one_of(0.25, 1.0), "layout": layout}


def _roi_align(draw: Draw) -> Call:
    args, attrs = _roi_pool(draw)
    attrs |= draw.some(
        sample_ratio=draw.one_of(-1, 0, 1, 2), aligned=draw.chance(0.5), mode=draw.one_of("avg", "max")
    )
    return args, attrs


def _boxes(draw: Draw, shape: tuple[int, ...], dtype: str) -> Any:
    """Return boxes that often overlap: corners on a small grid."""
    return draw.whole((*shape, 4), 0, 4, "int64").astype(numpy_dtype(dtype))


def _non_max_suppression(draw: Draw) -> Call:
    dtype = draw.dtype("float")
    images, boxes = draw.one_of(1, 2), draw.one_of(0, 1, 3, 6)
    has_label = draw.chance(0.7)
    label = draw.whole((images, boxes, 1), -1, 1, "int64").astype(numpy_dtype(dtype))
    score = draw.whole((images, boxes, 1), -2, 14, "int64").astype(numpy_dtype(dtype)) / numpy_dtype(
        dtype
    ).type(16)
    data = np.concatenate([label, score.astype(label.dtype), _boxes(draw, (images, boxes), dtype)], axis=2)
    attrs = draw.some(
        max_output_size=draw.one_of(-1, 0, 1, 3),
        iou_threshold=draw.one_of(0.0, 0.25, 0.5, 1.0),
        force_suppress=draw.chance(0.5),
        top_k=draw.one_of(-1, 2, 5),
        return_indices=draw.chance(0.4),
        invalid_to_bottom=draw.chance(0.5),
        soft_nms_sigma=draw.one_of(0.0, 0.5, 2.0),
        score_threshold=draw.one_of(0.0, 0.125),
    )
    if not has_label:
        data = data[:, :, 1:]
        attrs |= {"id_index": -1, "score_index": 0, "coord_start": 1}
    counts = draw.whole((images,), 0, boxes, "int32")
    return [data, counts, draw.whole((images, boxes), 0, 9, "int32")], attrs


def _all_class(draw: Draw) -> Call:
    dtype = draw.dtype("float")
    images, classes, boxes = draw.one_of(1, 2), draw.extent(), draw.one_of(0, 1, 3, 6)
    scores = draw.whole((images, classes, boxes), 0, 8, "int64").astype(numpy_dtype(dtype))
    limits = [
        draw.whole(draw.one_of((), (1,)), -1, 3, draw.one_of("int64", "int32")),
        np.asarray(draw.one_of(0.0, 0.25, 0.5), np.float32),
        np.asarray(draw.one_of(-1.0, 2.0), np.float32),
    ]
    attrs = draw.some(output_format=draw.one_of("onnx", "tensorflow"))
    return [_boxes(draw, (images, boxes), dtype), scores, *limits], attrs


def _multibox(draw: Draw) -> Call:
    dtype = draw.dtype("float")
    images, classes, boxes = draw.extent(), draw.extent(), draw.extent()
    shapes = [(images, classes, boxes), (images, 4 * boxes), (1, boxes, 4)]
    attrs = draw.some(
        clip=draw.chance(0.5),
        threshold=draw.one_of(0.0, 0.25, -1.0),
        variances=draw.one_of([0.5, 0.5, 0.25, 0.25], [1.0, 0.0, 0.5, 1.0]),
        keep_background=draw.chance(0.5),
        apply_softmax=draw.chance(0.5),
    )
    return [draw.tensor(shape, dtype) for shape in shapes], attrs


CALLS: dict[str, Any] = {
    "vision.get_valid_counts": _valid_counts,
    "vision.roi_pool": _roi_pool,
    "vision.roi_align": _roi_align,
    "vision.non_max_suppression": _non_max_suppression,
    "vision.all_class_non_max_suppression": _all_class,
    "vision.multibox_transform_loc": _multibox,
}
