"""Scratch buffers whose elements are variables, as `S[0]` and `S[1]`, become one buffer for each: scalar replacement.

Numbers must name the elements along a dimension wherever the buffer is touched. A loop of its own that stores the same
to all of them (`for k in 0..3 { S[k] = 0.0; }`) is one store for each.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.lowered.other_arrays import OtherArrays
from relax_lang.tir.analysis.lowered.statement_accesses import KnownAccesses
from relax_lang.tir.analysis.lowered.statements import Check, Repeat, Stage
from relax_lang.tir.analysis.lowered.vector_ir import all_loads
from relax_lang.tir.schedule.reordering.expansion import only_rewritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.lowered.other_arrays import Rewritable
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Load
    from relax_lang.tir.lower.lower import Lowering

_MOST_ELEMENTS = 16


def split_elements(lowering: Lowering) -> list[Rewritable]:
    """Give elements of buffers a buffer each; return the statements that use these."""
    accesses = KnownAccesses(lowering.space)
    made: list[Rewritable] = []
    pending = [one for one in lowering.allocated if not one.is_temporary]
    while pending:
        storage = pending.pop()
        for dimension, size in enumerate(storage.sizes):
            if size.value is None or not 2 <= size.value <= _MOST_ELEMENTS:
                continue
            split = _Split(lowering, accesses, storage, dimension, size.value)
            if split.is_possible():
                pending += split.run()
                made += split.made
                break
    used = set(lowering.statements)  # some were split again
    return [one for one in made if one in used]


class _Split:
    """A buffer of which each element along a dimension becomes a buffer of its own."""

    def __init__(
        self, lowering: Lowering, accesses: KnownAccesses, storage: Storage, dimension: int, size: int
    ) -> None:
        self._lowering = lowering
        self._accesses = accesses
        self._storage = storage
        self._dimension = dimension
        self._size = size
        self._parts: list[Storage] = []
        self._users = [
            statement
            for statement in lowering.statements
            if any(access.storage is storage for access in accesses.of(statement))
        ]
        self.made: list[Rewritable] = []
        """The statements that use the new buffers."""

    def is_possible(self) -> bool:
        """Return whether numbers name the elements in all statements, or all of them are filled with the same."""
        space = self._lowering.space
        stages = only_rewritable(space, self._users, self._storage)
        if not stages:
            return False
        return all(
            self._names_element(access.index) or (isinstance(stage, Stage) and self._filling(stage))
            for stage in stages
            for access in self._accesses.of(stage)
            if access.storage is self._storage
        )

    def _names_element(self, index: Indices | None) -> bool:
        number = None if index is None else index[self._dimension].value
        return number is not None and 0 <= number < self._size

    def _filling(self, stage: Stage) -> Loop | None:
        """Return the innermost loop of a store if it stores the same to all elements, and does nothing else."""
        if stage.target is not self._storage or stage.op != "=" or not stage.loops:
            return None
        loop = stage.loops[-1]
        parts = [part for at, part in enumerate(stage.index) if at != self._dimension]
        dims = [part.dims for part in (stage.value, *stage.guards)]
        dims += [self._lowering.space.dims(part) for part in parts]
        sharing = [one for one in self._lowering.statements if loop in one.loops]
        is_filling = (
            stage.index[self._dimension] == Polynomial.name(loop.name)
            and loop.extent.value == self._size
            and sharing == [stage]
            and not any(loop.name in names for names in dims)
            and not any(self._storage is load.storage for load in self._reads(stage))
        )
        return loop if is_filling else None

    def _reads(self, stage: Stage) -> list[Load]:
        parts = (stage.value, *stage.guards)
        return [load for part in parts for load in all_loads(self._lowering.space, part)]

    def run(self) -> list[Storage]:
        """Replace the buffer; return the new ones."""
        lowering, storage = self._lowering, self._storage
        sizes = [size for at, size in enumerate(storage.sizes) if at != self._dimension]
        for _ in range(self._size):
            part = Storage(lowering.entry.fresh(storage.name), storage.dtype, tuple(sizes))
            self._parts.append(part)
        at = lowering.allocated.index(storage)
        lowering.allocated[at : at + 1] = self._parts
        arrays = self._arrays()
        statements: list[Statement] = []
        for statement in lowering.statements:
            if statement not in self._users:
                statements.append(statement)
                continue
            assert isinstance(statement, Stage | Check | Repeat), "nothing else touches it"
            parts = self._unrolled(statement) if isinstance(statement, Stage) else [statement]
            changed = [arrays.statement(one) for one in parts]
            self.made += changed
            statements += changed
        lowering.statements[:] = statements
        return [*self._parts]

    def _unrolled(self, stage: Stage) -> list[Stage]:
        """Return a store that fills all elements as one for each of them, any other one as it is."""
        loop = self._filling(stage)
        if loop is None:
            return [stage]
        found: list[Stage] = []
        for number in range(self._size):
            index = list(stage.index)
            index[self._dimension] = Polynomial.constant(number)
            facts = [fact for fact in stage.facts if loop.name not in fact.names()]
            one = replaced(stage, loops=stage.loops[:-1], index=tuple(index), facts=tuple(facts))
            found.append(one)
        return found

    def _arrays(self) -> OtherArrays:
        """Return what uses the new buffers."""

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            if storage is not self._storage:
                return storage, index
            number = index[self._dimension].value
            assert number is not None, "numbers name the elements"
            return self._parts[number], tuple([one for at, one in enumerate(index) if at != self._dimension])

        return OtherArrays(self._lowering.space, self._lowering.entry.fresh, access_of)
