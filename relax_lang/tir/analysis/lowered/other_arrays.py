"""Statements in which other arrays take the place of some: in what they store and read, in indices of indices too."""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.tir.analysis.lowered.replaced_loads import EMPTY, ReplacedLoads
from relax_lang.tir.analysis.lowered.statements import Check, Repeat, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Load, Space, Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.analysis.lowered.statements import Statement

    Rewritable: TypeAlias = Stage | Check | Repeat


class OtherArrays:
    """What `access_of` returns for an array and an index takes their place, after `values` took that of names."""

    def __init__(
        self,
        space: Space,
        fresh: Callable[[str], str],
        access_of: Callable[[Storage, Indices], tuple[Storage, Indices]],
        values: Mapping[str, Polynomial] = EMPTY,
    ) -> None:
        def load_of(load: Load, parts: Indices) -> Load:
            storage, index = access_of(load.storage, parts)
            return space.element(storage, index, load.node)

        self._access_of = access_of
        self._loads = ReplacedLoads(space, fresh, load_of, values)

    def vector(self, vector: Vector) -> Vector:
        """Return an expression that reads the other arrays."""
        return self._loads.vector(vector)

    def statement(self, one: Rewritable) -> Rewritable:
        """Return a statement that uses the other arrays."""
        loads = self._loads
        guards = loads.vectors(one.guards)
        match one:
            case Stage():
                return self.stage(one)
            case Check():
                condition = None if one.condition is None else loads.vector(one.condition)
                return replaced(one, guards=guards, condition=condition, values=loads.vectors(one.values))
            case Repeat():
                body: list[Statement] = []
                for inner in one.body:
                    assert isinstance(inner, Stage | Check | Repeat), "nothing else touches these arrays"
                    body.append(self.statement(inner))
                return replaced(one, guards=guards, condition=loads.vector(one.condition), body=body)

    def stage(self, one: Stage) -> Stage:
        """Return a store that uses the other arrays."""
        loads = self._loads
        target, index = self._access_of(one.target, loads.indices(one.index))
        guards, value, facts = loads.vectors(one.guards), loads.vector(one.value), loads.indices(one.facts)
        return replaced(one, target=target, index=index, guards=guards, value=value, facts=facts)
