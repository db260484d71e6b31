"""Facts about symbolic extents: sign, divisibility, the extent of a slice. [D.13]"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, bounds, prove
from relax_lang.base.node import children
from relax_lang.ops.shape_rules.shared.dims import (
    add,
    ceil_divide,
    floor_divide,
    number,
    product,
    smallest,
    subtract,
    value_of,
)
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.node import Node
    from relax_lang.ops.core.inference import Inference, Known, Where

    Dim = tree.PrimExpr

ZERO = number(0)
ONE = number(1)


def integer(expr: tree.PrimExpr) -> int | None:
    """Return the number that is written, which may be negative, or None."""
    if type(expr) is tree.Neg and type(expr.a) is tree.IntImm:
        return -expr.a.value
    return value_of(expr)


def text(dim: Dim) -> str:
    """Return a dimension as messages show it."""
    from relax_lang.format.printer import show  # only where there is something to report

    return show(dim)


def below(call: Inference, a: Dim, b: Dim) -> bool | None:
    """Return whether a < b always holds, never holds, or None if neither is known."""
    left, right = integer(a), integer(b)
    if left is not None and right is not None:
        return left < right
    low, high = bounds(tree.Sub(b, a), call.context.facts)
    if low is not None and low > 0:
        return True
    return False if high is not None and high <= 0 else None


def negative(call: Inference, dim: Dim) -> bool | None:
    """Return whether a number is always negative, never, or None if neither is known."""
    return below(call, dim, ZERO)


def divides(call: Inference, divisor: Dim, dim: Dim) -> bool | None:
    """Return whether a divisor always divides a dimension, never does, or None if neither is known."""
    if value_of(divisor) == 1:
        return True
    left, right = value_of(divisor), value_of(dim)
    if left is not None and right is not None:
        return right % left == 0
    return prove(tree.EQ(tree.FloorMod(dim, divisor), ZERO), call.context.facts)


def not_negative(call: Inference, dim: Dim) -> Dim:
    """Return `max(dim, 0)`."""
    below_zero = negative(call, dim)
    if below_zero is None:
        return tree.Max(dim, ZERO)
    return ZERO if below_zero else dim


def sizes(call: Inference, where: int, dims: Sequence[Dim]) -> None:
    """Note an extent of a shape that is provably no size. [OP.9]"""
    name = call.name(where)
    for axis, dim in enumerate(dims):
        if negative(call, dim):
            call.bad_shape(f"axis {axis} of {name} is {text(dim)}; a size is never negative", where)
            return


def same_counts(call: Inference, left: Sequence[Dim], right: Sequence[Dim], i: Where, j: Where) -> None:
    """Note that two shapes provably have different numbers of elements. [OP.6]"""
    a, b = product(call, left), product(call, right)
    if call.relation(a, b) == DIFFERENT:
        call.bad_shape(f"{text(a)} and {text(b)} elements", i, j)


def expands(call: Inference, small: Sequence[Dim], large: Sequence[Dim]) -> int | None:
    """Return the first axis of a shape that provably is neither 1 nor that of the larger one, aligned at the end."""
    offset = len(large) - len(small)
    for axis, dim in enumerate(small):
        target = large[axis + offset]
        if (
            value_of(dim) != 1
            and call.relation(dim, target) == DIFFERENT
            and call.relation(dim, ONE) == DIFFERENT
        ):
            return axis
    return None


def pick(call: Inference, alike: Sequence[Dim]) -> Dim:
    """Return the one of several extents that are equal of which most is known: a number, if there is one."""
    for dim in alike:
        if value_of(dim) is not None:
            return dim
    return alike[0]


def at_least_rank(call: Inference, known: Known, where: Where, rank: int) -> bool:
    """Note that a tensor is known to have too low a rank; return whether its rank is known and suffices. [OP.3]"""
    if known.rank is not None and known.rank < rank:
        call.bad_argument(where, f"a tensor of rank {rank} or more")
    return known.rank is not None and known.rank >= rank


def slice_extent(call: Inference, low: Dim, high: Dim, step: int, extent: Dim, inbound: bool) -> Dim | None:
    """Return how many places a slice takes of an axis, as in Python; None if there is no short expression for it.

    With `inbound` both bounds are known to lie within the axis.
    """
    start, stop, whole = integer(low), integer(high), value_of(extent)
    if start is not None and stop is not None and whole is not None:
        stop = -whole - 1 if inbound and stop == -1 else stop
        return number(len(range(*slice(start, stop, step).indices(whole))))
    length = (_forward if step > 0 else _backward)(call, low, high, extent, inbound)
    if length is None or _is_long(length):
        return None
    if value_of(length) is not None or abs(step) > 1:
        return ceil_divide(call, length, number(abs(step)))
    return length


def _forward(call: Inference, low: Dim, high: Dim, extent: Dim, inbound: bool) -> Dim | None:
    """Return the distance between the bounds, once they are brought to the ends of the axis."""
    if inbound:
        return _distance(call, low, high)
    low_from_end, high_from_end = negative(call, low), negative(call, high)
    if low_from_end is None or high_from_end is None:
        return None
    stop = add(call, extent, high) if high_from_end else smallest(call, high, extent)
    if not low_from_end:
        return _distance(
            call, low, stop
        )  # a start beyond the axis is beyond its end as well: nothing is left
    if call.equal(stop, extent):
        return smallest(call, subtract(call, ZERO, low), extent)
    start = _not_below(call, add(call, extent, low), 0)
    return _distance(call, start, _not_below(call, stop, 0))


def _backward(call: Inference, low: Dim, high: Dim, extent: Dim, inbound: bool) -> Dim | None:
    last = subtract(call, extent, ONE)
    start, stop = (low, high) if inbound else (_from_end(call, low, extent), _from_end(call, high, extent))
    if start is None or stop is None:
        return None
    start = smallest(call, start, last)
    stop = smallest(call, stop, last)
    if not inbound:
        start, stop = _not_below(call, start, -1), _not_below(call, stop, -1)
    return _distance(call, stop, start)


def _from_end(call: Inference, bound: Dim, extent: Dim) -> Dim | None:
    """Return a bound counted from the front; None if its sign is not known."""
    below_zero = negative(call, bound)
    if below_zero is None:
        return None
    return add(call, extent, bound) if below_zero else bound


def _not_below(call: Inference, dim: Dim, least: int) -> Dim:
    bound = number(least)
    lower = below(call, dim, bound)
    if lower is None:
        return tree.Max(dim, bound)
    return bound if lower else dim


def _distance(call: Inference, start: Dim, stop: Dim) -> Dim:
    return not_negative(call, subtract(call, stop, start))


_CHOICES = (tree.Min, tree.Max, tree.Select)


def _is_long(dim: Dim) -> bool:
    """Return whether an expression has more than one choice in it."""
    return len([node for node in _nodes(dim) if type(node) in _CHOICES]) > 1


def _nodes(dim: Dim) -> list[Node]:
    found: list[Node] = [dim]
    for node in found:
        found += children(node)
    return found


def quotient(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a // b`, in its usual form unless that is longer: `n * 3 // 4` is `n - -n // 4` then."""
    usual = floor_divide(call, a, b)
    if value_of(usual) is None and len(_nodes(usual)) > len(_nodes(a)) + len(_nodes(b)) + 1:
        return tree.FloorDiv(a, b)
    return usual
