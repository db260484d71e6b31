"""Calls of operators that are not Relax operators of the same name: program, arguments, what is expected.

None is expected where `more_operator_cases.COMPUTED` computes it of the arguments.
"""

# ruff: noqa: E501 - a table

from __future__ import annotations

import numpy as np

from tests.relay.operators.operator_definitions import (
    RNG,
    F,
    adaptive_max,
    bilinear,
    blocks_to_space,
    clipped,
    crops,
    csr,
    floats,
    layout,
    num,
    one,
    take_in_batches,
    whole,
)

X, Y = floats(2, 3), floats(3, 4)
IMAGE = floats(2, 4, 5, 6)
SQUARE = floats(1, 2, 6, 6)
REPEATS = num(3, 1, 3, 2, 1, 3)
BOXES = np.concatenate(
    [whole(0, 2, 2, 6, 1), RNG.random((2, 6, 1)), np.sort(RNG.random((2, 6, 2, 2)), 2).reshape(2, 6, 4)], 2
).astype(F)
PLAIN = np.sort(RNG.random((2, 6, 2, 2)), 2).reshape(2, 6, 4).astype(F)
SCORES = RNG.random((2, 3, 6)).astype(F)
ROIS = np.array([[0, 1, 1, 4, 5], [1, 0, 2, 5, 3]], F)
SPARSE = floats(3, 4) * whole(0, 2, 3, 4).astype(F)
W, AT, ENDS = csr(SPARSE)
Q, QW = whole(-20, 20, 2, 3, dtype="int8"), whole(-20, 20, 4, 3, dtype="int8")
QI, QK = whole(-20, 20, 1, 2, 4, 4, dtype="int8"), whole(-9, 9, 3, 2, 3, 3, dtype="int8")
S1, S2, S3 = one(0.5), one(0.25), one(0.75)
Z1, Z2, Z3 = one(3, "int32"), one(-2, "int32"), one(1, "int32")
EIGHT = (S1, Z1, S2, Z2, S3, Z3)
REAL = (Q.astype(float) - 3) * 0.5
OTHER = whole(-20, 20, 2, 3, dtype="int8")
THETA = np.array([[[1, 0, 0.1], [0, 1, -0.2]]], F)
IN_BATCHES = floats(2, 3, 4, 5)
CHOSEN = whole(-2, 6, 2, 3, 2)
LAST = floats(1, 2, 3, 8)
CASES = {
    **{
        f"take batch_dims={batch} axis={axis}": (
            f"take(%0, %1, batch_dims={batch}, axis={axis})",
            (IN_BATCHES, CHOSEN),
            take_in_batches(IN_BATCHES, CHOSEN, batch % 3, axis % 4, clipped),
        )
        for batch, axis in ((1, 1), (1, 2), (1, -1), (2, 2), (2, 3), (-1, 3), (-2, 1))
    },
    "take batch_dims wrap": (
        'take(%0, %1, batch_dims=1, axis=2, mode="wrap")',
        (IN_BATCHES, CHOSEN),
        take_in_batches(IN_BATCHES, CHOSEN, 1, 2, np.mod),
    ),
    "topk all": ("topk(%0, k=None)", (Y,), (-np.sort(-Y), np.argsort(-Y).astype("int32"))),
    "topk none": ('topk(%0, k=0, ret_type="values", is_ascend=True, axis=0)', (Y,), np.sort(Y, 0)),
    "nn.pad computed": (
        "nn.pad(%0, %1 + 1f, pad_width=[[1, 0], [0, 2]])",
        (X, one(0.5)),
        np.pad(X, [(1, 0), (0, 2)], constant_values=1.5),
    ),
    "nn.pad computed whole": (
        "nn.pad(%0, %1, pad_width=[[0, 1], [1, 1]])",
        (whole(-9, 9, 2, 2), one(7, "int32")),
        None,
    ),
    "nn.depth_to_space NHWC": (
        'nn.depth_to_space(%0, block_size=2, layout="NHWC")',
        (LAST,),
        blocks_to_space(LAST, 2, "DCR"),
    ),
    "nn.depth_to_space NHWC CRD": (
        'nn.depth_to_space(%0, block_size=2, layout="NHWC", mode="CRD")',
        (LAST,),
        blocks_to_space(LAST, 2, "CRD"),
    ),
    "nn.space_to_depth NHWC": (
        'nn.space_to_depth(%0, block_size=2, layout="NHWC")',
        (floats(1, 4, 6, 3),),
        None,
    ),
    "adv_index": ("adv_index((%0, %1, %2))", (Y, num(0, 2), num(1, 3)), Y[[0, 2], [1, 3]]),
    "arange": (
        'arange(1, %0, 2, start=None, stop=None, step=None, dtype="int64")',
        (one(8, "int32"),),
        num(1, 3, 5, 7, dtype="int64"),
    ),
    "argmax last": ("argmax(%0, axis=[1], select_last_index=True)", (num([1, 3, 3], [2, 2, 0]),), num(2, 1)),
    "argmin last": (
        "argmin(%0, select_last_index=True, axis=None)",
        (num([1, 3, 1], [2, 2, 4]),),
        one(2, "int32"),
    ),
    "gather_nd batch": ("gather_nd(%0, %1, batch_dims=1)", (X, num([2, 0])), X[[0, 1], [2, 0]]),
    "mirror_pad": (
        "nn.mirror_pad(%0, pad_width=[[1, 2], [2, 0]])",
        (X,),
        np.pad(X, [(1, 2), (2, 0)], mode="symmetric"),
    ),
    "nn.layer_norm 0": (
        "nn.layer_norm(%0, %1, %1, axis=0)",
        (X, np.ones(2, F)),
        (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5) + 1,
    ),
    "one_hot": ("one_hot(%0, %1, 0f, depth=3)", (num(2, 0), one(5)), 5 * np.eye(3, dtype=F)[[2, 0]]),
    "trilu": ("trilu(%0, %1)", (Y, one(1, "int32")), np.triu(Y, 1)),
    "trilu lower": ("trilu(%0, %1, upper=False)", (Y, one(-1, "int32")), np.tril(Y, -1)),
    "argwhere": ("argwhere(%0)", (num(0, 1, 1, 0),), num([1], [2])),
    "collapse_sum_to": ("collapse_sum_to(%0, %1)", (X, num(1, 3)), X.sum(0, keepdims=True)),
    "dyn.broadcast_to": ("dyn.broadcast_to(%0, %1)", (X, num(4, 2, 3)), np.broadcast_to(X, (4, 2, 3))),
    "dyn.expand_dims": ("dyn.expand_dims(%0, %1)", (X, one(1, "int64")), X[:, None]),
    "dyn.expand_dims -1": (
        "dyn.expand_dims(%0, %1, num_newaxis=2)",
        (X, one(-1, "int32")),
        X[:, :, None, None],
    ),
    "dyn.full": ("dyn.full(%0, %1)", (one(2.5), num(2, 3)), np.full((2, 3), 2.5, F)),
    "dyn.one_hot": (
        "dyn.one_hot(%0, 1f, 0f, %1)",
        (num(2, 0, 1), one(4, "int32")),
        np.eye(4, dtype=F)[[2, 0, 1]],
    ),
    "dyn.one_hot 0": (
        "dyn.one_hot(%0, 5f, 1f, %1, axis=0)",
        (num(1, 0), one(2, "int32")),
        np.array([[1, 5], [5, 1]], F),
    ),
    "dyn.ones": ('dyn.ones(%0, dtype="int32")', (num(3, 1),), np.ones((3, 1), "int32")),
    "dyn.zeros": ("dyn.zeros(%0)", (num(2, 2, dtype="int64"),), np.zeros((2, 2), F)),
    "dyn.reshape": ("dyn.reshape(%0, %1)", (X, num(3, -1, dtype="int64")), X.reshape(3, 2)),
    "dyn.reshape 0": ("dyn.reshape(%0, %1)", (X, num(0, 1, -1)), X.reshape(2, 1, 3)),
    "dyn.reshape ()": ("dyn.reshape(%0, %1)", (IMAGE, num(-1)), IMAGE.reshape(-1)),
    "dyn.squeeze": ("dyn.squeeze(%0, %1)", (floats(1, 2, 1, 3), num(-2, 0)), None),
    "dyn.strided_slice": (
        "dyn.strided_slice(%0, %1, %2, %3)",
        (Y, num(0, 1), num(3, 4), num(2, 1)),
        Y[0:3:2, 1:4],
    ),
    "dyn.strided_slice axes": (
        "dyn.strided_slice(%0, %1, %2, %3, axes=[1])",
        (Y, num(3), num(0), num(-1)),
        Y[:, 3:0:-1],
    ),
    "dyn.strided_slice size": (
        'dyn.strided_slice(%0, %1, %2, %3, slice_mode="size")',
        (Y, num(1, 1), num(-1, 2), num(1, 1)),
        Y[1:, 1:3],
    ),
    "dyn.tile": ("dyn.tile(%0, %1)", (X, num(2, 1, 3)), np.tile(X, (2, 1, 3))),
    "dyn.topk": (
        "dyn.topk(%0, %1)",
        (Y, one(2, "int32")),
        (-np.sort(-Y)[:, :2], np.argsort(-Y)[:, :2].astype("int32")),
    ),
    "dyn.topk all": (
        'dyn.topk(%0, %1, ret_type="values", is_ascend=True, axis=0)',
        (Y, one(0, "int32")),
        np.sort(Y, 0),
    ),
    "image.affine_grid": (
        "image.grid_sample(%0, image.affine_grid(%1, target_shape=[5, 6]))",
        (IMAGE[:1], np.array([[[1, 0, 0], [0, 1, 0]]], F)),
        IMAGE[:1],
    ),
    "image.grid_sample": (
        "image.grid_sample(%0, %1)",
        (IMAGE[:1], np.zeros((1, 2, 1, 1), F)),
        np.array([bilinear(c, 2, 2.5) for c in IMAGE[0]], F).reshape(1, 4, 1, 1),
    ),
    "image.crop_and_resize": (
        "image.crop_and_resize(%0, %1, %2, crop_size=[3, 2], extrapolation_value=7.0)",
        (IMAGE, np.array([[0, 0, 1, 1], [0.2, 0.1, 1.3, 0.8]], F), num(1, 0)),
        crops(IMAGE, np.array([[0, 0, 1, 1], [0.2, 0.1, 1.3, 0.8]], F), [1, 0], (3, 2), 7),
    ),
    "image.dilation2d": ("image.dilation2d(%0, %1, padding=[1, 1])", (SQUARE, floats(2, 3, 2)), None),
    "image.resize1d": (
        'image.resize1d(%0, size=[6], method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")',
        (floats(1, 2, 3),),
        None,
    ),
    "image.resize3d": (
        'image.resize3d(%0, size=[2, 4, 2], method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")',
        (floats(1, 1, 1, 2, 2),),
        None,
    ),
    "invert_permutation": ("invert_permutation(%0)", (num(2, 0, 3, 1),), num(1, 3, 0, 2)),
    "layout_transform": (
        'layout_transform(%0, src_layout="NCHW", dst_layout="NCHW2c")',
        (IMAGE,),
        layout(IMAGE, 2),
    ),
    "layout_transform back": (
        'layout_transform(layout_transform(%0, src_layout="NCHW", dst_layout="NCHW2c"), src_layout="NCHW2c", dst_layout="NHWC")',
        (IMAGE,),
        IMAGE.transpose(0, 2, 3, 1),
    ),
    "layout_transform blocks": (
        'layout_transform(layout_transform(%0, src_layout="OIHW", dst_layout="OIHW2i1o"), src_layout="OIHW2i1o", dst_layout="HWIO")',
        (IMAGE,),
        IMAGE.transpose(2, 3, 1, 0),
    ),
    "matrix_set_diag": ("matrix_set_diag(%0, %1)", (floats(2, 3, 4), floats(2, 3)), None),
    "matrix_set_diag band": (
        "matrix_set_diag(%0, %1, k1=-1, k2=1)",
        (floats(2, 3, 4), floats(2, 3, 3)),
        None,
    ),
    "nn.adaptive_max_pool1d": ("nn.adaptive_max_pool1d(%0, output_size=[3])", (floats(1, 2, 7),), None),
    "nn.adaptive_max_pool2d": (
        "nn.adaptive_max_pool2d(%0, output_size=[2, 4])",
        (IMAGE,),
        adaptive_max(IMAGE, (2, 4)),
    ),
    "nn.adaptive_max_pool3d": (
        "nn.adaptive_max_pool3d(%0, output_size=[1, 2, 2])",
        (floats(1, 2, 3, 4, 5),),
        None,
    ),
    "nn.batch_to_space_nd": (
        "nn.batch_to_space_nd(%0, block_shape=[2, 2], crops=[[0, 1], [1, 0]])",
        (floats(8, 3, 2),),
        None,
    ),
    "nn.space_to_batch_nd": (
        "nn.space_to_batch_nd(%0, block_shape=[2, 3], paddings=[[1, 0], [0, 2]], pad_value=1.5)",
        (floats(2, 3, 4),),
        None,
    ),
}
