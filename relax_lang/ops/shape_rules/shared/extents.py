"""Facts about symbolic extents: sign, divisibility, numbers of elements. [D.13]"""

from __future__ import annotations

from functools import partial

from relax_lang.arith.prover import DIFFERENT, FIRST, bounds, prove
from relax_lang.base.node import children
from relax_lang.ops.shape_rules.shared.dims import (
    floor_divide,
    number,
    product,
    value_of,
)
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def must_divide(call: Inference, divisor: Dim, dim: Dim, where: Where, reason: Callable[[], str]) -> bool:
    """Require a divisor to divide a dimension of an argument: report that it provably does not, note that it may not.

    `reason` makes the words for the former. Returns whether something was reported.
    """
    answer = divides(call, divisor, dim)
    if answer is False:
        call.bad_shape(reason(), where)
        return True
    if answer is None:
        from relax_lang.ops.core.findings import DeferredCheck  # only where it is not known

        def may_not() -> str:
            return f"{text(dim)} has to be a multiple of {text(divisor)}"

        def wanted() -> str:
            return f"write it as a product, as in `{text(divisor)} * k`, or check it with a match_cast before"

        rest = tree.FloorMod(dim, divisor), ZERO
        call.deferred.append(DeferredCheck(rest, (where,), may_not, wanted=wanted))
    return False


def must_not_exceed(
    call: Inference, small: Dim, large: Dim, arguments: tuple[Where, ...], reason: Callable[[], str]
) -> bool:
    """Require `small <= large`: report that it provably is larger, note that it may be. [OP.6]

    Returns whether something was reported.
    """
    answer = below(call, large, small)
    if answer is True:
        call.bad_shape(reason(), *arguments)
        return True
    if answer is None:
        from relax_lang.ops.core.findings import DeferredCheck  # only where it is not known

        def may_exceed() -> str:
            return f"{text(small)} has to be at most {text(large)}"

        beyond = tree.Max(tree.Sub(small, large), ZERO)
        advice = partial(str, "check the sizes with a match_cast before")
        call.deferred.append(DeferredCheck((beyond, ZERO), arguments, may_exceed, wanted=advice))
    return False


def one_or(
    call: Inference, given: Dim, extent: Dim, arguments: tuple[Where, ...], reason: Callable[[], str]
) -> bool:
    """Require an extent to be 1 or another one, as `clash` does; returns whether something was reported. [OP.6]"""
    if call.different(given, ONE):
        return call.clash(given, extent, arguments, reason)
    if call.different(given, extent) or call.equal(extent, ONE):
        return call.clash(given, ONE, arguments, reason)
    return call.clash(given, extent, arguments, reason, or_one=FIRST)


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
    call.clash(a, b, (i, j), lambda: f"{text(a)} and {text(b)} elements")


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


def nodes(dim: Dim) -> list[Node]:
    """Return all nodes of an expression."""
    found: list[Node] = [dim]
    for node in found:
        found += children(node)
    return found


def exact_quotient(call: Inference, a: Dim, factors: Sequence[Dim]) -> Dim:
    """Return `a // b` for a product b that divides a, none of whose factors is 0, as the run has checked."""
    facts = call.context.facts
    for factor in factors:
        if type(factor) is not tree.IntImm:
            facts = facts.with_(tree.NE(factor, ZERO))
    b = product(call, factors)
    if facts is call.context.facts or facts.impossible:
        return quotient(call, a, b)
    from relax_lang.arith.printing import simplified  # loads the prover: not for numbers alone

    exact = simplified(tree.FloorDiv(a, b), facts)
    return quotient(call, a, b) if len(nodes(exact)) > len(nodes(a)) else exact


def quotient(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a // b`, in its usual form unless that is longer: `n * 3 // 4` is `n - -n // 4` then."""
    usual = floor_divide(call, a, b)
    if value_of(usual) is None and len(nodes(usual)) > len(nodes(a)) + len(nodes(b)) + 1:
        return tree.FloorDiv(a, b)
    return usual
