"""Dimensions while a model is imported: expressions over shape variables, kept in their usual form."""

from __future__ import annotations

import math

from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.normal_form import polynomial_of
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.arith.polynomials.division import exact_quotient
from relax_lang.arith.printing import expression, simplified
from relax_lang.arith.prover import DIFFERENT, EQUAL, NO_FACTS, bounds, compare
from relax_lang.format.printer import show
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Dim = tree.PrimExpr
    Dims = tuple[tree.PrimExpr, ...]

_REMEMBERED = 64
"""Expressions whose normal forms are kept while a model is imported. Each node has its own, and later ones are rarely
asked for again: thousands of them take as much memory as the rest of an import."""
ZERO = tree.IntImm(0)
ONE = tree.IntImm(1)


def dim(value: int | str | Dim) -> Dim:
    """Return a number or the name of a shape variable as a dimension."""
    if isinstance(value, str):
        return tree.PrimVar(value)
    return tree.IntImm(int(value)) if isinstance(value, int) else value


def number(value: Dim) -> int | None:
    """Return a dimension that is a number, or None."""
    if type(value) is tree.IntImm:
        return value.value
    if type(value) is tree.Neg and type(value.a) is tree.IntImm:
        return -value.a.value
    return None


def numbers(values: Iterable[Dim]) -> tuple[int, ...] | None:
    """Return dimensions that are all numbers, or None."""
    found = [number(one) for one in values]
    return None if None in found else tuple([one for one in found if one is not None])


def text(values: Iterable[Dim]) -> str:
    """Return dimensions as the language writes them."""
    return f"({', '.join([show(one) for one in values])})"


def _of(made: Dim) -> Dim:
    found = simplified(made)
    value = number(found)
    return found if value is None else tree.IntImm(value)


def add(a: Dim, b: Dim | int) -> Dim:
    """Return the sum."""
    b = dim(b)
    x, y = number(a), number(b)
    return tree.IntImm(x + y) if x is not None and y is not None else _of(tree.Add(a, b))


def sub(a: Dim, b: Dim | int) -> Dim:
    """Return the difference."""
    b = dim(b)
    x, y = number(a), number(b)
    return tree.IntImm(x - y) if x is not None and y is not None else _of(tree.Sub(a, b))


def mul(a: Dim, b: Dim | int) -> Dim:
    """Return the product."""
    b = dim(b)
    x, y = number(a), number(b)
    return tree.IntImm(x * y) if x is not None and y is not None else _of(tree.Mul(a, b))


def floor_div(a: Dim, b: Dim | int) -> Dim:
    """Return the quotient, rounded down; the divisor is not 0."""
    b = dim(b)
    x, y = number(a), number(b)
    return tree.IntImm(x // y) if x is not None and y is not None else _of(tree.FloorDiv(a, b))


def ceil_div(a: Dim, b: int) -> Dim:
    """Return the quotient by a positive number, rounded up."""
    return floor_div(add(a, b - 1), b)


def floor_mod(a: Dim, b: Dim | int) -> Dim:
    """Return the remainder of `floor_div`."""
    b = dim(b)
    x, y = number(a), number(b)
    return tree.IntImm(x % y) if x is not None and y is not None else _of(tree.FloorMod(a, b))


def minimum(a: Dim, b: Dim) -> Dim:
    """Return the smaller one."""
    if not_below(b, a):
        return a
    return b if not_below(a, b) else _of(tree.Min(a, b))


def maximum(a: Dim, b: Dim) -> Dim:
    """Return the greater one."""
    if not_below(b, a):
        return b
    return a if not_below(a, b) else _of(tree.Max(a, b))


def product(values: Iterable[Dim]) -> Dim:
    """Return the product of all."""
    made: Dim = ONE
    for one in values:
        made = mul(made, one)
    return made


def quotient(a: Dim, b: Dim) -> Dim | None:
    """Return `a / b` if the division comes out wherever b is not 0, else None."""
    try:
        dividend, divisor = [polynomial_of(one, NO_FACTS.known) for one in (a, b)]
    except (DimensionError, TooComplexError):
        return None
    found = exact_quotient(dividend, divisor) if divisor.terms else None
    return None if found is None else _of(expression(found))


def equal(a: Dim, b: Dim | int) -> bool:
    """Return whether two dimensions are provably equal."""
    return compare(a, dim(b)) == EQUAL


def different(a: Dim, b: Dim | int) -> bool:
    """Return whether two dimensions are provably different."""
    return compare(a, dim(b)) == DIFFERENT


def not_below(a: Dim, b: Dim | int) -> bool:
    """Return whether `a >= b` is certain."""
    low = bounds(sub(a, b))[0]
    return low is not None and low >= 0


def count(values: Sequence[Dim]) -> int | None:
    """Return the number of elements of a shape of numbers, or None."""
    found = numbers(values)
    return None if found is None else math.prod(found)


def forget(most: int = _REMEMBERED) -> None:
    """Drop what is remembered of dimensions if that has become much."""
    NO_FACTS.forget(most)
