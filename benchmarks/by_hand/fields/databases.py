"""NumPy by hand: databases."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray


def filtered_sum(k: Array, v: Array, limits: Array, s: Array) -> None:
    """Sum up and count what is between two limits."""
    chosen = (k >= limits[0]) & (k < limits[1])
    s += v[chosen].sum(), np.count_nonzero(chosen)


def left_join(k: Array, p: Array, q: Array, t: Array) -> None:
    """Multiply by prices that are looked up."""
    t[...] = np.where(k >= 0, p[k] * q, 0.0)


def delta_decode(d: Array, y: Array) -> None:
    """Sum differences up."""
    np.cumsum(d, dtype=y.dtype, out=y)


def unpack_nibbles(p: Array, y: Array) -> None:
    """Unpack two numbers from each byte."""
    np.bitwise_and(p, 15, out=y[::2])
    np.right_shift(p, 4, out=y[1::2])
