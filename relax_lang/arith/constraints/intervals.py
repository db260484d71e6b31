"""Interval analysis: limits of polynomials, taken term by term, and the inequalities that define a term.

Values are integers without a limit of their own: an expression that overflows int64, or divides by zero, has no
value, and the limits do not hold for it. Where terms depend on each other, as in `n - n // 2 * 2`, intervals are too
wide: `proofs` combines them with the definitions.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.constraints.analyzer import facts_of
from relax_lang.arith.constraints.bounds import Known
from relax_lang.arith.polynomials.atoms import (
    FLOOR,
    MAX,
    MIN,
    NAME,
    SELECT,
    Atom,
    divided,
    term,
)
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from relax_lang.arith.constraints.bounds import Interval
    from relax_lang.arith.polynomials.polynomial import Monomial

_REMEMBERED = 8000


def interval(value: Polynomial, known: Known) -> Interval:
    """Return limits of a polynomial as far as its monomials alone give them."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in value.terms.items():
        below, above = of_monomial(monomial, known)
        if factor < 0:
            below, above = above, below
        low = None if low is None or below is None else low + factor * below
        high = None if high is None or above is None else high + factor * above
    return low, high


def interval_within(value: Polynomial, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """Return limits of a polynomial all of whose names have limits."""
    low, high = interval(value, Known(None, ranges=ranges))
    assert low is not None
    assert high is not None
    return low, high


def definition(atom: str, known: Known) -> Iterator[Polynomial]:
    """Yield what holds of a term because of what it is, as polynomials that are at least 0."""
    if not isinstance(atom, Atom):
        return
    alone = Polynomial.name(atom)
    if atom.kind == FLOOR:
        dividend, divisor = atom.parts
        low = interval(divisor, known)[0]
        if low is not None and low >= 0 and divisor.terms:  # it is at least 1 wherever there is a quotient
            yield from facts_of(FLOOR, alone, dividend, divisor)
            if _at_least_zero(interval(dividend, known)):
                yield dividend - alone
            common = gcd(*divisor.terms.values())
            if common > 1 and divisor.value is None:  # x // (2 * m) is x // m // 2
                inner = Polynomial.name(term(FLOOR, (dividend, divided(divisor, common))))
                yield inner - alone * common
                yield alone * common + common - 1 - inner
    elif atom.kind == MIN:
        for part in atom.parts:
            yield part - alone
    elif atom.kind == MAX:
        for part in atom.parts:
            yield alone - part


def of_monomial(monomial: Monomial, known: Known) -> Interval:
    """Return the limits of a product of names and terms."""
    if len(monomial) == 1:
        return of_atom(monomial[0], known)
    result: Interval = (1, 1)
    at = 0
    while at < len(monomial):
        power = monomial.count(monomial[at])
        result = _times(result, _power(of_atom(monomial[at], known), power))
        at += power
    return result


def _power(base: Interval, power: int) -> Interval:
    result = base
    for _ in range(power - 1):
        result = _times(result, base)
    if power % 2 == 0 and (result[0] is None or result[0] < 0):
        return 0, result[1]
    return result


def _times(a: Interval, b: Interval) -> Interval:
    """Return limits of a product; infinite ones are handled by the signs of the other factor."""
    if a == (1, 1):
        return b
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 0:
        if a[1] == 0 or b[1] == 0:
            return 0, 0
        return a[0] * b[0], None if a[1] is None or b[1] is None else a[1] * b[1]
    if a[0] is None or a[1] is None or b[0] is None or b[1] is None:
        low, high = None, None
        if _at_most_zero(a) and _at_most_zero(b):
            low = 0
        elif (_at_most_zero(a) and _at_least_zero(b)) or (_at_least_zero(a) and _at_most_zero(b)):
            high = 0
        return low, high
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)


def _at_least_zero(limits: Interval) -> bool:
    return limits[0] is not None and limits[0] >= 0


def _at_most_zero(limits: Interval) -> bool:
    return limits[1] is not None and limits[1] <= 0


def of_atom(atom: str, known: Known) -> Interval:
    """Return the limits of a name or a term."""
    found = known.intervals.get(atom)
    if found is None:
        if not isinstance(atom, Atom) or atom.kind == NAME:
            found = (None, None) if known.signed is None or atom in known.signed else (0, None)
        else:
            found = _of_term(atom, known)
        given = known.ranges.get(atom)
        if given is not None:
            found = _both(found, given)
        if len(known.intervals) > _REMEMBERED:
            known.intervals.clear()
        known.intervals[atom] = found
    return found


def _both(a: Interval, b: Interval) -> Interval:
    low = b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1])
    return low, high


def _of_term(atom: Atom, known: Known) -> Interval:
    parts = [interval(part, known) for part in atom.parts]
    lows = [low for low, _ in parts if low is not None]
    highs = [high for _, high in parts if high is not None]
    if atom.kind == MIN:
        return min(lows) if len(lows) == len(parts) else None, min(highs) if highs else None
    if atom.kind == MAX:
        return max(lows) if lows else None, max(highs) if len(highs) == len(parts) else None
    if atom.kind == SELECT:
        return (
            min(lows) if len(lows) == len(parts) else None,
            max(highs) if len(highs) == len(parts) else None,
        )
    dividend, divisor = parts
    if divisor[0] is None or divisor[0] < 0:
        return None, None
    # A divisor of 0 gives no value. The quotient grows with the dividend, so each limit has its own divisor.
    smallest, largest = max(divisor[0], 1), divisor[1]
    if largest is not None and largest < smallest:
        return None, None
    floors = atom.kind == FLOOR
    low = None if dividend[0] is None else _quotient(dividend[0], smallest, largest, floors, False)
    high = None if dividend[1] is None else _quotient(dividend[1], smallest, largest, floors, True)
    return low, high


def _quotient(dividend: int, smallest: int, largest: int | None, floors: bool, greatest: bool) -> int:
    """Return the least (or greatest) quotient of a number by one of smallest..largest."""
    outward = (dividend >= 0) == greatest
    if outward:
        divisor = smallest
    elif largest is None:
        return -1 if dividend < 0 and floors else 0
    else:
        divisor = largest
    if floors or dividend >= 0:
        return dividend // divisor
    return -(-dividend // divisor)
