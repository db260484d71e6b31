"""Elements that data choose in a loop, each read before it is changed: `P[i] = U[K[i]]; U[K[i]] += 1;`.

What is added or stored does not depend on the rest of the loop, so what each iteration finds in its element can be had
first: what earlier iterations with the same key have left there. With that in the place of the element the other
statements no longer wait for each other. Sums are those of integers, as the order of those of floats matters.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.lowered.statements import New, RunningByKey
from relax_lang.tir.analysis.lowered.vector_ir import all_loads
from relax_lang.tir.schedule.array_sizes import fits
from relax_lang.tir.schedule.strategies.recurrences.element_changes import (
    added_by,
    changes,
    changes_alone,
    is_read_by_others,
    loads_beside,
    loads_of,
)
from relax_lang.tir.schedule.strategies.recurrences.listed_iterations import ListedIterations, run_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.lowered.statements import Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


def with_keyed_values(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with what they find in elements that data choose taken beforehand,
    and the loops in which these change, if there are any.
    """
    space = lowering.space
    for plain, at, change, loops in changes(space, members, fixed):
        added = added_by(change)
        if added is None and change.op != "=":
            continue
        if not fits([loop.whole for loop in loops], lowering) or not _is_worth_it(space, change, loops):
            continue
        if not run_together(space, plain, change, loops) or not is_read_by_others(space, plain, change):
            continue
        value = change.value if added is None else added
        if changes_alone(space, plain, change, loads_beside(space, change, value)):
            keyed = _KeyedValues(lowering, change, value, loops, adds=added is not None)
            return keyed.statements(plain, at), keyed.loops
    return None


def _is_worth_it(space: Space, change: Stage, loops: Sequence[Loop]) -> bool:
    """Return whether data choose the elements, or when they change, or there is one: else all are changed at once in a
    loop over the steps.
    """
    names = {loop.name for loop in loops}
    indexed = any(space.dims(part) & names for part in change.index)
    return bool(change.guards) or not indexed or any(space.atoms_in(part) for part in change.index)


class _KeyedValues(ListedIterations):
    """The statements around one change of elements, in the iterations in which they change."""

    def __init__(
        self, lowering: Lowering, change: Stage, value: Vector, loops: list[Loop], *, adds: bool
    ) -> None:
        super().__init__(lowering, change, loops)
        self._adds = adds
        self._made = self._listed
        self._values, self._before = self._list_of("values"), self._list_of("before")
        self._after = self._list_of("after") if adds else self._values
        keys = self._list_of("keys", dtypes.INT64)
        self._made += self._at_first(change, keys, value)
        arrays = keys, self._values, self._before
        self._made.append(RunningByKey(self._outer, (), change.label, change.node, *arrays, adds))

    def _list_of(self, wanted: str, dtype: str = "") -> Storage:
        """Return an array with an element for each iteration."""
        if not self._at:
            return self._array(wanted, (self._times,), dtype)
        change = self._change
        storage = Storage(self._lowering.entry.fresh(wanted), dtype or self._dtype, (self._times,))
        storage.is_temporary = True
        self._made.append(New(self._outer, (), change.label, change.node, storage))
        return storage

    def _at_first(self, change: Stage, keys: Storage, value: Vector) -> list[Stage]:
        """Return what stores the keys, the values and what elements hold at first, in loops of its own."""
        key = Polynomial.constant(0)
        for part, size in zip(change.index, change.target.sizes, strict=True):
            key = key * size + part
        parts = [(keys, self._index(key)), (self._values, value), (self._before, change.current(self._space))]
        loops = (*self._outer, *self._lanes)
        made = [
            self._stage(loops, array, (self._lane,), self._space.replaced(part, self._at))
            for array, part in parts
        ]
        return self._apart(self._lanes, *made)

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that find what is in the elements, and the members with that."""
        before, after, value = [
            self._load(array, self._lane) for array in (self._before, self._after, self._values)
        ]
        change = self._change
        first = [self._in_list(self._replaced(member, before)) for member in members[:at]]
        last = [self._in_list(self._replaced(member, after)) for member in members[at + 1 :]]
        made = self._made
        if self._adds and any(
            load.storage is self._after for member in last for load in loads_of(self._space, member)
        ):
            total = self._plus(before, value)
            loops = (*self._outer, *self._lanes)
            made = [*made, self._stage(loops, self._after, (self._lane,), total)]
        changed = replaced(change, op="+=" if self._adds else "=", value=value)
        if self._adds and not all_loads(self._space, change.value):
            changed = change  # counting is faster than adding
        return [*made, *first, self._in_list(changed), *last]
