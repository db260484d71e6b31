"""What sizes alone decide in a call: arrays that are made once for all calls of these sizes, unless they are large."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_BYTES = 1 << 18
"""What sizes decide is kept for later calls if it takes no more."""


def are_small(values: Iterable[object]) -> bool:
    """Return whether the arrays among some values can be kept."""
    return sum([value.nbytes for value in values if isinstance(value, np.ndarray)]) <= MOST_BYTES
