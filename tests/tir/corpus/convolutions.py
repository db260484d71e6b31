"""What the PrimFuncs of `convolutions.rlx` compute."""

from __future__ import annotations

import numpy as np

from tests.tir.cases import NONZERO, USUAL, Case, at, between, windows


def conv1d(x, w, step=1):
    span = (w.shape[-1] - 1) * step + 1
    return np.einsum("bcxr,ocr->box", windows(x, span)[..., ::step], w)


def conv2d(x, w, stride=(1, 1), dilation=(1, 1)):
    spans = [(size - 1) * step + 1 for size, step in zip(w.shape[2:], dilation, strict=True)]
    seen = windows(x, *spans)[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    return np.einsum("bcyxrs,ocrs->boyx", seen, w)


def pad(x, *widths):
    return np.pad(x, [(0, 0)] * (x.ndim - len(widths)) + list(widths))


def one_image(x, w):
    return conv2d(x[None], w)[0]


def grouped(x, w, groups=2):
    parts = zip(np.split(x, groups, axis=1), np.split(w, groups), strict=True)
    return np.concatenate([conv2d(part, weights) for part, weights in parts], axis=1)


def conv3d(x, w):
    return np.einsum("bczyxqrs,ocqrs->bozyx", windows(x, 2, 3, 2), w)


def depthwise(x, w):
    return np.einsum("...cyxrs,crs->...cyx", windows(x, 3, 3), w)


def multiplied(x, w):
    seen = windows(x.transpose(0, 3, 1, 2), 3, 3)
    result = np.einsum("icyxrs,rscm->iyxcm", seen, w)
    return result.reshape(*result.shape[:3], 2 * x.shape[3])


def transposed1d(x, w):
    b, _, width = x.shape
    y = np.zeros((b, w.shape[1], 2 * width + 1))
    for r in range(3):
        y[:, :, r : r + 2 * width : 2] += np.einsum("bcx,co->box", x, w[:, :, r])
    return y


def transposed2d(x, w):
    _, h, width = x.shape
    y = np.zeros((w.shape[1], 2 * h + 1, 2 * width))
    for r in range(3):
        for s in range(2):
            y[:, r : r + 2 * h : 2, s : s + 2 * width : 2] += np.einsum("cyx,co->oyx", x, w[:, :, r, s])
    return y


def im2col(x):
    c, h, w = x.shape
    return windows(x, 3, 3).transpose(0, 3, 4, 1, 2).reshape(c * 9, (h - 2) * (w - 2))


def full(x, w):
    y = np.zeros(len(x) + len(w) - 1)
    for j, weight in enumerate(w):
        y[j : j + len(x)] += x * weight
    return y


def heat(x, y):
    if min(x.shape) > 2:
        y[1:-1, 1:-1] = 0.5 * x[1:-1, 1:-1] + 0.125 * (
            x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        )
    return y


def heat3d(x, w):
    corners = x[:, :-2, :-2] + x[:, :-2, 2:] + x[:, 2:, :-2] + x[:, 2:, 2:]
    return w * np.maximum(corners - 4 * x[:, 1:-1, 1:-1], np.float32(-1))


def edges(x):
    a, b = x[1, :-1, :-1] - x[0, 1:, 1:], x[1, 1:, :-1] - x[0, :-1, 1:]
    return np.where(np.abs(a) > np.abs(b), a, b)


def laplace(x):
    return windows(x, 3, 3)[..., [0, 1, 1, 1, 2], [1, 0, 1, 2, 1]] @ np.array([1.0, 1, -4, 1, 1])


def correlation(a, b):
    return np.einsum("chxd,chx->dhx", windows(a, 5), b)


CASES = {
    "conv1d_batched": Case(conv1d, ulps=16),
    "conv1d_dilated": Case(lambda x, w: conv1d(x, w, 2), ulps=16),
    "conv1d_causal": Case(lambda x, w: conv1d(pad(x, (3, 0))[None], w)[0], ulps=16),
    "conv1d_full": Case(full, at(n=(6, 1, 3, 0), k=(4, 1, 5, 3)), ulps=16),
    "conv2d_nhwc": Case(
        lambda x, w: conv2d(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)).transpose(0, 2, 3, 1), ulps=16
    ),
    "conv2d_strided": Case(lambda x, w: conv2d(x, w, (2, 2)), ulps=32),
    "conv2d_padded": Case(lambda x, w: conv2d(pad(x, (1, 1), (1, 1)), w), ulps=32),
    "conv2d_padded_inline": Case(lambda x, w: one_image(pad(x, (1, 1), (1, 1)), w), ulps=32),
    "conv2d_dilated_strided": Case(lambda x, w: conv2d(x, w, (2, 3), (2, 3)), ulps=32),
    "conv2d_bias_relu": Case(lambda x, w, b: np.clip(conv2d(x, w) + b[:, None, None], 0, None), ulps=32),
    "conv2d_grouped": Case(
        grouped, at(b=(2, 1, 0), c=(2, 1, 3), o=(4, 2, 6), h=(5, 3, 4), w=(4, 3, 6)), ulps=32
    ),
    "conv2d_grouped_loop": Case(
        lambda x, w: grouped(x.reshape(1, -1, *x.shape[2:]), w.reshape(-1, *w.shape[2:]), len(w)).reshape(
            *w.shape[:2], x.shape[2] - 2, -1
        ),
        NONZERO,
        ulps=32,
    ),
    "conv2d_pointwise": Case(lambda x, w: np.einsum("bcyx,oc->boyx", x, w), ulps=16),
    "conv2d_int8": Case(
        lambda x, w: conv2d(x.astype(np.int32), w.astype(np.int32)), inputs={"X": between(-128, 127)}
    ),
    "conv2d_half": Case(lambda x, w: one_image(x.astype(np.float32), w.astype(np.float32)), ulps=2),
    "conv2d_any_kernel": Case(
        one_image,
        at(c=(3, 1, 0, 2), h=(5, 1, 2, 3), w=(4, 1, 3, 2), o=(2, 1, 2, 3), r=(3, 1, 2, 3), s=(2, 1, 1, 2)),
        ulps=32,
    ),
    "conv3d": Case(
        conv3d, at(b=(2, 1, 0), c=(2, 1, 3), d=(3, 2, 4), h=(4, 3, 5), w=(5, 2, 3), o=(3, 1, 2)), ulps=32
    ),
    "depthwise_padded": Case(lambda x, w: depthwise(pad(x, (1, 1), (1, 1)), w), ulps=16),
    "depthwise_multiplied": Case(multiplied, ulps=16),
    "depthwise_strided": Case(
        lambda x, w: np.einsum("cyxrs,crs->cyx", windows(x, 3, 3)[:, ::2, ::2], w), ulps=16
    ),
    "conv1d_transposed": Case(transposed1d, ulps=16),
    "conv2d_transposed": Case(transposed2d, ulps=16),
    "im2col": Case(im2col, ulps=0),
    "blur_separable": Case(lambda x: windows(x, 3, 3).mean((-1, -2), dtype=np.float64)),
    "laplace": Case(laplace, at(n=(4, 1, 7, 3), m=(6, 1, 2, 3))),
    "dilation_morphology": Case(lambda x: windows(pad(x, (1, 1), (1, 1)), 3, 3).max((-1, -2))),
    "correlation": Case(correlation, USUAL, ulps=16),
    "heat": Case(heat, at(n=(5, 1, 3, 2, 0), m=(6, 3, 3, 9, 4)), in_place=True),
    "heat3d": Case(heat3d, at(k=(3, 1, 2, 0), n=(4, 1, 7, 3), m=(6, 1, 2, 3))),
    "edges": Case(edges, at(n=(4, 1, 7, 3), m=(6, 1, 2, 3))),
}
