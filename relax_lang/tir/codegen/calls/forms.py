"""How planned calls of PrimFuncs run: what can be said of them without the compiler. [O.4]"""

from __future__ import annotations

import math
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

RUN, FITS, MAKE = "run", "fits", "make"
"""The names of the functions in the module of a planned call."""
CLIP_FROM = 1 << 13
"""From so many elements on `np.clip` is faster than two ufuncs: calling it takes as long as some thousand of them."""


STEPS_FROM = 1 << 10
"""From so many elements on the steps of a window reduction are faster than a reduction along short rows."""


class Form(NamedTuple):
    """How a planned call runs: whether operations make results, views are results, and blocks are the whole; and the
    position of the input that the result is written over.
    """

    makes: bool = True
    views: bool = False
    whole: bool = False
    over: int | None = None


TINY, SMALL, LARGE = range(3)
"""Classes of calls by the size of their largest array, for which operations are chosen."""


def size_class(shapes: Sequence[tuple[int, ...]]) -> int:
    """Return the class of calls with arrays of these shapes."""
    return size_class_of(max([math.prod(shape) for shape in shapes], default=0))


def size_class_of(most: int) -> int:
    """Return the class of calls whose largest array has so many elements."""
    return TINY if most < STEPS_FROM else SMALL if most < CLIP_FROM else LARGE
