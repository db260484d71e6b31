"""How planned calls of PrimFuncs run: what can be said of them without the compiler. [O.4]"""

from __future__ import annotations

import math
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

RUN, FITS = "run", "fits"
"""The names of the two functions in the module of a planned call."""
CLIP_FROM = 1 << 13
"""From so many elements on `np.clip` is faster than two ufuncs: calling it takes as long as some thousand of them."""


class Form(NamedTuple):
    """How a planned call runs: whether operations make results, views are results, and blocks are the whole; and the
    position of the input that the result is written over.
    """

    makes: bool = True
    views: bool = False
    whole: bool = False
    over: int | None = None


def is_small(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Return whether operations are chosen for small arrays."""
    return max([math.prod(shape) for shape in shapes], default=0) < CLIP_FROM
