"""Running counts that always grow by the same number, as in stream compaction: `if M[i] { Y[C] = X[i]; C += 1; }`.

In a list of the iterations in which it grows (see `listed_iterations`) the count is what it was before, and one step
more in each: `Y[C + lane] = X[i_at[lane]]` stores a slice.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.value_ranges import number_in
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Load
from relax_lang.tir.schedule.strategies.recurrences.listed_iterations import ListedIterations, run_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


_LARGEST_STEP = 1 << 20
"""So large a number may be added each time: times the length of a list it is far from wrapping around."""


def constant_step(step: Vector) -> int | None:
    """Return the number that is added, if it is one."""
    if isinstance(step, Apply) and step.op == "neg":
        number = constant_step(step.args[0])
        return None if number is None else -number
    return number_in(step)


def is_listed(
    space: Space, members: Sequence[Plain], count: Stage, step: Vector, loops: Sequence[Loop]
) -> bool:
    """Return whether all statements around a count run in the iterations in which it counts, whole rows of them at
    most, and whether it grows by a number that is known.
    """
    number = constant_step(step)
    if count.target.dtype != dtypes.INT64 or not number:
        return False
    return abs(number) <= _LARGEST_STEP and run_together(space, members, count, loops)


class ListedCount(ListedIterations):
    """The statements around one count, in the iterations in which it counts."""

    def __init__(self, lowering: Lowering, count: Stage, step: int, loops: list[Loop]) -> None:
        super().__init__(lowering, count, loops)
        self._step = step
        self._start = self._array("start", ())
        self._passed = self._lane
        """How often it has counted where a statement runs."""
        first = self._stage(self._outer, self._start, (), count.current(self._space))
        self._made: list[Statement] = [first, *self._listed]
        kept = [self._start, *self._lists]
        if not self._outer:
            self._space.constant.update(kept)  # stored once, before anything reads them

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that list iterations, and the members in these."""
        start = self._space.element(self._start, (), self._change.node)
        found = [*self._made]
        for position, member in enumerate(members):
            if position == at:
                continue
            self._passed = self._lane + (1 if position > at else 0)
            found.append(self._in_list(self._replaced(member, start)))
        total = self._plus(start, self._index(self._times * self._step))
        last = self._stage(self._outer, self._change.target, self._change.index, total)
        return [*found, last]

    def _value(self, by: Load) -> Vector:
        return self._plus(by, self._index(self._passed * self._step))
