"""Whether what sizes decide about a planned call changes in one direction as they grow. [TIR.21]

If it does, what holds for two combinations of sizes holds for all in between, so that a tensor that grows with each
call is not asked about at each of its sizes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.constant_folding import named_sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Expr, Scalar, Statement

_COMPARISONS = ("<", "<=", ">", ">=", "==")


class _Course(NamedTuple):
    """How a number changes as sizes grow: 1 if it never falls, -1 if it never rises, 0 if it stays; and whether it is
    never negative.
    """

    direction: int
    nonnegative: bool


_GROWING = _Course(1, True)
_Known = dict[str, _Course]


def are_monotone(
    statements: Sequence[Statement],
    numbers: Sequence[str],
    wanted: Sequence[tuple[str, Scalar]],
    made: Sequence[Scalar],
) -> bool:
    """Return whether conditions on sizes, and sizes of arrays that are `made`, change in one direction.

    `statements` define and require, `wanted` are sizes that names must have. The sizes of arrays and the `numbers`
    that are given are never negative, and grow or stay.
    """
    known: _Known = dict.fromkeys(numbers, _GROWING)
    for statement in statements:
        sizes = named_sizes(statement)
        if sizes is not None:
            known.update({name: _GROWING for name, _ in sizes[1]})
            continue
        match statement:
            case ir.Require(conditions):
                if not all(_is_decided_once(one, known) for one in conditions):
                    return False
            case ir.Define(name, ir.Call("int", (Ref(given),))) if given in known:
                known[name] = known[given]
            case ir.Define(name, value):
                found = _course(value, known)
                if found is None:
                    known.pop(name, None)
                else:
                    known[name] = found
            case _:
                return False
    same = [ir.ScalarOp("==", (Ref(name), size)) for name, size in wanted]
    return all(_is_decided_once(one, known) for one in same) and None not in [
        _course(one, known) for one in made
    ]


def _is_decided_once(condition: Expr, known: _Known) -> bool:
    """Return whether a condition that holds for two combinations of sizes holds for all in between."""
    match condition:
        case ir.ScalarOp("and", parts):
            return all(_is_decided_once(one, known) for one in parts)
        case ir.ScalarOp("or", parts):
            return any(_is_always_true(one, known) for one in parts)
        case ir.ScalarOp(op, parts) if op in _COMPARISONS:
            courses = [_course(one, known) for one in parts]
            return all(
                a is not None and b is not None and (a.direction == 0 or a.direction != b.direction)
                for a, b in pairwise(courses)
            )
        case _:
            return False


def _is_always_true(condition: Expr, known: _Known) -> bool:
    """Return whether a number is compared with one below it: one that is never negative with 0 or less."""
    match condition:
        case ir.ScalarOp(">=", (value, Literal(int(least)))):
            pass
        case ir.ScalarOp(">=", (value, Polynomial() as bound)) if bound.value is not None:
            least = bound.value
        case _:
            return False
    found = _course(value, known)
    return found is not None and found.nonnegative and least <= 0


def _course(value: Expr, known: _Known) -> _Course | None:
    """Return how a number changes; None if that is not known."""
    match value:
        case Literal(int(number)):
            return _Course(0, number >= 0)
        case Ref(name):
            return known.get(name)
        case Polynomial():
            return _of_polynomial(value, known)
        case ir.ScalarOp("min" | "max" | "+", parts):
            return _together([_course(one, known) for one in parts])
        case ir.ScalarOp("//", (a, b)):
            return _of_quotient(_course(a, known), b, known)
        case _:
            return None


def _together(courses: Sequence[_Course | None]) -> _Course | None:
    """Return how a sum of numbers changes, or the least or the greatest of them."""
    found = [one for one in courses if one is not None]
    directions = {one.direction for one in found} - {0}
    if len(found) < len(courses) or len(directions) > 1:
        return None
    return _Course(sum(directions), all(one.nonnegative for one in found))


def _of_polynomial(value: Polynomial, known: _Known) -> _Course | None:
    terms: list[_Course | None] = []
    for monomial, factor in value.terms.items():
        factors = [known.get(name) for name in monomial]
        if len(factors) > 1 and not all(one is not None and one.nonnegative for one in factors):
            return None
        term = _together(factors)
        if term is None:
            return None
        terms.append(
            _Course(term.direction if factor >= 0 else -term.direction, term.nonnegative and factor >= 0)
        )
    return _together(terms)


def _of_quotient(a: _Course | None, by: Expr, known: _Known) -> _Course | None:
    """`a // by`, where `by` is positive."""
    b = _course(by, known)
    if a is None or b is None or not _is_positive(by, known):
        return None
    if b.direction == 0:
        return a
    return _Course(-b.direction, True) if a.direction == 0 and a.nonnegative else None


def _is_positive(value: Expr, known: _Known) -> bool:
    match value:
        case Literal(int(number)):
            return number > 0
        case Polynomial():
            found = _course(value, known)
            return value.terms.get((), 0) > 0 and found is not None and found.nonnegative
        case ir.ScalarOp("max", parts):
            return any(_is_positive(one, known) for one in parts)
        case _:
            return False
