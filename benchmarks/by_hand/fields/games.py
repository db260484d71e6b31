"""NumPy by hand: games."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def life(x: Array, c: Array, y: Array) -> None:
    """Make a step of the game of life on a torus."""
    rows = np.roll(x, 1, 0) + x + np.roll(x, -1, 0)
    c[...] = np.roll(rows, 1, 1) + rows + np.roll(rows, -1, 1) - x
    y[...] = (c == 3) | ((c == 2) & (x == 1))


def distances(w: Array, d: Array) -> None:
    """Go over a board once, by anti-diagonals."""
    n, m = d.shape
    flat, walls = d.reshape(-1), w.reshape(-1)
    for t in range(2, n + m - 1):
        first, last = max(1, t - m + 1), min(n - 1, t - 1)
        at = np.arange(first, last + 1) * (m - 1) + t
        found = np.minimum(flat[at], np.minimum(flat[at - m], flat[at - 1]) + 1)
        flat[at] = np.where(walls[at], flat[at], found)


def lines_of_five(b: Array, s: Array) -> None:
    """Count stones on lines."""
    n = s.shape[1]
    for k in range(5):
        s[0] += b[:n, k : k + n]
        s[1] += b[k : k + n, :n]
        s[2] += b[k : k + n, k : k + n]


def ratings(w: Array, lost: Array, r: Array) -> None:
    """Rate players after each game, in plain Python."""
    from math import exp

    rating = r.tolist()
    for a, b in zip(w.tolist(), lost.tolist(), strict=True):
        step = 16.0 * (1.0 - 1.0 / (1.0 + exp((rating[b] - rating[a]) / 400.0)))
        rating[a] += step
        rating[b] -= step
    r[...] = rating
