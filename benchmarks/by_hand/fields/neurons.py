"""NumPy by hand: neurons."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def integrate_and_fire(i: Array, v: Array, r: Array, s: Array) -> None:
    """Step leaky neurons that rest after each spike."""
    for at in range(len(i)):
        resting = r > 0
        r -= resting
        np.copyto(v, v * np.float32(0.9) + i[at], where=~resting)
        fires = np.greater(v, 1, out=s[at])
        v[fires] = 0
        r[fires] = 3


def plasticity(a: Array, b: Array, p: Array, q: Array, w: Array) -> None:
    """Strengthen and weaken the connections of neurons that fire."""
    w[:, q] += (np.float32(0.01) * a)[:, None]
    w[p] -= np.float32(0.012) * b
    np.clip(w, 0, 1, out=w)


def intervals(s: Array, last: Array, h: Array) -> None:
    """Count the times between spikes."""
    n, t = s.shape
    row, at = np.nonzero(s)
    same = row[1:] == row[:-1]
    long = np.minimum(at[1:] - at[:-1], 19)[same]
    h += np.bincount(row[1:][same] * 20 + long, minlength=n * 20).reshape(n, 20)
    last[:] = np.where(s.any(1), t - 1 - np.argmax(s[:, ::-1], axis=1), -1)


def coincidences(a: Array, b: Array, c: Array) -> None:
    """Count spikes of two neurons that are up to fifteen steps apart."""
    t = len(a)
    for d in range(-15, 16):
        c[d + 15] += np.count_nonzero(a[max(-d, 0) : t - max(d, 0)] & b[max(d, 0) : t - max(-d, 0)])
