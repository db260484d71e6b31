"""NumPy by hand: meteorology."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def wind_chill(t: Array, v: Array, y: Array) -> None:
    """Compute how cold wind feels."""
    p = v ** np.float32(0.16)
    y[...] = np.where((t <= 10) & (v > 4.8), 13.12 + 0.6215 * t - 11.37 * p + 0.3965 * t * p, t)


def degree_days(t: Array, base: float, y: Array) -> None:
    """Add up how warm days are."""
    np.cumsum(np.maximum(t.mean(1) - np.float32(base), 0), out=y)


def rain_spells(r: Array, e: Array) -> None:
    """Number the spells of rain."""
    wet = r > 0.1
    starts = wet.copy()
    starts[1:] &= ~wet[:-1]
    np.cumsum(starts, out=e)


def monthly_means(x: Array, m: Array, s: Array, c: Array, y: Array) -> None:
    """Find the mean of each month."""
    s += np.bincount(m, x, 12)
    c += np.bincount(m, minlength=12)
    np.divide(s, np.maximum(c, 1), out=y)
