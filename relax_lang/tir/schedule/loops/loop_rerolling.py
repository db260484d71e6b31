"""Loop rerolling: `D[E[p, 0]] += 1; D[E[p, 1]] += 1;` is one statement in a loop over the columns of `E`.

The statements of such a run differ in numbers that grow by the same from one to the next, so that a loop around the
first one does in each step what they do, in their order. Of updates at places that data choose one list takes less time
than one for each statement.
"""

from __future__ import annotations

from itertools import takewhile

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, Load, all_loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering


def reroll(lowering: Lowering) -> list[Stage]:
    """Put runs of updates into loops; return the statements that are new."""
    made: list[Stage] = []
    statements: list[Statement] = []
    at = 0
    while at < len(lowering.statements):
        first, *others = lowering.statements[at : at + _MOST_STEPS]
        number, rolled = _Rerolling(lowering).run(first, others) if isinstance(first, Stage) else (1, first)
        if number > 1 and isinstance(rolled, Stage):
            made.append(rolled)
        statements.append(rolled)
        at += number
    lowering.statements[:] = statements
    return made


_MOST_STEPS = 16
"""So many statements at most become one loop: of longer runs each part is one."""


class _Rerolling:
    """A loop around one statement that does what some others do after it."""

    def __init__(self, lowering: Lowering) -> None:
        self._space = lowering.space
        self._entry = lowering.entry
        self._step = ""
        """The variable of the loop."""

    def run(self, first: Stage, others: Sequence[Statement]) -> tuple[int, Stage]:
        """Return how many statements one does the work of, and that one."""
        alike = list(takewhile(lambda one: _are_alike(first, one), others))
        if not alike or not self._is_scattered(first):
            return 1, first
        second = alike[0]
        assert isinstance(second, Stage)
        self._step, node = self._entry.fresh("step"), first.loops[-1].node
        self._space.loops[self._step] = Loop(self._step, Polynomial.constant(_MOST_STEPS), node)
        index, value = self._index(first.index, second.index), self._value(first.value, second.value)
        if index is None or value is None or (index == first.index and value is first.value):
            return 1, first
        rolled = replaced(first, index=index, value=value)
        number = 1 + len(list(takewhile(lambda step: self._does(rolled, *step), enumerate(alike, 1))))
        loop = self._space.loops[self._step] = Loop(self._step, Polynomial.constant(number), node)
        return number, replaced(rolled, loops=(*first.loops, loop))

    def _is_scattered(self, stage: Stage) -> bool:
        """Return whether a statement updates elements that data choose, by what it does not store itself."""
        if stage.op == "=" or stage.guards or stage.reducing or not stage.loops:
            return False
        read = all_loads(self._space, stage.value)
        chosen = self._space.atom_values(stage.index)
        read += [load for value in chosen for load in all_loads(self._space, value)]
        return bool(chosen) and all(load.storage is not stage.target for load in read)

    def _does(self, rolled: Stage, number: int, wanted: Statement) -> bool:
        """Return whether a step of the loop does what a statement does."""
        made = rolled.over(self._space, rolled.loops, {self._step: Polynomial.constant(number)})
        return isinstance(wanted, Stage) and made.index == wanted.index and made.value.key == wanted.value.key

    def _value(self, first: Vector, second: Vector) -> Vector | None:
        """Return what the first value is in the first step and the second one in the second; None if it has no such
        form.
        """
        if first.key == second.key:
            return first
        if isinstance(first, Index) and isinstance(second, Index):
            number = self._polynomial(first.polynomial, second.polynomial)
            return None if number is None else Index(number, self._space.dims(number))
        if isinstance(first, Load) and isinstance(second, Load) and first.storage is second.storage:
            index = self._index(first.index, second.index)
            return None if index is None else self._space.element(first.storage, index, first.node)
        if not isinstance(first, Apply) or not isinstance(second, Apply):
            return None
        if (first.op, first.dtype, len(first.args)) != (second.op, second.dtype, len(second.args)):
            return None
        parts = [self._value(*pair) for pair in zip(first.args, second.args, strict=True)]
        known = [part for part in parts if part is not None]
        return Apply(first.op, tuple(known), first.dtype) if len(known) == len(parts) else None

    def _index(self, first: Indices, second: Indices) -> Indices | None:
        parts = [self._polynomial(*pair) for pair in zip(first, second, strict=True)]
        known = tuple([part for part in parts if part is not None])
        return known if len(known) == len(parts) else None

    def _polynomial(self, first: Polynomial, second: Polynomial) -> Polynomial | None:
        difference = (second - first).value
        if difference is not None:
            return first + Polynomial.name(self._step) * difference
        atoms = [self._space.atoms_in(part) for part in (first, second)]
        if any(len(found) != 1 for found in atoms):
            return None
        ((one,), (other,)) = atoms
        if first - Polynomial.name(one.name) != second - Polynomial.name(other.name):
            return None
        value = self._value(one.vector, other.vector)
        if value is None:
            return None
        place = self._space.atom(value, self._entry.fresh("at"))
        return first - Polynomial.name(one.name) + place


def _are_alike(first: Stage, second: Statement) -> bool:
    """Return whether statements of one body update the same array in the same way."""
    return (
        isinstance(second, Stage)
        and second.loops == first.loops
        and (second.target, second.op) == (first.target, first.op)
        and not (second.guards or second.reducing or second.facts or first.facts)
    )
