"""Which elements an access can touch, and the checks that keep all of them inside. [TIR.8]

Over a rectangular domain an affine index reaches exactly the extremes that its factors give, so an access is inside
if these are: proved where that is possible, else required when the function is called. Indices that depend on data
are compared with the sizes where they are used.
"""

from __future__ import annotations

from relax_lang.tir.analysis.ranges import Ranges
from relax_lang.tir.analysis.vector_ir import Apply, Index, Load, NotVectorizable, parts_of
from relax_lang.tir.lower.values import may_divide_by_zero

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.vector_ir import Indices, Loop, Space, Storage, Vector
    from relax_lang.tir.lower.guards import Guards


_FACTS = {">=": [(1, 0)], ">": [(1, 1)], "<=": [(-1, 0)], "<": [(-1, 1)], "==": [(1, 0), (-1, 0)]}
"""Comparison: the factors of its difference, and what is subtracted, that make numbers that are not negative."""


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
        """Tell whether an access is provably inside for all iterations of some loops, in which `facts` are not
        negative.
        """
        ranges = self._ranges(loops, may_be_empty=may_be_empty)
        for part, size in zip(index, storage.sizes, strict=True):
            plain = part.names() & self._space.atoms.keys() <= ranges.upper.keys()
            known = facts
            if may_be_empty:  # a fact is none where a loop in it is empty, unless this dimension is then, too
                known = [fact for fact in facts if self._space.dims(fact) <= self._space.dims(part)]
            for value in (part, size - 1 - part):
                if not (plain and ranges.is_nonnegative(value)) and not _follows(ranges, value, known):
                    return False
        return True

    def _ranges(self, loops: Iterable[Loop], *, may_be_empty: bool = False) -> Ranges:
        upper = {**self._rests(), **{loop.name: loop.extent - 1 for loop in loops}}
        return Ranges(upper, self._entry.is_size, may_be_empty=may_be_empty)

    def _rests(self) -> dict[str, Polynomial]:
        """Return the atoms that are rests of a division by a number, with the greatest rest."""
        found: dict[str, Polynomial] = {}
        for name, atom in self._space.atoms.items():
            divisor = (
                atom.vector.args[1] if isinstance(atom.vector, Apply) and atom.vector.op == "%" else None
            )
            if isinstance(divisor, Index) and (divisor.polynomial.value or 0) > 0:
                found[name] = divisor.polynomial - 1
        return found

    def is_safe(self, vector: Vector, loops: Sequence[Loop], facts: Sequence[Polynomial] = ()) -> bool:
        """Tell whether evaluating an expression cannot fail for any iteration of some loops."""
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
        ranges = self._ranges(around)
        varying = {loop.name for loop in loops}
        found: list[Polynomial] = []
        for part, size in zip(index, storage.sizes, strict=True):
            atoms = self._space.atoms_in(part)
            if any(atom.vector.dims & varying for atom in atoms) or (atoms and not part.names() & varying):
                continue
            if not ranges.is_nonnegative(part) and not _follows(ranges, part, facts):
                found.append(self._least(part, loops, storage))
            if not ranges.is_nonnegative(size - 1 - part) and not _follows(ranges, size - 1 - part, facts):
                found.append(size - 1 + self._least(-part, loops, storage))
        return found

    def known(self, guards: Sequence[Vector]) -> list[Polynomial]:
        """Return what is not negative where conditions hold."""
        found: list[Polynomial] = []
        for guard in guards:
            if not isinstance(guard, Apply) or guard.op not in _FACTS:
                continue
            a, b = guard.args
            if isinstance(a, Index) and isinstance(b, Index):
                found += [(a.polynomial - b.polynomial) * factor - less for factor, less in _FACTS[guard.op]]
        return found

    def follows(self, value: Polynomial, facts: Sequence[Polynomial], around: Sequence[Loop]) -> bool:
        """Tell whether a value is not negative because one of some others is not."""
        return _follows(self._ranges(around), value, facts)

    def _least(self, part: Polynomial, loops: Sequence[Loop], storage: Storage) -> Polynomial:
        """Return the least value of an index over a domain that is not empty."""
        for loop in reversed(loops):
            if loop.name not in part.names():
                continue
            factor = part.coefficient(loop.name)
            if factor is None:
                raise NotVectorizable(
                    f"an index of `{storage.name}` is not affine in the loop variables", loop.node
                )
            ranges = self._ranges(loops, may_be_empty=True)
            if ranges.is_nonnegative(factor):
                part = part.without({loop.name})
            elif ranges.is_nonnegative(-factor):
                part = part.without({loop.name}) + factor * (loop.extent - 1)
            else:
                reason = (
                    f"the direction of an index of `{storage.name}` depends on a value that may be negative"
                )
                raise NotVectorizable(reason, loop.node)
        return part


def _follows(ranges: Ranges, value: Polynomial, facts: Sequence[Polynomial]) -> bool:
    return any(ranges.is_nonnegative(value - fact) for fact in facts)
