"""NumPy by hand: text."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def row_lengths(p: Array, c: Array, u: Array, lengths: Array) -> None:
    """Find length and greatest byte of each row."""
    lengths += np.diff(p)
    filled = p[:-1] < p[1:]
    u[filled] = np.maximum(u[filled], np.maximum.reduceat(c, p[:-1][filled]))


def rolling_hash(x: Array, h: Array) -> None:
    """Hash all windows of eight bytes."""
    for k in range(8):
        h[...] = h * np.uint32(31) + x[k : k + len(h)]


def most_frequent(x: Array, c: Array, b: Array) -> None:
    """Count, and find the value that occurs most often."""
    c += np.bincount(x, minlength=256)
    b[0] = c.argmax()
