"""Operators on boxes and regions of images, formulated element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.reference.base import Index, get, made


def valid_counts(data: Any, score_threshold: float, id_index: int, score_index: int) -> Any:
    images, boxes, length = data.shape
    counts = np.zeros(images, np.int32)
    places = np.full((images, boxes), -1, np.int32)
    for image in range(images):
        for box in range(boxes):
            is_object = id_index < 0 or get(data, (image, box, id_index)) >= 0
            if get(data, (image, box, score_index)) > score_threshold and is_object:
                places[image, counts[image]] = box
                counts[image] += 1

    def element(index: Index) -> float:
        image, box, at = index
        place = int(places[image, box])
        return get(data, (image, place, at)) if place >= 0 else -1.0

    return counts, made((images, boxes, length), data.dtype, element), places


def roi_pool(data: Any, rois: Any, pooled_size: Any, spatial_scale: float, layout: str) -> Any:
    both: list[int] = pooled_size if isinstance(pooled_size, list) else [pooled_size, pooled_size]
    high, wide = both
    height, width = (data.shape[layout.index(letter)] for letter in "HW")

    def nearest(value: float) -> int:
        return int(math.copysign(math.floor(abs(value) + 0.5), value))

    def element(index: Index) -> float:
        region, channel, i, j = index if layout == "NCHW" else (index[0], index[3], index[1], index[2])
        image, *edges = [get(rois, (region, at)) for at in range(5)]
        left, top, right, bottom = [nearest(edge * spatial_scale) for edge in edges]
        rows = max(bottom - top + 1, 1) / high
        columns = max(right - left + 1, 1) / wide
        values: list[float] = []
        for y in range(math.floor(i * rows) + top, math.ceil((i + 1) * rows) + top):
            for x in range(math.floor(j * columns) + left, math.ceil((j + 1) * columns) + left):
                if 0 <= y < height and 0 <= x < width:
                    place = {"N": int(image), "C": channel, "H": y, "W": x}
                    values.append(get(data, tuple([place[letter] for letter in layout])))
        if any(value != value for value in values):
            return math.nan
        return max(values, default=0.0)

    sizes = {"N": len(rois), "C": data.shape[layout.index("C")], "H": high, "W": wide}
    return made([sizes[letter] for letter in layout], data.dtype, element)


SECOND: dict[str, Any] = {"vision.get_valid_counts": valid_counts, "vision.roi_pool": roi_pool}
