"""The iterations in which a statement runs, listed first: what its conditions decide is then the size of a list.

In the iterations of the list, whose number data choose, all statements around it run without the conditions:
`if M[i] { Y[C] = X[i]; C += 1; }` becomes `Y[C + lane] = X[i_at[lane]]`. Without conditions the list is all iterations,
so that nothing is listed.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Listing, Stage
from relax_lang.tir.schedule.strategies.recurrences.element_changes import shares_loops
from relax_lang.tir.schedule.strategies.recurrences.running_values import RunningValues, all_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


def run_together(space: Space, members: Sequence[Plain], change: Stage, loops: Sequence[Loop]) -> bool:
    """Return whether all statements around a store run where it does, in each such iteration whole rows at most."""
    names = {loop.name for loop in loops}
    keys = [guard.key for guard in change.guards]
    if not shares_loops(members, change):
        return False
    for member in members:
        if [guard.key for guard in member.guards[: len(keys)]] != keys:
            return False
        if any(space.dims(loop.extent) & names for loop in member.loops[len(change.loops) :]):
            return False
    return True


class ListedIterations(RunningValues):
    """The statements around one store, in the iterations in which it runs."""

    def __init__(self, lowering: Lowering, change: Stage, loops: list[Loop]) -> None:
        super().__init__(lowering, change, loops)
        self._outer = change.loops[: len(change.loops) - len(loops)]
        self._lanes, self._lane, self._times = self._loops, self._place[0], self._size
        """The loops over the list, the number of an iteration in it, and how many there are."""
        self._at: dict[str, Polynomial] = {}
        """What the loop variables are in an iteration of the list."""
        self._listed: list[Statement] = []
        """The statements that make the list."""
        self._lists = self._list() if change.guards else []
        """What has the number of iterations, and the lists."""

    @property
    def loops(self) -> list[Loop]:
        """The loops of the iterations: those that the store had, or the one over the list."""
        return [*self._loops, *self._lanes]

    def _list(self) -> list[Storage]:
        """List the iterations in which the conditions hold; return what has their number, and the lists."""
        change, entry = self._change, self._lowering.entry
        chosen = self._array("chosen", tuple([loop.extent for loop in self._loops]), dtypes.BOOL)
        holds = all_of(change.guards)
        index = tuple([Polynomial.name(loop.name) for loop in self._loops])
        number = self._array("number", (), dtypes.INT64)
        lanes = self._space.atom(self._space.element(number, (), change.node), entry.fresh("lanes"))
        lane = Loop(entry.fresh("lane"), lanes, self._loops[-1].node)
        self._space.loops[lane.name] = lane
        self._lanes, self._lane, self._times = (lane,), Polynomial.name(lane.name), lanes
        found: list[Storage] = []
        for loop in self._loops:
            storage = Storage(entry.fresh(f"{loop.name}_at"), dtypes.INT64, (lanes,))
            storage.limit = loop.extent
            found.append(storage)
            self._at[loop.name] = self._space.atom(self._load(storage, self._lane), entry.fresh("at"))
        self._listed += [
            self._stage((*self._outer, *self._loops), chosen, index, holds),
            Listing(self._outer, (), change.label, change.node, chosen, found, number),
        ]
        return [number, *found]

    def _in_list(self, member: Plain) -> Plain:
        """Return a statement over the list."""
        if not self._at:
            return member
        space, inner = self._space, member.loops[len(self._change.loops) :]
        loops = (*self._outer, *self._lanes, *inner)
        guards = member.guards[len(self._change.guards) :]
        if isinstance(member, Stage):
            return member.over(space, loops, self._at, guards)
        values = tuple([space.replaced(value, self._at) for value in member.values])
        condition = None if member.condition is None else space.replaced(member.condition, self._at)
        guards = tuple([space.replaced(guard, self._at) for guard in guards])
        return replaced(member, loops=loops, guards=guards, values=values, condition=condition)
