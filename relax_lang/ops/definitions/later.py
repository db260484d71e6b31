"""Operators that are known and not evaluated: memory planning, several devices, training, object detection.

Calls of them can be read, checked against their signature, and printed; running one ends the program.
"""

from __future__ import annotations

from relax_lang.ops.core.registry import NOT_YET, Family
from relax_lang.ops.shape_rules.later import RULES

family = Family("later", "Known, not evaluated yet", tier=3, since="later")

_STORAGE = "storage: any, offset: prim, shape: shape, runtime_device_index: prim?"
_POOL = (
    "pool_size: list[int] = [1, 1], strides: list[int] = [1, 1], padding: list[int] = [0, 0, 0, 0], "
    "dilation: list[int] = [1, 1], ceil_mode: bool = false, count_include_pad: bool = false, "
    'layout: str = "NCHW", out_layout: str|none = none'
)

# name, parameters, attributes, pure, since, what it is
_ROWS = (
    ("wrap_param", "data: tensor", "dtype: dtype = float32", True, "later",
     "Marks a parameter and converts its dtype."),
    ("builtin.stop_lift_params", "x: tensor", "", True, "later",
     "Marks where parameters are no longer lifted."),
    ("memory.ensure_zero_offset", "x: tensor", "", True, "later",
     "A tensor that starts where its memory starts."),
    ("memory.alloc_storage", "total_space: shape, virtual_device_index: prim",
     'storage_scope: str = "global", dtype: dtype', True, "spec", "Takes memory of so many bytes."),
    ("memory.alloc_tensor", _STORAGE, "dtype: dtype", True, "spec",
     "Makes a tensor in memory that was taken before."),
    ("memory.kill_storage", "storage: any", "", False, "spec", "Gives memory back."),
    ("memory.kill_tensor", "tensor: tensor", "", False, "spec", "Says that a tensor is no longer used."),
    ("vm.alloc_storage", "size: shape, runtime_device_index: prim",
     'dtype: dtype, storage_scope: str = "global"', True, "spec",
     "Takes memory of so many bytes, in a compiled program."),
    ("vm.alloc_tensor", _STORAGE, "dtype: dtype", True, "spec",
     "Makes a tensor in memory, in a compiled program."),
    ("vm.kill_object", "obj: any", "", False, "later", "Gives an object back, in a compiled program."),
    ("vm.call_tir_dyn", "func: callee, args: tuple", "", False, "spec",
     "Calls a PrimFunc on buffers and scalars, in a compiled program."),
    ("call_py_func", "func_name: any, args: tuple", "", True, "later", "Calls a Python function by name."),
    ("call_builtin_with_ctx", "func: callee, args: tuple", "", False, "spec",
     "Calls a function of the virtual machine with its context."),
    ("nn.attention_var_len",
     ("query: tensor(4-d), key: tensor(4-d), value: tensor(4-d), seqstart_q: tensor, seqstart_k: "
      "tensor, max_seqlen_q: tensor, max_seqlen_k: tensor"),
     "scale: float|none = none, causal_mask: str|none = none, window_size: int|none = none", True, "later",
     "Attention over sequences of different lengths, laid end to end."),
    ("inspect.tensor_dtype_code", "tensor: tensor", "", True, "later",
     "The DLPack code of a tensor's dtype."),
    ("inspect.tensor_dtype_bits", "tensor: tensor", "", True, "later",
     "The bits of an element of a tensor."),
    ("inspect.tensor_dtype_lanes", "tensor: tensor", "", True, "later",
     "The lanes of an element of a tensor."),
    ("inspect.tensor_ndim", "tensor: tensor", "", True, "later", "The rank of a tensor."),
    ("inspect.tensor_byte_offset", "tensor: tensor", "", True, "later",
     "Where a tensor starts in its memory, in bytes."),
    ("inspect.tensor_elem_offset", "tensor: tensor", "", True, "later",
     "Where a tensor starts in its memory, in elements."),
    ("inspect.tensor_shape_i", "tensor: tensor, axis: prim(int)", "", True, "later",
     "The extent of one axis of a tensor."),
    ("inspect.tensor_stride_i", "tensor: tensor, axis: prim(int)", "", True, "later",
     "The stride of one axis of a tensor."),
    ("grad.no_grad", "x: tensor", "", True, "later", "Marks a value that gradients do not flow through."),
    ("grad.start_checkpoint", "x: tensor", "", True, "later",
     "Marks where recomputation for gradients starts."),
    ("grad.end_checkpoint", "x: tensor", "", True, "later", "Marks where recomputation for gradients ends."),
    ("grad.nll_loss_backward",
     "output_grad: tensor, predictions: tensor, targets: tensor, weights: tensor?",
     'reduction: "mean"|"sum"|"none" = "mean", ignore_index: int = -100', True, "later",
     "The gradient of `nn.nll_loss`."),
    ("grad.max_pool2d_backward", "output_grad: tensor, data: tensor", _POOL, True, "later",
     "The gradient of `nn.max_pool2d`."),
    ("grad.avg_pool2d_backward", "output_grad: tensor, data: tensor", _POOL, True, "later",
     "The gradient of `nn.avg_pool2d`."),
    ("grad.take_backward", "output_grad: tensor, x: tensor, indices: tensor", "axis: int|none = none", True,
     "later", "The gradient of `take`."),
    ("ccl.allreduce", "x: tensor", 'op_type: str = "sum", in_group: bool = true', True, "later",
     "Combines a tensor over all workers."),
    ("ccl.allgather", "x: tensor", "num_workers: int>0, in_group: bool = true", True, "later",
     "Joins the tensors of all workers."),
    ("ccl.broadcast_from_worker0", "x: tensor", "", True, "later",
     "Sends the tensor of the first worker to all."),
    ("ccl.scatter_from_worker0", "x: tensor", "num_workers: int>0, axis: int = 0", True, "later",
     "Sends every worker a part of the first one's tensor."),
    ("dist.annotate_sharding", "input: tensor", "device_mesh: str, placement: str", True, "later",
     "Says how a tensor lies on a mesh of devices."),
    ("dist.redistribute", "input: tensor", "device_mesh: str, placement: str", True, "later",
     "Moves a tensor on a mesh of devices."),
    ("dist.redistribute_replica_to_shard", "input: tensor", "num_workers: int>0, axis: int", True, "later",
     "Keeps of a copied tensor a worker's own part."),
    ("dist.call_tir_local_view", "func: callee, args: tuple", "", True, "later",
     "Calls a PrimFunc on every worker's part."),
    ("vision.all_class_non_max_suppression",
     ("boxes: tensor(3-d), scores: tensor(3-d), max_output_boxes_per_class: tensor, iou_threshold: "
      "tensor, score_threshold: tensor"), 'output_format: str = "onnx"', True, "later",
     "Keeps the best of boxes that overlap, per class."),
    ("vision.get_valid_counts", "data: tensor(3-d)",
     "score_threshold: float = 0.0, id_index: int = 0, score_index: int = 1", True, "later",
     "Sorts out boxes of low scores."),
    ("vision.non_max_suppression", "data: tensor(3-d), valid_count: tensor(1-d), indices: tensor(2-d)",
     ("max_output_size: int = -1, iou_threshold: float = 0.5, force_suppress: bool = false, top_k: int "
      "= -1, coord_start: int = 2, score_index: int = 1, id_index: int = 0, return_indices: bool = "
      "true, invalid_to_bottom: bool = false, soft_nms_sigma: float = 0.0, score_threshold: float = 0.0"),
     True, "later", "Keeps the best of boxes that overlap."),
    ("vision.roi_align", "data: tensor(4-d), rois: tensor(2-d)",
     ("pooled_size: int|list[int], spatial_scale: float, sample_ratio: int = -1, aligned: bool = false,"
      ' layout: str = "NCHW", mode: str = "avg"'), True, "later",
     "Samples regions of an image on grids of one size."),
    ("vision.roi_pool", "data: tensor(4-d), rois: tensor(2-d)",
     'pooled_size: int|list[int], spatial_scale: float, layout: str = "NCHW"', True, "later",
     "Pools regions of an image to one size."),
    ("vision.multibox_transform_loc", "cls_pred: tensor(3-d), loc_pred: tensor(2-d), anchor: tensor(3-d)",
     ("clip: bool = false, threshold: float = 0.0, variances: list[float] = [1.0, 1.0, 1.0, 1.0], "
      "keep_background: bool = true, apply_softmax: bool = true"), True, "later",
     "Turns predictions into boxes."),
)  # fmt: skip

for _name, _params, _attrs, _pure, _since, _doc in _ROWS:
    family.declare(
        _name,
        _params,
        _attrs,
        infer=RULES.get(_name),
        doc=_doc,
        example="",
        pure=_pure,
        since=_since,
        evaluated=NOT_YET,
    )
