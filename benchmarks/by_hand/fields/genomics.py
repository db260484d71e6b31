"""NumPy by hand: genomics."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def pair_counts(s: Array, c: Array) -> None:
    """Count neighbours of each kind."""
    c += np.bincount(s[:-1] * 4 + s[1:], minlength=16).reshape(4, 4)


def hamming(a: Array, b: Array, d: Array) -> None:
    """Count places where sequences differ."""
    for i, row in enumerate(a):
        d[i] += (row != b).sum(1, dtype=np.int32)


def alignment(a: Array, b: Array, h: Array) -> None:
    """Align two sequences, by anti-diagonals."""
    n, m = len(a), len(b)
    flat = h.reshape(-1)
    for t in range(n + m - 1):
        i = np.arange(max(0, t - m + 1), min(n, t + 1))
        j = t - i
        at = i * (m + 1) + j
        found = flat[at] + np.where(a[i] == b[j], 2, -1)
        found = np.maximum(np.maximum(found, flat[at + 1] - 1), np.maximum(flat[at + m + 1] - 1, 0))
        flat[at + m + 2] = found


def codons(s: Array, t: Array, p: Array) -> None:
    """Translate triples."""
    p[...] = t[s[::3] * 16 + s[1::3] * 4 + s[2::3]]
