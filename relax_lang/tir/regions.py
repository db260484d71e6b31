"""Which elements an access can touch, and the checks at entry that keep all of them inside."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.dependence import accesses
from relax_lang.tir.emit_expressions import sizes_of
from relax_lang.tir.vector import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.entry import Entry
    from relax_lang.tir.vector import Loop, Stage


def check_bounds(entry: Entry, stage: Stage, loops: dict[str, Loop]) -> None:
    """Prove that no access of a stage leaves its array, or require it at entry. [TIR.8]

    Conditions on the stage are not used: what only they keep inside is left to the interpreter.
    """
    for storage, index, _ in accesses(stage):
        for part, size in zip(index, sizes_of(storage), strict=True):
            _check_index(entry, part, size, stage, loops)


def _check_index(
    entry: Entry, part: Polynomial, size: Polynomial, stage: Stage, loops: dict[str, Loop]
) -> None:
    lowest, highest = extremes(entry, part, stage, loops)
    if entry.is_nonnegative(lowest) and entry.is_nonnegative(size - highest - 1):
        return
    conditions = [f"{loop.extent} > 0" for loop in stage.loops if loop.extent.value is None]
    if not entry.is_nonnegative(lowest):
        conditions.append(f"0 <= {lowest}")
    if not entry.is_nonnegative(size - highest - 1):
        conditions.append(f"{highest} < {size}")
    entry.require(" and ".join(conditions))


def extremes(
    entry: Entry, part: Polynomial, stage: Stage, loops: dict[str, Loop]
) -> tuple[Polynomial, Polynomial]:
    """Return the least and the greatest value of an index over a domain that is not empty."""
    names = part.names() & loops.keys()
    lowest = highest = part.without(names)
    for name in sorted(names):
        factor = part.coefficient(name)
        if factor is None or factor.names() & loops.keys():
            raise Refused("the index is not affine in the loop variables", stage.node)
        reach = factor * (loops[name].extent - 1)
        if entry.is_nonnegative(factor):
            highest = highest + reach
        elif entry.is_nonnegative(-factor):
            lowest = lowest + reach
        else:
            raise Refused("the direction of an index depends on a value that may be negative", stage.node)
    return lowest, highest
