"""Quotients, minima, maxima and choices in normal form: what they are folded to, or a term.

Every rule is an identity over the integers wherever both sides have a value. One rule more is kept: a division
only disappears from a quotient if its divisor is known not to be 0, so `6 * n // n` stays until `n >= 1` is known.
A remainder `a % b` is `a - b * (a // b)`, so that `n // 4 * 4 + n % 4` cancels to `n` by itself.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.constraints.conditions import is_zero, negated
from relax_lang.arith.constraints.intervals import interval, of_atom
from relax_lang.arith.constraints.proofs import is_nonnegative, is_positive, least
from relax_lang.arith.polynomials.atoms import (
    FLOOR,
    MAX,
    MIN,
    NAME,
    NONNEGATIVE,
    NONZERO,
    SELECT,
    TRUNCATE,
    ZERO,
    Atom,
    checked,
    content,
    divided,
    is_plain,
    opens_negative,
    product,
    term,
    total,
)
from relax_lang.arith.polynomials.division import common_divisor, split, without
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.constraints.bounds import Known
    from relax_lang.arith.polynomials.atoms import Condition
    from relax_lang.arith.polynomials.polynomial import Monomial

    Parts = tuple[Polynomial, ...]

_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
_MOST_COMPARED = 12
_MANY = 1 << 64  # more than any number


def floor_quotient(a: Polynomial, b: Polynomial, known: Known) -> Polynomial:
    """Return `a // b`. [D.13 G.4]"""
    number = b.value
    if number == 0:
        return _named(term(FLOOR, (a, b)), known)
    if opens_negative(b):
        return floor_quotient(-a, -b, known)
    if number is not None:
        return _by_number(a, number, known)
    return _by_polynomial(a, b, known)


def remainder(a: Polynomial, b: Polynomial, known: Known) -> Polynomial:
    """Return `a % b`. [D.13 G.4]"""
    return checked(a - product(b, floor_quotient(a, b, known)))


def _by_number(a: Polynomial, number: int, known: Known) -> Polynomial:
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, factor in a.terms.items():
        whole, left = divmod(factor, number)
        if monomial and 2 * left > number:  # `(m - n) // 4` rather than `(m + 3 * n) // 4 - n`
            whole, left = whole + 1, left - number
        quotient[monomial], rest[monomial] = whole, left
    return Polynomial(quotient) + _proper(Polynomial(rest), number, known)


def _proper(rest: Polynomial, number: int, known: Known) -> Polynomial:
    """Divide by a number greater than all factors."""
    common = gcd(number, content(rest))
    if common > 1:  # of `(4 * n + 3) // 6`, what is left of the constant after halving does not matter
        rest, number = divided(rest, common), number // common
    if number == 1:
        return rest
    only = _only_quotient(rest, number, known)
    if only is not None:
        return Polynomial.constant(only)
    nested = _nested_quotient(rest, known)
    if nested is not None:
        inner, divisor = nested
        return floor_quotient(inner, divisor * number, known)
    return _named(term(FLOOR, (rest, Polynomial.constant(number))), known)


def _only_quotient(rest: Polynomial, number: int, known: Known) -> int | None:
    """Return the quotient if the limits of the dividend leave only one."""
    low, high = interval(rest, known)
    if (low is None or high is None) and (known.nonnegative or not is_plain(rest)):
        low, opposite = least(rest, known), least(-rest, known)
        high = None if opposite is None else -opposite
    if low is None or high is None or low // number != high // number:
        return None
    return low // number


def _nested_quotient(a: Polynomial, known: Known) -> tuple[Polynomial, Polynomial] | None:
    """Return x + k * y and k if a is `x // k + y`: dividing that by b is dividing x + k * y by k * b."""
    found: list[tuple[int, str, Atom]] = []
    for monomial, factor in a.terms.items():
        inner = monomial[0] if len(monomial) == 1 and factor == 1 else None
        if isinstance(inner, Atom) and inner.kind == FLOOR and is_nonnegative(inner.parts[1], known):
            divisor = inner.parts[1]
            found.append((divisor.value or _MANY, inner, inner))
    if not found:
        return None
    inner = min(found)[2]  # any would do, but it must be the same one every time
    dividend, divisor = inner.parts
    return checked(dividend + product(a - Polynomial.name(inner), divisor)), divisor


def _by_polynomial(a: Polynomial, b: Polynomial, known: Known) -> Polynomial:
    is_known = is_zero(b, known) is False
    if is_known and not a.terms:
        return a
    common = gcd(content(a), content(b), total(b))
    if not is_nonnegative(b, known):  # else what is left of a's constant could count
        common = gcd(common, total(a))
    if common > 1:
        a, b = divided(a, common), divided(b, common)
    for atom in common_divisor(a, b):
        if is_zero(Polynomial.name(atom), known) is False:
            a, b = without(a, atom), without(b, atom)
    if b.value is not None:
        return floor_quotient(a, b, known)
    quotient, rest = split(a, b)
    if not rest.terms:
        return quotient if is_known else _named(term(FLOOR, (a, b)), known)
    if is_nonnegative(rest, known) and is_positive(b - rest, known):
        return quotient
    if is_nonnegative(b, known):
        nested = _nested_quotient(rest, known)
        if nested is not None:
            inner, divisor = nested
            return checked(quotient + floor_quotient(inner, product(divisor, b), known))
    return checked(quotient + _named(term(FLOOR, (rest, b)), known))


def truncated_quotient(a: Polynomial, b: Polynomial, known: Known) -> Polynomial:
    """Return `a / b`, which drops the fraction. [D.13 G.4]"""
    if opens_negative(b):
        return -truncated_quotient(a, -b, known)
    number = b.value
    if number == 1:
        return a
    if number != 0 and is_nonnegative(b, known):
        if is_nonnegative(a, known):
            return floor_quotient(a, b, known)
        if is_nonnegative(-a, known):
            return -floor_quotient(-a, b, known)
    if opens_negative(a):
        return -truncated_quotient(-a, b, known)
    common = gcd(*a.terms.values(), *b.terms.values()) if number != 0 else 1
    if common > 1:
        return truncated_quotient(divided(a, common), divided(b, common), known)
    if number is None and is_zero(b, known) is False:
        quotient, rest = split(a, b)
        if not rest.terms:
            return quotient
    return _named(term(TRUNCATE, (a, b)), known)


def extremum(kind: str, parts: Parts, known: Known) -> Polynomial:
    """Return the minimum or the maximum of several values; `kind` is MIN or MAX. [D.13 G.5]"""
    kept = _best(kind, list(parts), known)
    if len(kept) > 1:
        kept = _best(kind, [flat for part in kept for flat in _flat(kind, part)], known)
    if len(kept) == 1:
        return kept[0]
    shift, rest = _without_common(tuple(kept))
    factor = gcd(*[factor for part in rest for factor in part.terms.values()])
    if factor > 1:
        rest = tuple([divided(part, factor) for part in rest])
    if _sum_opens_negative(rest):
        kind, factor, rest = MAX if kind == MIN else MIN, -factor, tuple([-part for part in rest])
    ordered = tuple(sorted(rest, key=str))
    return checked(shift + _named(term(kind, ordered), known) * factor)


def _best(kind: str, parts: list[Polynomial], known: Known) -> list[Polynomial]:
    """Return the parts that may be the minimum or maximum, each once, in the order of their texts."""
    kept = [part for _, part in sorted({str(part): part for part in parts}.items())]
    limit = _HIGHEST if kind == MIN else _LOWEST  # no number is beyond it
    if len(kept) > 1:
        kept = [part for part in kept if part.value != limit] or kept
    if len(kept) <= _MOST_COMPARED:
        for part in list(kept):
            if any(other is not part and _beats(kind, other, part, known) for other in kept):
                kept.remove(part)
    return kept


def _flat(kind: str, part: Polynomial) -> list[Polynomial]:
    """Return what a part brings: of `min(min(a, b) + c, d)`, a + c and b + c."""
    for monomial, factor in sorted(part.terms.items()):
        inner = monomial[0] if len(monomial) == 1 else None
        if not isinstance(inner, Atom) or inner.kind not in (MIN, MAX):
            continue
        if (inner.kind == kind) == (factor > 0):
            rest = part - Polynomial({monomial: factor})
            return [flat for each in inner.parts for flat in _flat(kind, each * factor + rest)]
    return [part]


def _beats(kind: str, better: Polynomial, part: Polynomial, known: Known) -> bool:
    return is_nonnegative(part - better if kind == MIN else better - part, known)


def _without_common(parts: Parts) -> tuple[Polynomial, Parts]:
    """Return what all parts have in common, and the parts without it: of n + m and n + 3, n, with m and 3."""
    shared: dict[Monomial, int] = {}
    for monomial in parts[0].terms:
        factors = [part.terms.get(monomial, 0) for part in parts]
        if min(factors) > 0:
            shared[monomial] = min(factors)
        elif max(factors) < 0:
            shared[monomial] = max(factors)
    if not shared:
        return Polynomial({}), parts
    shift = Polynomial(shared)
    return shift, tuple([part - shift for part in parts])


def _sum_opens_negative(parts: Parts) -> bool:
    added = Polynomial({})
    for part in parts:
        added = added + part
    return opens_negative(added)


def choice(chosen_by: Condition, a: Polynomial, b: Polynomial, known: Known) -> Polynomial:
    """Return `select(chosen_by, a, b)` for a condition that is not decided. [D.13 G.7]"""
    if a == b:
        return a
    opposite = negated(chosen_by, known)
    if chosen_by.kind == NONZERO or (chosen_by.kind != ZERO and str(opposite) < str(chosen_by)):
        chosen_by, a, b = opposite, b, a
    shift, rest = _without_common((a, b))
    factor = gcd(*rest[0].terms.values(), *rest[1].terms.values())
    if factor > 1:
        rest = tuple([divided(part, factor) for part in rest])
    chosen = _chosen_extremum(chosen_by, rest[0] - rest[1])
    if chosen is not None:
        return checked(shift + extremum(chosen, rest, known) * factor)
    return checked(shift + _named(term(SELECT, rest, chosen_by), known) * factor)


def _chosen_extremum(chosen_by: Condition, more: Polynomial) -> str | None:
    """Return whether a choice is the maximum or the minimum of two values that differ by `more`."""
    if chosen_by.kind != NONNEGATIVE:
        return None
    if chosen_by.value in (more, more - 1):
        return MAX
    return MIN if chosen_by.value in (-more, -more - 1) else None


def _named(made: Atom, known: Known) -> Polynomial:
    """Return a term as a polynomial: what the facts put in its place, or its only possible value, or itself."""
    equal = known.equal.get(made)
    if equal is not None:
        return equal
    low, high = of_atom(made, known)
    if low is not None and low == high and made.kind != NAME and _has_value(made, known):
        return Polynomial.constant(low)
    return Polynomial.name(made)


def _has_value(made: Atom, known: Known) -> bool:
    return made.kind not in (FLOOR, TRUNCATE) or is_zero(made.parts[1], known) is False
