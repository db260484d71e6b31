"""NumPy by hand: statistics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def ranks(x: Array, r: Array) -> None:
    """Rank values by sorting."""
    r[x.argsort(kind="stable")] += np.arange(len(x))


def standardize(x: Array, m: Array, s: Array, y: Array) -> None:
    """Subtract means and divide by deviations."""
    m += x.mean(0)
    np.subtract(x, m, out=y)
    s += (y * y).mean(0)
    y /= np.sqrt(s + 0.00001)


def group_means(g: Array, x: Array, c: Array, y: Array) -> None:
    """Compute means of groups of rows."""
    c += np.bincount(g, minlength=len(c))
    order = g.argsort(kind="stable")
    keys, starts = np.unique(g[order], return_index=True)
    y[keys] += np.add.reduceat(x[order], starts)
    y /= np.maximum(c, 1)[:, None]


def kernel_density(x: Array, t: Array, y: Array) -> None:
    """Sum bells around points."""
    d = t[:, None] - x
    y += np.exp(-0.5 * d * d).sum(1)
