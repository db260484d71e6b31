"""Lower limits of polynomials over sizes and terms: the proofs that everything else rests on.

The limit of a sum is first taken term by term (interval analysis). Where terms depend on each other, as in
`n - n // 2 * 2`, inequalities that are known to hold are taken off the polynomial so that the monomial without a
limit cancels: the facts, and what every term is by definition (`2 * (n // 2) <= n`). The search is small and
bounded; what it does not find stays unknown. Values are integers without a limit of their own: an expression
that overflows int64, or divides by zero, has no value and nothing is said about it.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.atoms import (
    FLOOR,
    MAX,
    MIN,
    NAME,
    SELECT,
    Atom,
    content,
    divided,
    is_plain,
    term,
    total,
)
from relax_lang.arith.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.arith.bounds import Interval, Known
    from relax_lang.arith.polynomial import Monomial

_DEPTH = 6
_STEPS = 48
_REMEMBERED = 8000


def least(value: Polynomial, known: Known, enough: int | None = None) -> int | None:
    """Return a number that the polynomial is never below, or None; the search ends once `enough` is reached. [D.13]"""
    if not value.terms or (len(value.terms) == 1 and () in value.terms):
        return total(value)
    key = (value, enough)
    if key in known.limits:
        return known.limits[key]
    if known.nonnegative or not _is_simple(value):
        found = _Search(known).least(value, enough, _DEPTH)
    else:
        found = interval(value, known)[0]
    if len(known.limits) > _REMEMBERED:
        known.limits.clear()
    known.limits[key] = found
    return found


def _is_simple(value: Polynomial) -> bool:
    """Tell whether the monomials of a polynomial over names do not depend on each other."""
    linear = all(len(monomial) < 2 for monomial in value.terms)
    return (linear or all(factor > 0 for factor in value.terms.values())) and is_plain(value)


def is_nonnegative(value: Polynomial, known: Known) -> bool:
    """Tell whether a polynomial is known to be at least 0. [D.13]"""
    low = least(value, known, 0)
    return low is not None and low >= 0


def is_positive(value: Polynomial, known: Known) -> bool:
    """Tell whether a polynomial is known to be at least 1. [D.13]"""
    return is_nonnegative(value - 1, known)


def interval(value: Polynomial, known: Known) -> Interval:
    """Return limits of a polynomial as far as its monomials alone give them."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in value.terms.items():
        below, above = _of_monomial(monomial, known)
        if factor < 0:
            below, above = above, below
        low = None if low is None or below is None else low + factor * below
        high = None if high is None or above is None else high + factor * above
    return low, high


class _Search:
    """One search for a lower limit: the steps that are left, shared by all its branches."""

    __slots__ = ("known", "steps")

    def __init__(self, known: Known) -> None:
        self.known = known
        self.steps = _STEPS

    def least(self, value: Polynomial, enough: int | None, depth: int) -> int | None:
        """Return the best lower limit found."""
        self.steps -= 1
        common = content(value)
        best = interval(value, self.known)[0]
        if common > 1:
            # What is not constant is a multiple of `common`: so is its limit.
            rest = divided(value - total(value), common)
            inner = None if enough is None else -((total(value) - enough) // common)
            found = self.least(rest, inner, depth)
            return None if found is None else found * common + total(value)
        if depth == 0 or (best is not None and enough is not None and best >= enough):
            return best
        return self._improved(value, best, enough, depth)

    def _improved(self, value: Polynomial, best: int | None, enough: int | None, depth: int) -> int | None:
        for monomial in self._without_limit(value):
            factor = value.terms[monomial]
            for other in _inequalities(monomial, factor < 0, self.known):
                if self.steps <= 0:
                    return best
                share = abs(other.terms[monomial])
                target = None if enough is None else enough * share
                found = self.least(value * share - other * abs(factor), target, depth - 1)
                if found is not None:
                    found = -(-found // share)
                    best = found if best is None else max(best, found)
                    if enough is not None and best >= enough:
                        return best
        return best

    def _without_limit(self, value: Polynomial) -> list[Monomial]:
        """Return the monomials that may be what makes the limit too low, the most complex first."""
        found: list[tuple[int, Monomial]] = []
        for monomial, factor in value.terms.items():
            if not monomial:
                continue
            below, above = _of_monomial(monomial, self.known)
            if factor < 0:
                below, above = above, below
            if below is None or below != above:
                found.append((len("".join(monomial)), monomial))
        found.sort(reverse=True)
        return [monomial for _, monomial in found]


def _inequalities(monomial: Monomial, negative: bool, known: Known) -> Iterator[Polynomial]:
    """Yield polynomials known to be at least 0 in which a monomial has a factor of the given sign."""
    for fact in known.nonnegative:
        factor = fact.terms.get(monomial)
        if factor is not None and (factor < 0) == negative:
            yield fact
    for at, atom in enumerate(monomial):
        if at and monomial[at - 1] == atom:
            continue
        others = monomial[:at] + monomial[at + 1 :]
        if negative is False and monomial.count(atom) > 1:
            yield from _squares(atom, monomial[:at] + monomial[at + 2 :], known)
        low = _of_monomial(others, known)[0]
        if low is None or low < 0:
            continue
        rest = Polynomial({others: 1})
        for fact in (*definition(atom, known), *(_own_limits(atom, known) if others else ())):
            found = fact * rest
            factor = found.terms.get(monomial)
            if factor is not None and (factor < 0) == negative:
                yield found


def _squares(atom: str, others: Monomial, known: Known) -> Iterator[Polynomial]:
    """Yield that the square of an integer is at least the integer, and its opposite."""
    low = _of_monomial(others, known)[0]
    if low is not None and low >= 0:
        square = Polynomial({others: 1}) * Polynomial({(atom, atom): 1})
        yield square - Polynomial({others: 1}) * Polynomial.name(atom)
        yield square + Polynomial({others: 1}) * Polynomial.name(atom)


def _own_limits(atom: str, known: Known) -> Iterator[Polynomial]:
    """Yield what the limits of an atom say: `a - low` and `high - a`."""
    low, high = of_atom(atom, known)
    alone = Polynomial.name(atom)
    if low is not None:
        yield alone - low
    if high is not None:
        yield -alone + high


def definition(atom: str, known: Known) -> Iterator[Polynomial]:
    """Yield what holds of a term because of what it is, as polynomials that are at least 0."""
    if not isinstance(atom, Atom):
        return
    alone = Polynomial.name(atom)
    if atom.kind == FLOOR:
        dividend, divisor = atom.parts
        low = interval(divisor, known)[0]
        if low is not None and low >= 0:  # then it is at least 1 wherever there is a quotient
            yield dividend - divisor * alone
            yield divisor * alone + divisor - 1 - dividend
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


def _of_monomial(monomial: Monomial, known: Known) -> Interval:
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
        told = known.ranges.get(atom)
        if told is not None:
            found = _both(found, told)
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
