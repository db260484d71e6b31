"""Affine schedules: each store runs at a time that is affine in its loops, and all of one time run at once.

A component of the dependence graph that keeps loops in loops is given a single sequential loop over time, if there is
one that keeps the order of all dependences (after Feautrier). The time of a store is one of its loops, so that loops
change places (`j` of one statement runs with `i` of another one: an LU factorization), or `c * i + j` of two of them
(wavefronts: Gauss and Seidel's iteration, edit distances).
"""

from __future__ import annotations

from itertools import islice, pairwise, product

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.reordering.instance_order import InstanceOrder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.footprint import Footprints

MOST_MEMBERS = 8
_MOST_TRIED = 64
_STEEPEST = 3
_MORE = range(1, _STEEPEST + 3)


class Time:
    """When a store runs: an affine value of its loops, in which the factor of `loop` is 1."""

    __slots__ = ("loop", "rest", "value")

    def __init__(self, loop: Loop, rest: Polynomial) -> None:
        self.loop = loop
        self.rest = rest
        self.value = rest + Polynomial.name(loop.name)


class AffineSchedules:
    """The schedules of one component with a single loop over time: each the loop, its statements in order, and why."""

    def __init__(
        self,
        lowering: Lowering,
        dependences: Dependences,
        regions: Footprints,
        members: Sequence[Stage],
        fixed: frozenset[str],
    ) -> None:
        self._space = lowering.space
        self._entry = lowering.entry
        self._regions = regions
        self._members = members
        self._fixed = fixed
        self._order = InstanceOrder(dependences, members, fixed)
        self._kept: dict[tuple[int, int, Polynomial, Polynomial], bool] = {}
        self._made: dict[tuple[str, Polynomial], Loop] = {}

    def found(self) -> Iterator[tuple[Loop, list[Stage], str]]:
        """Yield the schedules that keep the order of all dependences."""
        for times in islice(self._candidates(), _MOST_TRIED):
            if not self._is_kept(times):
                continue
            order = self._order.sequence(
                [
                    (first, second, self._order.second(b.value) - a.value)
                    for first, a in enumerate(times)
                    for second, b in enumerate(times)
                ]
            )
            extent = None if order is None else self._extent(times)
            if order is None or extent is None:
                continue
            node = times[0].loop.node
            time = Loop(self._entry.fresh("wave" if times[0].rest.terms else node.name), extent, node)
            self._space.loops[time.name] = time
            self._made = {}
            stages = [self._at(self._members[at], times[at], time) for at in order]
            made = [stage for stage in stages if stage is not None]
            if len(made) == len(stages):
                yield time, made, _reason(times)

    def _candidates(self) -> Iterator[Sequence[Time]]:
        """Yield a time for each store; those of one loop first."""
        free = [[loop for loop in member.loops if loop.name not in self._fixed] for member in self._members]
        if any(not loops for loops in free):
            return
        zero = Polynomial.constant(0)
        for times in product(*[[Time(loop, zero) for loop in loops] for loops in free]):
            if any(time.loop is not free[at][0] for at, time in enumerate(times)):
                yield times
        common = [loop for loop in free[0] if all(loop in loops for loops in free)]
        for outer, inner in pairwise(common):
            for factor in range(1, _STEEPEST + 1):
                yield [Time(inner, Polynomial.name(outer.name) * factor)] * len(free)
            for factor in range(2, _STEEPEST + 1):
                yield [Time(outer, Polynomial.name(inner.name) * factor)] * len(free)

    def _is_kept(self, times: Sequence[Time]) -> bool:
        """Return whether no instance runs at a later time than one that depends on it."""
        for first, a in enumerate(times):
            for second, b in enumerate(times):
                key = first, second, a.value, b.value
                if key not in self._kept:
                    late = a.value - self._order.second(b.value) - 1
                    self._kept[key] = not self._order.depends(first, second, [late])
                if not self._kept[key]:
                    return False
        return True

    def _extent(self, times: Sequence[Time]) -> Polynomial | None:
        """Return how many steps time has at most; None where that is not known before its loop."""
        longest = Polynomial.constant(0)
        for at, time in enumerate(times):
            free = [loop for loop in self._members[at].loops if loop.name not in self._fixed]
            found = self._regions.greatest(time.value, free)
            if found is None or self._space.dims(found) - self._fixed:
                return None
            # A step more than there are does nothing, and a number of steps is never negative.
            found = next((found + more for more in _MORE if self._proves(found + more)), None)
            if found is None:
                return None
            if self._proves(found - longest):
                longest = found
            elif not self._proves(longest - found):
                return None
        return longest if self._proves(longest) else None

    def _proves(self, value: Polynomial) -> bool:
        """Return whether a value is proved not to be negative in the loops around the component."""
        loops = [self._space.loops[name] for name in self._fixed]
        return self._entry.analyzer.proves(value, [part for loop in loops for part in loop.constraints])

    def _at(self, stage: Stage, when: Time, time: Loop) -> Stage | None:
        """Return what a store does at one time; None if a loop would have to come before one outside of it."""
        value = Polynomial.name(time.name) - when.rest
        values = {when.loop.name: value}
        guards: list[Vector] = []
        if when.rest.terms:
            guards.append(self._nonnegative(value))
        if when.rest.terms or when.loop.extent != time.extent:
            guards.append(self._nonnegative(when.loop.whole - 1 - value))
        loops = [loop for loop in stage.loops if loop.name in self._fixed]
        loops.append(time)
        for loop in stage.loops:
            if loop.name in self._fixed or loop is when.loop:
                continue
            extent = self._space.substituted(loop.extent, values)
            if self._space.dims(extent) - self._fixed - {one.name for one in loops}:
                return None
            if extent != loop.extent:
                key = loop.name, extent
                found = self._made.get(key)
                if found is None:
                    found = self._made[key] = Loop(self._entry.fresh(loop.name), extent, loop.node)
                    self._space.loops[found.name] = found
                values[loop.name] = Polynomial.name(found.name)
            loops.append(self._made.get((loop.name, extent), loop))
        return stage.over(self._space, tuple(loops), values, [*guards, *stage.guards])

    def _nonnegative(self, value: Polynomial) -> Vector:
        """Return the condition that a number is at least 0."""
        zero = Index(Polynomial.constant(0), frozenset())
        return Apply(">=", (Index(value, self._space.dims(value)), zero), dtypes.BOOL)


def _reason(times: Sequence[Time]) -> str:
    names = sorted({time.loop.node.name for time in times})
    if times[0].rest.terms:
        return plan.WAVEFRONTS
    return f"what it needs of {' and '.join(names)} is there step by step"
