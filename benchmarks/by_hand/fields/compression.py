"""NumPy by hand: compression."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def run_starts(x: Array, s: Array, c: Array) -> None:
    """Find where values change."""
    starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])[: len(x)])
    s[c[0] : c[0] + len(starts)] = starts
    c[0] += len(starts)


def code_offsets(x: Array, length: Array, p: Array) -> None:
    """Sum the lengths of codes."""
    p[0] = 0
    np.cumsum(length[x], out=p[1:])
