"""Division of polynomials by polynomials, as far as it comes out: `(n * m + n) : n` is m + 1 with rest 0."""

from __future__ import annotations

from math import gcd

from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomials.polynomial import Monomial

_ROUNDS = 60


def split(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return q and r with a = q * b + r, r as simple as this finds; b is not a constant."""
    leading = max(b.terms, key=_weight)
    factor = b.terms[leading]
    single = len(b.terms) == 1
    quotient, rest = Polynomial({}), a
    for _ in range(_ROUNDS):
        step = _step(rest, leading, factor, single)
        if step is None:
            break
        quotient, rest = quotient + step, rest - step * b
        if single:
            break
    if single or len(rest.terms) < len(a.terms):
        return quotient, rest
    return Polynomial({}), a


def _step(rest: Polynomial, leading: Monomial, factor: int, single: bool) -> Polynomial | None:
    """Return what the leading monomial of a divisor goes into a polynomial: at once, or its first time."""
    found: dict[Monomial, int] = {}
    for monomial in sorted(rest.terms, key=_weight, reverse=True):
        left = monomial_quotient(monomial, leading)
        if left is None:
            continue
        whole, odd = divmod(rest.terms[monomial], factor)
        if single:
            found[left] = whole
        elif not odd:
            return Polynomial({left: whole})
    return Polynomial(found) if found else None


def _weight(monomial: Monomial) -> tuple[int, Monomial]:
    return len(monomial), monomial


def monomial_quotient(monomial: Monomial, by: Monomial) -> Monomial | None:
    """Return the quotient of two monomials, or None if the second does not divide the first."""
    left = list(monomial)
    for atom in by:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def common_divisor(a: Polynomial, b: Polynomial) -> Monomial:
    """Return the names that can be divided out of both polynomials, each as often as that is possible."""
    shared: list[str] | None = None
    for monomial in (*a.terms, *b.terms):
        if shared is None:
            shared = list(monomial)
            continue
        left = list(monomial)
        kept: list[str] = []
        for atom in shared:
            if atom in left:
                left.remove(atom)
                kept.append(atom)
        shared = kept
        if not shared:
            break
    return tuple(shared or ())


def in_parts(a: Polynomial, number: int) -> list[tuple[int, Polynomial, Polynomial]]:
    """Return all `part, q, r` with a = part * q + r where the part is a true divisor of a number, the largest first.

    A part is what the factor of some monomial has in common with the number.
    """
    parts = {gcd(factor, number) for monomial, factor in a.terms.items() if monomial} - {1, number}
    found: list[tuple[int, Polynomial, Polynomial]] = []
    for part in sorted(parts, reverse=True):
        quotient = Polynomial({monomial: factor // part for monomial, factor in a.terms.items()})
        found.append((part, quotient, a - quotient * part))
    return found


def without(value: Polynomial, atom: str) -> Polynomial:
    """Divide by a name that is in every monomial."""
    terms: dict[Monomial, int] = {}
    for monomial, factor in value.terms.items():
        at = monomial.index(atom)
        terms[monomial[:at] + monomial[at + 1 :]] = factor
    return Polynomial(terms)


def exact_quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """Return a : b if it comes out, else None; b is not 0."""
    number = b.value
    if number is None:
        quotient, rest = split(a, b)
        return None if rest.terms else quotient
    if any(factor % number for factor in a.terms.values()):
        return None
    return Polynomial({monomial: factor // number for monomial, factor in a.terms.items()})
