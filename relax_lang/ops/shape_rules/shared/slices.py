"""How many places a slice takes of an axis, as an expression that is exact for all sizes. [OP.5] [D.13]"""

from __future__ import annotations

from relax_lang.arith.prover import prove
from relax_lang.ops.shape_rules.shared.dims import (
    add,
    ceil_divide,
    largest,
    number,
    smallest,
    subtract,
    usual,
    value_of,
)
from relax_lang.ops.shape_rules.shared.extents import ONE, ZERO, integer, negative, nodes
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.core.inference import Inference

    Dim = tree.PrimExpr

_CHOICES = (tree.Min, tree.Max, tree.Select)
_MOST_CHOICES = 4
_HUGE = 1 << 62
_LARGEST = (1 << 63) - 1
"""The largest number: as a bound it means the end of the axis, whatever the extent; the lowest one, its start."""


def slice_extent(call: Inference, low: Dim, high: Dim, step: int, extent: Dim) -> Dim | None:
    """Return the extent of `x[low:high:step]`, as in Python; None if the expression for it would be long.

    Bounds below zero count from the end; those outside of the axis are brought to its ends.
    """
    start, stop, whole = integer(low), integer(high), value_of(extent)
    if start is not None and stop is not None and whole is not None:
        return number(len(range(*slice(start, stop, step).indices(whole))))
    if any(bound is not None and _HUGE <= abs(bound) < _LARGEST for bound in (start, stop)):
        return None  # the differences would leave int64
    length = (_forward if step > 0 else _backward)(call, low, high, extent)
    return None if length is None else _steps(call, length, step)


def inbound_extent(call: Inference, low: Dim, high: Dim, step: int) -> Dim | None:
    """Return the extent of a slice whose bounds are known to be within the axis, and in the order of the stride."""
    return _steps(call, subtract(call, high, low) if step > 0 else subtract(call, low, high), step)


def _steps(call: Inference, length: Dim, step: int) -> Dim | None:
    if abs(step) > 1:
        length = ceil_divide(call, length, number(abs(step)))
    many = len([node for node in nodes(length) if type(node) in _CHOICES]) > _MOST_CHOICES
    return None if many else length


def _forward(call: Inference, low: Dim, high: Dim, extent: Dim) -> Dim | None:
    """Return the distance between the bounds.

    A start beyond the axis is beyond its end as well, and an end before the axis is before its start: nothing is
    left, so that the start needs no bringing back from above, nor the end from below.
    """
    first, last = integer(low), integer(high)
    if first == _LARGEST or (last is not None and last <= -_LARGEST):
        return ZERO
    if last == _LARGEST:
        stop = extent
    elif _ends_before(call, low, high, extent):
        stop = smallest(call, high, extent)
    else:
        stop = _by_sign(
            call, high, lambda bound: smallest(call, bound, extent), lambda bound: add(call, extent, bound)
        )
    if first is not None and first <= -_LARGEST:
        return _positive(call, stop)
    return _by_sign(
        call,
        low,
        lambda bound: _distance(call, stop, bound),
        # stop - max(extent + low, 0)
        lambda bound: _positive(call, smallest(call, subtract(call, stop, add(call, extent, bound)), stop)),
    )


def _ends_before(call: Inference, low: Dim, high: Dim, extent: Dim) -> bool:
    """Return whether nothing is taken where `high` is below zero: then it need not be counted from the end."""
    if negative(call, low) is not False:
        return False
    facts = call.context.facts.with_(tree.LT(high, ZERO))
    return facts.impossible or prove(tree.LE(tree.Add(extent, high), low), facts) is True


def _backward(call: Inference, low: Dim, high: Dim, extent: Dim) -> Dim | None:
    """Return the distance between the bounds, from the start down; the end is excluded, and -1 before the axis."""
    first, lowest = integer(low), integer(high)
    if first == -_LARGEST:
        return None
    if lowest == _LARGEST or (first is not None and first < -_LARGEST):
        return ZERO
    last = subtract(call, extent, ONE)
    if first == _LARGEST:
        start = last
    else:
        start = _by_sign(
            call, low, lambda bound: smallest(call, bound, last), lambda bound: add(call, extent, bound)
        )
    if lowest is not None and lowest <= -_LARGEST:  # no axis has so many elements
        return _distance(call, start, number(-1))
    return _by_sign(
        call,
        high,
        lambda bound: _distance(call, start, bound),
        # start - max(extent + high, -1)
        lambda bound: _positive(
            call,
            smallest(call, subtract(call, start, add(call, extent, bound)), add(call, start, ONE)),
        ),
    )


def _by_sign(
    call: Inference, bound: Dim, from_start: Callable[[Dim], Dim], from_end: Callable[[Dim], Dim]
) -> Dim:
    """Return what follows from a bound, which counts from the end if it is below zero."""
    below_zero = negative(call, bound)
    if below_zero is not None:
        return (from_end if below_zero else from_start)(bound)
    choice = tree.Select(tree.LT(bound, ZERO), from_end(bound), from_start(bound))
    return usual(call, choice)


def _distance(call: Inference, stop: Dim, start: Dim) -> Dim:
    return _positive(call, subtract(call, stop, start))


def _positive(call: Inference, length: Dim) -> Dim:
    return largest(call, length, ZERO)
