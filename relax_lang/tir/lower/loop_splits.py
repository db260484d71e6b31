"""Which loops are lowered as two: those whose variable the program takes apart by `v // 4` and `v % 4`.

A loop of a whole number of parts, `for v in 0..n * 4`, becomes one over the parts and one within a part; the quotient
and the rest are then variables, and all accesses stay affine. Lowering notes the divisors that it meets, and a
PrimFunc with such loops is lowered once more.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.division import exact_quotient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.syntax import tree
    from relax_lang.tir.lower.guards import Guards

    Variable = tuple[tree.For, int]  # one variable of a `for` statement

_MOST_SPLITS = 6


class LoopSplits:
    """The divisors by which loops of one PrimFunc are to be split, with the definitions of the names in them."""

    def __init__(self, divisors: dict[Variable, Polynomial], entry: Guards | None = None) -> None:
        self._divisors = dict(list(divisors.items())[:_MOST_SPLITS])
        self._entry = entry

    def __bool__(self) -> bool:
        return bool(self._divisors)

    def of(
        self, variable: Variable, extent: Polynomial, entry: Guards
    ) -> tuple[Polynomial, Polynomial] | None:
        """Return the extents of the two loops, if a variable is split."""
        divisor = self._divisors.get(variable)
        if divisor is None or self._entry is None or not entry.agrees(self._entry, divisor):
            return None
        parts = exact_quotient(extent, divisor)
        return None if parts is None else (parts, divisor)
