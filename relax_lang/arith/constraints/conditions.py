"""Conditions in normal form: comparisons with 0, decided where that is possible, joined by and / or."""

from __future__ import annotations

from relax_lang.arith.constraints.proofs import is_nonnegative, is_positive, least
from relax_lang.arith.polynomials.atoms import (
    ALWAYS,
    AND,
    FALSE,
    NEVER,
    NONNEGATIVE,
    NONZERO,
    OR,
    TRUE,
    ZERO,
    condition,
    content,
    divided,
    opens_negative,
    total,
)
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.constraints.bounds import Known
    from relax_lang.arith.polynomials.atoms import Condition


def nonnegative(value: Polynomial, known: Known) -> Condition:
    """Return the condition `value >= 0`. [G.8]"""
    number = value.value
    if number is not None:
        return ALWAYS if number >= 0 else NEVER
    if is_nonnegative(value, known):
        return ALWAYS
    if is_positive(-value, known):
        return NEVER
    return condition(NONNEGATIVE, divided(value, content(value)))


def zero(value: Polynomial, known: Known) -> Condition:
    """Return the condition `value == 0`. [G.8]"""
    answer = is_zero(value, known)
    if answer is not None:
        return ALWAYS if answer else NEVER
    return condition(ZERO, equation(value))


def is_zero(value: Polynomial, known: Known) -> bool | None:
    """Return whether a polynomial is 0 for all values that the facts allow, for none of them, or neither. [D.13]"""
    number = value.value
    if number is not None:
        return number == 0
    common = content(value)
    if common > 1 and total(value) % common:
        return False
    value = equation(value)
    if value in known.nonzero:
        return False
    low = least(value, known, 1)
    opposite = least(-value, known, 1)
    if low is not None and low >= 0:
        if low > 0:
            return False
        return True if opposite == 0 else None
    return False if opposite is not None and opposite > 0 else None


def equation(value: Polynomial) -> Polynomial:
    """Return the usual form of a polynomial that is compared with 0: divided by a number, first factor positive."""
    common = content(value)
    if common > 1 and total(value) % common == 0:
        value = divided(value, common)
    return -value if opens_negative(value) else value


def negated(item: Condition, known: Known) -> Condition:
    """Return the opposite of a condition. [G.6]"""
    if item.kind == NONNEGATIVE:
        return condition(NONNEGATIVE, -item.value - 1)
    if item.kind in (ZERO, NONZERO):
        return condition(NONZERO if item.kind == ZERO else ZERO, item.value)
    if item.kind in (TRUE, FALSE):
        return NEVER if item.kind == TRUE else ALWAYS
    return joined(OR if item.kind == AND else AND, [negated(part, known) for part in item.parts], known)


def joined(kind: str, items: Iterable[Condition], known: Known) -> Condition:
    """Return conditions joined by and, or by or, without repetitions. [G.6]"""
    neutral, absorbing = (ALWAYS, NEVER) if kind == AND else (NEVER, ALWAYS)
    parts: set[Condition] = set()
    for item in items:
        if item == absorbing:
            return absorbing
        parts.update(item.parts if item.kind == kind else (item,))
    parts.discard(neutral)
    for part in parts:
        if part.kind in (NONNEGATIVE, ZERO, NONZERO) and negated(part, known) in parts:
            return absorbing
    ordered = sorted(parts)
    if not ordered:
        return neutral
    return ordered[0] if len(ordered) == 1 else condition(kind, parts=tuple(ordered))


def redecided(item: Condition, known: Known) -> Condition:
    """Return the normal form of a condition under other facts than those under which it was made."""
    if item.kind == NONNEGATIVE:
        return nonnegative(item.value, known)
    if item.kind == ZERO:
        return zero(item.value, known)
    if item.kind == NONZERO:
        return negated(zero(item.value, known), known)
    if item.parts:
        return joined(item.kind, [redecided(part, known) for part in item.parts], known)
    return item
