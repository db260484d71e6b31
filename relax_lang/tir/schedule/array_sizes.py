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
    wanted = Counter([size for size in sizes if size.value != 1])
    number = 1
    for size in wanted:
        if size.value is not None:
            number *= size.value ** wanted[size]
    wanted = Counter({size: count for size, count in wanted.items() if size.value is None})
    arrays = [*lowering.storages.values(), *lowering.allocated]
    return number <= _MOST_COPIES and any(not wanted - Counter(one.sizes) for one in arrays)


_MOST_COPIES = 64
"""How many times as large as an array of the PrimFunc an array that is added may be."""
