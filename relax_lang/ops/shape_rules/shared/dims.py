"""Arithmetic on dimensions as rules need it: literals are computed, the rest is brought into its usual form. [D.13]"""

from __future__ import annotations

from relax_lang.arith.prover import bounds
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.ops.core.inference import Inference

    Dim = tree.PrimExpr


CONDITIONS = (tree.EQ, tree.NE, tree.LT, tree.LE, tree.GT, tree.GE, tree.And, tree.Or, tree.Not, tree.BoolImm)
"""Scalars that are bool."""


def number(value: int) -> tree.IntImm:
    """Return a dimension that is a number."""
    return tree.IntImm(value)


def value_of(dim: Dim) -> int | None:
    """Return the number that a dimension is written as, or None."""
    return dim.value if type(dim) is tree.IntImm else None


def at_most(call: Inference, dim: Dim) -> int | None:
    """Return a number that a dimension is never above, or None."""
    return dim.value if type(dim) is tree.IntImm else bounds(dim, call.context.facts)[1]


def at_least(call: Inference, dim: Dim) -> int | None:
    """Return a number that a dimension is never below, or None."""
    return dim.value if type(dim) is tree.IntImm else bounds(dim, call.context.facts)[0]


def add(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a + b`."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(a.value + b.value)
    return usual(call, tree.Add(a, b))


def subtract(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a - b`."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(a.value - b.value)
    return usual(call, tree.Sub(a, b))


def multiply(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a * b`."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(a.value * b.value)
    return usual(call, tree.Mul(a, b))


def floor_divide(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a // b`; `b` is known not to be 0."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(a.value // b.value)
    return usual(call, tree.FloorDiv(a, b))


def ceil_divide(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `a / b` rounded up; `b` is known to be positive."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(-(-a.value // b.value))
    return floor_divide(call, subtract(call, add(call, a, b), number(1)), b)


def largest(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `max(a, b)`."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(max(a.value, b.value))
    return usual(call, tree.Max(a, b))


def smallest(call: Inference, a: Dim, b: Dim) -> Dim:
    """Return `min(a, b)`."""
    if type(a) is tree.IntImm and type(b) is tree.IntImm:
        return number(min(a.value, b.value))
    return usual(call, tree.Min(a, b))


def product(call: Inference, dims: Sequence[Dim]) -> Dim:
    """Return the product of dimensions: the number of elements; 1 for none."""
    count, result = 1, None
    for dim in dims:
        if type(dim) is tree.IntImm:
            count *= dim.value
        else:
            result = dim if result is None else tree.Mul(result, dim)
    if result is None:
        return number(count)
    if count == 1 and type(result) is tree.PrimVar:
        return result
    whole = result if count == 1 else tree.Mul(result, number(count))
    return usual(call, whole)


def usual(call: Inference, dim: Dim) -> Dim:
    """Return a dimension in its usual form. [D.13]"""
    from relax_lang.arith.printing import simplified  # loads the prover: not for numbers alone

    return simplified(dim, call.context.facts)
