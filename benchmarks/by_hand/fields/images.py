"""NumPy by hand: images."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def sobel(x: Array, y: Array) -> None:
    """Find edges by two filters."""
    across = x[:, 2:] - x[:, :-2]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    down = x[2:] - x[:-2]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    np.sqrt(gx * gx + gy * gy, out=y)


def box_blur(x: Array, y: Array) -> None:
    """Average over squares of 5 by 5; borders are repeated."""
    padded = np.pad(x, 2, mode="edge")
    n, m = x.shape
    rows = sum([padded[at : at + n] for at in range(1, 5)], padded[:n])
    y[...] = sum([rows[:, at : at + m] for at in range(1, 5)], rows[:, :m])
    y *= np.float32(0.04)


def histogram(x: Array, h: Array) -> None:
    """Count values."""
    h += np.bincount(x.ravel(), minlength=256)


def double_size(x: Array, y: Array) -> None:
    """Put a mean between neighbours."""
    padded = np.pad(x, ((0, 1), (0, 1)), mode="edge")
    a, b, c, d = padded[:-1, :-1], padded[:-1, 1:], padded[1:, :-1], padded[1:, 1:]
    half = np.float32(0.5)
    y[::2, ::2] = a
    y[::2, 1::2] = above = (a + b) * half
    y[1::2, ::2] = (a + c) * half
    y[1::2, 1::2] = (above + (c + d) * half) * half


def erode(x: Array, y: Array) -> None:
    """Take the least of squares of 3 by 3."""
    padded = np.pad(x, 1, mode="edge")
    rows = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    np.minimum(np.minimum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:], out=y)


def gray(x: Array, y: Array) -> None:
    """Weigh colours."""
    np.matmul(x, np.array([0.299, 0.587, 0.114], np.float32), out=y)


def tone_curve(x: Array, table: Array, y: Array) -> None:
    """Look values up."""
    np.take(table, x, out=y, mode="clip")


def rotate(x: Array, y: Array) -> None:
    """Turn an image."""
    y[...] = np.rot90(x, -1)


def median_of_three(x: Array, y: Array) -> None:
    """Take medians along rows."""
    a, b, c = x[:, :-2], x[:, 1:-1], x[:, 2:]
    np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c), out=y)


def integral(x: Array, s: Array) -> None:
    """Sum over all above and to the left."""
    s[1:, 1:] = x.cumsum(0).cumsum(1)
