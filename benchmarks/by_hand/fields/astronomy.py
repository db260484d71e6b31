"""NumPy by hand: astronomy."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def aperture_sums(i: Array, c: Array, b: Array, f: Array) -> None:
    """Sum what is inside of circles around stars."""
    side = np.arange(-5, 6)
    ys, xs = np.nonzero(side[:, None] ** 2 + side**2 <= 25)
    found = i[c[:, :1] + (ys - 5), c[:, 1:] + (xs - 5)].sum(1)
    f += found - np.float32(len(ys)) * b


def clipped_means(x: Array, y: Array) -> None:
    """Find the mean of exposures without those that differ too much."""
    apart = x - x.mean(0)
    used = np.abs(apart) <= 2 * np.sqrt((apart * apart).mean(0))
    np.divide(np.where(used, x, np.float32(0)).sum(0), np.maximum(used.sum(0, dtype=np.float32), 1), out=y)


def kepler(m: Array, e: float, big: Array, t: Array) -> None:
    """Solve Kepler's equation by Newton's method."""
    big[...] = m
    for _ in range(6):
        big -= (big - e * np.sin(big) - m) / (1 - e * np.cos(big))
    half = big / 2
    t[...] = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(half), np.sqrt(1 - e) * np.cos(half))


def phase_fold(t: Array, x: Array, f: float, s: Array, c: Array) -> None:
    """Find the mean light of each phase of a variable star."""
    phase = t * f
    phase -= np.floor(phase)
    at = np.minimum((phase * len(s)).astype(np.int64), len(s) - 1)
    s += np.bincount(at, x, len(s))
    c += np.bincount(at, minlength=len(s))
    np.divide(s, c, out=s, where=c > 0)
