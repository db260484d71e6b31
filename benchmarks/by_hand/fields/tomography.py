"""NumPy by hand: tomography."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def projections(i: Array, r: Array, c: Array, d: Array) -> None:
    """Sum along three directions."""
    n = len(i)
    r += i.sum(1)
    c += i.sum(0)
    skewed = np.zeros((n, 2 * n))
    skewed[:, :n] = i
    d += skewed.reshape(-1)[: n * (2 * n - 1)].reshape(n, 2 * n - 1).sum(0)


def back_projection(p: Array, q: Array, i: Array) -> None:
    """Smear two projections over an image."""
    n, m = i.shape
    np.add((p * np.float32(0.5 / m))[:, None], q * np.float32(0.5 / n), out=i)


def ramp_filter(p: Array, h: Array, y: Array) -> None:
    """Filter rows whose ends are padded."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(p, ((0, 0), (8, 8))), 17, axis=1)
    y += windows @ h


def outside_circle(i: Array, r: float) -> None:
    """Clear what is outside of a circle."""
    x = np.arange(1 - len(i), len(i), 2, dtype=np.float32)
    x *= x
    i[x[:, None] + x > r * r] = 0
