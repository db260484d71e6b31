"""Object detection, which is not evaluated. Results whose shapes depend on elements are objects."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared.dims import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree

family = Family(__name__, "Object detection, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


def _valid_counts(call: Inference) -> tree.StructInfo:
    """Infer the number of valid boxes, the boxes in order, and their former indices."""
    data = call.tensor(0)
    if data.dims is None:
        parts = call.of_rank(1, "int32"), call.of_rank(2, "int32")
    else:
        parts = call.tensor_of(data.dims[:1], "int32"), call.tensor_of(data.dims[:2], "int32")
    return call.tuple_of([parts[0], call.like(data, data.dtype), parts[1]])


def _regions(call: Inference) -> tree.StructInfo:
    """Infer one image of the pooled size for every region. [OP.4]"""
    data, regions = call.tensor(0), call.tensor(1)
    size, layout = call.attrs["pooled_size"], call.attrs["layout"]
    sizes = [size, size] if isinstance(size, int) else size
    if len(sizes) != 2 or min(sizes) < 1:
        call.bad_attribute("pooled_size", "one or two positive numbers are needed")
    if layout not in ("NCHW", "NHWC"):
        call.bad_attribute("layout", f'"{layout}" is neither NCHW nor NHWC')
    if data.dims is None or regions.dims is None or call.findings:
        return call.of_rank(4, data.dtype)
    spatial = [number(extent) for extent in sizes]
    if layout == "NCHW":
        return call.tensor_of((regions.dims[0], data.dims[1], *spatial), data.dtype)
    return call.tensor_of((regions.dims[0], *spatial, data.dims[3]), data.dtype)


_declare(
    "vision.all_class_non_max_suppression",
    "boxes: tensor(3-d), scores: tensor(3-d), max_output_boxes_per_class: tensor, iou_threshold: "
    "tensor, score_threshold: tensor",
    'output_format: str = "onnx"',
    doc="Keeps the best of boxes that overlap, per class.",
)
_declare(
    "vision.get_valid_counts",
    "data: tensor(3-d)",
    "score_threshold: float = 0.0, id_index: int = 0, score_index: int = 1",
    infer=_valid_counts,
    doc="Removes boxes with low scores.",
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
    infer=_regions,
    doc="Samples regions of an image on grids of one size.",
)
_declare(
    "vision.roi_pool",
    "data: tensor(4-d), rois: tensor(2-d)",
    'pooled_size: int|list[int], spatial_scale: float, layout: str = "NCHW"',
    infer=_regions,
    doc="Pools regions of an image to one size.",
)
_declare(
    "vision.multibox_transform_loc",
    "cls_pred: tensor(3-d), loc_pred: tensor(2-d), anchor: tensor(3-d)",
    "clip: bool = false, threshold: float = 0.0, variances: list[float] = [1.0, 1.0, 1.0, 1.0], "
    "keep_background: bool = true, apply_softmax: bool = true",
    doc="Decodes predictions into boxes.",
)
