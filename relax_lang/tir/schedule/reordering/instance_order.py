"""Whether instances of statements that depend on each other keep their order in another schedule.

An instance is a statement at one iteration of its loops. Of two instances that touch one element, one of them storing
it, the one that comes first in the program must come first in every schedule.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.lowered.statement_accesses import accesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Access, Loop
    from relax_lang.tir.analysis.dependence import Conflict, Dependences
    from relax_lang.tir.analysis.lowered.statements import Stage

    Edges = dict[int, set[int]]
    Case = tuple[list[Polynomial], list[Polynomial]]


class InstanceOrder:
    """The dependences between the instances of some stores, in text order, inside of loops that are `fixed`.

    The stores are parts of one, over disjoint sets of iterations, if `parts`.
    """

    def __init__(
        self,
        dependences: Dependences,
        members: Sequence[Stage],
        fixed: frozenset[str],
        *,
        parts: bool = False,
    ) -> None:
        self._dependences = dependences
        self._space = dependences.space
        self._members = members
        self._fixed = fixed
        self._parts = parts
        self._accesses = [_different(accesses(dependences.space, member)) for member in members]
        self._conflicts: dict[tuple[int, int], list[Conflict]] = {}
        self._cases: dict[tuple[int, int], list[Case]] = {}

    def second(self, value: Polynomial) -> Polynomial:
        """Return what a polynomial is at the later instance."""
        return self._space.in_second(value, self._fixed)

    def depends(
        self,
        first: int,
        second: int,
        nonnegative: Sequence[Polynomial] = (),
        zero: Sequence[Polynomial] = (),
        *,
        reads_stored: bool = False,
    ) -> bool:
        """Return whether an instance of a statement may touch the same element as a later one of another, where some
        polynomials over both iterations are not negative and others are 0; only storing what that reads, if
        `reads_stored`.
        """
        orders = self._cases.get((first, second))
        if orders is None:
            orders = self._cases[first, second] = self._orders(first, second)
        for conflict in self._conflicts_of(first, second):
            if reads_stored and not conflict.is_flow:
                continue
            for apart, same in orders:
                if not conflict.excludes([*nonnegative, *apart], [*zero, *same]):
                    return True
        return False

    def sequence(self, zero: Sequence[tuple[int, int, Polynomial]] = ()) -> list[int] | None:
        """Return an order in which whole statements may run one after the other; None if there is none.

        Of two statements only those instances are looked at for which the given polynomial is 0, if there is one.
        """
        count = len(self._members)
        given = {(first, second): value for first, second, value in zero}
        after: Edges = {at: set() for at in range(count)}
        for first in range(count):
            for second in range(count):
                if first != second:
                    value = given.get((first, second))
                    if self.depends(first, second, (), () if value is None else (value,)):
                        after[first].add(second)
        done: list[int] = []
        left = list(range(count))
        while left:
            free = next((at for at in left if not any(at in after[other] for other in left)), None)
            if free is None:
                return None
            done.append(free)
            left.remove(free)
        return done

    def _conflicts_of(self, first: int, second: int) -> list[Conflict]:
        found = self._conflicts.get((first, second))
        if found is None:
            self._dependences.fixed = self._fixed
            found = self._conflicts[first, second] = [
                self._dependences.conflict(a, b)
                for a in self._accesses[first]
                for b in self._accesses[second]
                if a.storage is b.storage and (a.is_store or b.is_store)
            ]
        return [conflict for conflict in found if not conflict.never]

    def _orders(self, first: int, second: int) -> list[Case]:
        """Return what is not negative, and what is 0, where an instance comes before another: one pair a case."""
        common: list[Loop] = []
        for one, other in zip(self._members[first].loops, self._members[second].loops, strict=False):
            if one is not other:
                break
            common.append(one)
        steps: list[Polynomial] = []
        found: list[Case] = []
        for loop in common:
            if loop.name in self._fixed:
                continue
            value = Polynomial.name(loop.name)
            step = self.second(value) - value
            found.append(([step - 1], list(steps)))
            steps.append(step)
        if first < second and not self._parts:
            found.append(([], steps))
        return found


def _different(found: list[Access]) -> list[Access]:
    """Return accesses without those of an element that another one of them stores or reads in the same iterations."""
    kept: dict[object, Access] = {}
    for access in found:
        key = access.storage, access.index, access.loops, tuple(access.given)
        if key not in kept or access.is_store:
            kept[key] = access
    return list(kept.values())
