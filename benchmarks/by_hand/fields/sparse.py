"""NumPy by hand: sparse matrices."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def csr(p: Array, c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply rows; empty ones give nothing."""
    products = v * x[c]
    filled = p[:-1] < p[1:]
    y[filled] += np.add.reduceat(products, p[:-1][filled])


def coo(r: Array, c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply elements in any order."""
    y += np.bincount(r, v * x[c], len(y))


def segment_sums(s: Array, x: Array, y: Array) -> None:
    """Sum rows by key."""
    order = s.argsort(kind="stable")
    keys, starts = np.unique(s[order], return_index=True)
    y[keys] += np.add.reduceat(x[order], starts)


def ellpack(c: Array, v: Array, x: Array, y: Array) -> None:
    """Multiply rows of one length; negative columns are none."""
    y += np.where(c >= 0, v * x[np.maximum(c, 0)], 0.0).sum(1)


def degrees(e: Array, d: Array) -> None:
    """Count the edges of nodes."""
    d += np.bincount(e.ravel(), minlength=len(d))
