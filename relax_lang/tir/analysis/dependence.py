"""Which statements must keep their order: those that touch one element, one of them storing it.

Two accesses meet where both are in their domains and their indices are equal in each dimension: a system of
constraints over the variables of both iterations, those of the second one written `v'`. A loop carries a dependence
if the system has solutions in which it takes an earlier or a later step, all loops around it being at the same one.
Where no solution is excluded by proof, the accesses may meet. Of a PrimFunc that has many pairs of accesses only so
many are looked at (`Budget`); of some more the equations alone decide, and the others may meet in every way. What an
array holds is not known, so that an index that reads one may be any element.
"""

from __future__ import annotations

from relax_lang.arith.constraints.analyzer import Analyzer
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Access, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from relax_lang.tir.analysis.accesses import Indices, IterationSpace, Loop
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space


MOST_CONFLICTS = 2000
"""Pairs of accesses of one PrimFunc that are looked at; those of the corpus have up to 70."""
MOST_EQUATIONS = 3000
"""Pairs beyond those of which the equations are still solved."""


class _Undecided(Analyzer):
    """The analyser of a PrimFunc whose questions are used up: nothing is proved."""

    __slots__ = ()

    def empty(self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial] = ()) -> bool:
        return False


class Budget:
    """How many conflicts of one PrimFunc are still looked at."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_CONFLICTS

    def analyzer(self, usual: Analyzer) -> Analyzer:
        """Return what decides one more conflict: the usual analyser, or one that proves nothing."""
        self.left -= 1
        return usual if self.left >= 0 else _UNDECIDED

    @property
    def is_spent(self) -> bool:
        """Whether nothing is asked of further pairs."""
        return self.left < -MOST_EQUATIONS


_UNDECIDED = _Undecided((), lambda _: False)


class Relation:
    """How iterations of a statement a and a statement b meet: x of a before y of b or after, and through which
    loop, outermost first; or in one iteration of all common loops.
    """

    __slots__ = ("after", "before", "equal")

    def __init__(self) -> None:
        self.before: set[str] = set()
        self.after: set[str] = set()
        self.equal = False

    def add(self, other: Relation) -> None:
        """Let iterations also meet as in another relation."""
        self.before |= other.before
        self.after |= other.after
        self.equal = self.equal or other.equal


class Dependences:
    """The tests, on the loops and sizes of one PrimFunc. `fixed` loops have one value on both sides."""

    def __init__(self, space: Space, analyzer: Callable[[], Analyzer]) -> None:
        self.space = space
        self._current = analyzer
        self._budget = Budget()
        self.fixed: frozenset[str] = frozenset()
        self._numbers: dict[object, int] = {}
        self._relations: dict[object, Relation] = {}

    def relate(self, a: Statement, b: Statement, pairs: Iterable[tuple[Access, Access]]) -> Relation:
        """Return how accesses of a meet those of b, over the loops that both are in and that are not fixed."""
        relation = Relation()
        for first, second in pairs:
            if first.storage is second.storage and (first.is_store or second.is_store):
                key = self._number(first), self._number(second), a.loops, b.loops, self.fixed
                found = self._relations.get(key)
                if found is None:
                    common = [loop for loop in a.loops if loop in b.loops and loop.name not in self.fixed]
                    found = self._relations[key] = self._relate(first, second, common)
                relation.add(found)
        return relation

    def _number(self, access: Access) -> int:
        """Return the same number for accesses of one element in the same iterations."""
        found = self._numbers.get(access)
        if found is None:
            key = access.storage, access.index, access.loops, tuple(access.given)
            found = self._numbers[access] = self._numbers.setdefault(key, len(self._numbers))
        return found

    def _relate(self, a: Access, b: Access, common: list[Loop]) -> Relation:
        relation = Relation()
        if self._budget.is_spent:
            relation.before = {loop.name for loop in common}
            relation.after = set(relation.before)
            relation.equal = True
            return relation
        conflict = self.conflict(a, b)
        for loop in () if conflict.never else common:
            earlier, same, later = conflict.directions(loop)
            if earlier:
                relation.before.add(loop.name)
            if later:
                relation.after.add(loop.name)
            if not same:
                return relation
            conflict.equate(loop)
        relation.equal = not conflict.is_empty()
        return relation

    def meets_later(self, pairs: Iterable[tuple[Access, Access]], loop: Loop) -> bool:
        """Return whether a first access of some pairs, at a step of a loop around both that is the outermost one, may
        meet the second access at an earlier step.
        """
        for first, second in pairs:
            if first.storage is second.storage and (first.is_store or second.is_store):
                if self._budget.is_spent:
                    return True
                conflict = self.conflict(first, second)
                if not conflict.never and conflict.directions(loop)[2]:
                    return True
        return False

    def conflict(self, a: Access, b: Access) -> Conflict:
        """Return the iterations in which two accesses touch one element."""
        return Conflict(self.space, self._budget.analyzer(self._current()), a, b, self.fixed)

    def recovered(self, index: Indices, loops: Sequence[Loop]) -> set[str]:
        """Return the loops whose value an index determines: no two of their iterations touch the same element.

        Dimensions whose index is computed from data, or by a division, are left out.
        """
        plain = tuple([part for part in index if not self.space.dims(part) - part.names() - self.fixed])
        access = Access(_NOWHERE, plain, True, tuple(loops))
        named = set[str]().union(*[part.names() for part in plain])
        found: set[str] = set()
        conflict = self.conflict(access, access)
        waiting = [loop for loop in loops if loop.name in named]
        progress = True
        while progress:
            progress = False
            for loop in waiting:
                earlier, _, later = conflict.directions(loop)
                if not earlier and not later:
                    found.add(loop.name)
                    conflict.equate(loop)
                    progress = True
            waiting = [loop for loop in waiting if loop.name not in found]
        return found


_NOWHERE = Storage("", "", ())


class Conflict:
    """The pairs of iterations in which two accesses touch one element: the system, and what it implies.

    Loops in `fixed` are at the same step in both iterations, all others at any.
    """

    __slots__ = ("_a", "_analyzer", "_b", "_fixed", "_given", "_names", "_space", "equations", "never")

    def __init__(
        self, space: IterationSpace, analyzer: Analyzer, a: Access, b: Access, fixed: frozenset[str]
    ) -> None:
        self._space = space
        self._analyzer = analyzer
        self._fixed = fixed
        self._a = a
        self._b = b
        self._given: list[Polynomial] | None = None
        self.equations: list[Polynomial] = []
        """What is 0 where the accesses meet."""
        self.never = False
        """Whether constant indices differ."""
        if a.index is not None and b.index is not None:
            for mine, other in zip(a.index, b.index, strict=True):
                difference = mine - self._second(other)
                if difference.terms:
                    self.equations.append(difference)
                    self.never = self.never or difference.value is not None
        self._names = set[str]().union(*[value.names() for value in self.equations])

    @property
    def is_flow(self) -> bool:
        """Whether the first access stores what the second one reads."""
        return self._a.is_store and not self._b.is_store

    def directions(self, loop: Loop) -> tuple[bool, bool, bool]:
        """Return whether the second access may come at a later, the same or an earlier step of a loop."""
        step = self._step(loop)
        if self._names.isdisjoint(step.names()) and not self._conditions_name(loop.name):
            several = loop.extent.value != 1
            return several, True, several
        if any(value.terms.keys() == step.terms.keys() and _is_balanced(value) for value in self.equations):
            return False, True, False
        distance = self._analyzer.solved(step, self.equations)
        if distance is None:
            return False, False, False
        if distance == (0, 0):
            return False, True, False
        least, greatest = distance
        earlier = (greatest is None or greatest > 0) and self._happens(step - 1)
        later = (least is None or least < 0) and self._happens(-step - 1)
        return earlier, least is None, later

    def _happens(self, nonnegative: Polynomial) -> bool:
        """Return whether the accesses may meet where a polynomial is not negative."""
        return self._analyzer is _UNDECIDED or not self._analyzer.empty(
            [nonnegative, *self._domain()], self.equations
        )

    def distances(self, loop: Loop, otherwise: Sequence[int]) -> Sequence[int]:
        """Return by how many steps the second iteration may be later: the number that follows from the equations;
        where none does, the ones given.
        """
        found = self._analyzer.solved(self._step(loop), self.equations)
        if found is None:
            return ()
        return otherwise if found[0] is None or found[0] != found[1] else (found[0],)

    def equate(self, loop: Loop, later: int = 0) -> None:
        """Look only at pairs at the same step of a loop, or the second one by so many steps later."""
        self.require(self._step(loop) - later)

    def require(self, zero: Polynomial) -> None:
        """Look only at pairs for which a polynomial is 0."""
        self.equations = [zero, *self.equations]
        self._names |= zero.names()

    def is_empty(self) -> bool:
        """Return whether the accesses are proved never to meet."""
        if self.never:
            return True
        if not self.equations or self._a.index == self._b.index or self._analyzer is _UNDECIDED:
            return False
        return self._analyzer.empty(self._domain(), self.equations)

    def is_excluded(self) -> bool:
        """Return the same, looking also at whether the conditions of the accesses ever hold."""
        return self.never or self._analyzer.empty(self._domain(), self.equations)

    def excludes(self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial]) -> bool:
        """Return whether the accesses are proved never to meet where some polynomials over both iterations are not
        negative and others are 0.
        """
        equations = [*zero, *self.equations]
        return (
            self.never
            or self._analyzer.contradictory(nonnegative, equations)
            or self._analyzer.empty([*nonnegative, *self._domain()], equations)
        )

    def _step(self, loop: Loop) -> Polynomial:
        """Return by how much the second iteration is later."""
        value = Polynomial.name(loop.name)
        return self._second(value) - value

    def _second(self, polynomial: Polynomial) -> Polynomial:
        """Return what a polynomial is in the second iteration."""
        return self._space.in_second(polynomial, self._fixed)

    def _conditions_name(self, name: str) -> bool:
        return any(name in value.names() for value in (*self._a.given, *self._b.given))

    def _domain(self) -> list[Polynomial]:
        """Return what is not negative in both iterations."""
        if self._given is None:
            first = list(self._constraints(self._a))
            for value in self._constraints(self._b):
                try:
                    first.append(self._second(value))
                except TooComplexError:  # without it more is possible: nothing wrong is proved
                    continue
            self._given = list(dict.fromkeys(first))
        return self._given

    def _constraints(self, access: Access) -> Iterator[Polynomial]:
        """Yield the constraints of the iterations of an access: its loops, those in its index, its conditions."""
        yield from access.given
        parts = [*(access.index or ()), *access.given]
        pending = [loop.name for loop in access.loops]
        pending += [name for part in parts for name in part.names()]
        done: set[str] = set()
        while pending:
            name = pending.pop()
            if name in done:
                continue
            done.add(name)
            loop = self._space.loops.get(name)
            for value in self._analyzer.definition(name) if loop is None else loop.constraints:
                yield value
                pending += value.names()


def _is_balanced(value: Polynomial) -> bool:
    """Return whether the factors of a polynomial cancel, as in `c * v' - c * v`."""
    return sum(value.terms.values()) == 0
