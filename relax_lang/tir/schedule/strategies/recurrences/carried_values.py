"""An element that each iteration of a loop takes over from the one before: `S[0] += X[i]; Y[i] = S[0];`.

It gets an array with what it is before each iteration and after the last one: `T[i + 1] = T[i] + X[i]`, a running
operation of its own (see `scans` and `running_steps`). With that in the place of the element the other statements no
longer wait for each other. The operations are those of the program, in its order.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Load, same_access
from relax_lang.tir.schedule.array_sizes import fits
from relax_lang.tir.schedule.strategies.recurrences.element_changes import (
    changes,
    changes_alone,
    loads_of,
    shares_loops,
)
from relax_lang.tir.schedule.strategies.recurrences.running_values import RunningValues, all_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.lowered.statements import Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


def with_carried_values(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with the values that an element takes in an array, and the loop
    that carries them, if there is one.
    """
    space = lowering.space
    for plain, at, change, loops in changes(space, members, fixed):
        if not _is_carried(space, change, loops) or not fits([loop.whole for loop in loops], lowering):
            continue
        others = [
            load for load in loads_of(space, change) if not same_access(load, change.target, change.index)
        ]
        if len(plain) > 1 and shares_loops(plain, change) and changes_alone(space, plain, change, others):
            carried = _CarriedValues(lowering, change, loops)
            return carried.statements(plain, at), loops[-1:]
    return None


def _is_carried(space: Space, change: Stage, loops: Sequence[Loop]) -> bool:
    """Return whether a store is to one element in all iterations of the last loop, each time in a row if there are
    loops around it.
    """
    if any(space.atoms_in(part) for part in change.index):
        return False
    indexed = {name for part in change.index for name in space.dims(part)}
    return loops[-1].name not in indexed and {loop.name for loop in loops[:-1]} <= indexed


class _CarriedValues(RunningValues):
    """The statements around the change of one element."""

    def __init__(self, lowering: Lowering, change: Stage, loops: list[Loop]) -> None:
        super().__init__(lowering, change, loops[-1:])
        self._outer = change.loops[: len(change.loops) - 1]
        self._rows = tuple(loops[:-1])
        self._taken = self._array("taken", (*[loop.extent for loop in self._rows], self._size + 1))

    def _at(self, place: Polynomial) -> Load:
        """Return what the element is before an iteration."""
        return self._space.element(self._taken, self._index_of(place), self._change.node)

    def _index_of(self, place: Polynomial) -> Indices:
        return (*[Polynomial.name(loop.name) for loop in self._rows], place)

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that find what the element is, and the members with that."""
        change, (place,) = self._change, self._place
        before, after = self._at(place), self._at(place + 1)
        loads = self._loads(before)
        value = loads.vector(change.stored(self._space))
        if change.guards:
            holds = all_of(loads.vectors(change.guards))
            value = Apply("if_then_else", (holds, value, before), self._dtype)
        start = self._index_of(Polynomial.constant(0))
        first = self._stage(self._outer, self._taken, start, change.current(self._space))
        last = self._stage(self._outer, change.target, change.index, self._at(self._size))
        return [
            *self._apart(self._rows, first),
            self._stage(change.loops, self._taken, self._index_of(place + 1), value),
            *[self._replaced(member, before) for member in members[:at]],
            *[self._replaced(member, after) for member in members[at + 1 :]],
            *self._apart(self._rows, last),
        ]
