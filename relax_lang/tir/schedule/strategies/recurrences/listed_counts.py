"""Running counts that always grow by the same number, as in stream compaction: `if M[i] { Y[C] = X[i]; C += 1; }`.

Where conditions hold is listed first. In the iterations of the list, whose number data choose, the count is what it
was before, and one step more in each: `Y[C + lane] = X[i_at[lane]]` stores a slice. Without conditions the list is all
iterations, so that nothing is listed.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Listing, Stage
from relax_lang.tir.analysis.lowered.vector_ir import (
    NO_DIMS,
    Apply,
    Const,
    Index,
    Load,
    replace_name,
    same_access,
)
from relax_lang.tir.schedule.strategies.recurrences.running_values import RunningValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.running_values import Plain


def constant_step(step: Vector) -> int | None:
    """Return the number that is added, if it is one."""
    if isinstance(step, Apply) and step.op == "neg":
        number = constant_step(step.args[0])
        return None if number is None else -number
    if isinstance(step, Index):
        value = step.polynomial.value
        return value if isinstance(value, int) else None
    return step.value if isinstance(step, Const) and isinstance(step.value, int) else None


def is_listed(space: Space, members: Sequence[Plain], at: int, step: Vector, loops: Sequence[Loop]) -> bool:
    """Return whether all statements around a count run in the iterations in which it counts, whole rows of them at
    most, and whether it grows by a number that is known.
    """
    count = members[at]
    number = constant_step(step)
    if not isinstance(count, Stage) or count.target.dtype != dtypes.INT64 or not number:
        return False
    if abs(number) > _LARGEST_STEP:
        return False
    names = {loop.name for loop in loops}
    keys = [guard.key for guard in count.guards]
    for member in members:
        if member.loops[: len(count.loops)] != count.loops or member.reducing:
            return False
        if [guard.key for guard in member.guards[: len(keys)]] != keys:
            return False
        if any(space.dims(loop.extent) & names for loop in member.loops[len(count.loops) :]):
            return False
    return True


_LARGEST_STEP = 1 << 20


class ListedCount(RunningValues):
    """The statements around one count, in the iterations in which it counts."""

    def __init__(self, lowering: Lowering, count: Stage, step: int, loops: list[Loop]) -> None:
        super().__init__(lowering, count, loops)
        self._step = step
        self._outer = count.loops[: len(count.loops) - len(loops)]
        self._start = self._array("start", ())
        old = Load(count.target, count.index, NO_DIMS.union(*map(self._space.dims, count.index)), count.node)
        self._made: list[Statement] = [self._stage(self._outer, self._start, (), old)]
        self._at: dict[str, Polynomial] = {}
        """What the loop variables are in an iteration of the list."""
        self._lanes, self._lane, self._times = self._loops, self._place[0], self._size
        self._passed = self._lane
        """How often it has counted where a statement runs."""
        kept = [self._start, *(self._list() if count.guards else [])]
        if not self._outer:
            self._space.constant.update(kept)  # stored once, before anything reads them

    @property
    def loops(self) -> list[Loop]:
        """The loops in which it counts: those that it had, or the one over the list."""
        return [*self._loops, *self._lanes]

    def _list(self) -> list[Storage]:
        """List the iterations in which the conditions hold; return what has their number, and the lists."""
        count, entry = self._count, self._lowering.entry
        chosen = self._array("chosen", tuple([loop.extent for loop in self._loops]), dtypes.BOOL)
        holds = count.guards[0]
        for guard in count.guards[1:]:
            holds = Apply("&&", (holds, guard), dtypes.BOOL)
        index = tuple([Polynomial.name(loop.name) for loop in self._loops])
        number = self._array("number", ())
        lanes = self._space.atom(Load(number, (), NO_DIMS, count.node), entry.fresh("lanes"))
        lane = Loop(entry.fresh("lane"), lanes, self._loops[-1].node)
        self._space.loops[lane.name] = lane
        self._lanes, self._lane, self._times = (lane,), Polynomial.name(lane.name), lanes
        found: list[Storage] = []
        for loop in self._loops:
            storage = Storage(entry.fresh(f"{loop.name}_at"), dtypes.INT64, (lanes,))
            storage.limit = loop.extent
            found.append(storage)
            self._at[loop.name] = self._space.atom(self._load(storage, self._lane), entry.fresh("at"))
        self._made += [
            self._stage((*self._outer, *self._loops), chosen, index, holds),
            Listing(self._outer, (), count.label, count.node, chosen, found, number),
        ]
        return [number, *found]

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that list iterations, and the members in these."""
        start = Load(self._start, (), NO_DIMS, self._count.node)
        found = [*self._made]
        for position, member in enumerate(members):
            if position == at:
                continue
            self._passed = self._lane + (1 if position > at else 0)
            found.append(self._in_list(self._replaced(member, start)))
        total = self._plus(start, self._index(self._times * self._step))
        last = self._stage(self._outer, self._count.target, self._count.index, total)
        return [*found, last]

    def _in_list(self, member: Plain) -> Plain:
        """Return a statement over the list."""
        if not self._at:
            return member
        space, inner = self._space, member.loops[len(self._count.loops) :]
        loops = (*self._outer, *self._lanes, *inner)
        guards = member.guards[len(self._count.guards) :]
        if isinstance(member, Stage):
            return member.over(space, loops, self._at, guards)
        values = tuple([space.replaced(value, self._at) for value in member.values])
        condition = None if member.condition is None else space.replaced(member.condition, self._at)
        guards = tuple([space.replaced(guard, self._at) for guard in guards])
        return replaced(member, loops=loops, guards=guards, values=values, condition=condition)

    def _vector_anew(self, vector: Vector, by: Load, done: dict[int, Vector]) -> Vector:
        if isinstance(vector, Load) and same_access(vector, self._count.target, self._count.index):
            return self._plus(by, self._index(self._passed * self._step))
        return super()._vector_anew(vector, by, done)

    def _polynomial(self, polynomial: Polynomial, by: Load, done: dict[int, Vector]) -> Polynomial:
        count = self._count
        for atom in self._space.atoms_in(polynomial):
            if isinstance(atom.vector, Load) and same_access(atom.vector, count.target, count.index):
                start = self._space.atom(by, self._lowering.entry.fresh("at"))
                polynomial = replace_name(polynomial, atom.name, start + self._passed * self._step)
        return super()._polynomial(polynomial, by, done)
