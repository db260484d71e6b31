"""Operators on boxes and regions of images, formulated element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.reference.base import Index, divided, get, largest, made, safely, smallest, softmax


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


def roi_align(
    data: Any,
    rois: Any,
    pooled_size: Any,
    spatial_scale: float,
    sample_ratio: int,
    aligned: bool,
    layout: str,
    mode: str,
) -> Any:
    high, wide = pooled_size if isinstance(pooled_size, list) else [pooled_size, pooled_size]
    height, width = (data.shape[layout.index(letter)] for letter in "HW")

    def sample(image: int, channel: int, y: float, x: float) -> float:
        if not (height and width and -1 <= y <= height and -1 <= x <= width):
            return 0.0
        y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
        total = 0.0
        for row, by_row in ((math.floor(y), 1 - y % 1), (math.floor(y) + 1, y % 1)):
            for column, by_column in ((math.floor(x), 1 - x % 1), (math.floor(x) + 1, x % 1)):
                if row < height and column < width:
                    place = {"N": image, "C": channel, "H": row, "W": column}
                    total += by_row * by_column * get(data, tuple([place[letter] for letter in layout]))
        return total

    def places(begin: float, end: float, cells: int, cell: int) -> list[float]:
        length = end - begin if aligned else max(end - begin, 1.0)
        count = sample_ratio if sample_ratio > 0 else math.ceil(length / cells)
        return [begin + cell * (length / cells) + (k + 0.5) * (length / cells) / count for k in range(count)]

    def element(index: Index) -> float:
        region, channel, i, j = index if layout == "NCHW" else (index[0], index[3], index[1], index[2])
        image = int(get(rois, (region, 0)))
        left, top, right, bottom = [get(rois, (region, at)) * spatial_scale for at in range(1, 5)]
        values = [
            sample(image, channel, y, x)
            for y in places(top, bottom, high, i)
            for x in places(left, right, wide, j)
        ]
        if mode == "avg":
            return sum(values) / max(len(values), 1)
        return math.nan if any(value != value for value in values) else max(values, default=-math.inf)

    sizes = {"N": len(rois), "C": data.shape[layout.index("C")], "H": high, "W": wide}
    return made([sizes[letter] for letter in layout], data.dtype, element)


Box = tuple[float, float, float, float]


def shared_part(a: Box, b: Box) -> float:
    """Return the area that two boxes share, of the area of both together."""

    def side(first: int) -> tuple[float, float, float]:
        low, high = smallest([a[first], a[first + 2]]), largest([a[first], a[first + 2]])
        its_low, its_high = smallest([b[first], b[first + 2]]), largest([b[first], b[first + 2]])
        common = smallest([high, its_high]) - largest([low, its_low])
        return largest([common, 0.0]), high - low, its_high - its_low

    (x, a_x, b_x), (y, a_y, b_y) = side(0), side(1)
    together = a_x * a_y + b_x * b_y - x * y
    return divided(x * y, together) if together > 0 else 0.0


def by_score(scores: list[float]) -> list[int]:
    """Return places by descending score, equal ones in their order, nan last."""
    return sorted(range(len(scores)), key=lambda at: (scores[at] != scores[at], -scores[at], at))


def non_max_suppression(data: Any, valid_count: Any, indices: Any, **options: Any) -> Any:
    images, boxes, length = data.shape
    start, score_at, label_at = options["coord_start"], options["score_index"], options["id_index"]
    most = options["max_output_size"] if options["max_output_size"] >= 0 else boxes
    sigma = options["soft_nms_sigma"]
    least = options["score_threshold"] if sigma > 0 else 0.0
    found: Any = np.full(data.shape, -1, data.dtype)
    places = np.full((images, boxes), -1, np.int32)
    counts = np.zeros((images, 1), np.int32)
    for image in range(images):
        rows = [[get(data, (image, at, k)) for k in range(length)] for at in range(int(valid_count[image]))]
        order = by_score([row[score_at] for row in rows])
        order = order[: options["top_k"]] if options["top_k"] > 0 else order
        scores = {at: rows[at][score_at] for at in order}
        left, kept = list(order), list[int]()
        while len(kept) < most:
            free = [at for at in left if scores[at] > least]
            if not free:
                break
            best = max(free, key=lambda at: scores[at])
            kept.append(best)
            left.remove(best)
            for at in list(left):
                is_same = (
                    options["force_suppress"] or label_at < 0 or rows[at][label_at] == rows[best][label_at]
                )
                corners = [tuple(rows[each][start : start + 4]) for each in (best, at)]
                part = shared_part(corners[0], corners[1]) if is_same else 0.0  # type: ignore[arg-type]
                if is_same and not part < options["iou_threshold"]:
                    left.remove(at)
                elif is_same and sigma > 0:
                    scores[at] *= math.exp(-part * part / (2 * sigma))
        counts[image, 0] = len(kept)
        for rank, at in enumerate(kept):
            places[image, rank] = indices[image, at]
            is_first = sigma > 0 or options["invalid_to_bottom"]
            row = rank if is_first else order.index(at)
            for k in range(length):
                found[image, row, k] = scores[at] if k == score_at and sigma > 0 else data[image, at, k]
    if not options["return_indices"]:
        return found
    return (found, places, counts) if sigma > 0 else (places, counts)


def all_class_non_max_suppression(
    boxes: Any, scores: Any, most: Any, overlap: Any, least: Any, output_format: str
) -> Any:
    images, classes, count = scores.shape
    most, overlap, least = (get(limit, (0,) * limit.ndim) for limit in (most, overlap, least))
    chosen: list[tuple[int, int, int]] = []
    for image in range(images):
        corners = [tuple([get(boxes, (image, box, k)) for k in range(4)]) for box in range(count)]
        for label in range(classes):
            values = [get(scores, (image, label, box)) for box in range(count)]
            kept: list[int] = []
            for box in by_score(values):
                apart = all(shared_part(corners[other], corners[box]) <= overlap for other in kept)  # type: ignore[arg-type]
                if values[box] > least and apart and (most < 0 or len(kept) < most):
                    kept.append(box)
            chosen += [(image, label, box) for box in kept]
    if output_format == "onnx":
        table = np.zeros((images * classes * count, 3), np.int64)
        for at, row in enumerate(chosen):
            table[at] = row
        return table, np.array([len(chosen)])
    pairs = np.zeros((images, classes * count, 2), np.int64)
    values_of = np.zeros((images, classes * count), scores.dtype)
    totals = np.zeros(images, np.int64)
    for image, label, box in chosen:
        pairs[image, totals[image]] = label, box
        values_of[image, totals[image]] = scores[image, label, box]
        totals[image] += 1
    return pairs, values_of, totals


def multibox_transform_loc(
    cls_pred: Any,
    loc_pred: Any,
    anchor: Any,
    clip: bool,
    threshold: float,
    variances: list[float],
    keep_background: bool,
    apply_softmax: bool,
) -> Any:
    images, classes, count = cls_pred.shape

    def corner(index: Index) -> float:
        image, box, k = index
        axis = 1 - k % 2  # top, left, bottom, right
        low, high = get(anchor, (0, box, axis)), get(anchor, (0, box, axis + 2))
        move, growth = (get(loc_pred, (image, 4 * box + axis + more)) for more in (0, 2))
        half = safely(math.exp, growth * variances[axis + 2]) * (high - low) / 2
        found = (low + high) / 2 + move * variances[axis] * (high - low) + (-half if k < 2 else half)
        return found if not clip or found != found else min(max(found, 0.0), 1.0)

    def score(index: Index) -> float:
        image, label, box = index
        values = [get(cls_pred, (image, each, box)) for each in range(classes)]
        found = (softmax(values) if apply_softmax else values)[label]
        return 0.0 if found < threshold or (label == 0 and not keep_background) else found

    boxes = made((images, count, 4), cls_pred.dtype, corner)
    return boxes, made(cls_pred.shape, cls_pred.dtype, score)


REFERENCE: dict[str, Any] = {
    "vision.get_valid_counts": valid_counts,
    "vision.roi_pool": roi_pool,
    "vision.roi_align": roi_align,
    "vision.non_max_suppression": non_max_suppression,
    "vision.all_class_non_max_suppression": all_class_non_max_suppression,
    "vision.multibox_transform_loc": multibox_transform_loc,
}
