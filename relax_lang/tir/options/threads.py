"""How many threads calls of PrimFuncs get: a choice that means the same values and errors. [TIR.21]"""

from __future__ import annotations

import os

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AUTO = 0
"""As many threads as there are processors for large arrays, one for all others."""
_LARGE = 1 << 20
"""From so many elements of one array on a call is divided by itself."""
_WORTH = 1 << 16
"""From so many on where a number of threads was asked for: starting one costs some 80 µs."""
_MOST = 256
"""No call starts more threads than that, however many were asked for."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads:
    """How many threads calls get: a number of them, or `AUTO`."""

    __slots__ = ("_least", "count")

    def __init__(self, wanted: int = AUTO) -> None:
        self.count = min(wanted or processors(), _MOST)
        self._least = _WORTH if wanted else _LARGE

    def are_for(self, values: Sequence[object]) -> bool:
        """Return whether a call with some values is large enough to be divided."""
        return any(isinstance(one, np.ndarray) and self.are_for_size(one.size) for one in values)

    def are_for_size(self, elements: int) -> bool:
        """Return whether a call with an array of so many elements is large enough to be divided."""
        return self.count > 1 and elements >= self._least
