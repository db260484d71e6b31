"""Operators on boxes and regions of images."""

from __future__ import annotations

from math import isfinite

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.shape_rules.nn.vision import regions, valid_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family(__name__, "Object detection", since="later")


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
    pooled = [pooled_size, pooled_size] if isinstance(pooled_size, int) else pooled_size
    if len(pooled) != 2 or min(pooled) < 1:
        raise bad_attribute("pooled_size", "one or two positive numbers are needed")
    if rois.shape[1] != 5:
        raise bad_shape(data.shape, rois.shape, f"a region is 5 numbers, not {rois.shape[1]}")
    high, wide = pooled
    images = data if layout == "NCHW" else data.transpose(0, 3, 1, 2)
    count, channels, height, width = images.shape
    result = np.zeros((len(rois), channels, high, wide), data.dtype)
    for at, region in enumerate(rois.tolist()):
        edges = [edge * spatial_scale for edge in region[1:]]
        if not all(map(isfinite, [region[0], *edges])):
            raise bad_value(f"region {at} is not finite", region=at)
        image, left, top, right, bottom = int(region[0]), *map(_rounded, edges)
        if not 0 <= image < count:
            raise bad_value(f"region {at} is of image {image}; there are {count}", image=image)
        rows = _cells(top, bottom, high, height)
        columns = _cells(left, right, wide, width)
        for i, (first, last) in enumerate(rows):
            for j, (begin, end) in enumerate(columns):
                if first < last and begin < end:
                    result[at, :, i, j] = images[image, :, first:last, begin:end].max(axis=(1, 2))
    return result if layout == "NCHW" else result.transpose(0, 2, 3, 1)


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
