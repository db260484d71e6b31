"""NumPy by hand: earth."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def great_circles(a: Array, b: Array, d: Array) -> None:
    """Compute distances on a sphere."""
    u, v = np.sin((b[:, 0] - a[:, :1]) * 0.5), np.sin((b[:, 1] - a[:, 1:]) * 0.5)
    np.multiply(12742.0, np.arcsin(np.sqrt(u * u + np.cos(a[:, :1]) * np.cos(b[:, 0]) * v * v)), out=d)


def hill_shade(z: Array, s: Array) -> None:
    """Light hills from one side."""
    dx, dy = (z[1:-1, 2:] - z[1:-1, :-2]) * 0.5, (z[2:, 1:-1] - z[:-2, 1:-1]) * 0.5
    np.maximum((1 - dx + dy) / (np.sqrt(1 + dx * dx + dy * dy) * np.float32(1.7320508)), 0, out=s)


def epidemic(c: Array, g: Array, x: Array) -> None:
    """Let an infection spread among groups."""
    for at, rate in enumerate(g):
        healthy, ill, immune = x[at]
        fresh = np.minimum(rate * (c @ ill) * healthy, healthy)
        x[at + 1] = healthy - fresh, 0.9 * ill + fresh, immune + 0.1 * ill
