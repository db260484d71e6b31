"""Planned kernels: what depends on dtypes, shapes and attributes alone is worked out once, not at every call.

A planned kernel gets what a plain one gets, but of each tensor only its *spec* (dtype and shape), so that no plan can
depend on an element. It makes all checks that this allows, and returns the function that does the work:

    @family.planned("tile", "data: tensor", "repeats: int", infer=…, example=…)
    def tile(data, repeats):
        \"\"\"…the documentation…\"\"\"
        shape = …  # of data.shape and repeats; raises an `OpError` where they do not fit

        def run(data):
            return …  # with what was worked out above

        return run

`run` gets the tensors, one argument for each parameter that is a `tensor` or `tensors` (None where it was left out),
and is called with any that have the same specs, from several threads at a time. Its results are new memory each time
(but for parameters named in `aliases`), and it keeps no state.
"""

from __future__ import annotations

import math

from relax_lang.ops.core.dtypes import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Run = Callable[..., Any]
    """What a plan returns: the function from tensors to the result."""
    Run1 = Callable[[Any], Any]
    """The same for one tensor, and so on: `lambda`s need the exact number."""
    Run2 = Callable[[Any, Any], Any]
    Run3 = Callable[[Any, Any, Any], Any]

PLANNED_KINDS = ("tensor", "tensors", "shape", "prim", "prims")
"""The kinds of parameters that a planned kernel may have; none of them may be variadic."""


class TensorSpec:
    """Dtype and shape of a tensor, which is what a planned kernel gets of it. `dtype` is NumPy's."""

    __slots__ = ("dtype", "ndim", "shape", "size")

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.shape = shape
        self.ndim = len(shape)
        self.size = math.prod(shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.itemsize

    def __repr__(self) -> str:
        """Show dtype and shape."""
        return f"{name_of(self.dtype)}{list(self.shape)}"
