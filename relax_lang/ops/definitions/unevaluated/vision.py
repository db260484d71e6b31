"""Object detection, which is not evaluated. Results whose shapes depend on elements are objects."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.nn.vision import regions

family = Family(__name__, "Object detection, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


_declare(
    "vision.all_class_non_max_suppression",
    "boxes: tensor(3-d), scores: tensor(3-d), max_output_boxes_per_class: tensor, iou_threshold: "
    "tensor, score_threshold: tensor",
    'output_format: str = "onnx"',
    doc="Keeps the best of boxes that overlap, per class.",
)
_declare(
    "vision.non_max_suppression",
    "data: tensor(3-d), valid_count: tensor(1-d), indices: tensor(2-d)",
    "max_output_size: int = -1, iou_threshold: float = 0.5, force_suppress: bool = false, top_k: int "
    "= -1, coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = "
    "true, invalid_to_bottom: bool = false, soft_nms_sigma: float = 0.0, score_threshold: float = 0.0",
    also=("torch.nms",),
    doc="Keeps the best of boxes that overlap.",
)
_declare(
    "vision.roi_align",
    "data: tensor(4-d), rois: tensor(2-d)",
    "pooled_size: int|list[int], spatial_scale: float, sample_ratio: int = -1, aligned: bool = false,"
    ' layout: str = "NCHW", mode: str = "avg"',
    infer=regions,
    doc="Samples regions of an image on grids of one size.",
)
_declare(
    "vision.multibox_transform_loc",
    "cls_pred: tensor(3-d), loc_pred: tensor(2-d), anchor: tensor(3-d)",
    "clip: bool = false, threshold: float = 0.0, variances: list[float] = [1.0, 1.0, 1.0, 1.0], "
    "keep_background: bool = true, apply_softmax: bool = true",
    doc="Decodes predictions into boxes.",
)
