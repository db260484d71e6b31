"""The questions one asks about dimensions, answered surely or not at all. [D.13 C.4.5 C.5.6]

Names are sizes, at least 0, unless the facts say otherwise. An answer holds for all values that the facts allow
and for which both expressions have one: programs that divide by zero or overflow int64 there are left out, and so
is code that no dimension is made of (loads, calls, fractions), of which nothing is known. Where the facts
contradict each other nothing is answered.
"""

from __future__ import annotations

from relax_lang.arith.facts import NO_FACTS, Facts
from relax_lang.base.node import same
from relax_lang.syntax import tree

# What proves is imported where something is to be proved: most programs compare names with themselves.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from relax_lang.arith.facts import Answer

__all__ = [
    "DIFFERENT",
    "EITHER",
    "EQUAL",
    "FIRST",
    "NEITHER",
    "NO_FACTS",
    "UNKNOWN",
    "Facts",
    "bounds",
    "compare",
    "differ_if_not_empty",
    "prove",
]

EQUAL: Literal["equal"] = "equal"
DIFFERENT: Literal["different"] = "different"
NEITHER, FIRST, EITHER = 0, 1, 2
"""Which of two extents that have to be equal may be 1 all the same."""
UNKNOWN: Literal["unknown"] = "unknown"

_REMEMBERED = 4000


def compare(a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts = NO_FACTS) -> Answer:
    """Return whether two dimensions are always equal, never equal, or neither is known. [D.13]"""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return EQUAL if a.value == b.value else DIFFERENT
    if type(a) is tree.PrimVar and type(b) is tree.PrimVar and a.name == b.name:
        return EQUAL
    found = facts.answers.get((a, b))
    if found is None:
        found = _compare(a, b, facts)
        if len(facts.answers) > _REMEMBERED:
            facts.answers.clear()
        facts.answers[a, b] = found
    return found


def _compare(a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts) -> Answer:
    from relax_lang.arith import case_split
    from relax_lang.arith.evaluate import DimensionError
    from relax_lang.arith.normal_form import polynomial_of
    from relax_lang.arith.polynomials.atoms import TooComplexError

    known = facts.known
    try:
        difference = polynomial_of(a, known) - polynomial_of(b, known)
        if not difference.terms:
            return EQUAL
        answer = None if known.impossible else case_split.is_zero(difference, known)
    except TooComplexError:
        return EQUAL if same(a, b) else UNKNOWN
    except DimensionError:
        return UNKNOWN
    return UNKNOWN if answer is None else EQUAL if answer else DIFFERENT


def differ_if_not_empty(a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts = NO_FACTS) -> bool:
    """Return whether two dimensions are never equal where all sizes in them are at least 1. [OP.6]"""
    from relax_lang.arith.substitute import free_variables

    for name in dict.fromkeys((*free_variables(a), *free_variables(b))):
        facts = facts.with_(tree.GE(tree.PrimVar(name), tree.IntImm(1)))
    return compare(a, b, facts) == DIFFERENT


def prove(condition: tree.PrimExpr, facts: Facts = NO_FACTS) -> bool | None:
    """Return whether a condition is always true, always false, or None if neither is known. [D.13 G.6]"""
    from relax_lang.arith import case_split
    from relax_lang.arith.evaluate import DimensionError
    from relax_lang.arith.normal_form import condition_of
    from relax_lang.arith.polynomials.atoms import TooComplexError

    known = facts.known
    try:
        normal = condition_of(condition, known)
        return None if known.impossible else case_split.decided(normal, known)
    except (TooComplexError, DimensionError):
        return None


def bounds(expr: tree.PrimExpr, facts: Facts = NO_FACTS) -> tuple[int | None, int | None]:
    """Return numbers that a dimension is never below and never above; None where there is none known. [D.13]"""
    from relax_lang.arith.constraints.proofs import least
    from relax_lang.arith.evaluate import DimensionError
    from relax_lang.arith.normal_form import polynomial_of
    from relax_lang.arith.polynomials.atoms import TooComplexError

    known = facts.known
    try:
        value = polynomial_of(expr, known)
        if known.impossible:
            return None, None
        low, high = least(value, known), least(-value, known)
    except (TooComplexError, DimensionError):
        return None, None
    return low, None if high is None else -high
