"""Values of operators that are no Relax operator of the same name: against NumPy, on both engines. [R.33] [R.37]

What is expected is computed here from the definition of the operator, element by element.
"""

# ruff: noqa: E501 - a table

from __future__ import annotations

import itertools

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile
from relax_lang.relay.unification.printing import show
from tests.relay.support import checked

RNG = np.random.default_rng(7)
F = np.float32


def floats(*shape: int) -> np.ndarray:
    return RNG.random(shape, dtype=F) - F(0.5)


def whole(low: int, high: int, *shape: int, dtype: str = "int32") -> np.ndarray:
    return RNG.integers(low, high, shape).astype(dtype)


def num(*values: object, dtype: str = "int32") -> np.ndarray:
    return np.asarray(values, dtype=dtype)


def one(value: float, dtype: str = "float32") -> np.ndarray:
    return np.asarray(value, dtype=dtype)


def type_text(array: np.ndarray) -> str:
    extents = ", ".join(map(str, array.shape))
    return f"Tensor[({extents}), {array.dtype}]"


# -- what is expected ----------------------------------------------------------------------------------------


def unique(x, *, by_value=True):
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    if not by_value:
        order = np.argsort(first)
        values, first, counts = values[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]

    def padded(part, dtype):
        return np.concatenate([part, np.zeros(len(x) - len(part))]).astype(dtype)

    return (
        padded(values, x.dtype),
        padded(first, "int32"),
        inverse.astype("int32"),
        num(len(values)),
        padded(counts, "int32"),
    )


def strided_set(x, v, begin, end, strides):
    made = x.copy()
    made[tuple(slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True))] = v
    return made


def layout(x, parts):
    """NCHW to NCHW with `parts` channels last."""
    n, c, h, w = x.shape
    return x.reshape(n, c // parts, parts, h, w).transpose(0, 1, 3, 4, 2)


def set_diagonals(x, d, low, high, *, above=True, below=False):
    made = x.copy()
    rows, columns = x.shape[-2:]
    lines = d if low != high else d[..., None, :]
    for r, c in itertools.product(range(rows), range(columns)):
        k = c - r
        if low <= k <= high:
            length = min(columns - max(k, 0), rows + min(k, 0))
            right = above if k > 0 else below if k < 0 else above or below
            made[..., r, c] = lines[..., high - k, min(r, c) + (lines.shape[-1] - length if right else 0)]
    return made


def windows_of(x, axis, shape, strides):
    spatial = x.shape[axis:]
    counts = [(s - w) // t + 1 for s, w, t in zip(spatial, shape, strides, strict=True)]
    made = np.zeros((*x.shape[:axis], *counts, *shape), x.dtype)
    for at in itertools.product(*map(range, counts)):
        part = tuple(slice(a * t, a * t + w) for a, t, w in zip(at, strides, shape, strict=True))
        made[(slice(None),) * axis + at] = x[(slice(None),) * axis + part]
    return made


def space_to_batch(x, block, pads, value):
    x = np.pad(x, [(0, 0), *pads], constant_values=value)
    n, h, w = x.shape
    made = x.reshape(n, h // block[0], block[0], w // block[1], block[1]).transpose(2, 4, 0, 1, 3)
    return made.reshape(-1, h // block[0], w // block[1])


def batch_to_space(x, block, crops):
    n, h, w = x.shape
    n //= block[0] * block[1]
    made = (
        x.reshape(block[0], block[1], n, h, w).transpose(2, 3, 0, 4, 1).reshape(n, h * block[0], w * block[1])
    )
    (a, b), (c, d) = crops
    return made[:, a : made.shape[1] - b, c : made.shape[2] - d]


def dilate(x, strides, value):
    made = np.full([max((n - 1) * s + 1, 0) for n, s in zip(x.shape, strides, strict=True)], value, x.dtype)
    made[tuple(slice(None, None, s) for s in strides)] = x
    return made


def conv(x, w, stride=1, pad=0):
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    _, _, kh, kw = w.shape
    high, wide = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    made = np.zeros((x.shape[0], w.shape[0], high, wide), np.result_type(x, w))
    for i, j in itertools.product(range(high), range(wide)):
        part = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
        made[:, :, i, j] = np.einsum("ncij,ocij->no", part, w)
    return made


def take_in_batches(x, indices, batch, axis, limit):
    """Take along `axis`, for each place on the first `batch` axes on its own."""
    if batch == 0:
        return np.take(x, limit(indices, x.shape[axis]), axis)
    parts = [take_in_batches(a, b, batch - 1, axis - 1, limit) for a, b in zip(x, indices, strict=True)]
    return np.stack(parts)


def clipped(indices, size):
    return np.clip(indices, 0, size - 1)


def blocks_to_space(x, block, mode):
    """NHWC: channels become pixels."""
    n, h, w, c = x.shape
    made = np.zeros((n, h * block, w * block, c // block**2), x.dtype)
    for i, j, k in itertools.product(range(h * block), range(w * block), range(made.shape[3])):
        inner = i % block * block + j % block
        channel = inner * made.shape[3] + k if mode == "DCR" else k * block**2 + inner
        made[:, i, j, k] = x[:, i // block, j // block, channel]
    return made


def space_to_blocks(x, block):
    """NHWC: pixels become channels."""
    n, h, w, c = x.shape
    made = np.zeros((n, h // block, w // block, c * block**2), x.dtype)
    for i, j, k in itertools.product(range(h), range(w), range(c)):
        made[:, i // block, j // block, (i % block * block + j % block) * c + k] = x[:, i, j, k]
    return made


def adaptive_max(x, sizes):
    for axis, count in enumerate(sizes, 2):
        n = x.shape[axis]
        parts = [
            np.take(x, range(i * n // count, -(-(i + 1) * n // count)), axis).max(axis) for i in range(count)
        ]
        x = np.stack(parts, axis)
    return x


def lrn(x, size, bias, alpha, beta):
    total = np.zeros_like(x)
    for c in range(x.shape[1]):
        total[:, c] = (x[:, max(c - size // 2, 0) : c + size // 2 + 1] ** 2).sum(1)
    return x / (bias + alpha / size * total) ** beta


def correlation(a, b, kernel, far, stride1, stride2, pad, *, products=True):
    a, b = [np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)]) for x in (a, b)]
    reach, border = far // stride2, far + kernel // 2
    size = 2 * reach + 1
    high, wide = [-(-(n - 2 * border) // stride1) for n in a.shape[2:]]
    made = np.zeros((a.shape[0], size * size, high, wide), F)
    for q, y, x in itertools.product(range(size * size), range(high), range(wide)):
        y1, x1 = y * stride1 + far, x * stride1 + far
        y2, x2 = y1 + (q // size - reach) * stride2, x1 + (q % size - reach) * stride2
        one_part, other = (
            a[:, :, y1 : y1 + kernel, x1 : x1 + kernel],
            b[:, :, y2 : y2 + kernel, x2 : x2 + kernel],
        )
        terms = one_part * other if products else np.abs(one_part - other)
        made[:, q, y, x] = terms.sum((1, 2, 3)) / (kernel * kernel * a.shape[1])
    return made


def bilinear(image, y, x):
    """A pixel between four others, of an image (h, w); rows and columns beyond the last are the last."""
    h, w = image.shape
    y1, x1 = int(np.floor(y)), int(np.floor(x))
    y2, x2 = min(y1 + 1, h - 1), min(x1 + 1, w - 1)
    dy, dx = y - y1, x - x1
    upper = image[y1, x1] * (1 - dx) + image[y1, x2] * dx
    return upper * (1 - dy) + (image[y2, x1] * (1 - dx) + image[y2, x2] * dx) * dy


def deformable(x, offset, w):
    n, c, h, wide = x.shape
    o, _, kh, kw = w.shape
    oh, ow = h - kh + 1, wide - kw + 1
    offsets = offset.reshape(n, kh, kw, 2, oh, ow)
    made = np.zeros((n, o, oh, ow), F)
    for i, k, s, t, p, q in itertools.product(range(n), range(c), range(kh), range(kw), range(oh), range(ow)):
        y, u = p + s + offsets[i, s, t, 0, p, q], q + t + offsets[i, s, t, 1, p, q]
        if 0 <= y < h and 0 <= u < wide:
            made[i, :, p, q] += w[:, k, s, t] * bilinear(x[i, k], y, u)
    return made


def crops(x, boxes, of, size, outside):
    h, w = x.shape[2:]
    made = np.full((len(boxes), x.shape[1], *size), outside, F)
    for r, k, p, q in itertools.product(range(len(boxes)), range(x.shape[1]), range(size[0]), range(size[1])):
        y1, x1, y2, x2 = boxes[r].astype(float)
        y = y1 * (h - 1) + p * (y2 - y1) * (h - 1) / (size[0] - 1) if size[0] > 1 else (y1 + y2) / 2 * (h - 1)
        u = x1 * (w - 1) + q * (x2 - x1) * (w - 1) / (size[1] - 1) if size[1] > 1 else (x1 + x2) / 2 * (w - 1)
        if 0 <= y <= h - 1 and 0 <= u <= w - 1:
            made[r, k, p, q] = bilinear(x[of[r], k], y, u)
    return made


def dilation(x, w, stride, pad):
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], constant_values=-np.inf)
    _, kh, kw = w.shape
    high, wide = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    made = np.zeros((*x.shape[:2], high, wide), F)
    for i, j in itertools.product(range(high), range(wide)):
        made[:, :, i, j] = (x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw] + w).max(
            (2, 3)
        )
    return made


def roi_align(x, rois, size, scale, ratio, mode):
    h, w = x.shape[2:]
    made = np.zeros((len(rois), x.shape[1], size, size), F)
    for r, k, p, q in itertools.product(range(len(rois)), range(x.shape[1]), range(size), range(size)):
        image, x0, y0, x1, y1 = rois[r].astype(float)
        wide, high = max((x1 - x0) * scale, 1), max((y1 - y0) * scale, 1)
        rows, columns = [ratio if ratio > 0 else int(np.ceil(n / size)) for n in (high, wide)]
        found = []
        for s, t in itertools.product(range(rows), range(columns)):
            y = y0 * scale + (p + (s + 0.5) / rows) * high / size
            u = x0 * scale + (q + (t + 0.5) / columns) * wide / size
            inside = -1 <= y <= h and -1 <= u <= w
            found.append(
                bilinear(x[int(image), k], min(max(y, 0), h - 1), min(max(u, 0), w - 1)) if inside else 0.0
            )
        made[r, k, p, q] = np.mean(found) if mode == "avg" else max(found)
    return made


def roi_pool(x, rois, size, scale):
    h, w = x.shape[2:]
    made = np.zeros((len(rois), x.shape[1], size, size), F)
    for r, k, p, q in itertools.product(range(len(rois)), range(x.shape[1]), range(size), range(size)):
        image, x0, y0, x1, y1 = [
            int(np.floor(n)) for n in (rois[r].astype(float) * [1, *[scale] * 4] + [0, 0.5, 0.5, 0.5, 0.5])
        ]
        high, wide = max(y1 - y0 + 1, 1) / size, max(x1 - x0 + 1, 1) / size
        rows = [min(max(n, 0), h) for n in (int(np.floor(p * high)) + y0, int(np.ceil((p + 1) * high)) + y0)]
        columns = [
            min(max(n, 0), w) for n in (int(np.floor(q * wide)) + x0, int(np.ceil((q + 1) * wide)) + x0)
        ]
        part = x[image, k, rows[0] : rows[1], columns[0] : columns[1]]
        made[r, k, p, q] = part.max() if part.size else 0
    return made


def valid_counts(x, least):
    counts, boxes, at = np.zeros(len(x), "int32"), np.full_like(x, -1), np.full(x.shape[:2], -1, "int32")
    for i in range(len(x)):
        kept = [j for j in range(x.shape[1]) if x[i, j, 1] > least and x[i, j, 0] >= 0]
        counts[i] = len(kept)
        boxes[i, : len(kept)], at[i, : len(kept)] = x[i, kept], kept
    return counts, boxes, at


def overlap(a, b):
    left, upper, right, lower = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    shared = max(right - left, 0) * max(lower - upper, 0)
    both = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / both if both > 0 else 0


def suppressed(x, counts, indices, most, limit):
    """Kept boxes in front, as indices."""
    made, totals = np.full(x.shape[:2], -1, "int32"), np.zeros((len(x), 1), "int32")
    for i in range(len(x)):
        kept: list[int] = []
        for j in sorted(range(counts[i]), key=lambda j: -x[i, j, 1]):
            free = x[i, j, 1] > 0 and (most < 0 or len(kept) < most)
            if free and all(
                x[i, k, 0] != x[i, j, 0] or overlap(x[i, k, 2:], x[i, j, 2:]) < limit for k in kept
            ):
                kept.append(j)
        made[i, : len(kept)], totals[i] = indices[i, kept], len(kept)
    return made, totals


def by_class(boxes, scores, most, limit, least):
    rows: list[tuple[int, int, int]] = []
    for i, k in itertools.product(range(scores.shape[0]), range(scores.shape[1])):
        kept: list[int] = []
        for j in np.argsort(-scores[i, k], kind="stable"):
            free = scores[i, k, j] > least and len(kept) < most
            if free and all(overlap(boxes[i, j], boxes[i, other]) <= limit for other in kept):
                kept.append(int(j))
        rows += [(i, k, j) for j in kept]
    made = np.zeros((scores.size, 3), "int64")
    made[: len(rows)] = np.array(rows).reshape(-1, 3)
    return made, num(len(rows), dtype="int64")


def csr(dense):
    data, indices, ends = [], [], [0]
    for row in dense:
        data += [n for n in row if n]
        indices += [j for j, n in enumerate(row) if n]
        ends.append(len(data))
    return np.array(data, F), num(*indices), num(*ends)


def limited(values, dtype):
    info = np.iinfo(dtype)
    return np.clip(values, info.min, info.max).astype(dtype)


def requantized(q, scale, zero, out_scale, out_zero, dtype="int8"):
    return limited(np.floor((q.astype(float) - zero) * scale / out_scale + 0.5) + out_zero, dtype)


# -- the table: program, arguments, what is expected ------------------------------------------------------------

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


def program(call: str, args: tuple[np.ndarray, ...]) -> str:
    for index in reversed(range(len(args))):
        call = call.replace(f"%{index}", f"%x{index}")
    params = ", ".join([f"%x{index}: {type_text(arg)}" for index, arg in enumerate(args)])
    return f"def @main({params}) {{ {call} }}"


@pytest.mark.parametrize("engine", ["relay", "compiled", "interpreter"])
@pytest.mark.parametrize("name", CASES)
def test_R_33_values_are_those_of_the_definition(name, engine):
    call, args, expected = CASES[name]
    if expected is None:
        expected = COMPUTED[name](*args)
    text = program(call, args)
    assert [str(one) for one in checked(text).diagnostics] == []
    value = api.run_session(api.start(RelayFile(text), engine=engine), "main", args)
    found, wanted = (value, expected) if isinstance(expected, tuple) else ((value,), (expected,))
    assert len(found) == len(wanted)
    for left, right in zip(found, wanted, strict=True):
        assert left.shape == right.shape
        assert left.dtype == right.dtype
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_R_38_the_text_of_the_translation_is_sound(name):
    call, args, _ = CASES[name]
    made = translated(RelayFile(program(call, args)))
    assert [str(one) for one in api.check(made).diagnostics if one.severity != "hint"] == []


def fits(claimed: str, value: object) -> bool:
    """Whether a value is of a type, of which `?` is any extent."""
    if isinstance(value, tuple):
        inner = ", ".join([type_text(one) if one.ndim else str(one.dtype) for one in value])
        return claimed == f"({inner}{',' if len(value) == 1 else ''})" or "?" in claimed
    if not value.ndim:
        return claimed == str(value.dtype)
    wanted = claimed.removeprefix("Tensor[(").partition("), ")
    extents = wanted[0].split(", ")
    same = [own in ("?", str(size)) for own, size in zip(extents, value.shape, strict=True)]
    return all(same) and wanted[2] == f"{value.dtype}]"


@pytest.mark.parametrize("name", CASES)
def test_R_34_types_are_those_of_the_values(name):
    call, args, expected = CASES[name]
    if expected is None:
        expected = COMPUTED[name](*args)
    claimed = show(checked(program(call, args)).typed.functions["main"].type.result)
    assert fits(claimed, expected), claimed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("take(%x, %i, batch_dims=1)", "needs an `axis`"),
        ("take(%x, %i, batch_dims=2, axis=1)", "from 0 to 1"),
        ("take(%x, %i, batch_dims=1, axis=1)", "extents of `data` and `indices` differ: 2 and 3"),
        ("nn.pad(%x, %x, pad_width=[[0, 0], [0, 0]])", "`pad_value` is a scalar"),
        ('nn.depth_to_space(%x, block_size=2, layout="NHWC")', "the layout NHWC has 4"),
    ],
)
def test_R_34_what_does_not_go_together(call, words):
    text = f"def @main(%x: Tensor[(2, 4), float32], %i: Tensor[(3, 1), int32]) {{ {call} }}"
    (found,) = [found for found in checked(text).diagnostics if found.severity == "error"]
    assert words in found.message
