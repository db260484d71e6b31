"""NumPy by hand: remote sensing."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def vegetation(r: Array, n: Array, c: Array, v: Array) -> None:
    """Find the vegetation index, scaled to integers."""
    r, n = r.astype(np.int32), n.astype(np.int32)
    s = r + n
    bad = c | (s == 0)
    index = np.float32(10000) * (n - r).astype(np.float32) / np.maximum(s, 1).astype(np.float32)
    v[:] = np.where(bad, -32768, np.round(index).astype(np.int16))


def cloud_fill(x: Array, c: Array, y: Array) -> None:
    """Repeat the last clear value of each place."""
    at = np.where(c, 0, np.arange(len(x))[:, None])
    np.maximum.accumulate(at, axis=0, out=at)
    y[:] = np.take_along_axis(x, at, axis=0)


def block_means(x: Array, y: Array) -> None:
    """Find the means of the valid elements of blocks."""
    n, m = y.shape
    valid = x >= 0
    total = np.where(valid, x, np.float32(0)).reshape(n, 4, m, 4).sum((1, 3))
    count = valid.reshape(n, 4, m, 4).sum((1, 3), dtype=np.float32)
    y[:] = np.where(count > 0, total / np.maximum(count, 1), np.float32(-1))


def ruggedness(z: Array, r: Array) -> None:
    """Find how much the neighbours of a place differ from it."""
    n, m = z.shape
    p = np.pad(z, 1, mode="edge")
    r[:] = 0
    for a in range(3):
        for b in range(3):
            d = p[a : a + n, b : b + m] - z
            d *= d
            r += d
    np.sqrt(r, out=r)
