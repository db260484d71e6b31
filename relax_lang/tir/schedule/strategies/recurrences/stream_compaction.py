"""Running counts in a loop: `if M[i] { Y[C] = X[i]; C += 1; }`, where the count is the index of the store.

What is added to C in each iteration does not depend on the rest of the loop, so all values of C can be had first: they
are running sums. With these in the place of C, the other statements no longer wait for each other. Integers only, as
sums of floats would have to be taken apart again.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Const,
    Load,
    Vector,
)
from relax_lang.tir.schedule.strategies.recurrences.element_changes import (
    added_by,
    changes,
    changes_alone,
    changes_one_element,
    is_read_by_others,
    loads_beside,
    loads_of,
)
from relax_lang.tir.schedule.strategies.recurrences.listed_counts import ListedCount, constant_step, is_listed
from relax_lang.tir.schedule.strategies.recurrences.running_values import RunningValues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


def with_counts(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with the values of a count taken beforehand, and the loops in
    which it counts, if there is one.
    """
    for plain, at, count, step, loops in _counts(lowering, members, fixed):
        return _Counted(lowering, count, step, loops).statements(plain, at), loops
    return None


def with_listed_counts(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return the same in the iterations in which a count grows, if it grows by the same number in each."""
    for plain, at, count, step, loops in _counts(lowering, members, fixed):
        number = constant_step(step)
        if number is not None and is_listed(lowering.space, plain, count, step, loops):
            listed = ListedCount(lowering, count, number, loops)
            return listed.statements(plain, at), listed.loops
    return None


def _counts(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> Iterator[tuple[list[Plain], int, Stage, Vector, list[Loop]]]:
    """Yield the counts among statements, with where they are, what they add, and the loops in which they count."""
    space = lowering.space
    for plain, at, count, loops in changes(space, members, fixed):
        step = added_by(count)
        if step is None or not changes_one_element(space, plain, count, loops):
            continue
        if not is_read_by_others(space, plain, count):
            continue
        if changes_alone(space, plain, count, loads_beside(space, count, step)):
            yield plain, at, count, step, loops


class _Counted(RunningValues):
    """The statements that take the values of one count."""

    def __init__(self, lowering: Lowering, count: Stage, step: Vector, loops: list[Loop]) -> None:
        super().__init__(lowering, count, loops)
        self._chosen: Storage | None = None
        every, size, (place,) = self._every, self._size, self._place
        start = self._array("start", ())
        added, sums = self._array("added", (size,)), self._array("sums", (size,))
        self._added = added
        self._before, self._after = self._array("before", (size,)), self._array("after", (size,))
        old = Load(count.target, count.index, frozenset(), count.node)
        number = Polynomial.name(every.name)
        after = self._plus(Load(start, (), frozenset(), count.node), self._load(sums, place))
        self._values = {
            self._before: Apply("-", (after, self._load(added, place)), self._dtype),
            self._after: after,
        }
        self._made: list[Statement] = [
            self._stage((), start, (), old),
            *self._where(every),
            self._stage((every,), added, (number,), self._number(0)),
            self._stage(self._loops, added, self._place, step, self._guards(count)),
            self._running_sums(sums, added),
        ]

    def _where(self, every: Loop) -> list[Statement]:
        """Return what finds out where the conditions on the count hold, which is the same for all under them."""
        if not self._change.guards:
            return []
        self._chosen = self._array("chosen", (every.extent,), dtypes.BOOL)
        no, yes = Const(False, dtypes.BOOL), Const(True, dtypes.BOOL)
        return [
            self._stage((every,), self._chosen, (Polynomial.name(every.name),), no),
            self._stage(self._loops, self._chosen, self._place, yes, self._change.guards),
        ]

    def _guards(self, member: Plain) -> tuple[Vector, ...]:
        """Return the conditions on a statement; those of the count are known."""
        keys = [guard.key for guard in self._change.guards]
        if self._chosen is None or [guard.key for guard in member.guards[: len(keys)]] != keys:
            return member.guards
        return (self._load(self._chosen, self._place[0]), *member.guards[len(keys) :])

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that count, and the members with what was counted in the place of the count."""
        replaced: list[Plain] = []
        for position, member in enumerate(members):
            storage = self._before if position < at else self._after
            load = self._load(storage, self._place[0])
            replaced.append(self._counting() if position == at else self._replaced(member, load))
        read = {load.storage for member in replaced for load in loads_of(self._space, member)}
        needed = [
            self._stage(self._loops, storage, self._place, value)
            for storage, value in self._values.items()
            if storage in read
        ]
        return [*self._made, *needed, *replaced]

    def _counting(self) -> Stage:
        """Return the statement that stores the count, by what was found to be added."""
        count = self._change
        value = self._load(self._added, self._place[0])
        return Stage(count.loops, (), count.label, count.node, count.target, count.index, "+=", value)
