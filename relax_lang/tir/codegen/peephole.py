"""`min` and `max` with a number as clips, which NumPy does several times faster on large arrays.

A clip is `min(max(x, lower), upper)`, also where the bounds are the wrong way round, and gives nan if x or a bound is
one, as both operations do. `max(min(x, upper), lower)` is that with `max(upper, lower)` for the upper bound.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Const, Size, Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Clip:
    """The parts of a clip; a bound that is None is no bound. `lower_wins` where it comes last."""

    __slots__ = ("inner", "lower", "lower_wins", "upper")

    def __init__(
        self, inner: Vector, lower: Vector | None, upper: Vector | None, *, lower_wins: bool = False
    ) -> None:
        self.inner = inner
        self.lower = lower
        self.upper = upper
        self.lower_wins = lower_wins


def clip_of(vector: Apply, uses: Mapping[object, int]) -> Clip | None:
    """Return a `min` or `max`, or one around the other, as a clip. The inner one must be used for nothing else."""
    if vector.dtype == dtypes.BOOL:
        return None
    found = _bounded(vector)
    if found is None:
        return None
    bounds = {vector.op: found[1]}
    inner = found[0]
    if isinstance(inner, Apply) and inner.op in ("max", "min") and inner.op != vector.op:
        second = _bounded(inner) if uses[inner.key] == 1 else None
        if second is not None:
            bounds[inner.op] = second[1]
            inner = second[0]
    lower, upper = bounds.get("max"), bounds.get("min")
    last = vector.op == "max" and upper is not None
    if isinstance(lower, Const) and isinstance(upper, Const) and lower.value <= upper.value:
        last = False  # the order makes no difference
    return Clip(inner, lower, upper, lower_wins=last)


def _bounded(vector: Apply) -> tuple[Vector, Vector] | None:
    """Return the operands of a `min` or `max`: a value, and a number that is its bound."""
    if vector.op not in ("max", "min"):
        return None
    for bound, other in (vector.args[::-1], vector.args):
        if isinstance(bound, Const | Size) and not isinstance(other, Const | Size):
            return other, bound
    return None


def is_within_int32(vector: Vector) -> bool:
    """Tell whether floats are provably in the range of int32, or nan: clipped by numbers, and perhaps rounded."""
    while isinstance(vector, Apply) and vector.op in ("round", "nearbyint", "trunc", "floor", "ceil"):
        vector = vector.args[0]
    found = clip_of(vector, _ONCE) if isinstance(vector, Apply) else None
    if found is None:
        return False
    bounds = [bound.value for bound in (found.lower, found.upper) if isinstance(bound, Const)]
    return len(bounds) == 2 and all(abs(bound) < 1 << 31 for bound in bounds)


def shifted_byte(vector: Apply) -> Apply | None:
    """Return the shift of bytes by a number as a product, which NumPy computes more than ten times as fast."""
    shift = vector.args[1] if vector.op == "<<" else None
    if vector.dtype not in ("int8", "uint8") or not isinstance(shift, Const) or not 0 <= shift.value < 8:
        return None
    factor = 1 << int(shift.value)
    factor = factor if factor <= dtypes.INT_RANGES[vector.dtype][1] else -factor
    return Apply("*", (vector.args[0], Const(factor, vector.dtype)), vector.dtype)


class _Once(dict[object, int]):
    """Uses, where it does not matter how many there are."""

    def __missing__(self, key: object) -> int:
        return 1


_ONCE = _Once()
