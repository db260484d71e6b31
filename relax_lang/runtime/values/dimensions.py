"""Dimension expressions as values: sizes of shapes, scalar operands, and how they fail. [X.5] [V.9]"""

from __future__ import annotations

from relax_lang.arith.evaluate import DIVISION_BY_ZERO, DimensionError, evaluate
from relax_lang.runtime.values.mismatch import shown
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def dimension(expr: tree.PrimExpr, shape_vars: Mapping[str, int]) -> int:
    """Return the value of one dimension; it may be negative. [G.4]"""
    try:
        return evaluate(expr, shape_vars)
    except DimensionError as error:
        raise failure_of(error) from None


def failure_of(error: DimensionError) -> RunFailure:
    """Return the failure that a dimension without a value is. [X.5]"""
    if error.kind == DIVISION_BY_ZERO:
        return RunFailure("dim-division-by-zero", "division by zero in a dimension", error.node)
    raise AssertionError(f"not a dimension that passed the check: {error}") from error


def sizes(
    dims: Sequence[tree.PrimExpr], shape_vars: Mapping[str, int], inferred: bool = False
) -> tuple[int, ...]:
    """Evaluate the dimensions of a shape from left to right; none may be negative. [X.5] [V.9]

    With `inferred`, for the target of a `reshape`, a literal `-1` stands for what follows from the others.
    """
    found: list[int] = []
    for index, dim in enumerate(dims):
        value = dimension(dim, shape_vars)
        if value < 0 and not (inferred and is_minus_one(dim)):
            message = f"dimension {index} (`{shown(dim)}`) is {value}"
            raise RunFailure("negative-dimension", message, dim, value=value)
        found.append(value)
    return tuple(found)


def is_minus_one(dim: tree.PrimExpr) -> bool:
    """Return whether a dimension is written `-1`."""
    if isinstance(dim, tree.Neg):
        return isinstance(dim.a, tree.IntImm) and dim.a.value == 1
    return isinstance(dim, tree.IntImm) and dim.value == -1


def prim_value(expr: tree.PrimExpr, shape_vars: Mapping[str, int]) -> float | bool:
    """Evaluate a scalar operand: a number, or an expression over shape variables."""
    if isinstance(expr, tree.FloatImm):
        return expr.value
    if isinstance(expr, tree.Neg) and isinstance(expr.a, tree.FloatImm):
        return -expr.a.value
    return dimension(expr, shape_vars)
