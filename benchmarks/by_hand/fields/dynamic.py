"""NumPy by hand: dynamic programming."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def knapsack(v: Array, w: Array, b: Array) -> None:
    """Fill a knapsack."""
    for i in range(len(v)):
        b[i + 1] = b[i]
        if w[i] < b.shape[1]:
            np.maximum(b[i, w[i] :], b[i, : b.shape[1] - w[i]] + v[i], out=b[i + 1, w[i] :])


def common_subsequence(a: Array, b: Array, table: Array) -> None:
    """Compute rows by running maxima."""
    for i in range(len(a)):
        found = np.where(a[i] == b, table[i, :-1] + 1, table[i, 1:])
        np.maximum.accumulate(found, out=table[i + 1, 1:])


def viterbi(e: Array, t: Array, s: Array) -> None:
    """Find the best path to each state."""
    for at in range(len(e)):
        s[at + 1] = (s[at][:, None] + t).max(0) + e[at]


def coins(c: Array, w: Array) -> None:
    """Count ways to pay."""
    for coin in c:
        rows = -(-len(w) // coin)
        padded = np.zeros(rows * coin, w.dtype)
        padded[: len(w)] = w
        w[...] = padded.reshape(rows, coin).cumsum(0).ravel()[: len(w)]


def best_run(x: Array, e: Array, b: Array) -> None:
    """Find the largest sum of neighbours."""
    sums = np.concatenate([[0.0], x.cumsum()])
    e[1:] = sums[1:] - np.minimum.accumulate(sums)[:-1]
    b[0] = max(b[0], e[1:].max())


def chain_order(d: Array, c: Array) -> None:
    """Find the cheapest order of a product of matrices."""
    n = len(c)
    for length in range(1, n):
        for i in range(n - length):
            k = np.arange(i, i + length)
            c[i, i + length] = (c[i, k] + c[k + 1, i + length] + d[i] * d[k + 1] * d[i + length + 1]).min()
