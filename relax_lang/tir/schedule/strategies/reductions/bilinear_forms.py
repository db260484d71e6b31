"""Sums of products of three matrices: `W[i, a] * C[a, b] * W[i, b]` over a and b, two of which are multiplied first."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

from relax_lang.tir.analysis.lowered.vector_ir import Apply, Vector, chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from relax_lang.tir.schedule.plan import Kernel


class BilinearForm(NamedTuple):
    """A sum of `left[x, a] * right[a, y] * other[x, y]`: a product of matrices, and a sum of products with that."""

    left: Vector
    right: Vector
    other: Vector
    rows: str
    depth: str
    columns: str
    written: tuple[Vector, Vector, Vector]
    """The three factors in the order in which the program multiplies them."""


def bilinear_form(kernel: Kernel, fixed: AbstractSet[str]) -> BilinearForm | None:
    """Return what a sum multiplies if these are three matrices, of which two are multiplied first; loops outside of
    the kernel are `fixed`.
    """
    dtype = kernel.stage.target.dtype
    if kernel.combine != "+" or dtype not in ("float32", "float64"):
        return None
    factors = chain(kernel.operand, "*")
    if len(factors) != 3 or any(factor.dtype != dtype for factor in factors):
        return None
    reduced = {loop.name for loop in kernel.reduced}
    if len(reduced) < 2 or len(kernel.operand.dims - fixed) != 3:
        return None
    if not {loop.name for loop in kernel.kept} - fixed <= kernel.operand.dims:
        return None
    names = [loop.name for loop in (*kernel.kept, *kernel.reduced)]
    for left, right, other in permutations(factors):
        dims = [factor.dims - fixed for factor in (left, right, other)]
        if [len(one) for one in dims] != [2, 2, 2] or len(dims[0] & dims[1]) != 1:
            continue
        (depth,) = dims[0] & dims[1]
        if depth not in reduced or depth in dims[2]:
            continue
        (rows,), (columns,) = dims[0] - {depth}, dims[1] - {depth}
        if rows != columns and names.index(rows) < names.index(columns):
            return BilinearForm(left, right, other, rows, depth, columns, _as_written(kernel.operand))
    return None


def _as_written(product: Vector) -> tuple[Vector, Vector, Vector]:
    """Return three factors so that the first two are those that the program multiplies first."""
    assert isinstance(product, Apply)
    product_of_two, last = product.args
    if not isinstance(product_of_two, Apply) or product_of_two.op != "*":
        product_of_two, last = last, product_of_two
    assert isinstance(product_of_two, Apply)
    first, second = product_of_two.args
    return first, second, last
