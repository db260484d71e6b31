"""NumPy by hand: typography."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def line_breaks(w: Array, c: Array, b: Array) -> None:
    """Break a paragraph where lines have the least room left."""
    for j in range(1, len(w)):
        room = 60 - (w[j] - w[:j])
        cost = np.where(room >= 0, c[:j] + room * room, np.iinfo(np.int64).max)
        i = int(cost.argmin())
        if cost[i] < c[j]:
            c[j], b[j] = cost[i], i
