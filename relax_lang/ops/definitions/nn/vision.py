"""Operators on boxes and regions of images."""

from __future__ import annotations

import math
from math import isfinite

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.nn.vision import regions, valid_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Samples = tuple[int, Any, Any]
    """How many samples a cell has on one axis; the elements before those near the image, and how far behind these."""

family = Family(__name__, "Object detection: regions", since="later")


@family.operator(
    "vision.get_valid_counts",
    "data: tensor(3-d)",
    "score_threshold: float = 0.0, id_index: int = 0, score_index: int = 1",
    infer=valid_counts,
    example="vision.get_valid_counts(const([[[0.0, 0.2, 1.0], [1.0, 0.9, 2.0]]]), score_threshold=0.5)",
)
def get_valid_counts(
    data: Any, score_threshold: float, id_index: int, score_index: int
) -> tuple[Any, Any, Any]:
    """Move the boxes with a score above a threshold to the front of each image.

    `data` is (B, N, K): a box is K numbers, of which `score_index` is the score and `id_index` the class. A box is
    valid if its score is greater than `score_threshold` and its class is not negative; with a negative `id_index` there
    are no classes. The result is the number of valid boxes (B,), int32; the boxes (B, N, K), the valid ones first, in
    their order, and the others all -1; and where they were, (B, N), int32, -1 for the others.
    """
    _, boxes, length = data.shape
    for name, index in (("score_index", score_index), ("id_index", id_index)):
        if index >= length or (name == "score_index" and index < 0):
            raise bad_attribute(name, f"a box has {length} numbers")
    is_valid = data[:, :, score_index] > score_threshold
    if id_index >= 0:
        is_valid &= data[:, :, id_index] >= 0
    counts = is_valid.sum(axis=1).astype(np.int32)
    order = np.argsort(~is_valid, axis=1, kind="stable")
    is_kept = np.arange(boxes) < counts[:, None]
    moved = np.take_along_axis(data, order[:, :, None], axis=1)
    kept = np.where(is_kept[:, :, None], moved, np.asarray(-1).astype(data.dtype))
    return counts, kept, np.where(is_kept, order, -1).astype(np.int32)


@family.operator(
    "vision.roi_pool",
    "data: tensor(4-d), rois: tensor(2-d)",
    'pooled_size: int|list[int], spatial_scale: float, layout: "NCHW"|"NHWC" = "NCHW"',
    infer=regions,
    example="vision.roi_pool(const([[[[1.0, 2.0], [3.0, 4.0]]]]), const([[0.0, 0.0, 0.0, 1.0, 1.0]]), "
    "pooled_size=1, spatial_scale=1.0)",
)
def roi_pool(data: Any, rois: Any, pooled_size: int | list[int], spatial_scale: float, layout: str) -> Any:
    """Divide regions of images into a grid of cells, and take the greatest element of each cell.

    A row of `rois` is the number of an image and the region in it: left, top, right, bottom, which are multiplied by
    `spatial_scale` and rounded, halves away from zero. A region has at least one row and one column. Cells may
    overlap, since their borders are rounded outwards; one without an element is 0. The result has an image of
    `pooled_size` for each region, in the layout and dtype of `data`.
    """
    high, wide = _pooled(pooled_size, data, rois)
    images = data if layout == "NCHW" else data.transpose(0, 3, 1, 2)
    count, channels, height, width = images.shape
    result = np.zeros((len(rois), channels, high, wide), data.dtype)
    for at, region in enumerate(rois.tolist()):
        image, *edges = _region(at, region, spatial_scale, count)
        left, top, right, bottom = map(_rounded, edges)
        rows = _cells(top, bottom, high, height)
        columns = _cells(left, right, wide, width)
        for i, (first, last) in enumerate(rows):
            for j, (begin, end) in enumerate(columns):
                if first < last and begin < end:
                    result[at, :, i, j] = images[image, :, first:last, begin:end].max(axis=(1, 2))
    return result if layout == "NCHW" else result.transpose(0, 2, 3, 1)


@family.operator(
    "vision.roi_align",
    "data: tensor(4-d float), rois: tensor(2-d float)",
    "pooled_size: int|list[int], spatial_scale: float, sample_ratio: int = -1, aligned: bool = false, "
    'layout: "NCHW"|"NHWC" = "NCHW", mode: "avg"|"max" = "avg"',
    infer=regions,
    also=("torch.roi_align", "onnx.RoiAlign"),
    example="vision.roi_align(const([[[[1.0, 2.0], [3.0, 4.0]]]]), const([[0.0, 0.0, 0.0, 1.0, 1.0]]), "
    "pooled_size=1, spatial_scale=1.0)",
)
def roi_align(
    data: Any,
    rois: Any,
    pooled_size: int | list[int],
    spatial_scale: float,
    sample_ratio: int,
    aligned: bool,
    layout: str,
    mode: str,
) -> Any:
    """Divide regions of images into a grid of cells, and take the mean or the maximum of samples in each cell.

    A row of `rois` is the number of an image and the region in it: left, top, right, bottom, which are multiplied by
    `spatial_scale` and not rounded. Unless `aligned`, a region is at least one high and wide. A cell has `sample_ratio`
    samples on each axis, evenly spaced, or as many as it has rows and columns, rounded up, if that is not positive.
    A sample is interpolated between the four elements around it, those at the border continued by one element; it is
    0 outside of that. A cell without samples is 0, with the mode "max" -inf. The result has an image of `pooled_size`
    for each region, in the layout and dtype of `data`.
    """
    high, wide = _pooled(pooled_size, data, rois)
    images = data if layout == "NCHW" else data.transpose(0, 3, 1, 2)
    count, channels, height, width = images.shape
    result = np.zeros((len(rois), channels, high, wide), np.float64)
    for at, region in enumerate(rois.tolist()):
        image, left, top, right, bottom = _region(at, region, spatial_scale, count)
        rows = _samples(top, bottom - top, high, (height, sample_ratio, aligned))
        columns = _samples(left, right - left, wide, (width, sample_ratio, aligned))
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                result[at, :, i, j] = _cell(images[image], row, column, mode)
    result = result.astype(data.dtype)
    return result if layout == "NCHW" else result.transpose(0, 2, 3, 1)


def _samples(begin: float, length: float, cells: int, how: tuple[int, int, bool]) -> list[_Samples]:
    """Return the samples of each cell on one axis, only those that are near the image."""
    extent, ratio, aligned = how
    step = (length if aligned else max(length, 1.0)) / cells
    each = ratio if ratio > 0 else max(math.ceil(step), 0)
    found: list[_Samples] = []
    for cell in range(cells):
        first, last = 0, each
        if each and step > 0:  # the others are 0: there may be any number of them
            first = min(max(math.floor(((-1 - begin) / step - cell) * each - 0.5) - 1, 0), each)
            last = min(max(math.ceil(((extent - begin) / step - cell) * each - 0.5) + 2, first), each)
        at = begin + cell * step + (np.arange(first, last) + 0.5) * step / max(each, 1)
        at = at[(at >= -1) & (at <= extent)] if extent else at[:0]
        at = np.clip(at, 0, extent - 1)
        low = np.floor(at).astype(np.int64)
        found.append((each, low, at - low))
    return found


def _cell(image: Any, rows: _Samples, columns: _Samples, mode: str) -> Any:
    """Return the mean or the maximum of the samples of one cell, of each channel of an image."""
    count = rows[0] * columns[0]
    near = _between(_between(image, 1, rows), 2, columns)
    if mode == "avg":
        return near.sum(axis=(1, 2)) / max(count, 1)
    least = 0.0 if count > near.shape[1] * near.shape[2] else -np.inf
    return near.max(axis=(1, 2), initial=least)


def _between(image: Any, axis: int, samples: _Samples) -> Any:
    """Return an image with samples between its rows (axis 1) or columns (axis 2) in their place."""
    _, low, part = samples
    part = part[:, None] if axis == 1 else part
    high = low + 1
    inside = high < image.shape[axis]
    lower = image.take(low, axis=axis).astype(np.float64) * (1 - part)
    upper = image.take(np.where(inside, high, low), axis=axis).astype(np.float64) * part
    return lower + np.where(inside[:, None] if axis == 1 else inside, upper, 0.0)


def _pooled(pooled_size: int | list[int], data: Any, rois: Any) -> tuple[int, int]:
    pooled = [pooled_size, pooled_size] if isinstance(pooled_size, int) else pooled_size
    if len(pooled) != 2 or min(pooled) < 1:
        raise bad_attribute("pooled_size", "one or two positive numbers are needed")
    if rois.shape[1] != 5:
        raise bad_shape(data.shape, rois.shape, f"a region is 5 numbers, not {rois.shape[1]}")
    return pooled[0], pooled[1]


def _region(at: int, region: list[float], scale: float, count: int) -> tuple[int, float, float, float, float]:
    """Return the image of a region and its edges: left, top, right, bottom."""
    left, top, right, bottom = [edge * scale for edge in region[1:]]
    if not all(map(isfinite, [region[0], left, top, right, bottom])):
        raise bad_value(f"region {at} is not finite", region=at)
    image = int(region[0])
    if not 0 <= image < count:
        raise bad_value(f"region {at} is of image {image}; there are {count}", image=image)
    return image, left, top, right, bottom


def _rounded(value: float) -> int:
    """Round to the nearest integer, halves away from zero."""
    return int(value + 0.5) if value >= 0 else -int(0.5 - value)


def _cells(low: int, high: int, count: int, extent: int) -> list[tuple[int, int]]:
    """Return where the cells of a region begin and end on an axis, inside of the image."""
    length = max(high - low + 1, 1)
    found: list[tuple[int, int]] = []
    for at in range(count):
        begin, end = at * length // count + low, -(-(at + 1) * length // count) + low
        found.append((min(max(begin, 0), extent), min(max(end, 0), extent)))
    return found
