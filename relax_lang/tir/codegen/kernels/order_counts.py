"""Counts of how many elements are less than each, or equal, or greater: by sorting, not by comparing all pairs.

`for i, j: if X[j] < Y[i] { R[i] += 1; }`: any condition that compares one value of each loop, and perhaps the loops
themselves where both values are of one array, is true for some of the ways in which a pair can be ordered. Each of them
is counted by the places that a sort gives.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.vector_ir import Space, Vector

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
