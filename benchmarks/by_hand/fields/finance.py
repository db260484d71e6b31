"""NumPy by hand: finance."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def binomial_option(s: Array, k: Array, p: Array, v: Array) -> None:
    """Price an option on a tree, level by level."""
    np.maximum(k[0] - s, 0.0, out=v)
    for size in range(len(v) - 1, 0, -1):
        v[:size] = p[2] * (p[0] * v[1 : size + 1] + p[1] * v[:size])


def drawdown(x: Array, m: Array, d: Array) -> None:
    """Find how far below its maximum so far a price is."""
    np.maximum.accumulate(x, out=m)
    np.divide(m - x, m, out=d)


def order_book(s: Array, q: Array, b: Array, d: Array) -> None:
    """Add orders at each price, and sum up over prices."""
    b += np.bincount(s, q, len(b)).astype(np.int64)
    np.cumsum(b, out=d)


def portfolio_risk(w: Array, c: Array, r: Array) -> None:
    """Compute standard deviations of portfolios."""
    r += ((w @ c) * w).sum(1)
    np.sqrt(r, out=r)
