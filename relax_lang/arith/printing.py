"""From normal forms back to expressions that people read: `n * 2 + 1`, `n % 4`, `m < n`.

The order of terms depends on nothing but the terms. What is made here has the normal form that it was made from.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.normal_form import condition_of, polynomial_of
from relax_lang.arith.polynomials.atoms import (
    AND,
    FLOOR,
    MAX,
    MIN,
    NAME,
    NONNEGATIVE,
    TRUE,
    TRUNCATE,
    ZERO,
    Atom,
    TooComplexError,
    term,
    total,
)
from relax_lang.arith.polynomials.division import exact_quotient
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import children
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.facts import Facts
    from relax_lang.arith.polynomials.atoms import Condition
    from relax_lang.arith.polynomials.polynomial import Monomial
    from relax_lang.base.node import Node

    # A product that is added: its number, and its other factors.
    Part = tuple[int, tuple[tree.PrimExpr, ...]]


def simplified(expr: tree.PrimExpr, facts: Facts = NO_FACTS) -> tree.PrimExpr:
    """Return the usual form of a dimension or condition; what has none is returned unchanged. [D.13]

    Under facts, names may be replaced by what they are known to be equal to, unless that would write a division by 0:
    `select(n == 3, n // (2 // n), n)` has none where `n` is another number.
    """
    try:
        if isinstance(expr, _CONDITIONS):
            return condition_expression(condition_of(expr, facts.known))
        made = expression(polynomial_of(expr, facts.known))
        return expr if _divides_by_zero(made) else made
    except (DimensionError, TooComplexError):
        return expr


def _divides_by_zero(expr: tree.PrimExpr) -> bool:
    nodes: list[Node] = [expr]
    for node in nodes:
        if isinstance(node, _DIVISIONS) and isinstance(node.b, tree.IntImm) and node.b.value == 0:
            return True
        nodes += children(node)
    return False


_DIVISIONS = (tree.FloorDiv, tree.FloorMod, tree.Div)

_CONDITIONS = (tree.BoolImm, tree.Comparison, tree.Logical, tree.Not)


def expression(value: Polynomial) -> tree.PrimExpr:
    """Return a polynomial as an expression: positive terms first, numbers last. [D.13]"""
    return _sum(*_parts(value))


def _parts(value: Polynomial) -> tuple[list[Part], int]:
    """Return what is added up, remainders first, and the number among it."""
    parts, rest = _remainders(value)
    ordered = sorted([item for item in rest.terms.items() if item[0]], key=_place)
    flipped = None
    if not any(factor > 0 for factor in (*rest.terms.values(), *[factor for factor, _ in parts])):
        flipped = next((item for item in ordered if _is_extremum(item[0])), None)
    for monomial, factor in ordered:
        if flipped is not None and monomial is flipped[0]:  # `max(n - k, 0)` rather than `-min(k - n, 0)`
            parts.append((-factor, (_atom(_opposite_atom(monomial[0])),)))
        else:
            parts.append((factor, _atoms(monomial)))
    return parts, total(rest)


def _is_extremum(monomial: Monomial) -> bool:
    atom = monomial[0]
    return len(monomial) == 1 and isinstance(atom, Atom) and atom.kind in (MIN, MAX)


def _opposite_atom(atom: str) -> Atom:
    """Return the maximum whose opposite is a minimum, and the other way round."""
    assert isinstance(atom, Atom)
    return term(MAX if atom.kind == MIN else MIN, tuple([-part for part in atom.parts]))


def _sum(parts: list[Part], number: int) -> tree.PrimExpr:
    positive = [part for part in parts if part[0] > 0]
    negative = [part for part in parts if part[0] < 0]
    if number:
        (positive if number > 0 else negative).append((number, ()))
    if not positive and not negative:
        return tree.IntImm(0)
    result = _product(positive.pop(0)) if positive else _opposite(negative.pop(0))
    for part in positive:
        result = tree.Add(result, _product(part))
    for factor, atoms in negative:
        result = tree.Sub(result, _product((-factor, atoms)))
    return result


def _place(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    """Sort products of many names first, then by names; names in a term count, too."""
    return -len(term[0]), [atom.lstrip("(") for atom in term[0]]


def _product(part: Part) -> tree.PrimExpr:
    factor, atoms = part
    if not atoms:
        return tree.IntImm(factor)
    result = atoms[0]
    for atom in atoms[1:]:
        result = tree.Mul(result, atom)
    return result if factor == 1 else tree.Mul(result, tree.IntImm(factor))


def _opposite(part: Part) -> tree.PrimExpr:
    """Return a product with a negative factor, which comes first in a sum."""
    factor, atoms = part
    if not atoms:
        return tree.Neg(tree.IntImm(-factor))
    return _product((-factor, (tree.Neg(atoms[0]), *atoms[1:])))


def _remainders(value: Polynomial) -> tuple[list[Part], Polynomial]:
    """Take the remainders out of a sum: where k * (a - b * (a // b)) makes it shorter, it is k * (a % b)."""
    found: list[Part] = []
    candidates = [atom for atom in value.names() if isinstance(atom, Atom) and atom.kind == FLOOR]
    for atom in sorted(candidates, key=lambda atom: (-len(atom), atom)):
        factor = value.coefficient(atom)
        dividend, divisor = atom.parts
        if factor is None or not factor.terms or not divisor.terms:
            continue
        times = exact_quotient(-factor, divisor)
        if times is None:
            continue
        rest = value - times * (dividend - divisor * Polynomial.name(atom))
        if len(rest.terms) + len(times.terms) >= len(value.terms):
            continue
        value = rest
        made = tree.FloorMod(expression(dividend), expression(divisor))
        for monomial, number in sorted(times.terms.items(), key=_place):
            found.append((number, (*_atoms(monomial), made)))
    return found, value


def _atoms(monomial: Monomial) -> tuple[tree.PrimExpr, ...]:
    ordered = sorted(monomial, key=lambda atom: (isinstance(atom, Atom), atom))
    return tuple([_atom(atom) for atom in ordered])


def _atom(atom: str) -> tree.PrimExpr:
    if not isinstance(atom, Atom):
        return tree.PrimVar(atom)
    if atom.kind == NAME:
        return tree.PrimVar(atom.name)
    numbers_last = sorted(atom.parts, key=_is_number) if atom.kind in (MIN, MAX) else atom.parts
    parts = [expression(part) for part in numbers_last]
    if atom.condition is not None:
        return tree.Select(condition_expression(atom.condition), parts[0], parts[1])
    if atom.kind in (FLOOR, TRUNCATE):
        return (tree.FloorDiv if atom.kind == FLOOR else tree.Div)(parts[0], parts[1])
    result = parts[0]
    for part in parts[1:]:
        result = (tree.Min if atom.kind == MIN else tree.Max)(result, part)
    return result


def _is_number(value: Polynomial) -> bool:
    return value.value is not None


def condition_expression(item: Condition) -> tree.PrimExpr:
    """Return a condition as an expression: positive terms on the left, negative ones on the right. [D.13]"""
    if item.parts:
        result = condition_expression(item.parts[0])
        for part in item.parts[1:]:
            result = (tree.And if item.kind == AND else tree.Or)(result, condition_expression(part))
        return result
    if not item.value.terms:
        return tree.BoolImm(item.kind == TRUE)
    parts, number = _parts(item.value)
    left = [part for part in parts if part[0] > 0]
    right = [(-factor, atoms) for factor, atoms in parts if factor < 0]
    if item.kind == NONNEGATIVE and number == -1 and left and right:
        return tree.GT(_sum(left, 0), _sum(right, 0))
    sides = _sum(left, max(number, 0)), _sum(right, max(-number, 0))
    if not left:
        sides = sides[1], sides[0]
    if item.kind != NONNEGATIVE:
        return (tree.EQ if item.kind == ZERO else tree.NE)(*sides)
    return (tree.GE if left else tree.LE)(*sides)
