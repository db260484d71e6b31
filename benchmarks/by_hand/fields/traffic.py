"""NumPy by hand: traffic."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def car_following(x: Array, v: Array, road: int, g: Array) -> None:
    """Let cars on a ring follow each other."""
    g[:-1] = x[1:] - x[:-1]
    g[-1] = x[0] - x[-1]
    g %= road
    g -= 1
    np.minimum(np.minimum(v + 1, 5), g, out=v)
    x += v
    x %= road


def travel_times(lengths: Array, s: Array, r: Array, n: Array, t: Array) -> None:
    """Add up the times on the roads of each route."""
    used = np.arange(r.shape[1]) < n[:, None]
    t += np.where(used, (lengths / s)[r], 0.0).sum(1)


def trips(a: Array, b: Array, w: Array, c: Array) -> None:
    """Add up trips from place to place."""
    k = len(c)
    away = a != b
    c += np.bincount((a * k + b)[away], w[away], k * k).reshape(k, k)


def queue_lengths(a: Array, c: Array, q: Array) -> None:
    """Follow a queue at a light."""
    total = np.cumsum(a - c)
    q[...] = total - np.minimum(np.minimum.accumulate(total), 0)
