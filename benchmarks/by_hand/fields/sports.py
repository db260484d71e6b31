"""NumPy by hand: sports."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def league_table(h: Array, a: Array, x: Array, y: Array, p: Array, d: Array) -> None:
    """Add up the points and goal differences of teams."""
    n = len(p)
    goals = x - y
    at = np.concatenate([h, a])
    d += np.bincount(at, np.concatenate([goals, -goals]), n).astype(np.int64)
    drawn = goals == 0
    points = np.concatenate([3 * (goals > 0) + drawn, 3 * (goals < 0) + drawn])
    p += np.bincount(at, points, n).astype(np.int64)


def recent_form(x: Array, f: Array) -> None:
    """Find the mean of the last five results."""
    f += x
    for k in range(1, 5):
        f[:, k:] += x[:, :-k]
    f /= np.minimum(np.arange(1, x.shape[1] + 1), 5).astype(np.float32)


def positions(laps: Array, t: Array, p: Array) -> None:
    """Find the position of each car after each lap."""
    np.cumsum(laps, axis=1, out=t)
    np.add(np.count_nonzero(t < t[:, None], axis=1), 1, out=p)


def shot_map(s: Array, g: Array, m: Array) -> None:
    """Count shots and goals by where they were made."""
    h, w, _ = m.shape
    a, b = np.clip(np.floor(s * np.float32([h, w])).astype(np.int64), 0, [h - 1, w - 1]).T
    at = a * w + b
    m[..., 0] += np.bincount(at, minlength=h * w).reshape(h, w)
    m[..., 1] += np.bincount(at[g], minlength=h * w).reshape(h, w)
