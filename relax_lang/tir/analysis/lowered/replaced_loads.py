"""Expressions in which loads are replaced wherever they are: in values, in indices, and in indices of indices."""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, Load, replace_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector


EMPTY: Mapping[str, Polynomial] = {}


class ReplacedLoads:
    """What `load_of` returns for a load, and for its index in which all is replaced already, takes its place; so do
    `values` for names.
    """

    def __init__(
        self,
        space: Space,
        fresh: Callable[[str], str],
        load_of: Callable[[Load, Indices], Vector],
        values: Mapping[str, Polynomial] = EMPTY,
    ) -> None:
        self._space = space
        self._fresh = fresh
        self._load_of = load_of
        self._values = values
        self._done: dict[int, Vector] = {}

    def vector(self, vector: Vector) -> Vector:
        """Return an expression with its loads replaced."""
        if vector.key not in self._done:
            self._done[vector.key] = self._anew(vector)
        return self._done[vector.key]

    def vectors(self, vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        """Return expressions with their loads replaced."""
        return tuple([self.vector(one) for one in vectors])

    def indices(self, parts: Indices) -> Indices:
        """Return the indices of an access with the loads that they are made of replaced."""
        return tuple([self.polynomial(part) for part in parts])

    def _anew(self, vector: Vector) -> Vector:
        if isinstance(vector, Apply):
            return Apply(vector.op, self.vectors(vector.args), vector.dtype)
        if isinstance(vector, Index):
            polynomial = self.polynomial(vector.polynomial)
            return Index(polynomial, self._space.dims(polynomial))
        if isinstance(vector, Load):
            return self._load_of(vector, self.indices(vector.index))
        return vector

    def polynomial(self, polynomial: Polynomial) -> Polynomial:
        """Return an index with the loads that it is made of replaced."""
        for atom in self._space.atoms_in(polynomial):
            value = self.vector(atom.vector)
            if value.key != atom.vector.key:
                polynomial = replace_name(polynomial, atom.name, self._place(value))
        return self._space.substituted(polynomial, self._values) if self._values else polynomial

    def _place(self, value: Vector) -> Polynomial:
        """Return what a value is in an index; what a polynomial is added to has a name."""
        if isinstance(value, Apply) and value.op == "+" and isinstance(value.args[1], Index):
            return self._place(value.args[0]) + value.args[1].polynomial
        return self._space.atom(value, self._fresh("at"))
