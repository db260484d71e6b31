"""What is proved of polynomials under known facts: intervals where they suffice, else the analyser. [D.13]"""

from __future__ import annotations

from relax_lang.arith.constraints.analyzer import Analyzer
from relax_lang.arith.constraints.intervals import definition, interval, of_monomial
from relax_lang.arith.polynomials.atoms import is_plain, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.constraints.bounds import Interval, Known
    from relax_lang.arith.polynomials.polynomial import Monomial, Polynomial

_REMEMBERED = 8000


class KnownFacts(Analyzer):
    """The analyser under known facts; the terms in polynomials bring their definitions."""

    __slots__ = ("_known",)

    def __init__(self, known: Known) -> None:
        super().__init__(known.nonnegative, lambda name: False)
        self._known = known

    def limits(self, monomial: Monomial) -> Interval:
        """Return the interval of a product of names and terms."""
        return of_monomial(monomial, self._known)

    def definition(self, name: str) -> Iterable[Polynomial]:
        """Return what is at least 0 because of what a term is."""
        return definition(name, self._known)


def least(value: Polynomial, known: Known, enough: int | None = None) -> int | None:
    """Return a number that the polynomial is never below, or None; one that is `enough` may not be the greatest."""
    if not value.terms or (len(value.terms) == 1 and () in value.terms):
        return total(value)
    key = (value, enough)
    if key in known.limits:
        return known.limits[key]
    found = interval(value, known)[0]
    if (found is None or enough is None or found < enough) and (known.nonnegative or not _is_simple(value)):
        low = _proved_bounds(value, known)[0]
        found = low if found is None or (low is not None and low > found) else found
    if len(known.limits) > _REMEMBERED:
        known.limits.clear()
    known.limits[key] = found
    return found


def _proved_bounds(value: Polynomial, known: Known) -> Interval:
    """Return between what numbers a polynomial is proved to be.

    One question answers for its opposite too, and for both with any number added: most are asked for all of these.
    """
    number = total(value)
    base = value - number
    found = known.bounds.get(base)
    if found is None:
        found = low, high = KnownFacts(known).bounds(base)
        if len(known.bounds) > _REMEMBERED:
            known.bounds.clear()
        known.bounds[base] = found
        known.bounds[-base] = None if high is None else -high, None if low is None else -low
    low, high = found
    return None if low is None else low + number, None if high is None else high + number


def _is_simple(value: Polynomial) -> bool:
    """Return whether the monomials of a polynomial over names do not depend on each other."""
    linear = all(len(monomial) < 2 for monomial in value.terms)
    return (linear or all(factor > 0 for factor in value.terms.values())) and is_plain(value)


def is_nonnegative(value: Polynomial, known: Known) -> bool:
    """Return whether a polynomial is known to be at least 0. [D.13]"""
    low = least(value, known, 0)
    return low is not None and low >= 0


def is_positive(value: Polynomial, known: Known) -> bool:
    """Return whether a polynomial is known to be at least 1. [D.13]"""
    return is_nonnegative(value - 1, known)
