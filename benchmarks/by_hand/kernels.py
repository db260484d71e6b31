"""The kernels of `kernels.rlx` in NumPy, written by hand: as anyone would, and as fast as we know how.

`plain` are the expressions that a NumPy user writes first; `best` avoids temporaries, works on blocks of rows
that stay in the cache, calls BLAS, and knows which NumPy function is the fast one. Both take the buffers of the
PrimFunc, then its scalars, and write into the last buffer.
"""

from __future__ import annotations

import math

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Array = np.ndarray

BLOCK = 1 << 19
"""Elements of a block: as many as stay in the last cache with the temporaries of a few steps."""
SCRATCH = 1 << 16
"""Elements of a temporary array: it takes pages that the process has already, not fresh ones."""


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices of rows that have about `BLOCK` elements each."""
    step = max(1, BLOCK // max(columns, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


# ---- plain


def plain_softmax(x: Array, out: Array) -> None:
    """Softmax of the rows."""
    e = np.exp(x - x.max(1, keepdims=True))
    out[...] = e / e.sum(1, keepdims=True)


def plain_layer_norm(x: Array, g: Array, b: Array, out: Array) -> None:
    """Layer norm of the rows."""
    centred = x - x.mean(1, keepdims=True)
    out[...] = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * g + b


def plain_conv2d(x: Array, w: Array, out: Array) -> None:
    """Convolve with padding 1: all windows against the weights."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    out[...] = np.tensordot(windows, w, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)


def plain_depthwise(x: Array, w: Array, out: Array) -> None:
    """Convolve each channel with its own weights."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    np.einsum("bcyxrs,crs->bcyx", windows, w, out=out)


def plain_max_pool(x: Array, out: Array) -> None:
    """Maximum of 2 x 2 squares."""
    b, c, h, w = out.shape
    np.max(x.reshape(b, c, h, 2, w, 2), axis=(3, 5), out=out)


def plain_stencil(x: Array, out: Array) -> None:
    """Mean of five neighbours."""
    out[...] = 0.2 * (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def plain_causal_mask(x: Array, out: Array) -> None:
    """Add a mask with -1e9 above the diagonal."""
    n = x.shape[1]
    mask = np.where(np.arange(n) <= np.arange(n)[:, None], np.float32(0), np.float32(-1e9))
    out[...] = x + mask


def plain_gelu(x: Array, out: Array) -> None:
    """Gelu with the error function of the standard library, element by element."""
    erf = np.frompyfunc(math.erf, 1, 1)
    out[...] = 0.5 * x * (1 + erf(x * np.float32(0.70710678)).astype(np.float32))


def plain_recurrence(x: Array, out: Array, a: float) -> None:
    """y[t] = a * y[t - 1] + x[t], column by column."""
    out[:, 0] = x[:, 0]
    for t in range(1, x.shape[1]):
        out[:, t] = a * out[:, t - 1] + x[:, t]


PLAIN: dict[str, Callable[..., object]] = {
    "chain": lambda x, y, z, out: np.copyto(out, np.maximum(np.exp(x) * y + z, 0)),
    "softmax": plain_softmax,
    "layer_norm": plain_layer_norm,
    "matmul": lambda a, b, out: np.copyto(out, a @ b),
    "batched_matmul": lambda a, b, out: np.copyto(out, a @ b),
    "conv2d": plain_conv2d,
    "depthwise": plain_depthwise,
    "max_pool": plain_max_pool,
    "transpose": lambda x, out: np.copyto(out, x.T),
    "take": lambda x, index, out: np.copyto(out, x[index]),
    "cumsum": lambda x, out: np.cumsum(x, axis=1, out=out),
    "stencil": plain_stencil,
    "argmax": lambda x, out: np.argmax(x, axis=1, out=out),
    "one_hot": lambda index, out: np.copyto(out, index[:, None] == np.arange(out.shape[1])),
    "row_sum": lambda x, out: np.sum(x, axis=1, out=out),
    "column_sum": lambda x, out: np.sum(x, axis=0, out=out),
    "quantized_matmul": lambda a, b, out: np.copyto(out, a.astype(np.int32) @ b.astype(np.int32)),
    "causal_mask": plain_causal_mask,
    "concat": lambda a, b, out: np.copyto(out, np.concatenate([a, b], axis=1)),
    "strided_slice": lambda x, out: np.copyto(out, x[::2, 1::3]),
    "gelu": plain_gelu,
    "recurrence": plain_recurrence,
}


# ---- best


def chain(x: Array, y: Array, z: Array, out: Array) -> None:
    """In blocks, in place; `clip` is the faster `maximum` of a constant."""
    for rows in row_blocks(*x.shape):
        o = out[rows]
        np.exp(x[rows], out=o)
        np.multiply(o, y[rows], out=o)
        np.add(o, z[rows], out=o)
        np.clip(o, 0, np.inf, out=o)


def softmax(x: Array, out: Array) -> None:
    """All steps on one block of rows after the other."""
    for rows in row_blocks(*x.shape):
        o = out[rows]
        np.subtract(x[rows], x[rows].max(1, keepdims=True), out=o)
        np.exp(o, out=o)
        np.multiply(o, 1 / np.einsum("ij->i", o)[:, None], out=o)


def layer_norm(x: Array, g: Array, b: Array, out: Array) -> None:
    """All steps on one block of rows after the other; sums by einsum and vecdot."""
    m = np.float32(x.shape[1])
    for rows in row_blocks(*x.shape):
        o = out[rows]
        np.subtract(x[rows], (np.einsum("ij->i", x[rows]) / m)[:, None], out=o)
        scale = 1 / np.sqrt(np.vecdot(o, o) / m + np.float32(1e-5))
        np.multiply(o, scale[:, None], out=o)
        np.multiply(o, g, out=o)
        np.add(o, b, out=o)


def conv2d(x: Array, w: Array, out: Array) -> None:
    """Columns with the window outermost and the image innermost, then one matrix product per image."""
    b, c, h, width = x.shape
    o = out.shape[1]
    padded = np.zeros((c, h + 2, width + 2), np.float32)
    columns = np.empty((c, 3, 3, h, width), np.float32)
    matrix = w.reshape(o, -1)
    for image in range(b):
        padded[:, 1:-1, 1:-1] = x[image]
        for r in range(3):
            for s in range(3):
                columns[:, r, s] = padded[:, r : r + h, s : s + width]
        np.matmul(matrix, columns.reshape(c * 9, -1), out=out[image].reshape(o, -1))


def depthwise(x: Array, w: Array, out: Array) -> None:
    """Nine shifted products on flat padded rows, so that inner loops are long; some channels at a time."""
    b, c, h, width = x.shape
    wide = width + 2
    size, group = h * wide, 16
    padded = np.zeros((group, (h + 3) * wide), np.float32)
    total, product = np.empty((2, group, size), np.float32)
    for image in range(b):
        for first in range(0, c, group):
            some = slice(first, min(first + group, c))
            count = some.stop - first
            inside = padded[:count, : (h + 2) * wide].reshape(count, h + 2, wide)
            inside[:, 1:-1, 1:-1] = x[image, some]
            t, p = total[:count], product[:count]
            for r in range(3):
                for s in range(3):
                    shifted = padded[:count, r * wide + s : r * wide + s + size]
                    np.multiply(shifted, w[some, r, s, None], out=p if r + s else t)
                    if r + s:
                        np.add(t, p, out=t)
            out[image, some] = t.reshape(count, h, wide)[:, :, :width]


def max_pool(x: Array, out: Array) -> None:
    """Rows in pairs, which are contiguous, then columns in pairs; some channels at a time."""
    b, c, h, w = out.shape
    rows = x.reshape(b * c, h, 2, 2 * w)
    result = out.reshape(b * c, h, w)
    step = max(1, SCRATCH // (2 * h * w))
    half = np.empty((step, h, 2 * w), np.float32)
    for start in range(0, b * c, step):
        some = rows[start : start + step]
        tall = half[: len(some)]
        np.maximum(some[:, :, 0], some[:, :, 1], out=tall)
        np.maximum(tall[:, :, ::2], tall[:, :, 1::2], out=result[start : start + step])


def transpose(x: Array, out: Array) -> None:
    """Pieces of 8 source rows and 512 columns: the lines of the result that are written stay in the cache."""
    for left in range(0, x.shape[1], 512):
        for top in range(0, x.shape[0], 8):
            out[left : left + 512, top : top + 8] = x[top : top + 8, left : left + 512].T


def cumsum(x: Array, out: Array) -> None:
    """Sums within blocks of 32 columns by a triangular matrix product, then the sums before each block."""
    if x.shape[1] % 32 or not np.isfinite(np.einsum("ij->", x)):
        np.cumsum(x, axis=1, out=out)
        return
    triangle = np.triu(np.ones((32, 32), np.float32))
    for rows in row_blocks(*x.shape):
        blocks = x[rows].reshape(-1, x.shape[1] // 32, 32)
        result = out[rows].reshape(blocks.shape)
        np.matmul(blocks.reshape(-1, 32), triangle, out=result.reshape(-1, 32))
        before = np.cumsum(result[:, :-1, -1], axis=1)
        result[:, 1:] += before[:, :, None]


def stencil(x: Array, out: Array) -> None:
    """Sums of flat runs over whole blocks of rows, the borders included, then the inner columns."""
    n, m = out.shape
    wide = m + 2
    flat = x.reshape(-1)
    step = max(1, SCRATCH // wide)
    total = np.empty(step * wide, np.float32)
    for start in range(0, n, step):
        rows = min(step, n - start)
        size = rows * wide - 2
        at = (start + 1) * wide + 1
        t = total[:size]
        np.add(flat[at : at + size], flat[at - wide : at - wide + size], out=t)
        for move in (wide, -1, 1):
            np.add(t, flat[at + move : at + move + size], out=t)
        inner = total[: rows * wide].reshape(rows, wide)[:, :m]
        np.multiply(inner, np.float32(0.2), out=out[start : start + rows])


def one_hot(index: Array, out: Array) -> None:
    """Zeros, then the ones."""
    out.fill(0)
    rows = np.flatnonzero((index >= 0) & (index < out.shape[1]))
    out[rows, index[rows]] = 1


def quantized_matmul(a: Array, b: Array, out: Array) -> None:
    """Multiply as floats, which is exact as long as no sum needs more than 24 bits."""
    exact = np.float32 if a.shape[1] << 14 <= 1 << 24 else np.float64
    np.copyto(out, np.matmul(a.astype(exact), b.astype(exact)), casting="unsafe")


def causal_mask(x: Array, out: Array) -> None:
    """One small mask, added to every matrix while it is in the cache."""
    n = x.shape[1]
    mask = np.triu(np.full((n, n), -1e9, np.float32), 1)
    for matrix, result in zip(x, out, strict=True):
        np.add(matrix, mask, out=result)


def concat(a: Array, b: Array, out: Array) -> None:
    """Copy into two slices."""
    k = a.shape[1]
    out[:, :k] = a
    out[:, k:] = b


def strided_slice(x: Array, out: Array) -> None:
    """Copy a view."""
    out[...] = x[::2, 1::3]


NUMERATOR = (
    -1.60960333262415e-02, -2.95459980854025e-03, -7.34990630326855e-04, -5.69250639462346e-05,
    -2.10102402082508e-06, 2.77068142495902e-08, -2.72614225801306e-10,
)  # fmt: skip
DENOMINATOR = (
    -1.42647390514189e-02, -7.37332916720468e-03, -1.68282697438203e-03, -2.13374055278905e-04,
    -1.45660718464996e-05,
)  # fmt: skip


def gelu(x: Array, out: Array) -> None:
    """A rational approximation of erf, exact to 4e-7, in place on blocks."""
    square, top, low = np.empty((3, SCRATCH), np.float32)
    source, result = x.reshape(-1), out.reshape(-1)
    for start in range(0, x.size, SCRATCH):
        o, piece = result[start : start + SCRATCH], source[start : start + SCRATCH]
        z, p, q = square[: o.size], top[: o.size], low[: o.size]
        np.multiply(piece, np.float32(0.70710678), out=o)
        np.clip(o, -4, 4, out=o)
        np.multiply(o, o, out=z)
        for value, coefficients in ((p, NUMERATOR), (q, DENOMINATOR)):
            np.multiply(z, np.float32(coefficients[-1]), out=value)
            for coefficient in coefficients[-2:0:-1]:
                np.add(value, np.float32(coefficient), out=value)
                np.multiply(value, z, out=value)
            np.add(value, np.float32(coefficients[0]), out=value)
        np.multiply(p, o, out=p)
        np.divide(p, q, out=p)
        np.add(p, np.float32(1), out=p)
        np.multiply(p, piece, out=p)
        np.multiply(p, np.float32(0.5), out=o)


def recurrence(x: Array, out: Array, a: float) -> None:
    """Within blocks of 32 columns by a triangular matrix product, then block by block what came before."""
    if x.shape[1] % 32 or abs(a) > 1 or not np.isfinite(np.einsum("ij->", x)):
        plain_recurrence(x, out, a)
        return
    powers = np.subtract.outer(np.arange(32), np.arange(32)).T
    triangle = np.where(powers >= 0, np.float64(a) ** np.maximum(powers, 0), 0).astype(np.float32)
    carried = (np.float64(a) ** np.arange(1, 33)).astype(np.float32)
    blocks = x.shape[1] // 32
    for rows in row_blocks(*x.shape):
        result = out[rows].reshape(-1, blocks, 32)
        np.matmul(x[rows].reshape(-1, 32), triangle, out=result.reshape(-1, 32))
        before = np.zeros((len(result), blocks), np.float32)
        for block in range(1, blocks):
            before[:, block] = result[:, block - 1, -1] + carried[-1] * before[:, block - 1]
        result += before[:, :, None] * carried


BEST: dict[str, Callable[..., object]] = {
    "chain": chain,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "matmul": lambda a, b, out: np.matmul(a, b, out=out),
    "batched_matmul": lambda a, b, out: np.matmul(a, b, out=out),
    "conv2d": conv2d,
    "depthwise": depthwise,
    "max_pool": max_pool,
    "transpose": transpose,
    "take": lambda x, index, out: np.take(x, index, axis=0, out=out, mode="clip"),
    "cumsum": cumsum,
    "stencil": stencil,
    "argmax": lambda x, out: np.argmax(x, axis=1, out=out),
    "one_hot": one_hot,
    "row_sum": lambda x, out: np.einsum("ij->i", x, out=out),
    "column_sum": lambda x, out: np.add.reduce(x, axis=0, out=out),
    "quantized_matmul": quantized_matmul,
    "causal_mask": causal_mask,
    "concat": concat,
    "strided_slice": strided_slice,
    "gelu": gelu,
    "recurrence": recurrence,
}
