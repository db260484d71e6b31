"""NumPy by hand: geology."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def arrival_ratios(x: Array, c: Array, r: Array) -> None:
    """Compare short averages of a seismogram with long ones."""
    c[1:] = c[0] + np.cumsum(x * x)
    if len(x) < 100:
        return
    short = (c[100:] - c[90:-10]) / 10
    long = (c[100:] - c[:-100]) / 100
    r[99:] = np.divide(short, long, out=np.zeros(len(short)), where=long > 0)


def flow_directions(z: Array, d: Array) -> None:
    """Find where water flows from each cell."""
    n, m = d.shape
    centre = z[1:-1, 1:-1]
    best = np.zeros((n, m), np.float32)
    d[...] = 8
    for a in range(3):
        for b in range(3):
            if a != 1 or b != 1:
                drop = centre - z[a : a + n, b : b + m]
                if a != 1 and b != 1:
                    drop /= np.float32(1.4142135)
                steeper = drop > best
                np.copyto(best, drop, where=steeper)
                d[steeper] = 3 * a + b


def normal_moveout(d: Array, v: Array, dx: float, dt: float, y: Array) -> None:
    """Correct traces for how far the source is."""
    rows, columns = d.shape
    dx, dt = np.float32(dx), np.float32(dt)
    offset = (np.arange(rows, dtype=np.float32) * dx)[:, None] / v
    zero = np.arange(columns, dtype=np.float32) * dt
    at = np.sqrt(zero * zero + offset * offset) / dt
    k = at.astype(np.int64)
    rest = at - k.astype(np.float32)
    inside = k < columns - 1
    k[~inside] = 0
    first = k + (np.arange(rows) * columns)[:, None]
    flat = d.ravel()
    y[...] = np.where(inside, (1 - rest) * flat[first] + rest * flat[first + 1], 0)


def synthetic_trace(v: Array, r: Array, w: Array, s: Array) -> None:
    """Compute the trace of layers of rock."""
    z = v * r
    s += np.convolve((z[1:] - z[:-1]) / (z[1:] + z[:-1]), w)
