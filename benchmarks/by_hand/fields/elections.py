"""NumPy by hand: elections."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def strongest_paths(ballots: Array, d: Array, p: Array) -> None:
    """Compare candidates in pairs, and find the strongest path between each two."""
    for ballot in ballots:
        d += ballot[:, None] < ballot
    p[...] = np.where(d > d.T, d, 0)
    for k in range(len(p)):
        np.maximum(p, np.minimum(p[:, k, None], p[k]), out=p)
