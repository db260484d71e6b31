"""Which loops are lowered as several: those whose variable the program takes apart by `v // 4` and `v % 4`.

A loop of a whole number of parts, `for v in 0..n * 4`, becomes one over the parts and one within a part; the quotient
and the rest are then variables, and all accesses stay affine. Lowering notes the divisors that it meets, and a
PrimFunc with such loops is lowered once more. Where one of the new loops is taken apart again, as `v // 4 % 2` does, it
is split in turn.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.division import exact_quotient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.syntax import tree
    from relax_lang.tir.lower.guards import Guards

    Variable = tuple[tree.For, int]  # one variable of a `for` statement

_MOST_SPLITS = 6


class LoopSplits:
    """How loops of one PrimFunc are to be split, with the definitions of the names in the divisors.

    By variable of a `for`: which of its loops is split, counted from the outermost, by what, one split after the other.
    """

    def __init__(
        self, splits: Mapping[Variable, Sequence[tuple[int, Polynomial]]], entry: Guards | None = None
    ) -> None:
        self._splits = {variable: tuple(found) for variable, found in list(splits.items())[:_MOST_SPLITS]}
        self._entry = entry

    def __bool__(self) -> bool:
        return bool(self._splits)

    def extents(self, variable: Variable, extent: Polynomial, entry: Guards) -> tuple[Polynomial, ...]:
        """Return the extents of the loops of a variable, the outermost first."""
        extents = [extent]
        for at, divisor in self._splits.get(variable, ()):
            if self._entry is None or not entry.agrees(self._entry, divisor) or at >= len(extents):
                break
            parts = exact_quotient(extents[at], divisor)
            if parts is None:
                break
            extents[at : at + 1] = [parts, divisor]
        return tuple(extents)

    def with_more(
        self, found: Mapping[Variable, Mapping[int, Polynomial]], entry: Guards
    ) -> LoopSplits | None:
        """Return these splits and those that were found of the loops that they make; None if there are enough."""
        splits = {**self._splits}
        for variable, more in found.items():
            inner_first = sorted(more.items(), reverse=True)  # so that the numbers of the others stay
            splits[variable] = (*splits.get(variable, ()), *inner_first)
        if not found or max(map(len, splits.values())) > _MOST_SPLITS:
            return None
        return LoopSplits(splits, entry)
