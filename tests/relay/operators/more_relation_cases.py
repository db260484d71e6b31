"""Calls of operators of neural networks, images, quantized values and random numbers, added to `relation_cases`."""

from __future__ import annotations

from tests.relay.operators.relation_cases import ANYWHERE, INDEX, SMALL, add, every, grid, ints, of, square

# -- neural networks: convolutions give the weight its type, so that the weight is one that fits, or any other --
IMAGE = {
    1: grid([1], [1, 2], [2, 3]),
    2: square([1], [1, 2], [2, 3]),
    3: square([1], [1, 2], [2, 3], count=3),
}
for rank in (1, 2, 3):
    weights = square([1, 2], [1, 2], [1, 2], count=rank)
    ones = [1] * rank
    add(
        f"nn.conv{rank}d",
        "OP(%0, %1)",
        f"OP(%0, %1, strides={[2] * rank}, padding={ones})",
        f"OP(%0, %1, dilation={[2] * rank}, padding={ones})",
        "OP(%0, %1, groups=2)",
        args=[IMAGE[rank], weights],
    )
    add(
        f"nn.conv{rank}d_transpose",
        "OP(%0, %1)",
        f"OP(%0, %1, strides={[2] * rank}, output_padding={ones})",
        args=[IMAGE[rank], weights],
    )
    pooled = square([1], [1, 2], [1, 2, 3, 4], count=rank)
    add(
        f"nn.max_pool{rank}d nn.avg_pool{rank}d",
        f"OP(%0, pool_size={ones})",
        f"OP(%0, pool_size={[2] * rank}, strides={[2] * rank})",
        f"OP(%0, pool_size={[2] * rank}, strides={[2] * rank}, ceil_mode=True)",
        f"OP(%0, pool_size={[3] * rank}, padding={ones})",
        args=[pooled],
    )
    add(
        f"nn.adaptive_avg_pool{rank}d nn.adaptive_max_pool{rank}d",
        f"OP(%0, output_size={[2] * rank})",
        f"OP(%0, output_size={ones})",
        args=[pooled],
    )
add(
    "nn.conv2d",
    'OP(%0, %1, data_layout="NHWC", kernel_layout="HWIO")',
    args=[grid([1], [2, 3], [2, 3], [1, 2]), grid([1, 2], [1, 2], [1, 2], [1, 2])],
)
add(
    "nn.global_avg_pool2d nn.global_max_pool2d",
    "OP(%0)",
    'OP(%0, layout="NHWC")',
    args=[every(3, 4, extents=(1, 2))],
)
add(
    "nn.contrib_conv2d_NCHWc nn.contrib_depthwise_conv2d_NCHWc",
    'OP(%0, %1, channels=2, kernel_size=[1, 1], data_layout="NCHW2c", kernel_layout="OIHW2i2o", out_layout="NCHW2c")',
    args=[
        of((1, 1, 2, 2, 2), (1, 2, 2, 2, 2), (1, 1, 2, 2)),
        of((1, 1, 1, 1, 2, 2), (1, 2, 1, 1, 2, 2), (1, 1, 1, 1, 1, 2)),
    ],
)
add(
    "nn.contrib_dense_pack",
    "OP(%0, %1, units=None)",
    args=[every(1, 2, extents=(1, 2)), every(3, extents=(1, 2))],
)
add(
    "nn.deformable_conv2d",
    "OP(%0, %1, %2, kernel_size=[1, 1], channels=2)",
    args=[square([1], [1, 2], [2, 3]), square([1], [2, 3], [2, 3]), grid([1, 2], [1, 2], [1], [1])],
)
add(
    "nn.bitserial_conv2d",
    'OP(%0, %1, kernel_size=[1, 1], channels=2, pack_dtype="uint8", out_dtype="int16")',
    args=[square([1], [1, 2], [2, 3], dtype="uint8"), grid([1, 2], [1, 2], [1], [1], dtype="uint8")],
)
add(
    "nn.bitserial_dense",
    'OP(%0, %1, units=None, pack_dtype="uint8", out_dtype="int16")',
    args=[every(1, 2, extents=(1, 2), dtype="uint8"), every(1, 2, extents=(1, 2), dtype="uint8")],
)
add(
    "nn.sparse_dense",
    "OP(%0, %1, %2, %3)",
    args=[every(2, extents=(2, 3)), of((2,), (3,)), ints([0, 1], [0, 0, 1]), ints([0, 1, 2], [0, 1, 3])],
)
add(
    "nn.sparse_add",
    "OP(%0, %1, %2, %3)",
    args=[of((2, 2), (2, 3), (2,)), of((2,)), ints([0, 1]), ints([0, 1, 2])],
)
add(
    "nn.correlation",
    "OP(%0, %1, max_displacement=1)",
    "OP(%0, %1, kernel_size=1, max_displacement=1, padding=[1, 1])",
    args=[square([1], [1, 2], [3, 4]), square([1], [1, 2], [3, 4])],
)
add("nn.dense", "OP(%0, %1, units=None)", "OP(%0, %1, units=2)", args=[ANYWHERE[:13], every(1, 2)])
add(
    "nn.matmul",
    "OP(%0, %1, units=None)",
    "OP(%0, %1, units=None, transpose_a=True)",
    "OP(%0, %1, units=None, transpose_b=True)",
    args=[every(1, 2, extents=(1, 2, 3)), every(1, 2, extents=(1, 2, 3))],
)
add(
    "nn.batch_matmul",
    "OP(%0, %1)",
    "OP(%0, %1, transpose_b=True)",
    "OP(%0, %1, transpose_a=True)",
    args=[every(2, 3, extents=(1, 2)), every(2, 3, extents=(1, 2))],
)
add("nn.bias_add", "OP(%0, %1)", "OP(%0, %1, axis=-1)", "OP(%0, %1, axis=0)", args=[ANYWHERE[:13], every(1)])
add("nn.prelu", "OP(%0, %1)", "OP(%0, %1, axis=-1)", args=[ANYWHERE[:13], every(1)])
add("nn.layer_norm", "OP(%0, %1, %1)", "OP(%0, %1, %1, axis=0)", args=[ANYWHERE[:13], every(1)])
add("nn.batch_norm", "OP(%0, %1, %1, %1, %1)", "OP(%0, %1, %1, %1, %1, axis=-1)", args=[ANYWHERE, every(1)])
add("nn.instance_norm", "OP(%0, %1, %1)", args=[ANYWHERE, every(1)])
add(
    "nn.group_norm", "OP(%0, %1, %1, num_groups=1)", "OP(%0, %1, %1, num_groups=2)", args=[ANYWHERE, every(1)]
)
add("nn.l2_normalize", "OP(%0, eps=0.001, axis=[0])", "OP(%0, eps=0.001, axis=[1])", args=[ANYWHERE])
add("nn.lrn", "OP(%0, size=3)", "OP(%0, size=1, axis=-1)", args=[ANYWHERE])
add(
    "nn.softmax nn.log_softmax nn.fast_softmax", "OP(%0)", "OP(%0, axis=0)", "OP(%0, axis=1)", args=[ANYWHERE]
)
add(
    "nn.pad",
    "OP(%0, 0f, pad_width=[[1, 2]])",
    "OP(%0, 0f, pad_width=[[1, 0], [0, 1]])",
    'OP(%0, 0f, pad_width=[[1, 0], [0, 1]], pad_mode="edge")',
    args=[ANYWHERE],
)
add("nn.pad", "OP(%0, %1, pad_width=[[1, 0], [0, 1]])", args=[SMALL, of((), (1,))])
add(
    "nn.mirror_pad",
    "OP(%0, pad_width=[[1, 1]])",
    'OP(%0, pad_width=[[0, 0], [1, 1]], mode="REFLECT")',
    args=[ANYWHERE],
)
add(
    "nn.upsampling",
    "OP(%0, scale_h=2.0, scale_w=2.0)",
    'OP(%0, scale_h=1.5, scale_w=2.0, method="bilinear")',
    args=[every(3, 4, extents=(1, 2))],
)
add("nn.upsampling3d", "OP(%0, scale_d=2.0, scale_h=1.0, scale_w=2.0)", args=[every(4, 5, extents=(1, 2))])
add(
    "nn.depth_to_space nn.space_to_depth",
    "OP(%0, block_size=2)",
    'OP(%0, block_size=2, layout="NHWC")',
    'OP(%0, block_size=2, mode="CRD")',
    args=[every(3, extents=(2,)) + every(4, extents=(1, 2, 4))],
)
add(
    "nn.space_to_batch_nd",
    "OP(%0, block_shape=[2], paddings=[[0, 0]])",
    "OP(%0, block_shape=[2, 1], paddings=[[1, 1], [0, 0]])",
    args=[every(2, 3, 4, extents=(1, 2))],
)
add(
    "nn.batch_to_space_nd",
    "OP(%0, block_shape=[2], crops=[[0, 0]])",
    "OP(%0, block_shape=[2, 1], crops=[[0, 1], [0, 0]])",
    args=[every(2, 3, 4, extents=(1, 2))],
)
add("nn.dilate", "OP(%0, strides=[2])", "OP(%0, strides=[2, 1])", args=[ANYWHERE])
add("nn.cross_entropy nn.cross_entropy_with_logits", "OP(%0, %1)", args=[SMALL, SMALL])
add(
    "nn.nll_loss",
    "OP(%0, %1, %2, ignore_index=-1)",
    'OP(%0, %1, %2, ignore_index=-1, reduction="none")',
    args=[
        every(1, 2, 3, extents=(1, 2)),
        of((), (1,), (2,), (1, 2), (2, 2), dtype="int32", fill=0),
        every(1, extents=(1, 2)),
    ],
)
# -- images and regions --
add("image.resize1d", "OP(%0, size=[4])", 'OP(%0, size=[1], method="nearest_neighbor")', args=[every(2, 3)])
add(
    "image.resize2d",
    "OP(%0, size=[4, 2])",
    'OP(%0, size=[2, 3], layout="NHWC")',
    'OP(%0, size=[1, 1], method="cubic")',
    args=[every(3, 4, extents=(1, 2))],
)
add("image.resize3d", "OP(%0, size=[4, 2, 1])", args=[every(4, 5, extents=(1, 2))])
add(
    "image.crop_and_resize",
    "OP(%0, %1, %2, crop_size=[2, 3])",
    args=[every(4, extents=(1, 2)), of((1, 4), (2, 4), (1, 3)), of((1,), (2,), dtype="int32", fill=0)],
)
add(
    "image.dilation2d",
    "OP(%0, %1)",
    "OP(%0, %1, strides=[2, 2], padding=[1, 1])",
    args=[every(4, extents=(1, 2)), every(3, extents=(1, 2))],
)
add("image.affine_grid", "OP(%0, target_shape=[2, 3])", args=[of((1, 2, 3), (2, 2, 3), (1, 3, 3), (2, 3))])
add(
    "image.grid_sample",
    "OP(%0, %1)",
    args=[every(4, extents=(1, 2)), of((1, 2, 2, 2), (2, 2, 1, 3), (1, 3, 2, 2))],
)
ROIS = of((1, 5), (2, 5), (1, 4), fill=0)
add(
    "vision.roi_align vision.roi_pool",
    "OP(%0, %1, pooled_size=[2, 2], spatial_scale=1.0)",
    args=[square([1, 2], [1, 2], [2, 3]), ROIS],
)
BOXES = of((1, 1, 6), (1, 3, 6), (2, 2, 6), (1, 6))
add("vision.get_valid_counts", "OP(%0, 0.1f)", args=[BOXES])
add(
    "vision.non_max_suppression",
    "OP(%0, %1, %2, -1, 0.5f)",
    args=[BOXES, of((1,), (2,), dtype="int32"), of((1, 1), (1, 3), (2, 2), dtype="int32", fill=0)],
)
add(
    "vision.all_class_non_max_suppression",
    "OP(%0, %1, 2, 0.5f, 0.1f)",
    args=[of((1, 1, 4), (1, 3, 4), (2, 2, 4)), of((1, 1, 1), (1, 2, 3), (2, 1, 2))],
)
# -- quantized --
BYTES = every(1, 2, extents=(1, 2), dtype="int8")
SCALE, ZERO = of(()), ints(0)
SCALES, ZEROS = of((), (1,), (2,)), of((), (1,), (2,), dtype="int32", fill=0)
add(
    "qnn.quantize",
    'OP(%0, %1, %2, out_dtype="int8")',
    'OP(%0, %1, %2, out_dtype="uint8", axis=0)',
    args=[SMALL, SCALES, ZEROS],
)
add(
    "qnn.dequantize",
    'OP(%0, %1, %2, out_dtype="float32")',
    'OP(%0, %1, %2, out_dtype="float32", axis=0)',
    args=[BYTES, SCALES, ZEROS],
)
add(
    "qnn.requantize",
    'OP(%0, %1, %2, %3, %4, out_dtype="int8")',
    args=[of((), (2,), (1, 2), (2, 2), dtype="int32"), SCALES, ZEROS, SCALE, ZERO],
)
add(
    "qnn.dense", 'OP(%0, %1, %2, %2, %3, %3, units=None, out_dtype="int32")', args=[BYTES, BYTES, ZERO, SCALE]
)
add(
    "qnn.batch_matmul",
    'OP(%0, %1, %2, %2, %3, %3, out_dtype="int32")',
    args=[every(2, 3, extents=(1, 2), dtype="int8"), every(2, 3, extents=(1, 2), dtype="int8"), ZERO, SCALE],
)
add(
    "qnn.conv2d",
    'OP(%0, %1, %2, %2, %3, %3, channels=None, kernel_size=None, out_dtype="int32")',
    args=[
        square([1], [1, 2], [2, 3], dtype="int8"),
        square([1, 2], [1, 2], [1, 2], dtype="int8"),
        ZERO,
        SCALE,
    ],
)
add("qnn.add qnn.subtract qnn.mul", "OP(%0, %1, %2, %3, %2, %3, %2, %3)", args=[BYTES, BYTES, SCALE, ZERO])
add(
    "qnn.concatenate",
    "OP((%0, %1), (%2, %2), (%3, %3), %2, %3)",
    "OP((%0, %1), (%2, %2), (%3, %3), %2, %3, axis=-1)",
    args=[BYTES, BYTES, SCALE, ZERO],
)
# -- sizes that are tensors --
add("dyn.reshape", "OP(%0, %1)", args=[ANYWHERE[:13], ints([-1], [1, -1], [2, 3], [6])])
add("dyn.broadcast_to", "OP(%0, %1)", args=[SMALL, ints([2, 3], [2, 1, 2])])
add("dyn.tile", "OP(%0, %1)", args=[SMALL, ints([2], [1, 2])])
add("dyn.full", "OP(%0, %1)", args=[of((), (1,)), ints([2, 3], [1])])
add("dyn.zeros dyn.ones", 'OP(%0, dtype="float32")', args=[ints([2, 3], [1], [1, 1, 2])])
add("dyn.strided_slice", "OP(%0, %1, %2, %3)", args=[every(1, 2), ints([0]), ints([1], [9]), ints([1])])
add("dyn.topk", "OP(%0, %1)", 'OP(%0, %1, axis=0, ret_type="values")', args=[every(1, 2), ints(1, 2)])
add("dyn.one_hot", "OP(%0, %1, %1, %2)", "OP(%0, %1, %1, %2, axis=0)", args=[INDEX, of(()), ints(2)])
add("dyn.expand_dims", "OP(%0, %1)", args=[SMALL, ints(0, dtype="int64")])
add("dyn.squeeze", "OP(%0, %1)", args=[of((1,), (1, 2), (2, 1, 3)), ints([0])])

BY_VALUES = {"collapse_sum_to", "nn.sparse_dense", "dyn.reshape", "dyn.broadcast_to", "dyn.squeeze"}
"""What the values of an argument decide cannot be refused by a relation."""
KEY = of((10,), (9,), (1, 10), dtype="uint64")
add(
    "random.uniform random.normal",
    "OP(%0, %1, %1, out_shape=[2, 2])",
    'OP(%0, %1, %1, out_shape=[4], out_dtype="float32")',
    args=[KEY, of((), (1,))],
)
add("random.threefry_generate", "OP(%0, out_shape=[2, 2])", "OP(%0, out_shape=[3])", args=[KEY])
