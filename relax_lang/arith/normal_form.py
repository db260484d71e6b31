"""From expressions to their normal form: a polynomial for a number, a `Condition` for what is true or false.

Two expressions with the same polynomial have the same value for all names; the converse does not hold for
everything, see `prover`. Sums and products are followed without recursion along their left side.
"""

from __future__ import annotations

from relax_lang.arith.assumptions import assume
from relax_lang.arith.constraints.conditions import joined, negated, nonnegative, redecided, zero
from relax_lang.arith.evaluate import NOT_A_DIMENSION, DimensionError
from relax_lang.arith.polynomials.atoms import (
    ALWAYS,
    AND,
    FLOOR,
    MAX,
    MIN,
    NAME,
    NEVER,
    OR,
    TRUNCATE,
    Atom,
    checked,
    condition,
    odd_name,
    product,
    replaced,
)
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.simplify import choice, extremum, floor_quotient, remainder, truncated_quotient
from relax_lang.base.node import same
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from relax_lang.arith.constraints.bounds import Known
    from relax_lang.arith.polynomials.atoms import Condition
    from relax_lang.arith.polynomials.polynomial import Monomial
    from relax_lang.base.node import Table

_REMEMBERED = 4000


def polynomial_of(expr: tree.PrimExpr, known: Known) -> Polynomial:
    """Return the normal form of a number; raises DimensionError where a part is none, TooComplexError. [D.13]"""
    found = known.polynomials.get(expr)
    if found is None:
        found = _NUMBERS[type(expr)](expr, known)
        if len(known.polynomials) > _REMEMBERED:
            known.polynomials.clear()
        known.polynomials[expr] = found
    return found


def condition_of(expr: tree.PrimExpr, known: Known) -> Condition:
    """Return the normal form of a condition; raises as `polynomial_of` does. [D.13 G.6]"""
    found = known.conditions.get(expr)
    if found is None:
        found = _CONDITIONS[type(expr)](expr, known)
        if len(known.conditions) > _REMEMBERED:
            known.conditions.clear()
        known.conditions[expr] = found
    return found


def _refuse(expr: tree.PrimExpr, known: Known) -> NoReturn:
    raise DimensionError(NOT_A_DIMENSION, expr)


def atom_of(name: str) -> str:
    """Return the atom of a name."""
    return name if name.isidentifier() else odd_name(name)


def _name(expr: tree.PrimVar, known: Known) -> Polynomial:
    atom = atom_of(expr.name)
    return known.equal.get(atom) or Polynomial.name(atom)


def _literal(expr: tree.IntImm, known: Known) -> Polynomial:
    return checked(Polynomial.constant(expr.value))


def _sum(expr: tree.PrimExpr, known: Known) -> Polynomial:
    terms: dict[Monomial, int] = {}
    stack: list[tuple[tree.PrimExpr, int]] = [(expr, 1)]
    while stack:
        node, sign = stack.pop()
        if isinstance(node, tree.Add | tree.Sub):
            stack.append((node.b, sign if isinstance(node, tree.Add) else -sign))
            stack.append((node.a, sign))
        elif isinstance(node, tree.Neg):
            stack.append((node.a, -sign))
        elif type(node) is tree.IntImm:
            terms[()] = terms.get((), 0) + sign * node.value
        elif type(node) is tree.Mul and type(node.b) is tree.IntImm:
            stack.append((node.a, sign * node.b.value))
        else:
            for monomial, factor in polynomial_of(node, known).terms.items():
                terms[monomial] = terms.get(monomial, 0) + sign * factor
    return checked(Polynomial(terms))


def _product(expr: tree.Mul, known: Known) -> Polynomial:
    factors: list[tree.PrimExpr] = []
    left: tree.PrimExpr = expr
    while isinstance(left, tree.Mul):
        factors.append(left.b)
        left = left.a
    result = polynomial_of(left, known)
    for factor in reversed(factors):
        result = product(result, polynomial_of(factor, known))
    return result


def _floor_div(expr: tree.FloorDiv, known: Known) -> Polynomial:
    return checked(floor_quotient(polynomial_of(expr.a, known), polynomial_of(expr.b, known), known))


def _floor_mod(expr: tree.FloorMod, known: Known) -> Polynomial:
    return remainder(polynomial_of(expr.a, known), polynomial_of(expr.b, known), known)


def _div(expr: tree.Div, known: Known) -> Polynomial:
    return checked(truncated_quotient(polynomial_of(expr.a, known), polynomial_of(expr.b, known), known))


def _min(expr: tree.Min, known: Known) -> Polynomial:
    return extremum(MIN, (polynomial_of(expr.a, known), polynomial_of(expr.b, known)), known)


def _max(expr: tree.Max, known: Known) -> Polynomial:
    return extremum(MAX, (polynomial_of(expr.a, known), polynomial_of(expr.b, known)), known)


def _select(expr: tree.Select, known: Known) -> Polynomial:
    chosen_by = condition_of(expr.condition, known)
    if chosen_by in (ALWAYS, NEVER):
        return polynomial_of(expr.true_value if chosen_by == ALWAYS else expr.false_value, known)
    if same(expr.true_value, expr.false_value):
        return polynomial_of(expr.true_value, known)
    yes, no = assume(known, chosen_by), assume(known, negated(chosen_by, known))
    if yes.impossible or no.impossible:
        return polynomial_of(expr.false_value if yes.impossible else expr.true_value, known)
    # Each side is simplified under the condition that it is chosen by.
    return choice(chosen_by, polynomial_of(expr.true_value, yes), polynomial_of(expr.false_value, no), known)


_NUMBERS: Table[tree.PrimExpr, Callable[[Any, Known], Polynomial]] = {
    tree.PrimVar: _name,
    tree.IntImm: _literal,
    tree.Add: _sum,
    tree.Sub: _sum,
    tree.Neg: _sum,
    tree.Mul: _product,
    tree.Div: _div,
    tree.FloorDiv: _floor_div,
    tree.FloorMod: _floor_mod,
    tree.Min: _min,
    tree.Max: _max,
    tree.Select: _select,
    tree.FloatImm: _refuse,
    tree.BoolImm: _refuse,
    tree.Not: _refuse,
    **dict.fromkeys((*tree.COMPARISON, *tree.LOGICAL, *tree.PRIM_FUNC_ONLY), _refuse),
}


def _difference(a: tree.PrimExpr, b: tree.PrimExpr, known: Known) -> Polynomial:
    return polynomial_of(a, known) - polynomial_of(b, known)


def _truth(expr: tree.BoolImm, known: Known) -> Condition:
    return ALWAYS if expr.value else NEVER


def _equal(expr: tree.EQ, known: Known) -> Condition:
    return zero(_difference(expr.a, expr.b, known), known)


def _not_equal(expr: tree.NE, known: Known) -> Condition:
    return negated(zero(_difference(expr.a, expr.b, known), known), known)


def _less(expr: tree.LT, known: Known) -> Condition:
    return nonnegative(_difference(expr.b, expr.a, known) - 1, known)


def _less_equal(expr: tree.LE, known: Known) -> Condition:
    return nonnegative(_difference(expr.b, expr.a, known), known)


def _greater(expr: tree.GT, known: Known) -> Condition:
    return nonnegative(_difference(expr.a, expr.b, known) - 1, known)


def _greater_equal(expr: tree.GE, known: Known) -> Condition:
    return nonnegative(_difference(expr.a, expr.b, known), known)


def _connected(expr: tree.And | tree.Or, known: Known) -> Condition:
    kind = type(expr)
    parts: list[Condition] = []
    left: tree.PrimExpr = expr
    while isinstance(left, tree.And | tree.Or) and type(left) is kind:
        parts.append(condition_of(left.b, known))
        left = left.a
    parts.append(condition_of(left, known))
    return joined(AND if kind is tree.And else OR, reversed(parts), known)


def _not(expr: tree.Not, known: Known) -> Condition:
    return negated(condition_of(expr.a, known), known)


def _chosen(expr: tree.Select, known: Known) -> Condition:
    chosen_by = condition_of(expr.condition, known)
    yes, no = condition_of(expr.true_value, known), condition_of(expr.false_value, known)
    taken = joined(AND, (chosen_by, yes), known)
    return joined(OR, (taken, joined(AND, (negated(chosen_by, known), no), known)), known)


_CONDITIONS: Table[tree.PrimExpr, Callable[[Any, Known], Condition]] = {
    tree.BoolImm: _truth,
    tree.EQ: _equal,
    tree.NE: _not_equal,
    tree.LT: _less,
    tree.LE: _less_equal,
    tree.GT: _greater,
    tree.GE: _greater_equal,
    tree.And: _connected,
    tree.Or: _connected,
    tree.Not: _not,
    tree.Select: _chosen,
    tree.PrimVar: _refuse,
    tree.IntImm: _refuse,
    tree.FloatImm: _refuse,
    tree.Neg: _refuse,
    **dict.fromkeys((*tree.ARITHMETIC, *tree.PRIM_FUNC_ONLY), _refuse),
}


def rebuilt(value: Polynomial, known: Known) -> Polynomial:
    """Return the normal form that a polynomial, made under weaker facts, has under these."""
    atoms = {atom: _rebuilt_atom(atom, known) for atom in value.names()}
    if all(new.terms == {(atom,): 1} for atom, new in atoms.items()):
        return value
    return replaced(value, atoms)


def rebuilt_condition(item: Condition, known: Known) -> Condition:
    """Return the normal form that a condition, made under weaker facts, has under these."""
    if item.parts:
        return joined(item.kind, [rebuilt_condition(part, known) for part in item.parts], known)
    return redecided(condition(item.kind, rebuilt(item.value, known)), known)


def _rebuilt_atom(atom: str, known: Known) -> Polynomial:
    found = known.equal.get(atom) or known.rebuilt.get(atom)
    if found is None:
        found = Polynomial.name(atom)
        if isinstance(atom, Atom) and atom.kind != NAME:
            found = _rebuilt_term(atom, known)
        if len(known.rebuilt) > _REMEMBERED:
            known.rebuilt.clear()
        known.rebuilt[atom] = found
    return found


def _rebuilt_term(item: Atom, known: Known) -> Polynomial:
    chosen_by = item.condition
    if chosen_by is None:
        parts = tuple([rebuilt(part, known) for part in item.parts])
        if item.kind == FLOOR:
            return floor_quotient(parts[0], parts[1], known)
        if item.kind == TRUNCATE:
            return truncated_quotient(parts[0], parts[1], known)
        return extremum(item.kind, parts, known)
    chosen_by = rebuilt_condition(chosen_by, known)
    if chosen_by in (ALWAYS, NEVER):
        return rebuilt(item.parts[0 if chosen_by == ALWAYS else 1], known)
    yes, no = assume(known, chosen_by), assume(known, negated(chosen_by, known))
    if yes.impossible or no.impossible:
        return rebuilt(item.parts[1 if yes.impossible else 0], known)
    return choice(chosen_by, rebuilt(item.parts[0], yes), rebuilt(item.parts[1], no), known)
