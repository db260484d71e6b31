"""Plans that compute in float32 or float64, for tensors of every float dtype."""

from __future__ import annotations

import math

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_half

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run, Run1, TensorSpec

LOWEST = -math.inf
"""What maxima begin with: NumPy computes those of rows twice as fast if they begin with a number."""


def wide_dtype(dtype: Any) -> Any:
    """Return the dtype to compute in: float32 for float16 and bfloat16, others stay."""
    return np.dtype(np.float32) if is_half(dtype) else dtype


def constant(value: float, dtype: Any) -> Any:
    """Return a number that a plan keeps: NumPy is faster with arrays of rank 0 than with scalars."""
    return np.array(value, dtype)


_HELD = 1 << 16
"""Bytes of arrays that a plan may hold."""


def held(make: Callable[[], Any]) -> Callable[[], Any]:
    """Return what gives what `make` makes, an array or several: always the same one, unless it is too large for
    a plan to hold.
    """
    made = make()
    return (lambda: made) if _bytes(made) <= _HELD else make


def _bytes(made: Any) -> int:
    return sum(map(_bytes, made)) if isinstance(made, list | tuple) else made.nbytes  # pyright: ignore[reportUnknownArgumentType]


def widened(dtype: Any, run: Run) -> Run:
    """Return `run`, which computes in float32 or float64, for tensors of a dtype: halves are converted, and back."""
    if not is_half(dtype):
        return run
    float32 = np.dtype(np.float32)

    def narrowed(result: Any) -> Any:
        return tuple(map(narrowed, result)) if isinstance(result, tuple) else result.astype(dtype)  # pyright: ignore[reportUnknownArgumentType]

    def convert(*tensors: Any) -> Any:
        return narrowed(run(*[None if each is None else each.astype(float32) for each in tensors]))

    return convert


def computed_wide(x: TensorSpec, make: Callable[[Any], Run1]) -> Run1:
    """Return the function of `x` that `make` returns for a dtype to compute in, and for tensors of rank 1 and more.

    Of rank 0 NumPy makes scalars, into which nothing can be written.
    """
    run = widened(x.dtype, make(wide_dtype(x.dtype)))
    return run if x.ndim else lambda x: run(x.reshape(1)).reshape(())
