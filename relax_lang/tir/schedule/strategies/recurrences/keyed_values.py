"""Elements that data choose in a loop, each read before it is changed: `P[i] = U[K[i]]; U[K[i]] += 1;`.

What is added or stored does not depend on the rest of the loop, so what each iteration finds in its element can be had
first: what earlier iterations with the same key have left there. With that in the place of the element the other
statements no longer wait for each other. Sums are those of integers, as the order of those of floats matters.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Check, New, RunningByKey, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Load, all_loads, same_access
from relax_lang.tir.schedule.array_sizes import fits
from relax_lang.tir.schedule.strategies.recurrences.listed_iterations import ListedIterations, run_together
from relax_lang.tir.schedule.strategies.recurrences.running_values import added_by, parts_of_statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.running_values import Plain


def with_keyed_values(
    lowering: Lowering, members: Sequence[Statement], fixed: frozenset[str]
) -> tuple[list[Statement], list[Loop]] | None:
    """Return statements of one circle of dependences with what they find in elements that data choose taken beforehand,
    and the loops in which these change, if there are any.
    """
    space = lowering.space
    plain = [one for one in members if isinstance(one, Stage | Check)]
    if len(plain) != len(members) or len(plain) < 2:
        return None
    for at, one in enumerate(plain):
        if not isinstance(one, Stage):
            continue
        added = added_by(one)
        value = one.value if added is None else added
        loops = [loop for loop in one.loops if loop.name not in fixed]
        if (added is None and one.op != "=") or not loops or any(space.varies(loop.extent) for loop in loops):
            continue
        if not fits([loop.extent for loop in loops], lowering) or not _is_worth_it(space, one, loops):
            continue
        if _is_alone(space, plain, at, value) and run_together(space, plain, one, loops):
            keyed = _KeyedValues(lowering, one, value, loops, adds=added is not None)
            return keyed.statements(plain, at), keyed.loops
    return None


def _is_worth_it(space: Space, change: Stage, loops: Sequence[Loop]) -> bool:
    """Return whether data choose the elements, or when they change, or there is one: else all are changed at once in a
    loop over the steps.
    """
    names = {loop.name for loop in loops}
    indexed = any(space.dims(part) & names for part in change.index)
    return bool(change.guards) or not indexed or any(space.atoms_in(part) for part in change.index)


def _is_alone(space: Space, members: Sequence[Plain], at: int, value: Vector) -> bool:
    """Return whether a statement alone changes an array, by what nothing of the others has a part in, and others read
    the very element before or afterwards.
    """
    change = members[at]
    assert isinstance(change, Stage)
    stored = {one.target for one in members if isinstance(one, Stage)}
    own = (value, *change.guards, *space.atom_values(change.index))
    if any(load.storage in stored for part in own for load in all_loads(space, part)):
        return False
    is_read = False
    for other in members:
        if other is change:
            continue
        if isinstance(other, Stage) and other.target is change.target:
            return False
        extents = space.atom_values([loop.extent for loop in other.loops])
        if any(load.storage in stored for part in extents for load in all_loads(space, part)):
            return False
        for load in [load for part in parts_of_statement(space, other) for load in all_loads(space, part)]:
            if load.storage is change.target:
                if not same_access(load, change.target, change.index):
                    return False
                is_read = True
    return is_read


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
        change = self._count
        storage = Storage(self._lowering.entry.fresh(wanted), dtype or self._dtype, (self._times,))
        storage.is_temporary = True
        self._made.append(New(self._outer, (), change.label, change.node, storage))
        return storage

    def _at_first(self, change: Stage, keys: Storage, value: Vector) -> list[Stage]:
        """Return what stores the keys, the values and what elements hold at first, in loops of its own."""
        key = Polynomial.constant(0)
        for part, size in zip(change.index, change.target.sizes, strict=True):
            key = key * size + part
        old = Load(change.target, change.index, self._space.dims(key), change.node)
        parts = [(keys, self._index(key)), (self._values, value), (self._before, old)]
        loops = (*self._outer, *self._lanes)
        made = [
            self._stage(loops, array, (self._lane,), self._space.replaced(part, self._at))
            for array, part in parts
        ]
        fresh = self._lowering.entry.fresh
        over = tuple([Loop(fresh(loop.name), loop.extent, loop.node) for loop in self._lanes])
        self._space.loops.update({loop.name: loop for loop in over})
        names = {old.name: Polynomial.name(new.name) for old, new in zip(self._lanes, over, strict=True)}
        return [stage.over(self._space, (*self._outer, *over), names) for stage in made]

    def statements(self, members: Sequence[Plain], at: int) -> list[Statement]:
        """Return the statements that find what is in the elements, and the members with that."""
        before, after, value = [
            self._load(array, self._lane) for array in (self._before, self._after, self._values)
        ]
        change = self._count
        first = [self._in_list(self._replaced(member, before)) for member in members[:at]]
        last = [self._in_list(self._replaced(member, after)) for member in members[at + 1 :]]
        made = self._made
        if self._adds and any(self._reads(member, self._after) for member in last):
            total = self._plus(before, value)
            loops = (*self._outer, *self._lanes)
            made = [*made, self._stage(loops, self._after, (self._lane,), total)]
        changed = replaced(change, op="+=" if self._adds else "=", value=value)
        if self._adds and not all_loads(self._space, change.value):
            changed = change  # counting is faster than adding
        return [*made, *first, self._in_list(changed), *last]

    def _reads(self, member: Plain, array: Storage) -> bool:
        parts = parts_of_statement(self._space, member)
        return any(load.storage is array for part in parts for load in all_loads(self._space, part))
