"""Definitions of operators of Relay, element by element, and random arrays to compare on."""

from __future__ import annotations

import itertools

import numpy as np

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
