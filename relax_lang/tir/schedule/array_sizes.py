"""How large the arrays may be that a schedule adds: not larger than those that are there already."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.lower.lower import Lowering


def fits(sizes: Iterable[Polynomial], lowering: Lowering) -> bool:
    """Return whether some array of the PrimFunc is as large as one of some sizes, up to a small number of times. The
    sizes may be negative: then there is no element.
    """
    number, wanted = _factors(sizes)
    for array in (*lowering.storages.values(), *lowering.allocated):
        times, own = _factors(array.sizes)
        if number <= _MOST_COPIES * times and len(wanted) <= len(own) and _are_within(wanted, own, lowering):
            return True
    return False


def _are_within(sizes: Iterable[Polynomial], limits: list[Polynomial], lowering: Lowering) -> bool:
    """Return whether each of some sizes is at most a limit of its own, or a little more."""
    left = list(limits)
    others: list[Polynomial] = []
    for size in sizes:
        if size in left:
            left.remove(size)
        else:
            others.append(size)
    for size in others:
        limit = next((one for one in left if lowering.entry.is_nonnegative(one + _LITTLE - size)), None)
        if limit is None:
            return False
        left.remove(limit)
    return True


def _factors(sizes: Iterable[Polynomial]) -> tuple[int, list[Polynomial]]:
    """Return the product of those sizes that are numbers, and the others."""
    number = 1
    others: list[Polynomial] = []
    for size in sizes:
        if isinstance(size.value, int):
            number *= size.value
        else:
            others.append(size)
    return number, others


_LITTLE = 8
"""By how much a size may be greater than one that is there."""
_MOST_COPIES = 64
"""How many times as large as an array of the PrimFunc an array that is added may be."""
