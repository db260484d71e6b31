"""Short loops that stay Python loops, because everything around them is simpler then.

In a convolution with its padding inside, `y + r >= 1` is a condition on two loops. For each of the few values of `r`
it is a bound of y, and what remains is a product of matrices on slices. Likewise an index such as `2 * y + r` of what
is stored to distinguishes the iterations of y, and `(q // 2) % 2` is a number.
"""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, all_loads, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

_LONGEST = 16
_MOST_STEPS = 64
_TIMES = 4
"""How many times as long as a short loop another loop is at least, where both are numbers."""
_GATHERED = 8
"""How many columns are at least gathered at once: with fewer, a step for each is as fast."""
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class LoopUnrolling:
    """The short loops of one store; `free` are all loops that are not numbers yet."""

    def __init__(self, space: Space, stage: Stage, free: Sequence[Loop]) -> None:
        self._space = space
        self._stage = stage
        self._free = {loop.name: loop for loop in free}

    def of_conditions(self, conditions: Iterable[Vector]) -> set[str]:
        """Return the short loops without which each comparison is a bound of one other loop, or of none."""
        wanted: set[str] = set()
        for condition in conditions:
            for part in parts_of(condition):
                if isinstance(part, Apply) and part.op in _COMPARISONS:
                    wanted |= self._of_comparison(part)
        return wanted

    def _of_comparison(self, comparison: Apply) -> set[str]:
        a, b = comparison.args
        if not isinstance(a, Index) or not isinstance(b, Index):
            return set()
        difference = a.polynomial - b.polynomial
        names = set(self._space.dims(difference) & self._free.keys())
        if self._reads([a, b]) or len(names) < 2:
            return set()
        long = max(names, key=self._length)
        others = names - {long}
        return others if self._are_short(others, [long]) else set()

    def of_sums(self, reduced: Collection[str]) -> set[str]:
        """Return the loop, of any length, without which each comparison is a bound of one loop: the shorter one where
        that is known, else the one that is summed over.
        """
        wanted: set[str] = set()
        for guard in self._stage.guards:
            for part in parts_of(guard):
                if not isinstance(part, Apply) or part.op not in _COMPARISONS:
                    continue
                names = part.dims & self._free.keys()
                if len(names) > 1:
                    if self._reads(part.args) or len(names) != 2 or len(names & set(reduced)) != 1:
                        return set()
                    if all(self._length(name) <= 4 * _LONGEST for name in names):
                        return set()
                    shorter, longer = sorted(names, key=self._length)
                    is_known = self._length(shorter) < self._length(longer)
                    wanted |= {shorter} if is_known else names & set(reduced)
        return wanted

    def of_index(self, kept: Collection[str]) -> set[str]:
        """Return the short loops that keep the index of the target from telling the other loops in it apart."""
        names = set[str]()
        for part in self._stage.index:
            inside = self._space.dims(part) & self._free.keys()
            if self._reads([Index(part, frozenset())]):
                return set()
            if not inside <= set(kept):
                long = max(inside, key=self._length)
                if not self._are_short(inside - {long}, [long]) or not _tells(part, long):
                    return set()
                names |= inside - {long}
        return names

    def of_atoms(self, polynomials: Iterable[Polynomial]) -> set[str]:
        """Return the short loops that are all that some divisions in indices vary over. Of what is stored over the last
        loop, an index that only this one chooses is better gathered: it is one list for all elements.
        """
        wanted: set[str] = set()
        last = (
            self._space.dims(self._stage.index[-1]) & self._free.keys()
            if self._stage.index
            else frozenset[str]()
        )
        for polynomial in polynomials:
            for atom in self._space.atoms_in(polynomial):
                names = atom.vector.dims & self._free.keys()
                others = (self._space.dims(polynomial) & self._free.keys()) - names
                if not others and names == last and polynomial in self._gathered(names):
                    continue
                if names and not self._reads([atom.vector]) and self._are_short(names, others or self._free):
                    wanted |= names
        return wanted

    def _gathered(self, names: Collection[str]) -> set[Polynomial]:
        """Return the indices over some loops, not too short ones, that are the only ones of their loads, and of nothing
        that is stored, that are not slices.
        """
        if any(self._length(name) < _GATHERED for name in names):
            return set()
        found: set[Polynomial] = set()
        others = set(self._stage.index)
        for load in all_loads(self._space, self._stage.value):
            parts = {part for part in load.index if self._space.atoms_in(part)}
            if len(parts) == 1:
                found |= parts
            else:
                others |= parts
        return found - others

    def _reads(self, vectors: Iterable[Vector]) -> bool:
        return any(all_loads(self._space, vector) for vector in vectors)

    def _length(self, name: str) -> int:
        value = self._free[name].extent.value
        return 1 << 62 if value is None else value

    def _are_short(self, names: Collection[str], others: Iterable[str]) -> bool:
        """Return whether loops have few steps, and each far fewer than one of some other loops."""
        longest = max([self._length(name) for name in others if name not in names], default=0)
        return all(
            self._length(name) <= _LONGEST and _TIMES * self._length(name) <= longest for name in names
        )


def chosen(
    space: Space,
    stage: Stage,
    free: Sequence[Loop],
    kept: Collection[str],
    conditions: Sequence[Vector],
    *,
    is_safe: bool,
) -> list[Loop]:
    """Return the loops of a store that should be Python loops, outermost first; `conditions` are those in its value
    that must be bounds. If not everything `is_safe` to evaluate, iterations for which a condition holds would be
    listed otherwise.
    """
    short = LoopUnrolling(space, stage, free)
    indices = [part for load in all_loads(space, stage.value) for part in load.index]
    wanted = short.of_conditions([*stage.guards, *conditions])
    wanted |= short.of_atoms([*stage.index, *indices])
    if not wanted:
        wanted = short.of_index(kept)
    if not wanted and not is_safe:
        sums = short.of_sums([loop.name for loop in free if loop.name not in kept])
        return [loop for loop in free if loop.name in sums]
    loops = [loop for loop in free if loop.name in wanted]
    steps = 1
    for loop in loops:
        steps *= loop.extent.value or 0
    return loops if 1 <= steps <= _MOST_STEPS or (steps and not is_safe) else []


def _tells(part: Polynomial, name: str) -> bool:
    factor = part.coefficient(name)
    return factor is not None and bool(factor.value)
