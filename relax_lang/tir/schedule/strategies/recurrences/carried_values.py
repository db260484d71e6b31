"""An element that each iteration of a loop takes over from the one before: `S[0] += X[i]; Y[i] = S[0];`.

It gets an array with what it is before each iteration and after the last one: `T[i + 1] = T[i] + X[i]`, a running
operation of its own (see `scans` and `running_steps`). With that in the place of the element the other statements no
longer wait for each other. The operations are those of the program, in its order.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statements import Check, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Load, all_loads, same_access
from relax_lang.tir.schedule.array_sizes import fits
from relax_lang.tir.schedule.strategies.recurrences.running_values import (
    RunningValues,
    all_of,
    parts_of_statement,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.running_values import Plain


def with_carried_values(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with the values that an element takes in an array, and the loop
    that carries them, if there is one.
    """
    space = lowering.space
    plain = [one for one in members if isinstance(one, Stage | Check)]
    if len(plain) != len(members) or len(plain) < 2:
        return None
    for at, one in enumerate(plain):
        loops = [loop for loop in one.loops if loop.name not in fixed]
        if not isinstance(one, Stage) or not loops or any(space.varies(loop.extent) for loop in loops):
            continue
        if not _is_carried(space, one, loops) or not fits([loop.extent for loop in loops], lowering):
            continue
        if _is_alone(space, plain, at):
            carried = _CarriedValues(lowering, one, loops)
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


def _is_alone(space: Space, members: Sequence[Plain], at: int) -> bool:
    """Return whether a statement alone changes an element, by what the others change nothing of, and others read this
    element before or afterwards.
    """
    change = members[at]
    assert isinstance(change, Stage)
    others = {one.target for one in members if isinstance(one, Stage) and one is not change}
    own = [load for part in parts_of_statement(space, change) for load in all_loads(space, part)]
    if change.target in others or any(load.storage in others for load in own):
        return False
    stored = {*others, change.target}
    for member in members:
        if member.loops[: len(change.loops)] != change.loops or member.reducing:
            return False
        extents = space.atom_values([loop.extent for loop in member.loops])
        if any(load.storage in stored for part in extents for load in all_loads(space, part)):
            return False
        reads = [load for part in parts_of_statement(space, member) for load in all_loads(space, part)]
        if any(
            load.storage is change.target and not same_access(load, change.target, change.index)
            for load in reads
        ):
            return False
    return True


class _CarriedValues(RunningValues):
    """The statements around the change of one element."""

    def __init__(self, lowering: Lowering, change: Stage, loops: list[Loop]) -> None:
        super().__init__(lowering, change, loops[-1:])
        self._outer = change.loops[: len(change.loops) - 1]
        self._rows = tuple(loops[:-1])
        self._taken = self._array("taken", (*[loop.extent for loop in self._rows], self._size + 1))

    def _at(self, place: Polynomial) -> Load:
        """Return what the element is before an iteration."""
        index = self._index_of(place)
        dims = frozenset([name for part in index for name in self._space.dims(part)])
        return Load(self._taken, index, dims, self._count.node)

    def _index_of(self, place: Polynomial) -> Indices:
        return (*[Polynomial.name(loop.name) for loop in self._rows], place)

    def _apart(self, stage: Stage) -> Stage:
        """Return a store around the loop, over loops of its own."""
        fresh = self._lowering.entry.fresh
        over = {loop: Loop(fresh(loop.name), loop.extent, loop.node) for loop in self._rows}
        self._space.loops.update({loop.name: loop for loop in over.values()})
        names = {old.name: Polynomial.name(new.name) for old, new in over.items()}
        return stage.over(self._space, tuple([over.get(loop, loop) for loop in stage.loops]), names)

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that find what the element is, and the members with that."""
        change, (place,) = self._count, self._place
        before, after = self._at(place), self._at(place + 1)
        value = self._vector(change.value, before, {})
        if change.op != "=":
            value = Apply(change.op[0], (before, value), self._dtype)
        if change.guards:
            guards = [self._vector(guard, before, {}) for guard in change.guards]
            value = Apply("if_then_else", (all_of(guards), value, before), self._dtype)
        dims = frozenset([name for part in change.index for name in self._space.dims(part)])
        old = Load(change.target, change.index, dims, change.node)
        first = self._stage(self._outer, self._taken, self._index_of(Polynomial.constant(0)), old)
        last = self._stage(self._outer, change.target, change.index, self._at(self._size))
        return [
            self._apart(first),
            self._stage(change.loops, self._taken, self._index_of(place + 1), value),
            *[self._replaced(member, before) for member in members[:at]],
            *[self._replaced(member, after) for member in members[at + 1 :]],
            self._apart(last),
        ]
