"""NumPy by hand: robotics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def arm_positions(q: Array, length: Array, a: Array, x: Array, y: Array) -> None:
    """Go along arms of several joints."""
    np.cumsum(q, axis=1, out=a)
    x[:, 0] = y[:, 0] = 0.0
    np.cumsum(length * np.cos(a), axis=1, out=x[:, 1:])
    np.cumsum(length * np.sin(a), axis=1, out=y[:, 1:])


def kalman_tracks(z: Array, noise: Array, x: Array, p: Array) -> None:
    """Filter all tracks at once, step by step."""
    for s in range(len(z)):
        before = p[s] + noise[0]
        gain = before / (before + noise[1])
        x[s + 1] = x[s] + gain * (z[s] - x[s])
        p[s + 1] = (1.0 - gain) * before


def occupancy_grid(p: Array, g: Array) -> None:
    """Count hits per cell, up to a limit."""
    n, m = g.shape
    i, j = np.floor(p * np.float32(2.0)).astype(np.int64).T
    inside = (i >= 0) & (i < n) & (j >= 0) & (j < m)
    hits = np.bincount(i[inside] * m + j[inside], minlength=n * m).reshape(n, m)
    g += hits.astype(np.float32) * np.float32(0.5)
    np.minimum(g, np.float32(4.0), out=g)
