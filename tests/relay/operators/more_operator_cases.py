"""All calls of operators that are compared, and what is computed of their arguments."""

# ruff: noqa: E501 - a table

from __future__ import annotations

import numpy as np

from tests.relay.operators.operator_cases import (
    AT,
    BOXES,
    EIGHT,
    ENDS,
    IMAGE,
    OTHER,
    PLAIN,
    QI,
    QK,
    QW,
    REPEATS,
    ROIS,
    S1,
    S2,
    S3,
    SCORES,
    SPARSE,
    SQUARE,
    Z1,
    Z2,
    Z3,
    Q,
    W,
    X,
    Y,
)
from tests.relay.operators.operator_cases import CASES as FIRST
from tests.relay.operators.operator_definitions import (
    F,
    adaptive_max,
    batch_to_space,
    by_class,
    conv,
    correlation,
    deformable,
    dilate,
    dilation,
    floats,
    layout,
    limited,
    lrn,
    num,
    one,
    requantized,
    roi_align,
    roi_pool,
    set_diagonals,
    space_to_batch,
    space_to_blocks,
    strided_set,
    suppressed,
    unique,
    valid_counts,
    whole,
    windows_of,
)

CASES = {
    **FIRST,
    "nn.bitserial_dense": (
        "nn.bitserial_dense(%0, %1, units=3, data_bits=2, weight_bits=1)",
        (whole(0, 4, 2, 5, dtype="uint8"), whole(0, 2, 3, 5, dtype="uint8")),
        None,
    ),
    "nn.bitserial_conv2d": (
        "nn.bitserial_conv2d(%0, %1, activation_bits=2, weight_bits=2, unipolar=False, padding=[1, 1])",
        (whole(0, 4, 1, 2, 4, 4, dtype="uint8"), whole(0, 4, 3, 2, 3, 3, dtype="uint8")),
        None,
    ),
    "nn.contrib_conv2d_NCHWc": (
        'nn.contrib_conv2d_NCHWc(layout_transform(%0, src_layout="NCHW", dst_layout="NCHW2c"), layout_transform(%1, src_layout="OIHW", dst_layout="OIHW2i3o"), data_layout="NCHW2c", kernel_layout="OIHW2i3o", out_layout="NCHW3c")',
        (IMAGE, floats(6, 4, 3, 3)),
        None,
    ),
    "nn.contrib_depthwise_conv2d_NCHWc": (
        'nn.contrib_depthwise_conv2d_NCHWc(layout_transform(%0, src_layout="NCHW", dst_layout="NCHW2c"), layout_transform(%1, src_layout="OIHW", dst_layout="OIHW1i2o"), groups=4, data_layout="NCHW2c", kernel_layout="OIHW1i2o")',
        (IMAGE, floats(4, 1, 3, 3)),
        None,
    ),
    "nn.contrib_dense_pack": (
        'nn.contrib_dense_pack(%0, %1, units=6, weight_layout="NC2n")',
        (X, floats(3, 3, 2)),
        None,
    ),
    "nn.correlation": (
        "nn.correlation(%0, %1, kernel_size=3, max_displacement=2, stride1=1, stride2=1, padding=[2, 2])",
        (SQUARE, SQUARE[..., ::-1].copy()),
        correlation(SQUARE, SQUARE[..., ::-1], 3, 2, 1, 1, 2),
    ),
    "nn.correlation distance": (
        "nn.correlation(%0, %1, max_displacement=2, stride1=2, stride2=2, padding=[1, 1], is_multiply=False)",
        (SQUARE, SQUARE[..., ::-1].copy()),
        correlation(SQUARE, SQUARE[..., ::-1], 1, 2, 2, 2, 1, products=False),
    ),
    "nn.deformable_conv2d": (
        "nn.deformable_conv2d(%0, %1, %2)",
        (SQUARE, 3 * floats(1, 18, 4, 4), floats(3, 2, 3, 3)),
        None,
    ),
    "nn.dilate": ("nn.dilate(%0, strides=[2, 3], dilation_value=0.5)", (X,), dilate(X, (2, 3), 0.5)),
    "nn.lrn": ("nn.lrn(%0, size=3, alpha=0.5)", (IMAGE,), lrn(IMAGE, 3, 2, 0.5, 0.75)),
    "nn.nll_loss": (
        "nn.nll_loss(%0, %1, %2, ignore_index=-100)",
        (X, num(2, 0), np.ones(3, F)),
        one(-(X[0, 2] + X[1, 0]) / 2),
    ),
    "nn.sparse_add": ("nn.sparse_add(%0, %1, %2, %3)", (Y, W, AT, ENDS), Y + SPARSE),
    "nn.sparse_dense": ("nn.sparse_dense(%0, %1, %2, %3)", (floats(2, 4), W, AT, ENDS), None),
    "nn.sparse_dense blocks": (
        "nn.sparse_dense(%0, %1, %2, %3)",
        (floats(2, 4), floats(2, 3, 2), num(1, 0), num(0, 1, 2)),
        None,
    ),
    "nn.upsampling3d": (
        "nn.upsampling3d(%0, scale_d=2.0, scale_h=1.0, scale_w=2.0)",
        (floats(1, 1, 2, 2, 2),),
        None,
    ),
    "qnn.add": (
        "qnn.add(%0, %1, %2, %3, %4, %5, %6, %7)",
        (Q, OTHER, *EIGHT),
        limited(
            requantized(Q, 0.5, 3, 0.75, 1, "int32").astype(int)
            + requantized(OTHER, 0.25, -2, 0.75, 1, "int32")
            - 1,
            "int8",
        ),
    ),
    "qnn.subtract": (
        "qnn.subtract(%0, %1, %2, %3, %4, %5, %6, %7)",
        (Q, OTHER, *EIGHT),
        limited(
            requantized(Q, 0.5, 3, 0.75, 1, "int32").astype(int)
            - requantized(OTHER, 0.25, -2, 0.75, 1, "int32")
            + 1,
            "int8",
        ),
    ),
    "qnn.mul": (
        "qnn.mul(%0, %1, %2, %3, %4, %5, %6, %7)",
        (Q, OTHER, *EIGHT),
        requantized((Q.astype(int) - 3) * (OTHER.astype(int) + 2), 0.125, 0, 0.75, 1),
    ),
    "qnn.batch_matmul": (
        "qnn.batch_matmul(%0, %1, %2, %3, %4, %5, transpose_b=True)",
        (Q[None], QW[None], Z1, Z2, S1, S2),
        ((Q.astype("int32") - 3) @ (QW.astype("int32") + 2).T)[None],
    ),
    "qnn.concatenate": (
        "qnn.concatenate((%0, %1), (%2, %3), (%4, %5), %6, %7, axis=1)",
        (Q, OTHER, S1, S2, Z1, Z2, S3, Z3),
        np.concatenate([requantized(Q, 0.5, 3, 0.75, 1), requantized(OTHER, 0.25, -2, 0.75, 1)], 1),
    ),
    "qnn.conv2d": (
        "qnn.conv2d(%0, %1, %2, %3, %4, %5, padding=[1, 1], channels=3, kernel_size=[3, 3])",
        (QI, QK, Z1, Z2, S1, S2),
        conv(QI.astype("int32") - 3, QK.astype("int32") + 2, pad=1),
    ),
    "qnn.conv2d by channel": (
        "qnn.conv2d(%0, %1, %2, %3, %4, %5)",
        (QI, QK, Z1, num(1, 2, 3), S1, S2),
        conv(
            QI.astype("int32") - 3, QK.astype("int32") - np.arange(1, 4)[:, None, None, None].astype("int32")
        ),
    ),
    "qnn.dense": (
        "qnn.dense(%0, %1, %2, %3, %4, %5, units=4)",
        (Q, QW, Z1, Z2, S1, S2),
        (Q.astype("int32") - 3) @ (QW.astype("int32") + 2).T,
    ),
    "qnn.dequantize": ("qnn.dequantize(%0, %1, %2)", (Q, S1, Z1), None),
    "qnn.quantize": (
        'qnn.quantize(%0, %1, %2, out_dtype="int8")',
        (100 * X, S1, Z1),
        limited(np.round(100 * X / F(0.5)) + 3, "int8"),
    ),
    "qnn.quantize wide": (
        'qnn.quantize(%0, %1, %2, out_dtype="int32", axis=1)',
        (100 * X, num(0.5, 0.25, 1, dtype="float32"), num(0, 1, 2)),
        np.round(100 * X.astype(float) / [0.5, 0.25, 1]).astype("int32") + num(0, 1, 2),
    ),
    "qnn.requantize": (
        "qnn.requantize(%0, %1, %2, %3, %4)",
        (100 * Q.astype("int32"), S1, Z1, S3, Z3),
        requantized(100 * Q.astype("int32"), 0.5, 3, 0.75, 1),
    ),
    "qnn.requantize nearest": (
        'qnn.requantize(%0, %1, %2, %3, %4, rounding="TONEAREST", out_dtype="int32", axis=0)',
        (num(-5, -3, 3, 5), num(1, 1, 1, 1, dtype="float32"), num(0, 0, 0, 0), one(2), one(0, "int32")),
        num(-3, -2, 2, 3),
    ),
    "reinterpret": ('reinterpret(%0, dtype="int32")', (X,), X.view("int32")),
    "scatter_elements": (
        'scatter_elements(%0, %1, %2, axis=1, reduction="add")',
        (X, num([0, 2], [1, 1]), np.ones((2, 2), F)),
        X + np.array([[1, 0, 1], [0, 2, 0]], F),
    ),
    "scatter_nd": (
        'scatter_nd(%0, %1, %2, mode="add")',
        (X, num([0, 1, 1], [2, 0, 0]), num(1, 2, 3, dtype="float32")),
        X + np.array([[0, 0, 1], [5, 0, 0]], F),
    ),
    "searchsorted": ("searchsorted(%0, %1)", (num(1, 3, 3, 5), num([0, 3], [4, 9])), num([0, 1], [3, 4])),
    "searchsorted rows": (
        'searchsorted(%0, %1, right=True, dtype="int64")',
        (num([1, 3, 5], [2, 2, 2]), num([3], [2])),
        num([2], [3], dtype="int64"),
    ),
    "sequence_mask": ("sequence_mask(%0, %1, mask_value=-1.0)", (floats(4, 2, 3), num(1, 3)), None),
    "sequence_mask 1": ("sequence_mask(%0, %1, axis=1)", (floats(2, 4), num(1, 3)), None),
    "sliding_window": (
        "sliding_window(%0, axis=1, window_shape=[2, 3, 2], strides=[2, 1, 3])",
        (IMAGE,),
        windows_of(IMAGE, 1, (2, 3, 2), (2, 1, 3)),
    ),
    "sparse_to_dense": (
        "sparse_to_dense(%0, %1, %2, output_shape=[2, 3])",
        (num([0, 1], [1, 2]), num(5, 6), one(9, "int32")),
        num([9, 5, 9], [9, 9, 6]),
    ),
    "sparse_to_dense line": ("sparse_to_dense(%0, 5, 0, output_shape=[4])", (num(1, 3),), num(0, 5, 0, 5)),
    "strided_set": (
        "strided_set(%0, %1, %2, %3, %4)",
        (Y, np.ones((2, 2), F), num(0, -1), num(3, 1), num(2, -2)),
        strided_set(Y, np.ones((2, 2), F), (0, -1), (3, 0), (2, -2)),
    ),
    "unique": ("unique(%0, return_counts=True)", (REPEATS,), unique(REPEATS)),
    "unique unsorted": (
        "unique(%0, sorted=False, return_counts=True)",
        (REPEATS,),
        unique(REPEATS, by_value=False),
    ),
    "unravel_index": ("unravel_index(%0, %1)", (num(5, 0, 11), num(3, 4)), num([1, 0, 2], [1, 0, 3])),
    "vision.all_class_non_max_suppression": (
        "vision.all_class_non_max_suppression(%0, %1, 2, 0.3f, 0.2f)",
        (PLAIN, SCORES),
        by_class(PLAIN, SCORES, 2, 0.3, 0.2),
    ),
    "vision.get_valid_counts": ("vision.get_valid_counts(%0, 0.4f)", (BOXES,), valid_counts(BOXES, 0.4)),
    "vision.non_max_suppression": (
        "vision.non_max_suppression(%0, %1, %2, -1, 0.2f)",
        (BOXES, num(6, 4), np.tile(np.arange(10, 16, dtype="int32"), (2, 1))),
        suppressed(BOXES, (6, 4), np.tile(np.arange(10, 16), (2, 1)), -1, 0.2),
    ),
    "vision.non_max_suppression most": (
        "vision.non_max_suppression(%0, %1, %2, 2, 0.5f)",
        (BOXES, num(6, 5), np.tile(np.arange(6, dtype="int32"), (2, 1))),
        suppressed(BOXES, (6, 5), np.tile(np.arange(6), (2, 1)), 2, 0.5),
    ),
    "vision.roi_align": (
        "vision.roi_align(%0, %1, pooled_size=[2, 2], spatial_scale=0.5)",
        (IMAGE, ROIS),
        roi_align(IMAGE, ROIS, 2, 0.5, -1, "avg"),
    ),
    "vision.roi_align max": (
        'vision.roi_align(%0, %1, pooled_size=[3, 3], spatial_scale=1.0, sample_ratio=2, mode="max")',
        (IMAGE, ROIS),
        roi_align(IMAGE, ROIS, 3, 1.0, 2, "max"),
    ),
    "vision.roi_pool": (
        "vision.roi_pool(%0, %1, pooled_size=[2, 2], spatial_scale=0.75)",
        (IMAGE, ROIS),
        roi_pool(IMAGE, ROIS, 2, 0.75),
    ),
}
COMPUTED = {
    "nn.pad computed whole": lambda x, value: np.pad(x, [(0, 1), (1, 1)], constant_values=value),
    "nn.space_to_depth NHWC": lambda x: space_to_blocks(x, 2),
    "dyn.squeeze": lambda x, _: x.squeeze((0, 2)),
    "image.dilation2d": lambda x, w: dilation(x, w, 1, 1),
    "image.resize1d": lambda x: x.repeat(2, 2),
    "image.resize3d": lambda x: x.repeat(2, 2).repeat(2, 3),
    "matrix_set_diag": lambda x, d: set_diagonals(x, d, 0, 0),
    "matrix_set_diag band": lambda x, d: set_diagonals(x, d, -1, 1),
    "nn.adaptive_max_pool1d": lambda x: adaptive_max(x, (3,)),
    "nn.adaptive_max_pool3d": lambda x: adaptive_max(x, (1, 2, 2)),
    "nn.batch_to_space_nd": lambda x: batch_to_space(x, (2, 2), ((0, 1), (1, 0))),
    "nn.space_to_batch_nd": lambda x: space_to_batch(x, (2, 3), ((1, 0), (0, 2)), 1.5),
    "nn.bitserial_dense": lambda x, w: x.astype("int16") @ (2 * w.astype("int16") - 1).T,
    "nn.bitserial_conv2d": lambda x, w: conv(x.astype("int16"), w.astype("int16"), pad=1),
    "nn.contrib_conv2d_NCHWc": lambda x, w: layout(conv(x, w), 3),
    "nn.contrib_depthwise_conv2d_NCHWc": lambda x, w: layout(
        np.concatenate([conv(x[:, c : c + 1], w[c : c + 1]) for c in range(4)], 1), 2
    ),
    "nn.contrib_dense_pack": lambda x, w: x @ w.transpose(1, 0, 2).reshape(3, 6),
    "nn.deformable_conv2d": deformable,
    "nn.sparse_dense": lambda x, *_: x @ SPARSE.T,
    "nn.sparse_dense blocks": lambda x, w, *_: np.concatenate([x[:, 2:] @ w[0].T, x[:, :2] @ w[1].T], 1),
    "nn.upsampling3d": lambda x: x.repeat(2, 2).repeat(2, 4),
    "qnn.dequantize": lambda q, *_: ((q.astype("int32") - 3) * F(0.5)).astype(F),
    "sequence_mask": lambda x, n: np.where((np.arange(4)[:, None] < n)[:, :, None], x, F(-1)),
    "sequence_mask 1": lambda x, n: np.where(np.arange(4)[None] < n[:, None], x, F(0)),
}
