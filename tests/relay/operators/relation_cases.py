"""Calls of operators with small arguments of every shape, which relations must accept or refuse as evaluation does."""

# ruff: noqa: E501 - a table

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

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
