"""Where every operator is declared: the module of this package, and the names it declares.

Only the modules whose operators a program uses are loaded. An operator that its module declares but that is
not listed here cannot be found, and is refused when the module is loaded; a test holds both against each
other.
"""

from __future__ import annotations

FAMILIES = {
    "elementwise": """
        abs acos acosh asin asinh atan atanh bitwise_not ceil clip cos cosh erf exp floor isfinite isinf isnan
        log logical_not negative round rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc""",
    "binary": """
        add atan2 bitwise_and bitwise_or bitwise_xor divide equal ewise_fma floor_divide floor_mod greater
        greater_equal left_shift less less_equal log_add_exp logical_and logical_or logical_xor masked_fill
        maximum minimum mod multiply not_equal power right_shift subtract where""",
    "reduce": "cumprod cumsum max mean median min prod std sum variance",
    "create": """
        arange astype builtin.alloc_tensor eye eye_like full full_like hamming_window ones ones_like tril triu
        zeros zeros_like""",
    "manipulate": """
        broadcast_to collapse_sum_like collapse_sum_to expand_dims flatten flip layout_transform memory.view
        nn.batch_flatten nn.pad nn.pixel_shuffle permute_dims repeat reshape reverse_sequence squeeze tile""",
    "combine": "concat meshgrid split stack",
    "index": """
        dynamic_strided_slice gather_elements gather_nd index_tensor one_hot strided_slice take""",
    "scatter": "index_put scatter_elements scatter_nd slice_scatter",
    "linear": "einsum linear matmul outer",
    "search": "argmax argmin bucketize multinomial_from_uniform nonzero unique",
    "sort": "argsort sort topk",
    "activation": """
        nn.dropout nn.gelu nn.gelu_tanh nn.leakyrelu nn.log_softmax nn.prelu nn.relu nn.relu6 nn.selu nn.silu
        nn.softmax nn.softplus""",
    "norm": "nn.batch_norm nn.group_norm nn.instance_norm nn.layer_norm nn.rms_norm",
    "attention": "nn.attention nn.attention_bias",
    "loss": "nn.cross_entropy_with_logits nn.nll_loss",
    "conv": """
        nn.conv1d nn.conv1d_transpose nn.conv2d nn.conv2d_transpose nn.conv3d nn.conv3d_transpose""",
    "pool": """
        nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d nn.avg_pool1d nn.avg_pool2d
        nn.avg_pool3d nn.max_pool1d nn.max_pool2d nn.max_pool3d""",
    "image": "image.affine_grid image.grid_sample image.resize2d image.resize3d",
    "quantize": "dequantize quantize",
    "shape": "shape_equals shape_of shape_to_tensor size tensor_to_shape",
    "special": """
        assert_op call_dps_packed call_inplace_packed call_pure_packed call_tir call_tir_inplace
        call_tir_with_grad hint_on_device invoke_closure invoke_pure_closure make_closure null_value print
        to_vdevice""",
    "later": """
        builtin.stop_lift_params call_builtin_with_ctx call_py_func ccl.allgather ccl.allreduce
        ccl.broadcast_from_worker0 ccl.scatter_from_worker0 dist.annotate_sharding dist.call_tir_local_view
        dist.redistribute dist.redistribute_replica_to_shard grad.avg_pool2d_backward grad.end_checkpoint
        grad.max_pool2d_backward grad.nll_loss_backward grad.no_grad grad.start_checkpoint grad.take_backward
        inspect.tensor_byte_offset inspect.tensor_dtype_bits inspect.tensor_dtype_code
        inspect.tensor_dtype_lanes inspect.tensor_elem_offset inspect.tensor_ndim inspect.tensor_shape_i
        inspect.tensor_stride_i memory.alloc_storage memory.alloc_tensor memory.ensure_zero_offset
        memory.kill_storage memory.kill_tensor nn.attention_var_len vision.all_class_non_max_suppression
        vision.get_valid_counts vision.multibox_transform_loc vision.non_max_suppression vision.roi_align
        vision.roi_pool vm.alloc_storage vm.alloc_tensor vm.call_tir_dyn vm.kill_object wrap_param""",
}
"""Module of this package: names of the operators it declares."""

FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}
"""Operator: the module that declares it."""
