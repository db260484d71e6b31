"""Sums of products as matrix products: which factors, and how they become stacks of matrices."""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.vectorize.vector import Apply, chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.vectorize.vector import Loop, Vector


def contraction(operand: Vector, reduced: list[Loop]) -> list[Vector]:
    """Return the two factors of a sum of products that one matrix product computes, or nothing.

    Factors may be regrouped: integers wrap alike in any order, and sums of floats may be reassociated. Two
    factors that vary over the same loops are left alone: their matrices would be single rows and columns.
    """
    if not dtypes.is_number(operand.dtype):
        return []
    names = frozenset([loop.name for loop in reduced])
    factors = chain(operand, "*")
    groups = [factor for factor in factors if factor.dims]
    if len(groups) > 2:
        groups = _grouped(groups, operand.dtype)
    if len(groups) != 2 or groups[0].dims == groups[1].dims or not names <= operand.dims:
        return []
    shared = groups[0].dims & groups[1].dims & names
    if not shared or (shared != names and dtypes.is_float(operand.dtype)):
        return []  # of floats a * b1 + a * b2 is not a * (b1 + b2) where there are infinities
    for factor in factors:
        if not factor.dims:
            groups[0] = Apply("*", (groups[0], factor), operand.dtype)
    return groups


def _grouped(factors: list[Vector], dtype: str) -> list[Vector]:
    """Multiply factors into those that vary over all of their loops."""
    groups: list[Vector] = []
    for factor in sorted(factors, key=_n_dims, reverse=True):
        home = next((at for at, group in enumerate(groups) if factor.dims <= group.dims), None)
        if home is None:
            groups.append(factor)
        else:
            groups[home] = Apply("*", (groups[home], factor), dtype)
    return groups


def _n_dims(vector: Vector) -> int:
    return len(vector.dims)
