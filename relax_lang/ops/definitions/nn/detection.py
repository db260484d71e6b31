"""Object detection: boxes from predictions, and which of those that overlap are kept."""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.errors import bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels.shape_checks import same_dtype
from relax_lang.ops.shape_rules.nn import detection as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

family = Family(__name__, "Object detection: boxes", since="later")


@family.operator(
    "vision.non_max_suppression",
    "data: tensor(3-d float), valid_count: tensor(1-d index), indices: tensor(2-d index)",
    "max_output_size: int = -1, iou_threshold: float = 0.5, force_suppress: bool = false, top_k: int = -1, "
    "coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = true, "
    "invalid_to_bottom: bool = false, soft_nms_sigma: float = 0.0, score_threshold: float = 0.0",
    infer=rules.non_max_suppression,
    also=("torch.nms",),
    example="vision.non_max_suppression(const([[[0.0, 0.9, 0.0, 0.0, 2.0, 2.0], [0.0, 0.8, 0.0, 0.0, 2.0, 1.5]]]), "
    "const([2], int32), const([[0, 1]], int32))",
)
def non_max_suppression(data: Any, valid_count: Any, indices: Any, **options: Any) -> Any:
    """Keep the best of the boxes of each image that overlap.

    `data` is (B, N, K): a box is K numbers, of which `score_index` is the score, `id_index` the class (negative: there
    are no classes), and four from `coord_start` on are two opposite corners: x, y, x, y. The first `valid_count` (B,)
    boxes of an image count, and of these the `top_k` with the highest scores if that is positive. By descending score,
    equal ones in their order, a box is kept if its score is positive, fewer than `max_output_size` are kept (negative:
    any number), and no box that is kept overlaps it: of the same class, or of any with `force_suppress`, with an area
    in common that is at least `iou_threshold` of the area of both together. The result is `indices` (B, N) of the
    boxes that are kept, by descending score, and -1 after them, (B, N), int32, and how many they are, (B, 1), int32.
    With `return_indices=false` it is the boxes in the order of their scores, (B, N, K), those that are not kept all
    -1; with `invalid_to_bottom` these come last.

    With a positive `soft_nms_sigma` a box that overlaps less is kept, and its score multiplied with
    `exp(-o * o / (2 * soft_nms_sigma))` for each kept box that it overlaps by o; the box with the highest score comes
    next. Then scores above `score_threshold` count, the boxes that are kept come first, with their new scores, and
    with `return_indices` they are a first result, before the other two.
    """
    images, boxes, length = data.shape
    for name, shape, wanted in (
        ("valid_count", valid_count.shape, (images,)),
        ("indices", indices.shape, (images, boxes)),
    ):
        for axis, (extent, most) in enumerate(zip(shape, wanted, strict=True)):
            if extent != most:
                reason = f"axis {axis} is {most} in `data` and {extent} in `{name}`"
                raise bad_shape(data.shape, shape, reason)
    problem = rules.bad_index(options, length)
    if problem is not None:
        raise bad_attribute(*problem)
    if np.any((valid_count < 0) | (valid_count > boxes)):
        at = int(np.argmax((valid_count < 0) | (valid_count > boxes)))
        raise bad_value(f"image {at} has {valid_count[at]} valid boxes of {boxes}", image=at)
    is_soft = options["soft_nms_sigma"] > 0
    found = np.full(data.shape, -1, data.dtype)
    places = np.full((images, boxes), -1, np.int32)
    counts = np.zeros((images, 1), np.int32)
    for image in range(images):
        candidates = data[image, : int(valid_count[image])].astype(np.float64)
        order = np.argsort(-candidates[:, options["score_index"]], kind="stable")
        if options["top_k"] > 0:
            order = order[: options["top_k"]]
        ranked = candidates[order]
        select = _select_softly if is_soft else _select
        kept, scores = select(ranked, options)
        count = counts[image, 0] = len(kept)
        places[image, :count] = indices[image, order[kept]]
        rows = slice(count) if is_soft or options["invalid_to_bottom"] else kept
        found[image, rows] = data[image, order[kept]]
        if is_soft:
            found[image, :count, options["score_index"]] = scores
    if not options["return_indices"]:
        return found
    return (found, places, counts) if is_soft else (places, counts)


def _select(ranked: Any, options: dict[str, Any]) -> tuple[list[int], list[float]]:
    """Return the rows that are kept, of rows by descending score, and their scores."""
    most = options["max_output_size"]
    scores = ranked[:, options["score_index"]]
    is_free = scores > 0
    kept: list[int] = []
    for row in range(len(ranked)):
        if is_free[row] and (most < 0 or len(kept) < most):
            kept.append(row)
            is_free[row + 1 :] &= _overlaps(ranked, row, options)[row + 1 :] < options["iou_threshold"]
    return kept, scores[kept].tolist()


def _select_softly(ranked: Any, options: dict[str, Any]) -> tuple[list[int], list[float]]:
    """Do the same where boxes that overlap lose a part of their score; the rows are in the order of their choice."""
    most, sigma = options["max_output_size"], options["soft_nms_sigma"]
    scores = ranked[:, options["score_index"]].copy()
    is_free = scores > options["score_threshold"]
    kept: list[int] = []
    found: list[float] = []
    while is_free.any() and (most < 0 or len(kept) < most):
        row = int(np.argmax(np.where(is_free, scores, -np.inf)))
        kept.append(row)
        found.append(float(scores[row]))
        is_free[row] = False
        overlaps = _overlaps(ranked, row, options)
        scores[is_free] *= np.exp(-np.square(np.maximum(overlaps[is_free], 0)) / (2 * sigma))
        is_free &= (overlaps < options["iou_threshold"]) & (scores > options["score_threshold"])
    return kept, found


def _overlaps(rows: Any, row: int, options: dict[str, Any]) -> Any:
    """Return the part of the area of two boxes together that they share, of one row and all; -inf of other classes."""
    start, label = options["coord_start"], options["id_index"]
    shared = _intersections(rows[:, start : start + 4], rows[row, start : start + 4])
    if label >= 0 and not options["force_suppress"]:
        shared[rows[:, label] != rows[row, label]] = -np.inf
    return shared


def _intersections(boxes: Any, box: Any) -> Any:
    """Return the area that a box shares with each of many, of their area together; 0 where that is not positive."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    own_low, own_high = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    sides = np.maximum(np.minimum(high, own_high) - np.maximum(low, own_low), 0)
    shared = sides[:, 0] * sides[:, 1]
    together = (high - low).prod(axis=1) + (own_high - own_low).prod() - shared
    return np.where(together > 0, shared / np.where(together > 0, together, 1), 0.0)


@family.operator(
    "vision.all_class_non_max_suppression",
    "boxes: tensor(3-d float), scores: tensor(3-d float), max_output_boxes_per_class: tensor(integer), "
    "iou_threshold: tensor(float), score_threshold: tensor(float)",
    'output_format: "onnx"|"tensorflow" = "onnx"',
    infer=rules.all_class_non_max_suppression,
    also=("onnx.NonMaxSuppression",),
    example="vision.all_class_non_max_suppression(const([[[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.5]]]), "
    "const([[[0.9, 0.8]]]), const(2), const(0.5), const(0.0))",
)
def all_class_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_boxes_per_class: Any,
    iou_threshold: Any,
    score_threshold: Any,
    output_format: str,
) -> tuple[Any, ...]:
    """Keep the best of the boxes of each image that overlap, for each class on its own.

    `boxes` (B, N, 4) are two opposite corners: y, x, y, x. `scores` are (B, C, N). The three limits are tensors of one
    element. By descending score, equal ones in their order, a box is kept for a class if its score is above
    `score_threshold`, fewer than `max_output_boxes_per_class` are kept (negative: any number), and the area that it
    shares with a box that is kept is at most `iou_threshold` of that of both together. With the format "onnx" the
    result is rows of image, class and box, (B * C * N, 3), int64, zeros after them, and how many they are, (1,), int64;
    with "tensorflow" rows of class and box for each image, (B, C * N, 2), int64, their scores (B, C * N), and how many
    they are, (B,), int64.
    """
    limits = {
        "max_output_boxes_per_class": max_output_boxes_per_class,
        "iou_threshold": iou_threshold,
        "score_threshold": score_threshold,
    }
    _check_classes(boxes, scores, limits)
    most, overlap, least = (limit.reshape(()).item() for limit in limits.values())
    rows = [
        [
            (label, box)
            for label, values in enumerate(scores[image].astype(np.float64))
            for box in _select_above(corners, values, (most, overlap, least))
        ]
        for image, corners in enumerate(boxes.astype(np.float64))
    ]
    images, classes, count = scores.shape
    if output_format == "onnx":
        table = np.zeros((images * classes * count, 3), np.int64)
        all_rows = [(image, *row) for image, found in enumerate(rows) for row in found]
        if all_rows:
            table[: len(all_rows)] = all_rows
        return table, np.array([len(all_rows)], np.int64)
    pairs = np.zeros((images, classes * count, 2), np.int64)
    values = np.zeros((images, classes * count), scores.dtype)
    for image, found in enumerate(rows):
        for at, (label, box) in enumerate(found):
            pairs[image, at] = label, box
            values[image, at] = scores[image, label, box]
    return pairs, values, np.array([len(found) for found in rows], np.int64)


def _check_classes(boxes: Any, scores: Any, limits: dict[str, Any]) -> None:
    images, count, corners = boxes.shape
    if corners != 4:
        raise bad_shape(boxes.shape, scores.shape, f"a box is 4 numbers, not {corners}")
    for axis, extent in ((0, images), (2, count)):
        if extent != scores.shape[axis]:
            reason = f"axis {axis} of `scores` is {scores.shape[axis]}, where {extent} is needed"
            raise bad_shape(boxes.shape, scores.shape, reason)
    for name, limit in limits.items():
        if limit.size != 1:
            raise bad_shape(
                boxes.shape, limit.shape, f"`{name}` has {limit.size} elements, where 1 is needed"
            )


def _select_above(corners: Any, scores: Any, limits: tuple[int, float, float]) -> list[int]:
    """Return the boxes that are kept for one class, by descending score."""
    most, overlap, least = limits
    is_free = scores > least
    kept: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        if is_free[box] and (most < 0 or len(kept) < most):
            kept.append(box)
            is_free &= _intersections(corners, corners[box]) <= overlap
    return kept


@family.operator(
    "vision.multibox_transform_loc",
    "cls_pred: tensor(3-d float), loc_pred: tensor(2-d float), anchor: tensor(3-d float)",
    "clip: bool = false, threshold: float = 0.0, variances: list[float] = [1.0, 1.0, 1.0, 1.0], "
    "keep_background: bool = true, apply_softmax: bool = true",
    infer=rules.multibox_transform_loc,
    example="vision.multibox_transform_loc(const([[[1.0], [2.0]]]), const([[0.0, 0.5, 0.0, 0.0]]), "
    "const([[[0.0, 0.0, 2.0, 2.0]]]))",
)
def multibox_transform_loc(
    cls_pred: Any,
    loc_pred: Any,
    anchor: Any,
    clip: bool,
    threshold: float,
    variances: list[float],
    keep_background: bool,
    apply_softmax: bool,
) -> tuple[Any, Any]:
    """Make boxes of anchors and the offsets that a network predicts for them, and scores of its classes.

    `cls_pred` is (B, C, N), `loc_pred` (B, 4 * N) with x, y, w, h of each anchor, and `anchor` (1, N, 4): left, top,
    right, bottom; all have one dtype. The centre of a box is that of its anchor, moved by x and y times `variances`
    times its width and height; its sides are those of the anchor times the exponentials of w and h times their
    `variances`. The results are the boxes (B, N, 4) as top, left, bottom, right, with `clip` moved into [0, 1], and
    the scores (B, C, N): the softmax of the classes, or `cls_pred` itself with `apply_softmax=false`, 0 where it is
    below `threshold` and, with `keep_background=false`, for the class 0.
    """
    for name, other in (("loc_pred", loc_pred), ("anchor", anchor)):
        same_dtype(cls_pred, other, ("cls_pred", name))
    images, classes, count = cls_pred.shape
    for name, shape, wanted in (
        ("loc_pred", loc_pred.shape, (images, 4 * count)),
        ("anchor", anchor.shape, (1, count, 4)),
    ):
        for axis, (extent, needed) in enumerate(zip(shape, wanted, strict=True)):
            if extent != needed:
                reason = f"axis {axis} of `{name}` is {extent}, where {needed} is needed"
                raise bad_shape(cls_pred.shape, shape, reason)
    if len(variances) != 4:
        raise bad_attribute("variances", rules.VARIANCES)
    low, high = anchor[..., :2].astype(np.float64), anchor[..., 2:].astype(np.float64)
    steps = loc_pred.reshape(images, count, 4).astype(np.float64) * np.array(variances)
    centre = (low + high) / 2 + steps[..., :2] * (high - low)
    half = np.exp(steps[..., 2:]) * (high - low) / 2
    boxes = np.concatenate([(centre - half)[..., ::-1], (centre + half)[..., ::-1]], axis=2)
    if clip:
        boxes = np.clip(boxes, 0.0, 1.0)
    scores = cls_pred.astype(np.float64)
    if apply_softmax and classes:
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        scores = powers / powers.sum(axis=1, keepdims=True)
    scores = np.where(scores < threshold, 0.0, scores)
    if not keep_background:
        scores[:, :1] = 0.0
    return boxes.astype(cls_pred.dtype), scores.astype(cls_pred.dtype)
