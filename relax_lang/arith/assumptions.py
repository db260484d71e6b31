"""New facts from conditions that hold.

An equality is solved for a name or term in it, which it then replaces; a comparison of one name with a number
narrows its range; everything else is kept unchanged for the proofs to use.
"""

from __future__ import annotations

from relax_lang.arith.constraints.bounds import Known
from relax_lang.arith.constraints.conditions import equation, redecided
from relax_lang.arith.constraints.intervals import definition, of_atom
from relax_lang.arith.constraints.proofs import is_nonnegative, is_positive, least
from relax_lang.arith.polynomials.atoms import (
    AND,
    FALSE,
    FLOOR,
    NEVER,
    NONNEGATIVE,
    NONZERO,
    OR,
    TRUE,
    ZERO,
    Atom,
    atoms_below,
    condition,
    content,
    divided,
    replaced,
    total,
)
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.simplify import floor_quotient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.arith.constraints.bounds import Interval
    from relax_lang.arith.polynomials.atoms import Condition


def assume(known: Known, fact: Condition) -> Known:
    """Return what is known once a condition holds as well. [D.13]"""
    result = _with_fact(known, fact)
    if result is not known and result.clauses and not result.impossible:
        result = _with_decided_clauses(result)
    return result


def _with_fact(known: Known, fact: Condition) -> Known:
    if fact.kind == TRUE or known.impossible:
        return known
    if fact.kind == FALSE:
        return _changed(known, impossible=True)
    if fact.kind == AND:
        for part in fact.parts:
            known = _with_fact(known, _substituted(part, known))
        return known
    if fact.kind == OR:
        return known if fact in known.clauses else _changed(known, clauses=(*known.clauses, fact))
    if fact.kind == NONNEGATIVE:
        return _with_nonnegative(known, fact.value)
    if fact.kind == ZERO:
        return _with_zero(known, fact.value)
    assert fact.kind == NONZERO
    return _with_nonzero(known, fact.value)


def _with_decided_clauses(known: Known) -> Known:
    """Look again at the alternatives: where all but one are excluded, that one holds."""
    for clause in known.clauses:
        now = _substituted(clause, known)
        if now == clause:
            continue
        others = tuple([other for other in known.clauses if other != clause])
        if now == NEVER:
            return _changed(known, impossible=True)
        return assume(_changed(known, clauses=others), now)
    return known


def _changed(
    known: Known,
    *,
    ranges: dict[str, Interval] | None = None,
    nonnegative: tuple[Polynomial, ...] | None = None,
    nonzero: tuple[Polynomial, ...] | None = None,
    clauses: tuple[Condition, ...] | None = None,
    impossible: bool = False,
) -> Known:
    return Known(
        known.signed,
        known.equal,
        known.ranges if ranges is None else ranges,
        known.nonnegative if nonnegative is None else nonnegative,
        known.nonzero if nonzero is None else nonzero,
        known.clauses if clauses is None else clauses,
        known.impossible or impossible,
    )


def _with_nonnegative(known: Known, value: Polynomial) -> Known:
    common = content(value)
    if common == 0:
        return known if total(value) >= 0 else _changed(known, impossible=True)
    value = divided(value, common)
    if is_nonnegative(value, known):
        return known
    if is_positive(-value, known):
        return _changed(known, impossible=True)
    if is_nonnegative(-value, known):
        return _with_zero(known, value)
    monomials = [monomial for monomial in value.terms if monomial]
    if len(monomials) > 1:
        known = _changed(known, nonnegative=(*known.nonnegative, value))
        return _with_tight_disequalities(known, value.names())
    monomial = monomials[0]
    if len(monomial) == 1:
        return _with_range(known, monomial[0], value)
    known = _changed(known, nonnegative=(*known.nonnegative, value))
    if value.terms[monomial] > 0 and total(value) < 0 and _are_nonnegative(monomial, known):
        # A product of sizes that is at least 1 has no factor 0.
        for atom in sorted(set(monomial)):
            known = _with_nonnegative(known, Polynomial.name(atom) - 1)
    return known


def _are_nonnegative(atoms: tuple[str, ...], known: Known) -> bool:
    return all(is_nonnegative(Polynomial.name(atom), known) for atom in atoms)


def _with_range(known: Known, atom: str, value: Polynomial) -> Known:
    """Narrow the range of an atom by `atom + c >= 0` or `-atom + c >= 0`."""
    low, high = of_atom(atom, known)
    if value.terms[(atom,)] > 0:
        low = -total(value)
    else:
        high = total(value)
    ranges = dict(known.ranges)
    ranges[atom] = (low, high)
    narrowed = _changed(known, ranges=ranges)
    if low is not None and low == high:
        return _with_zero(narrowed, Polynomial.name(atom) - low)
    for other in known.nonnegative:
        # The narrower range may have made an inequality an equality.
        if atom in other.names() and is_nonnegative(-other, narrowed):
            return _with_zero(narrowed, other)
    return _with_tight_disequalities(narrowed, {atom})


def _with_tight_disequalities(known: Known, atoms: Collection[str]) -> Known:
    """Look again at what must not be 0, after something was assumed of these atoms: it may be 1 at least now."""
    for value in known.nonzero:
        if not value.names().isdisjoint(atoms) and 0 in (least(value, known, 0), least(-value, known, 0)):
            others = tuple([other for other in known.nonzero if other is not value])
            return _with_nonzero(_changed(known, nonzero=others), value)
    return known


def _with_nonzero(known: Known, value: Polynomial) -> Known:
    number = value.value
    if number is not None:
        return known if number else _changed(known, impossible=True)
    common = content(value)
    if common > 1 and total(value) % common:
        return known
    value = equation(value)
    if is_nonnegative(value, known):
        return _with_nonnegative(known, value - 1)
    if is_nonnegative(-value, known):
        return _with_nonnegative(known, -value - 1)
    return known if value in known.nonzero else _changed(known, nonzero=(*known.nonzero, value))


def _with_zero(known: Known, value: Polynomial) -> Known:
    number = value.value
    if number is not None:
        return known if number == 0 else _changed(known, impossible=True)
    common = content(value)
    if total(value) % common or is_positive(value, known) or is_positive(-value, known):
        return _changed(known, impossible=True)
    value = equation(value)
    atom = _solvable(value, known)
    if atom is None:
        both = [each for each in (value, -value) if each not in known.nonnegative]
        return _changed(known, nonnegative=(*known.nonnegative, *both))
    factor = value.terms[(atom,)]
    return _with_replaced(known, atom, (value - Polynomial({(atom,): factor})) * -factor)


def _solvable(value: Polynomial, known: Known) -> str | None:
    """Return the atom that an equality is best solved for: terms before names.

    None that occurs within another atom, except for n in `n == n // 4 * 4`: then n // 4 stays what it is.
    """
    best: tuple[bool, bool, str] | None = None
    for monomial, factor in value.terms.items():
        if len(monomial) != 1 or abs(factor) != 1:
            continue
        atom = monomial[0]
        others = [other for other in value.terms if other != monomial]
        if any(atom in other for other in others):
            continue
        around = {
            each for other in others for each in other if each != atom and atom in set(atoms_below((each,)))
        }
        by = (value - Polynomial({monomial: factor})) * -factor
        if any(not _survives(each, {atom: by}, known) for each in around):
            continue
        rank = (not around, isinstance(atom, Atom), atom)
        if best is None or rank > best:
            best = rank
    return None if best is None else best[2]


def _survives(atom: str, put: dict[str, Polynomial], known: Known) -> bool:
    """Return whether a quotient comes out as itself once a name in it is replaced."""
    if not isinstance(atom, Atom) or atom.kind != FLOOR:
        return False
    dividend, divisor = [replaced(part, put) for part in atom.parts]
    return floor_quotient(dividend, divisor, known) == Polynomial.name(atom)


def _with_replaced(known: Known, atom: str, by: Polynomial) -> Known:
    """Replace an atom everywhere, and keep what was known of it as a fact about the replacement."""
    put = {atom: by}
    equal = {each: replaced(value, put) for each, value in known.equal.items()}
    equal[atom] = by
    result = Known(known.signed, equal, known.ranges, impossible=known.impossible)
    low, high = of_atom(atom, known)
    facts = [replaced(fact, put) for fact in (*known.nonnegative, *definition(atom, known))]
    if low is not None:
        facts.append(by - low)
    if high is not None:
        facts.append(-by + high)
    for fact in facts:
        result = _with_nonnegative(result, replaced(fact, result.equal))
    for value in known.nonzero:
        result = _with_nonzero(result, replaced(replaced(value, put), result.equal))
    for clause in known.clauses:
        result = _with_fact(result, _substituted(clause, result))
    return result


def _substituted(item: Condition, known: Known) -> Condition:
    if item.parts:
        parts = tuple([_substituted(part, known) for part in item.parts])
        return redecided(condition(item.kind, parts=parts), known)
    return redecided(condition(item.kind, replaced(item.value, known.equal)), known)
