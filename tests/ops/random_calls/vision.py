"""Random calls of the operators on boxes and regions of images."""

from __future__ import annotations

from typing import Any

import numpy as np

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


CALLS: dict[str, Any] = {"vision.get_valid_counts": _valid_counts, "vision.roi_pool": _roi_pool}
