"""Type relations of all operators against their kernels, over all small shapes. [R.33] [R.34]

For every combination of arguments the relation either refuses the call, with one diagnostic, or the value of the kernel is
of the type that the relation gives. `test_operators` has the values that programs of one and two arguments give on all
engines, `test_operator_values` those of the definitions.
"""

# ruff: noqa: E501 - a table

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from relax_lang.base.recursion import deep_recursion
from relax_lang.relay.evaluation.interpreter import Interpreter
from relax_lang.relay.operators.registry import OPERATORS
from relax_lang.relay.unification.model import ANY, Tensor, Tuple, find_shape, find_type
from relax_lang.relay.unification.printing import show
from relax_lang.values import RunFailure
from tests.relay.support import checked
from tests.relay.test_operators import type_text

FILL = {"float32": 0.5, "float16": 0.5, "float64": 0.5, "bool": True}


def of(*shapes: tuple[int, ...], dtype: str = "float32", fill: float | None = None) -> list[np.ndarray]:
    """Arguments of some shapes."""
    value = FILL.get(dtype, 1) if fill is None else fill
    return [np.full(shape, value, dtype) for shape in shapes]


def every(*ranks: int, extents: Iterable[int] = (1, 2, 3), dtype: str = "float32", fill: float | None = None):
    """Arguments of all shapes of some ranks."""
    shapes = [shape for rank in ranks for shape in itertools.product(tuple(extents), repeat=rank)]
    return of(*shapes, dtype=dtype, fill=fill)


def ints(*values: object, dtype: str = "int32") -> list[np.ndarray]:
    """Arguments with values that matter."""
    return [np.asarray(one, dtype) for one in values]


def grid(*axes: Iterable[int], dtype: str = "float32", fill: float | None = None) -> list[np.ndarray]:
    """Arguments with the extents that are given for each axis."""
    return of(*itertools.product(*[tuple(one) for one in axes]), dtype=dtype, fill=fill)


def square(*axes: Iterable[int], count: int = 2, dtype: str = "float32") -> list[np.ndarray]:
    """Arguments with the extents that are given for each axis, of which the last stands `count` times."""
    *first, last = [tuple(one) for one in axes]
    return of(*[(*head, *[one] * count) for head in itertools.product(*first) for one in last], dtype=dtype)


SMALL = of((), (1,), (2,), (1, 2), (2, 1), (2, 3), (1, 2, 3))
WHOLE = of((), (1,), (2,), (1, 2), (2, 1), (2, 3), (1, 2, 3), dtype="int32")
TRUTH = of((), (1,), (2,), (1, 2), (2, 3), dtype="bool")
ANYWHERE = every(0, 1, 2, 3, extents=(1, 2, 3))
Row = tuple[str, list[list[np.ndarray]]]
CASES: dict[str, list[Row]] = {}


def add(names: str, *calls: str, args: list[list[np.ndarray]]) -> None:
    for name in names.split():
        for call in calls:
            CASES.setdefault(name, []).append((call.replace("OP", name), args))


add(
    "abs sign ceil floor trunc sqrt rsqrt exp log sin cos tan sinh cosh asin acos atan asinh acosh atanh tanh sigmoid negative "
    "erf isnan isfinite isinf round log2 log10 fast_exp fast_tanh fast_erf copy annotation.stop_fusion annotation.checkpoint "
    "annotation.cast_hint annotation.bitpack_start annotation.bitpack_end "
    "on_device zeros_like ones_like nn.relu nn.leaky_relu nn.dropout nn.batch_flatten argwhere ndarray_size shape_of argsort sort",
    "OP(%0)",
    args=[ANYWHERE],
)
add("device_copy", "OP(%0, src_virtual_device=None, dst_virtual_device=None)", args=[SMALL])
add("annotation.compiler_begin annotation.compiler_end", 'OP(%0, compiler="x")', args=[SMALL])
add("logical_not", "OP(%0)", args=[TRUTH])
add("bitwise_not abs sign negative", "OP(%0)", args=[WHOLE])
add("clip", "OP(%0, a_min=0, a_max=1)", args=[ANYWHERE])
add("cast reinterpret", 'OP(%0, dtype="int32")', args=[ANYWHERE])
add("cast", 'OP(%0, dtype="float16")', 'OP(%0, dtype="bool")', args=[WHOLE])
add("cast_like full_like", "OP(%0, %1)", args=[SMALL, of((), (2,), dtype="float32")])
add(
    "add subtract multiply divide power maximum minimum floor_divide floor_mod mod trunc_divide trunc_mod equal not_equal less "
    "less_equal greater greater_equal",
    "OP(%0, %1)",
    args=[SMALL, SMALL],
)
add("bitwise_and bitwise_or bitwise_xor left_shift right_shift divide mod", "OP(%0, %1)", args=[WHOLE, WHOLE])
add("logical_and logical_or logical_xor", "OP(%0, %1)", args=[TRUTH, TRUTH])
add("where", "OP(%0, %1, %2)", args=[TRUTH, SMALL[:5], SMALL[:5]])
REDUCED = (
    "OP(%0)",
    "OP(%0, axis=[0])",
    "OP(%0, axis=[-1], keepdims=True)",
    "OP(%0, axis=[0], exclude=True)",
    "OP(%0, axis=[0, 1])",
)
add("sum prod max min mean argmax argmin", *REDUCED, args=[ANYWHERE])
add("all any", *REDUCED, args=[TRUTH])
add("argmax argmin", "OP(%0, axis=[0], select_last_index=True)", args=[SMALL])
add(
    "variance",
    "OP(%0, %1, axis=[0])",
    "OP(%0, %1, axis=[-1], keepdims=True, unbiased=True)",
    args=[SMALL, SMALL],
)
add("cumsum cumprod", "OP(%0, axis=0)", "OP(%0, axis=-1)", "OP(%0)", args=[ANYWHERE])
add(
    "reshape",
    "OP(%0, newshape=[-1])",
    "OP(%0, newshape=[0, -1])",
    "OP(%0, newshape=[-3, -2])",
    "OP(%0, newshape=[-4, 1, -1, -2])",
    "OP(%0, newshape=[3, 2])",
    args=[ANYWHERE],
)
add("contrib_reverse_reshape", "OP(%0, newshape=[-1, 0])", "OP(%0, newshape=[-1])", args=[ANYWHERE])
add("reshape_like", "OP(%0, %1)", "OP(%0, %1, lhs_begin=1, rhs_begin=1)", args=[ANYWHERE[:14], ANYWHERE[:14]])
add("broadcast_to_like collapse_sum_like", "OP(%0, %1)", args=[SMALL, SMALL])
add("slice_like", "OP(%0, %1, axes=None)", "OP(%0, %1, axes=[0])", args=[SMALL, SMALL])
add("transpose", "OP(%0, axes=None)", "OP(%0, axes=[1, 0])", "OP(%0, axes=[0, 2, 1])", args=[ANYWHERE])
add("expand_dims", "OP(%0, axis=0)", "OP(%0, axis=-1)", "OP(%0, axis=1, num_newaxis=2)", args=[ANYWHERE])
add("squeeze", "OP(%0)", "OP(%0, axis=[0])", "OP(%0, axis=[-1])", args=[ANYWHERE])
add("concatenate", "OP((%0, %1))", "OP((%0, %1), axis=-1)", args=[SMALL, SMALL])
add("stack", "OP((%0, %1))", "OP((%0, %1), axis=-1)", args=[SMALL, SMALL])
add(
    "split",
    "OP(%0, indices_or_sections=2)",
    "OP(%0, indices_or_sections=[1], axis=-1)",
    "OP(%0, indices_or_sections=[1, 2], axis=1)",
    args=[ANYWHERE],
)
add("tile", "OP(%0, reps=[2])", "OP(%0, reps=[2, 1])", "OP(%0, reps=[1, 2, 1])", args=[ANYWHERE])
add("repeat", "OP(%0, repeats=2)", "OP(%0, repeats=2, axis=-1)", args=[ANYWHERE])
add("reverse", "OP(%0, axis=[0])", "OP(%0, axis=[-1])", args=[ANYWHERE])
add(
    "reverse_sequence",
    "OP(%0, %1)",
    "OP(%0, %1, seq_axis=0, batch_axis=1)",
    args=[every(1, 2, 3, extents=(1, 2)), every(1, extents=(1, 2), dtype="int32")],
)
add(
    "strided_slice",
    "OP(%0, begin=[0], end=[2], strides=None, axes=None)",
    "OP(%0, begin=[1], end=[-1], strides=[1], axes=[0])",
    "OP(%0, begin=[-1], end=[-9], strides=[-1], axes=[1])",
    'OP(%0, begin=[0, 1], end=[1, 2], strides=None, slice_mode="size", axes=None)',
    args=[ANYWHERE],
)
add(
    "strided_set",
    "OP(%0, %1, %2, %3, %4)",
    args=[every(1, 2, extents=(2, 3)), every(1, 2, extents=(1, 2)), ints([0]), ints([1], [2]), ints([1])],
)
INDEX = of((), (1,), (2,), (1, 2), dtype="int32", fill=0)
add(
    "take",
    "OP(%0, %1)",
    "OP(%0, %1, axis=0)",
    "OP(%0, %1, axis=-1)",
    'OP(%0, %1, axis=1, mode="wrap")',
    args=[ANYWHERE, INDEX],
)
add(
    "take",
    "OP(%0, %1, batch_dims=1, axis=1)",
    "OP(%0, %1, batch_dims=1, axis=2)",
    args=[every(2, 3, extents=(1, 2)), of((1,), (2,), (1, 2), (2, 1), (2, 2), dtype="int32", fill=0)],
)
add(
    "gather",
    "OP(%0, %1, axis=0)",
    "OP(%0, %1, axis=1)",
    args=[SMALL, of((1,), (2,), (1, 2), (2, 1), (1, 1), dtype="int32", fill=0)],
)
add(
    "gather_nd",
    "OP(%0, %1)",
    "OP(%0, %1, batch_dims=1)",
    args=[SMALL, of((1,), (2,), (1, 2), (2, 2), (3, 1), dtype="int32", fill=0)],
)
add("adv_index", "OP((%0, %1))", "OP((%0, %1, %1))", args=[every(1, 2, 3, extents=(1, 2)), INDEX])
add(
    "scatter_elements",
    "OP(%0, %1, %2, axis=0)",
    args=[SMALL[:6], of((1,), (2,), (1, 2), (2, 1), dtype="int32", fill=0), of((1,), (2,), (1, 2), (2, 1))],
)
add(
    "scatter_nd",
    "OP(%0, %1, %2)",
    args=[SMALL[:6], of((1, 1), (1, 2), (2, 2), dtype="int32", fill=0), of((1,), (2,), (1, 2), (2, 3))],
)
add("one_hot", "OP(%0, %1, %1, depth=3)", "OP(%0, %1, %1, depth=2, axis=0)", args=[INDEX, of(())])
add("unique", "OP(%0)", "OP(%0, return_counts=True)", "OP(%0, sorted=False)", args=[every(1, 2)])
add("unravel_index", "OP(%0, %1)", args=[INDEX, ints([3], [2, 2], [1, 2, 3])])
add(
    "searchsorted",
    "OP(%0, %1)",
    "OP(%0, %1, right=True)",
    args=[every(1, 2, extents=(1, 2, 3)), every(0, 1, 2, extents=(1, 2))],
)
add(
    "sequence_mask",
    "OP(%0, %1)",
    "OP(%0, %1, axis=1)",
    args=[every(2, 3, extents=(1, 2)), every(1, extents=(1, 2), dtype="int32")],
)
add(
    "matrix_set_diag",
    "OP(%0, %1)",
    "OP(%0, %1, k1=-1, k2=1)",
    args=[every(2, 3, extents=(1, 3)), every(1, 2, 3, extents=(1, 3))],
)
add(
    "sparse_to_dense",
    "OP(%0, %1, %2, output_shape=[3])",
    "OP(%0, %1, %2, output_shape=[2, 2])",
    args=[of((), (1,), (1, 1), (1, 2), dtype="int32", fill=0), of((), (1,)), of(())],
)
add("invert_permutation", "OP(%0)", args=[ints([0], [1, 0], [2, 0, 1], [[0]])])
add("trilu", "OP(%0, %1)", "OP(%0, %1, upper=False)", args=[ANYWHERE, ints(0)])
add("meshgrid", "OP((%0, %1))", 'OP((%0, %1), indexing="xy")', args=[every(0, 1), every(0, 1)])
add("einsum", 'OP((%0, %1), equation="ij,jk->ik")', 'OP((%0, %1), equation="i,i->")', args=[SMALL, SMALL])
add("broadcast_to", "OP(%0, shape=[2, 3])", "OP(%0, shape=[2, 1, 2])", args=[ANYWHERE])
add("collapse_sum_to", "OP(%0, %1)", args=[of((2, 3), (1, 3), (2, 2, 3)), ints([1, 3], [3], [2, 1])])
add("zeros ones", "OP(shape=[2, 3])", 'OP(shape=[], dtype="int32")', "OP(shape=[1])", args=[])
add("full", "OP(%0, shape=[2, 3])", 'OP(%0, shape=[], dtype="int32")', args=[SMALL])
add("arange", 'OP(0, %0, 1, start=None, stop=None, step=None, dtype="int32")', args=[ints(0, 1, 4)])
add(
    "topk",
    "OP(%0, k=1)",
    "OP(%0, k=None, axis=0)",
    'OP(%0, k=2, ret_type="indices")',
    'OP(%0, k=1, ret_type="values", is_ascend=True)',
    args=[ANYWHERE],
)
add(
    "layout_transform",
    'OP(%0, src_layout="NCHW", dst_layout="NHWC")',
    'OP(%0, src_layout="NCHW", dst_layout="NCHW2c")',
    args=[every(3, 4, extents=(1, 2))],
)
add(
    "sliding_window",
    "OP(%0, axis=1, window_shape=[2], strides=[1])",
    "OP(%0, axis=0, window_shape=[1, 2], strides=[1, 2])",
    args=[every(2, 3, extents=(1, 2, 3))],
)
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


def conforms(claimed: object, value: object) -> bool:
    """Whether a value is of a type, of which `?` is any extent."""
    claimed = find_type(claimed)
    if isinstance(claimed, Tuple):
        return (
            isinstance(value, tuple)
            and len(value) == len(claimed.fields)
            and all(conforms(one, part) for one, part in zip(claimed.fields, value, strict=True))
        )
    assert isinstance(claimed, Tensor)
    array = np.asarray(value)
    shape = find_shape(claimed.shape)
    return (
        claimed.dtype == str(array.dtype)
        and len(shape) == array.ndim
        and all(own in (ANY, size) for own, size in zip(shape, array.shape, strict=True))
    )


def shown(array: np.ndarray) -> str:
    return type_text(array.shape).replace("float32", str(array.dtype)) if array.ndim else str(array.dtype)


def outcomes(name: str) -> Callable[[], Iterable[bool]]:
    """Compare over all combinations; say of each whether the relation accepts it."""
    for call, candidates in CASES[name]:
        for args in itertools.product(*candidates):
            params = ", ".join([f"%x{index}: {shown(arg)}" for index, arg in enumerate(args)])
            text = f"def @main({params}) {{ {call.replace('%', '%x')} }}"
            found = checked(text)
            if found.has_errors:
                errors = [one for one in found.diagnostics if one.severity == "error"]
                assert len(errors) == 1, text
                yield False
                continue
            claimed = found.typed.functions["main"].type.result
            with deep_recursion():
                try:
                    value = Interpreter(found).call("main", args)
                except RunFailure:
                    if name in BY_VALUES:  # which do not fit
                        continue
                    raise
            assert conforms(claimed, value), f"{text}: {show(claimed)}, found {np.shape(value)}"
            yield True


def test_R_33_every_operator_is_compared():
    assert set(CASES) == set(OPERATORS)


@pytest.mark.parametrize("name", CASES)
def test_R_34_relations_give_the_types_of_the_values(name):
    assert any(list(outcomes(name)))
