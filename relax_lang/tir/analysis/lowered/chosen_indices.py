"""Values under a condition, so that they can be computed where it does not hold: indices that data choose are 0 there.

`X[C[i]]` under `C[i] >= 0` becomes `X[select(C[i] >= 0, C[i], 0)]`. Where the array has no element at all, the index is
outside, and the interpreter runs the call. An index at which the condition itself reads an array of that size is as it
is: where it is outside, the condition fails.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.value_ranges import may_divide_by_zero
from relax_lang.tir.analysis.lowered.vector_ir import NO_DIMS, Apply, Index, Load, all_loads, loads, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

    Inside = Callable[[Polynomial, Polynomial], bool]

_ZERO = Polynomial.constant(0)
_LAZY = ("&&", "||", "if_then_else")


class ChosenIndices:
    """The accesses under a `condition`. `is_inside` returns whether an index is proved to be inside of a dimension."""

    def __init__(
        self, space: Space, fresh: Callable[[str], str], condition: Vector, is_inside: Inside
    ) -> None:
        self._space = space
        self._fresh = fresh
        self._condition = condition
        self._is_inside = is_inside
        self._read = {
            pair
            for load in self._evaluated(condition)
            for pair in zip(load.index, load.storage.sizes, strict=True)
        }
        """The indices at which the condition reads arrays wherever it is evaluated, with the sizes of dimensions."""

    def _evaluated(self, value: Vector) -> list[Load]:
        """Return the loads that are surely evaluated with a value."""
        found: list[Load] = []
        pending = [value]
        while pending:
            part = pending.pop()
            match part:
                case Apply(op=op, args=args):
                    pending += args[:1] if op in _LAZY else args
                case Load(index=index):
                    found.append(part)
                    pending += self._space.atom_values(index)
                case Index(polynomial=polynomial):
                    pending += self._space.atom_values((polynomial,))
                case _:
                    pass
        return found

    def can_choose(self, value: Vector) -> bool:
        """Return whether all that may be outside in a value are indices that data choose, one that is read as it is."""
        for part in parts_of(value):
            if isinstance(part, Index) and not self._are_safe(part.polynomial):
                return False
        for load in loads(value):
            for part, size in zip(load.index, load.storage.sizes, strict=True):
                if (part, size) in self._read:
                    continue
                if not self._space.atoms_in(part) and not self._is_inside(part, size):
                    return False
                if not self._are_safe(part) or not self._are_chosen(part):
                    return False
        return True

    def chosen(self, value: Vector) -> Vector:
        """Return a value with 0 for the indices that data choose where the condition does not hold."""
        return self._space.replaced_with(value, {}, self._access)

    def _are_safe(self, polynomial: Polynomial) -> bool:
        """Return whether what data and divisions contribute to an index can be computed in all iterations."""
        return all(self._is_safe(atom.vector) for atom in self._space.atoms_in(polynomial))

    def _are_chosen(self, polynomial: Polynomial) -> bool:
        """Return whether data, or fractions, decide what is not affine in an index: clamped loops make slices."""
        return all(
            all_loads(self._space, atom.vector)
            or any(dtypes.is_float(part.dtype) for part in parts_of(atom.vector))
            for atom in self._space.atoms_in(polynomial)
        )

    def _is_safe(self, vector: Vector) -> bool:
        """Return whether a value divides by nothing that may be 0, and reads only what is inside of an array."""
        for part in parts_of(vector):
            if may_divide_by_zero(part):
                return False
            if isinstance(part, Index) and not self._are_safe(part.polynomial):
                return False
            if isinstance(part, Load):
                pairs = zip(part.index, part.storage.sizes, strict=True)
                if not all(self._is_inside(*pair) and self._are_safe(pair[0]) for pair in pairs):
                    return False
        return True

    def _access(self, storage: Storage, index: Indices) -> tuple[Storage, Indices]:
        return storage, tuple(map(self._choice, index, storage.sizes))

    def _choice(self, part: Polynomial, size: Polynomial) -> Polynomial:
        if (part, size) in self._read or not self._space.atoms_in(part):
            return part
        index = Index(part, self._space.dims(part))
        vector = Apply("select", (self._condition, index, Index(_ZERO, NO_DIMS)), dtypes.INT64)
        return self._space.atom(vector, self._fresh("at"))
