"""Values under a condition, so that they can be computed where it does not hold: indices that data choose are 0 there.

`X[C[i]]` under `C[i] >= 0` becomes `X[select(C[i] >= 0, C[i], 0)]`. Where the array has no element at all, the index is
outside, and the interpreter runs the call.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import NO_DIMS, Apply, Index, Load, all_loads, loads, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.analysis.vector_ir import Space, Vector

    Inside = Callable[[Polynomial, Polynomial], bool]

_ZERO = Polynomial.constant(0)


class ChosenIndices:
    """The accesses under a `condition`. `is_inside` returns whether an index is proved to be inside of a dimension."""

    def __init__(
        self, space: Space, fresh: Callable[[str], str], condition: Vector, is_inside: Inside
    ) -> None:
        self._space = space
        self._fresh = fresh
        self._condition = condition
        self._is_inside = is_inside

    def can_choose(self, value: Vector) -> bool:
        """Return whether all that may be outside in a value are indices that data choose, one that is read as it is."""
        if any(isinstance(part, Index) and self._space.atoms_in(part.polynomial) for part in parts_of(value)):
            return False
        for load in loads(value):
            for part, size in zip(load.index, load.storage.sizes, strict=True):
                atoms = self._space.atoms_in(part)
                if not atoms and not self._is_inside(part, size):
                    return False
                if not all(self._is_plain(atom.vector) for atom in atoms):
                    return False
        return True

    def chosen(self, value: Vector) -> Vector:
        """Return a value with 0 for the indices that data choose where the condition does not hold."""
        return self._space.replaced_with(value, {}, self._access)

    def _is_plain(self, vector: Vector) -> bool:
        """Return whether a value is an element of an array at an index that is inside, or a cast of one."""
        while isinstance(vector, Apply) and vector.op == "cast":
            vector = vector.args[0]
        if not isinstance(vector, Load) or not dtypes.is_integer(vector.dtype):
            return False
        pairs = zip(vector.index, vector.storage.sizes, strict=True)
        return len(all_loads(self._space, vector)) == 1 and all(self._is_inside(*pair) for pair in pairs)

    def _access(self, storage: Storage, index: Indices) -> tuple[Storage, Indices]:
        return storage, tuple([self._choice(part) for part in index])

    def _choice(self, part: Polynomial) -> Polynomial:
        if not self._space.atoms_in(part):
            return part
        index = Index(part, self._space.dims(part))
        vector = Apply("select", (self._condition, index, Index(_ZERO, NO_DIMS)), dtypes.INT64)
        return self._space.atom(vector, self._fresh("at"))
