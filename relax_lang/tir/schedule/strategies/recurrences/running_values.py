"""What a statement leaves in one element in each iteration of loops, taken beforehand, in the place of that element."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.replaced_loads import ReplacedLoads
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Const,
    Index,
    Load,
    Vector,
    same_access,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.strategies.recurrences.element_changes import Plain


def all_of(guards: Sequence[Vector]) -> Vector:
    """Return whether all of some conditions hold."""
    holds = guards[0]
    for guard in guards[1:]:
        holds = Apply("&&", (holds, guard), dtypes.BOOL)
    return holds


class RunningValues:
    """The values of an element that a statement changes in each iteration of some loops, in arrays of their own."""

    def __init__(self, lowering: Lowering, change: Stage, loops: list[Loop]) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._change = change
        self._dtype = change.target.dtype
        self._loops = tuple(loops)
        place, size = Polynomial.constant(0), Polynomial.constant(1)
        for loop in loops:  # the number of an iteration, in the order of the program
            place, size = place * loop.extent + Polynomial.name(loop.name), size * loop.extent
        self._place = (place,)
        self._size = size
        self._every = Loop(lowering.entry.fresh("step"), size, loops[-1].node)
        self._space.loops[self._every.name] = self._every

    def _running_sums(self, sums: Storage, added: Storage) -> Stage:
        """Return the statement that stores the running sums of what is added."""
        number = Polynomial.name(self._every.name)
        positive = Apply(">", (self._index(number), self._index(Polynomial.constant(0))), dtypes.BOOL)
        zero = self._number(0, sums.dtype)
        before = Apply("if_then_else", (positive, self._load(sums, number - 1), zero), sums.dtype)
        value = Apply("+", (before, self._load(added, number)), sums.dtype)
        return self._stage((self._every,), sums, (number,), value)

    def _array(self, wanted: str, shape: Indices, dtype: str = "") -> Storage:
        storage = Storage(self._lowering.entry.fresh(wanted), dtype or self._dtype, shape)
        storage.is_temporary = True
        self._lowering.allocated.append(storage)
        return storage

    def _number(self, value: int, dtype: str = "") -> Vector:
        dtype = dtype or self._dtype
        return self._index(Polynomial.constant(value)) if dtype == dtypes.INT64 else Const(value, dtype)

    def _index(self, polynomial: Polynomial) -> Index:
        return Index(polynomial, self._space.dims(polynomial))

    def _plus(self, a: Vector, b: Vector) -> Vector:
        return Apply("+", (a, b), self._dtype)

    def _load(self, storage: Storage, place: Polynomial) -> Load:
        return self._space.element(storage, (place,), self._change.node)

    def _stage(
        self,
        loops: tuple[Loop, ...],
        target: Storage,
        index: Indices,
        value: Vector,
        guards: tuple[Vector, ...] = (),
    ) -> Stage:
        change = self._change
        return Stage(loops, guards, change.label, change.node, target, index, "=", value)

    def _apart(self, loops: Sequence[Loop], *stages: Stage) -> list[Stage]:
        """Return stores with fresh loops in the place of some, so that no other statement runs in them."""
        fresh = self._lowering.entry.fresh
        over = {loop: Loop(fresh(loop.name), loop.extent, loop.node) for loop in loops}
        self._space.loops.update({loop.name: loop for loop in over.values()})
        names = {old.name: Polynomial.name(new.name) for old, new in over.items()}
        return [
            stage.over(self._space, tuple([over.get(loop, loop) for loop in stage.loops]), names)
            for stage in stages
        ]

    def _guards(self, member: Plain) -> tuple[Vector, ...]:
        """Return the conditions on a statement."""
        return member.guards

    def _replaced(self, member: Plain, by: Load) -> Plain:
        loads = self._loads(by)
        guards = loads.vectors(self._guards(member))
        if isinstance(member, Stage):
            index, value = loads.indices(member.index), loads.vector(member.value)
            return replaced(member, index=index, value=value, guards=guards)
        condition = None if member.condition is None else loads.vector(member.condition)
        return replaced(member, condition=condition, values=loads.vectors(member.values), guards=guards)

    def _loads(self, by: Load) -> ReplacedLoads:
        """Return what reads the values of the element from an array."""
        value = self._value(by)

        def load_of(load: Load, index: Indices) -> Vector:
            if same_access(load, self._change.target, self._change.index):
                return value
            return self._space.element(load.storage, index, load.node)

        return ReplacedLoads(self._space, self._lowering.entry.fresh, load_of)

    def _value(self, by: Load) -> Vector:
        """Return the element by what is read from an array."""
        return by
