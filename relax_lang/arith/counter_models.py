"""Small values for which two dimensions differ: what a message shows where nothing could be proved.

Tries values; it never decides whether dimensions are equal. Every example fulfils the facts, and both dimensions
have a value for it, a size if that is possible.
"""

from __future__ import annotations

from itertools import islice

from relax_lang.arith.constraints.intervals import of_atom
from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.normal_form import atom_of
from relax_lang.arith.prover import EITHER, NEITHER
from relax_lang.arith.substitute import free_variables
from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from relax_lang.arith.facts import Facts
    from relax_lang.arith.polynomials.polynomial import Polynomial

    Values = dict[str, int]

_TRIES = 3000
_LARGEST = (1 << 63) - 1
_PLAIN = (1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16)


def counterexample(a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts = NO_FACTS) -> Values | None:
    """Return small values for the names in two dimensions for which they differ, or None if none was found. [D.13]"""
    return _example(a, b, facts, lambda left, right: left != right)


def clash(
    a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts = NO_FACTS, *, or_one: int = NEITHER
) -> Values | None:
    """Return values for which two extents differ, and none is 1 that `or_one` lets be 1; only sizes, or None. [D.13]"""

    def differ(left: int, right: int) -> bool:
        fits = left == right or (or_one != NEITHER and left == 1) or (or_one == EITHER and right == 1)
        return not fits and left >= 0 and right >= 0

    return _example(a, b, facts, differ)


def division_by_zero(exprs: tuple[tree.PrimExpr, ...], facts: Facts = NO_FACTS) -> Values | None:
    """Return small sizes for which a divisor in some dimensions is 0, or None if none were found. [D.13]"""
    divisors = [
        node.b
        for expr in exprs
        for node in walk(expr)
        if isinstance(node, tree.Div | tree.FloorDiv | tree.FloorMod) and not isinstance(node.b, tree.IntImm)
    ]
    for divisor in divisors:
        conditions = _concerning(free_variables(divisor), facts.conditions)
        names = dict.fromkeys(
            (*free_variables(divisor), *[name for each in conditions for name in free_variables(each)])
        )
        for values in _assignments(list(names), (divisor, *conditions), facts):
            if _may_be(divisor, 0, values) and all(_may_be(each, True, values) for each in conditions):
                return {name: values[name] for name in free_variables(divisor)}
    return None


def _may_be(expr: tree.PrimExpr, wanted: int, values: Values) -> bool:
    """Return whether an expression has a value, or has none as it divides by 0 itself."""
    try:
        return evaluate(expr, values) == wanted
    except DimensionError:
        return True


def _example(
    a: tree.PrimExpr, b: tree.PrimExpr, facts: Facts, wanted: Callable[[int, int], bool]
) -> Values | None:
    shown = dict.fromkeys((*free_variables(a), *free_variables(b)))
    conditions = _concerning(shown, facts.conditions)
    names = dict.fromkeys((*shown, *[name for each in conditions for name in free_variables(each)]))
    second_best: Values | None = None
    for values in _assignments(list(names), (a, b, *conditions), facts):
        try:
            if not all(evaluate(each, values) for each in conditions):
                continue
            left, right = evaluate(a, values), evaluate(b, values)
        except DimensionError:
            continue
        if wanted(left, right):
            found = {name: values[name] for name in names}
            if left >= 0 and right >= 0:
                return found
            second_best = second_best or found
    return second_best


def _concerning(names: Iterable[str], conditions: tuple[tree.PrimExpr, ...]) -> list[tree.PrimExpr]:
    """Return the conditions on these names, and on names that those connect them with."""
    reached = set(names)
    left = [(each, set(free_variables(each))) for each in conditions]
    found: list[tree.PrimExpr] = []
    grown = True
    while grown:
        grown = False
        for item in list(left):
            if not reached.isdisjoint(item[1]) or not item[1]:
                reached |= item[1]
                found.append(item[0])
                left.remove(item)
                grown = True
    return found


def _assignments(names: list[str], exprs: tuple[tree.PrimExpr, ...], facts: Facts) -> Iterator[Values]:
    """Yield values for names, small and plain ones first; a name known to equal an expression follows the others."""
    following = {
        name: by for name in names if (by := facts.known.equal.get(name)) and by.names() <= set(names)
    }
    leading = [name for name in names if name not in following]
    literals = {node.value for expr in exprs for node in walk(expr) if isinstance(node, tree.IntImm)}
    choices = [_choices(name, literals, facts) for name in leading]
    if not all(choices):
        return
    for places in islice(_places([len(each) for each in choices]), _TRIES):
        values = {name: each[place] for name, each, place in zip(leading, choices, places, strict=True)}
        values.update({name: _value(by, values) for name, by in following.items()})
        if all(_is_allowed(name, values[name], facts) for name in following):
            yield values


def _value(polynomial: Polynomial, values: Values) -> int:
    result = 0
    for monomial, factor in polynomial.terms.items():
        for name in monomial:
            factor *= values[name]
        result += factor
    return result


def _is_allowed(name: str, value: int, facts: Facts) -> bool:
    low, high = of_atom(atom_of(name), facts.known)
    return (low is None or value >= low) and (high is None or value <= high)


def _choices(name: str, literals: set[int], facts: Facts) -> list[int]:
    low = of_atom(atom_of(name), facts.known)[0]
    start = 0 if low is None else low
    around = [literal + step for literal in sorted(literals) for step in (0, 1, -1)]
    negative = [-1, -2, -3] if low is None else []
    candidates = dict.fromkeys((*_PLAIN, *[start + step for step in range(6)], *around, *negative))
    return [value for value in candidates if abs(value) <= _LARGEST and _is_allowed(name, value, facts)]


def _places(sizes: list[int]) -> Iterator[list[int]]:
    """Yield index lists in the order of their sums, so that no name runs ahead of the others."""
    for distance in range(sum(sizes) - len(sizes) + 1):
        yield from _places_at(sizes, distance)


def _places_at(sizes: list[int], distance: int) -> Iterator[list[int]]:
    if not sizes:
        yield []
        return
    room = sum([size - 1 for size in sizes[1:]])
    for first in range(max(0, distance - room), min(sizes[0] - 1, distance) + 1):
        for others in _places_at(sizes[1:], distance - first):
            yield [first, *others]
