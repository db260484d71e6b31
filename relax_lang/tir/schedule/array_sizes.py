"""How large the arrays may be that a schedule adds: not larger than those that are there already."""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.lower.lower import Lowering


def fits(sizes: Iterable[Polynomial], lowering: Lowering) -> bool:
    """Return whether some array of the PrimFunc is as large as one of some sizes, up to a small number of times."""
    number, wanted = _factors(sizes)
    for array in (*lowering.storages.values(), *lowering.allocated):
        times, own = _factors(array.sizes)
        if number <= _MOST_COPIES * times and not wanted - own:
            return True
    return False


def _factors(sizes: Iterable[Polynomial]) -> tuple[int, Counter[Polynomial]]:
    """Return the product of those sizes that are numbers, and the others."""
    number = 1
    others: Counter[Polynomial] = Counter()
    for size in sizes:
        if isinstance(size.value, int):
            number *= size.value
        else:
            others[size] += 1
    return number, others


_MOST_COPIES = 64
"""How many times as large as an array of the PrimFunc an array that is added may be."""
