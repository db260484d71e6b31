"""Counts of how many elements are less than each, or equal, or greater: by sorting, not by comparing all pairs.

`for i, j: if X[j] < Y[i] { R[i] += 1; }`: any condition that compares one value of each loop, and perhaps the loops
themselves where both values are of one array, is true for some of the ways in which a pair can be ordered. Each of them
is counted by the places that a sort gives.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.schedule.plan import Kernel

_HOLDS = {
    "<": (True, False, False), "==": (False, True, False), ">": (False, False, True),
    "<=": (True, True, False), "!=": (True, False, True), ">=": (False, True, True),
}  # fmt: skip
"""For which of less, equal and greater a comparison holds."""
_UNORDERED = 3
"""One of the values is a nan."""


class OrderCounts(NamedTuple):
    """What a count is of: `values` are compared with `keys`. The count is the sum of some numbers times what `factors`
    say: of how many values are less, of which place a value has among them all (equal ones in their order), of how many
    are not greater, of how many there are, and 1.
    """

    values: Vector
    keys: Vector
    factors: tuple[int, ...]


def counted_pairs(
    space: Space, kernel: Kernel, conditions: Sequence[Vector], fixed: Collection[str] = ()
) -> tuple[OrderCounts, float] | None:
    """Return how often conditions hold that compare values of two loops, and what is added each time; None if a
    reduction is not such a count. The loops that are `fixed` run step by step.
    """
    integer = dtypes.is_integer(kernel.stage.target.dtype)
    if kernel.combine != "+" or not integer or len(kernel.kept) != 1 or len(kernel.reduced) != 1:
        return None
    if kernel.kept[0].name in fixed:
        return None
    times = whole_number(kernel.operand)
    one = counted(kernel)
    if one is not kernel.operand:
        times, conditions = 1, [*conditions, one]
    found = order_counts(space, conditions, kernel.kept[0], kernel.reduced[0])
    return None if found is None or times is None else (found, times)


def counted(kernel: Kernel) -> Vector:
    """Return what a reduction combines; where it counts with a sum of ones and zeros, the condition instead."""
    operand = kernel.operand
    if kernel.combine != "+" or not dtypes.is_integer(operand.dtype) or not isinstance(operand, Apply):
        return operand
    return _condition_of(operand) or operand


def counted_conditions(kernel: Kernel, conditions: list[Vector]) -> list[Vector]:
    """Return the conditions that are counted by how often all of them hold; none if a reduction is no such count."""
    operand = kernel.operand
    if kernel.combine != "+":
        return []
    if whole_number(operand) == 1:
        return conditions
    condition = _condition_of(operand) if isinstance(operand, Apply) else None
    return [] if condition is None else [*conditions, condition]


def _condition_of(operand: Apply) -> Vector | None:
    """Return the condition of which an operand is 1 where it holds, else 0."""
    is_cast = operand.op == "cast" and operand.args[0].dtype == dtypes.BOOL
    is_choice = operand.op == "select" and [whole_number(arg) for arg in operand.args[1:]] == [1, 0]
    return operand.args[0] if is_cast or is_choice else None


def whole_number(vector: Vector) -> float | None:
    """Return the number that a vector is, if it is one."""
    if isinstance(vector, Index):
        return vector.polynomial.value
    return vector.value if isinstance(vector, Const) else None


def order_counts(space: Space, conditions: Sequence[Vector], kept: Loop, reduced: Loop) -> OrderCounts | None:
    """Return what the iterations of a loop are counted by for which conditions hold; None if by something else."""
    pair: list[Vector] = []
    for condition in conditions:
        if not _find(condition, kept.name, reduced.name, pair):
            return None
    if not pair:
        return None
    values, keys = pair
    names = kept.name, reduced.name
    is_one_array = kept.extent == reduced.extent and (
        space.replaced(keys, {kept.name: Polynomial.name(reduced.name)}).key == values.key
    )

    def holds(value: int, place: int) -> bool:
        return all(_holds(condition, names, value, place) for condition in conditions)

    less, equal, greater = [[holds(value, place) for place in range(3)] for value in range(3)]
    if dtypes.is_float(values.dtype) and any(holds(_UNORDERED, place) for place in range(3)):
        return None
    if len(set(less)) > 1 or len(set(greater)) > 1 or (len(set(equal)) > 1 and not is_one_array):
        return None
    before, same, after = [int(one) for one in equal] if is_one_array else [int(equal[0])] * 3
    if not is_one_array:
        factors = less[0] - before, 0, before - greater[0], int(greater[0]), 0
    else:
        factors = less[0] - before, before - after, after - greater[0], int(greater[0]), same - after
    return OrderCounts(values, keys, factors)


def _find(condition: Vector, kept: str, reduced: str, pair: list[Vector]) -> bool:
    """Note the values that a condition compares, that of the reduced loop first; return whether it does only that."""
    if not isinstance(condition, Apply):
        return False
    if condition.op in ("&&", "||", "!"):
        return all(_find(arg, kept, reduced, pair) for arg in condition.args)
    if condition.op not in _HOLDS:
        return False
    if _is_of_places(condition, kept, reduced):
        return True
    found = sorted(condition.args, key=lambda arg: arg.dims != frozenset((reduced,)))
    if [arg.dims for arg in found] != [{reduced}, {kept}] or not dtypes.is_number(found[0].dtype):
        return False
    if not pair:
        pair += found
    return [arg.key for arg in pair] == [arg.key for arg in found]


def _is_of_places(condition: Apply, kept: str, reduced: str) -> bool:
    names = [Polynomial.name(kept), Polynomial.name(reduced)]
    found = [arg.polynomial for arg in condition.args if isinstance(arg, Index)]
    return found in (names, names[::-1])


def _holds(condition: Vector, loops: tuple[str, str], value: int, place: int) -> bool:
    """Return whether a condition holds where the value of the reduced loop is less, equal or greater, and its place."""
    assert isinstance(condition, Apply), "only comparisons are looked at"
    args = condition.args
    if condition.op == "!":
        return not _holds(args[0], loops, value, place)
    if condition.op in ("&&", "||"):
        both = [_holds(arg, loops, value, place) for arg in args]
        return all(both) if condition.op == "&&" else any(both)
    relation = place if _is_of_places(condition, *loops) else value
    if relation == _UNORDERED:
        return condition.op == "!="
    return _HOLDS[condition.op][relation if args[0].dims == frozenset((loops[1],)) else 2 - relation]
