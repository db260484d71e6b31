"""Which elements an access can touch, and the checks that keep all of them inside. [TIR.8]

Over a rectangular domain an affine index reaches exactly the extremes that its factors give, so an access is inside
if these are: proved where that is possible, else required when the function is called. Indices that depend on data
are compared with the sizes where they are used.
"""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.value_ranges import may_divide_by_zero
from relax_lang.tir.analysis.lowered.vector_ir import Index, Load, NotVectorizable, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards


class Footprints:
    """The accesses of one PrimFunc, and what is known about its sizes."""

    def __init__(self, space: Space, entry: Guards) -> None:
        self._space = space
        self._entry = entry

    def is_inside(
        self,
        storage: Storage,
        index: Indices,
        loops: Sequence[Loop],
        facts: Sequence[Polynomial] = (),
        *,
        may_be_empty: bool = False,
    ) -> bool:
        """Return whether an access is provably inside for all iterations of some loops, in which `facts` are not
        negative.
        """
        given = self._given(loops, facts)
        for part, size in zip(index, storage.sizes, strict=True):
            for value in (part, size - 1 - part):
                if may_be_empty and not self._is_inside_without_iterations(value, loops, facts):
                    return False
                if not may_be_empty and not self._entry.analyzer.proves(value, given):
                    return False
        return True

    def _is_inside_without_iterations(
        self, value: Polynomial, loops: Sequence[Loop], facts: Sequence[Polynomial]
    ) -> bool:
        """Return whether the least value of an index is not negative, even if a loop is empty.

        A fact is none where a loop in it is empty, unless this dimension is empty then, too.
        """
        if self._is_nonnegative_at_corner(value, loops):
            return True
        dims = self._space.dims(value)
        own = [fact for fact in facts if self._space.dims(fact) <= dims]
        return any(self._is_nonnegative_at_corner(value - fact, loops) for fact in own)

    def _given(self, loops: Iterable[Loop], facts: Sequence[Polynomial]) -> list[Polynomial]:
        """Return what is not negative in an iteration of some loops."""
        return [*[part for loop in loops for part in loop.constraints], *facts]

    def is_safe(self, vector: Vector, loops: Sequence[Loop], facts: Sequence[Polynomial] = ()) -> bool:
        """Return whether evaluating an expression cannot fail for any iteration of some loops."""
        for part in parts_of(vector):
            if may_divide_by_zero(part):
                return False
            if isinstance(part, Load) and not self.is_inside(part.storage, part.index, loops, facts):
                return False
            if isinstance(part, Index):
                atoms = self._space.atoms_in(part.polynomial)
                if not all(self.is_safe(atom.vector, loops, facts) for atom in atoms):
                    return False
        return True

    def conditions(
        self,
        storage: Storage,
        index: Indices,
        loops: Sequence[Loop],
        around: Sequence[Loop],
        facts: Sequence[Polynomial] = (),
    ) -> list[Polynomial]:
        """Return what must not be negative for an access to be inside for all iterations of `loops`, where none is
        empty, as far as that is not proved for all loops around it. Parts with atoms that vary are left to the
        checks of a gather.
        """
        given = self._given(around, facts)
        proves = self._entry.analyzer.proves
        varying = {loop.name for loop in loops}
        found: list[Polynomial] = []
        for part, size in zip(index, storage.sizes, strict=True):
            atoms = self._space.atoms_in(part)
            if any(atom.vector.dims & varying for atom in atoms) or (atoms and not part.names() & varying):
                continue
            if not proves(part, given):
                found.append(self._least(part, loops, storage))
            if not proves(size - 1 - part, given):
                found.append(size - 1 + self._least(-part, loops, storage))
        return found

    def follows(self, value: Polynomial, facts: Sequence[Polynomial], around: Sequence[Loop]) -> bool:
        """Return whether a value is proved not to be negative where some others are not."""
        return self._entry.analyzer.proves(value, self._given(around, facts))

    def _least(self, part: Polynomial, loops: Sequence[Loop], storage: Storage) -> Polynomial:
        """Return the least value of an index over a domain that is not empty."""
        found, stuck = self._at_corner(part, loops)
        if stuck is None:
            return found
        if found.coefficient(stuck.name) is None:
            reason = f"an index of `{storage.name}` is not affine in the loop variables"
        else:
            reason = f"the direction of an index of `{storage.name}` depends on a value that may be negative"
        raise NotVectorizable(reason, stuck.node)

    def _at_corner(self, value: Polynomial, loops: Sequence[Loop]) -> tuple[Polynomial, Loop | None]:
        """Return a value at the corner of a domain where it is least; a loop if it has no such corner in it."""
        for loop in reversed(loops):
            if loop.name not in value.names():
                continue
            factor = value.coefficient(loop.name)
            if factor is None:
                return value, loop
            rest = value.without({loop.name})
            if self._is_nonnegative_at_corner(factor, loops):
                value = rest
            elif self._is_nonnegative_at_corner(-factor, loops):
                value = rest + factor * (loop.extent - 1)
            else:
                return value, loop
        return value, None

    def greatest(self, value: Polynomial, loops: Sequence[Loop]) -> Polynomial | None:
        """Return the greatest value over a domain that is not empty; None if that is not known."""
        found, stuck = self._at_corner(-value, loops)
        return None if stuck is not None else -found

    def _is_nonnegative_at_corner(self, value: Polynomial, loops: Sequence[Loop]) -> bool:
        """Return whether the least value over a domain is proved not to be negative, whether it is empty or not."""
        if value.value is not None:
            return value.value >= 0
        least, stuck = self._at_corner(value, loops)
        return stuck is None and self._entry.analyzer.proves(least)
