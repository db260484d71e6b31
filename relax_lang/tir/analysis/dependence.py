"""Which statements must keep their order: those that touch one element, one of them storing it.

Two accesses meet where both are in their domains and their indices are equal in each dimension: a system of
constraints over the variables of both iterations, those of the second one written `v'`. A loop carries a dependence
if the system has solutions in which it takes an earlier or a later step, all loops around it being at the same one.
Where no solution is excluded by proof, the accesses may meet. What an array holds is not known, so that an index
that reads one may be any element.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.analysis.vector_ir import (
    Apply,
    ArgReduction,
    Check,
    Extern,
    Index,
    Load,
    New,
    Repeat,
    Stage,
    Storage,
    Vector,
    all_loads,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from relax_lang.arith.analyzer import Analyzer
    from relax_lang.tir.analysis.vector_ir import Indices, Loop, Space, Statement

_FACTS = {">=": [(1, 0)], ">": [(1, 1)], "<=": [(-1, 0)], "<": [(-1, 1)], "==": [(1, 0), (-1, 0)]}
"""Comparison: the factors of its difference, and what is subtracted, that make numbers that are not negative."""


class Access:
    """An array that a statement reads or stores; `index` is None where it may be any element.

    `given` is not negative in each iteration in which the access happens.
    """

    __slots__ = ("given", "index", "is_store", "loops", "storage")

    def __init__(
        self,
        storage: Storage,
        index: Indices | None,
        is_store: bool,
        loops: tuple[Loop, ...] = (),
        given: Sequence[Polynomial] = (),
    ) -> None:
        self.storage = storage
        self.index = index
        self.is_store = is_store
        self.loops = loops
        self.given = given


class Relation:
    """How iterations of a statement a and a statement b meet: x of a before y of b or after, and through which
    loop, outermost first; or in one iteration of all common loops.
    """

    __slots__ = ("after", "before", "equal")

    def __init__(self) -> None:
        self.before: set[str] = set()
        self.after: set[str] = set()
        self.equal = False


def guard_facts(guards: Iterable[Vector]) -> list[Polynomial]:
    """Return what is not negative where conditions on indices hold."""
    found: list[Polynomial] = []
    for guard in guards:
        if isinstance(guard, Apply) and guard.op in _FACTS:
            a, b = guard.args
            if isinstance(a, Index) and isinstance(b, Index):
                found += [(a.polynomial - b.polynomial) * factor - less for factor, less in _FACTS[guard.op]]
    return found


def accesses(space: Space, statement: Statement) -> list[Access]:
    """Return all accesses of a statement."""
    found: list[Access] = []
    _ACCESSES[type(statement)](space, statement, found)
    given = [*(statement.facts if isinstance(statement, Stage) else ()), *guard_facts(statement.guards)]
    for access in found:
        access.loops = access.loops or statement.loops
        access.given = [*access.given, *given]
    evaluated: list[Access] = []
    _add_loads(space, statement.guards, evaluated)
    _add_loads(space, space.atom_values([loop.extent for loop in statement.loops]), evaluated)
    for access in evaluated:
        access.loops = statement.loops
    return found + evaluated


def _add_loads(space: Space, vectors: Iterable[Vector], found: list[Access]) -> None:
    for vector in vectors:
        found += [Access(load.storage, load.index, is_store=False) for load in all_loads(space, vector)]


def _of_stage(space: Space, stage: Stage, found: list[Access]) -> None:
    _add_loads(space, (stage.value, *space.atom_values(stage.index)), found)
    if stage.op != "=":
        found.append(Access(stage.target, stage.index, is_store=False))
    found.append(Access(stage.target, stage.index, is_store=True))


def _of_check(space: Space, check: Check, found: list[Access]) -> None:
    _add_loads(space, check.values, found)
    if check.condition is not None:
        _add_loads(space, (check.condition,), found)


def _of_repeat(space: Space, repeat: Repeat, found: list[Access]) -> None:
    inner: list[Access] = []
    _add_loads(space, (repeat.condition,), inner)
    for statement in repeat.body:
        inner += accesses(space, statement)
    around = {loop.name for loop in repeat.loops}
    for access in inner:
        index = access.index
        if index is not None and any(_is_open(space, part, around) for part in index):
            index = None
        found.append(Access(access.storage, index, access.is_store))


def _is_open(space: Space, part: Polynomial, around: set[str]) -> bool:
    """Return whether the range of an index may change between the steps of a `while` inside of some loops."""
    names = part.names() & space.loops.keys() - around
    return any(space.varies(space.loops[name].extent) for name in names)


def _of_arg_reduction(space: Space, reduction: ArgReduction, found: list[Access]) -> None:
    for member in reduction.members:
        found += accesses(space, member)


def _of_extern(space: Space, extern: Extern, found: list[Access]) -> None:
    for arg in extern.args:
        if isinstance(arg, Storage):
            found.append(Access(arg, None, is_store=True))
        else:
            _add_loads(space, (arg,), found)


def _of_new(space: Space, new: New, found: list[Access]) -> None:
    _add_loads(space, space.atom_values(new.storage.shape), found)
    found.append(Access(new.storage, None, is_store=True))


_ACCESSES: dict[type[Statement], Callable[[Space, object, list[Access]], None]] = {
    Stage: _of_stage,
    Check: _of_check,
    Repeat: _of_repeat,
    ArgReduction: _of_arg_reduction,
    Extern: _of_extern,
    New: _of_new,
}  # pyright: ignore[reportAssignmentType]


class Dependences:
    """The tests, on the loops and sizes of one PrimFunc. `fixed` loops have one value on both sides."""

    def __init__(self, space: Space, analyzer: Callable[[], Analyzer]) -> None:
        self.space = space
        self._current = analyzer
        self.fixed: frozenset[str] = frozenset()

    def relate(self, a: Statement, b: Statement, pairs: Iterable[tuple[Access, Access]]) -> Relation:
        """Return how accesses of a meet those of b, over the loops that both are in and that are not fixed."""
        relation = Relation()
        common = [loop for loop in a.loops if loop in b.loops and loop.name not in self.fixed]
        done: set[object] = set()
        for first, second in pairs:
            if first.storage is second.storage and (first.is_store or second.is_store):
                key = first.storage, first.index, second.index, bool(first.given), bool(second.given)
                if key not in done:
                    done.add(key)
                    self._relate(first, second, common, relation)
        return relation

    def _relate(self, a: Access, b: Access, common: list[Loop], relation: Relation) -> None:
        conflict = _Conflict(self.space, self._current(), self.fixed, a, b)
        for loop in () if conflict.never else common:
            earlier, same, later = conflict.directions(loop)
            if earlier:
                relation.before.add(loop.name)
            if later:
                relation.after.add(loop.name)
            if not same:
                return
            conflict.equate(loop)
        if not relation.equal and not conflict.never and not conflict.is_empty():
            relation.equal = True

    def meets_later(
        self, a: Statement, b: Statement, pairs: Iterable[tuple[Access, Access]], loop: Loop
    ) -> bool:
        """Return whether a step of a may meet an earlier step of b, if a loop around both is the outermost one."""
        for first, second in pairs:
            if first.storage is second.storage and (first.is_store or second.is_store):
                conflict = _Conflict(self.space, self._current(), self.fixed, first, second)
                if not conflict.never and conflict.directions(loop)[2]:
                    return True
        return False

    def recovered(self, index: Indices, loops: Sequence[Loop]) -> set[str]:
        """Return the loops whose value an index determines: no two of their iterations touch the same element.

        Dimensions whose index is computed from data, or by a division, are left out.
        """
        plain = tuple([part for part in index if not self.space.dims(part) - part.names() - self.fixed])
        access = Access(_NOWHERE, plain, True, tuple(loops))
        named = set[str]().union(*[part.names() for part in plain])
        found: set[str] = set()
        conflict = _Conflict(self.space, self._current(), self.fixed, access, access)
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


class _Conflict:
    """The pairs of iterations in which two accesses touch one element: the system, and what it implies."""

    __slots__ = (
        "_a",
        "_analyzer",
        "_b",
        "_fixed",
        "_given",
        "_names",
        "_renames",
        "_space",
        "_zero",
        "never",
    )

    def __init__(self, space: Space, analyzer: Analyzer, fixed: frozenset[str], a: Access, b: Access) -> None:
        self._space = space
        self._analyzer = analyzer
        self._fixed = fixed
        self._a = a
        self._b = b
        self._renames: dict[str, str] = {}
        self._zero: list[Polynomial] = []
        self._given: list[Polynomial] | None = None
        self.never = False
        """Whether constant indices differ."""
        if a.index is not None and b.index is not None:
            for mine, other in zip(a.index, b.index, strict=True):
                difference = mine - self._second(other)
                if difference.terms:
                    self._zero.append(difference)
                    self.never = self.never or difference.value is not None
        self._names = set[str]().union(*[value.names() for value in self._zero])

    def directions(self, loop: Loop) -> tuple[bool, bool, bool]:
        """Return whether the second access may come at a later, the same or an earlier step of a loop."""
        step = self._step(loop)
        if self._names.isdisjoint(step.names()) and not self._conditions_name(loop.name):
            several = loop.extent.value != 1
            return several, True, several
        if any(value.terms.keys() == step.terms.keys() and _is_balanced(value) for value in self._zero):
            return False, True, False
        distance = self._analyzer.solved(step, self._zero)
        if distance is None:
            return False, False, False
        if distance == (0, 0):
            return False, True, False
        domain = self._domain()
        earlier = not self._analyzer.empty([step - 1, *domain], self._zero)
        later = not self._analyzer.empty([-step - 1, *domain], self._zero)
        return earlier, distance[0] is None, later

    def equate(self, loop: Loop) -> None:
        """Look only at pairs at the same step of a loop."""
        step = self._step(loop)
        self._zero = [step, *self._zero]
        self._names |= step.names()

    def is_empty(self) -> bool:
        """Return whether the accesses are proved never to meet."""
        if not self._zero or self._a.index == self._b.index:
            return False
        return self._analyzer.empty(self._domain(), self._zero)

    def _step(self, loop: Loop) -> Polynomial:
        """Return by how much the second iteration is later."""
        return self._second(Polynomial.name(loop.name)) - Polynomial.name(loop.name)

    def _second(self, polynomial: Polynomial) -> Polynomial:
        """Return what a polynomial is in the second iteration."""
        if not polynomial.names():
            return polynomial
        terms = {
            tuple(sorted([self._rename(name) for name in monomial])): factor
            for monomial, factor in polynomial.terms.items()
        }
        return Polynomial(terms)

    def _rename(self, name: str) -> str:
        found = self._renames.get(name)
        if found is None:
            atom = self._space.atoms.get(name)
            differs = name in self._space.loops and name not in self._fixed
            if atom is not None:
                # What arrays hold may change between the two iterations.
                differs = bool(atom.vector.dims - self._fixed) or bool(all_loads(self._space, atom.vector))
            found = self._renames[name] = f"{name}'" if differs else name
        return found

    def _conditions_name(self, name: str) -> bool:
        return any(name in value.names() for value in (*self._a.given, *self._b.given))

    def _domain(self) -> list[Polynomial]:
        """Return what is not negative in both iterations."""
        if self._given is None:
            first = list(self._constraints(self._a))
            second = [self._second(value) for value in self._constraints(self._b)]
            self._given = list(dict.fromkeys([*first, *second]))
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
            values: Iterable[Polynomial] = ()
            if name in self._space.loops:
                values = self._space.loops[name].constraints
            elif name in self._space.atoms:
                values = self._analyzer.definition(name)
            for value in values:
                yield value
                pending += value.names()


def _is_balanced(value: Polynomial) -> bool:
    """Return whether the factors of a polynomial cancel, as in `c * v' - c * v`."""
    return sum(value.terms.values()) == 0


def self_reads(space: Space, stage: Stage) -> list[Load]:
    """Return the loads of a stage from the array that it stores to, other than of the very element."""
    parts = (stage.value, *stage.guards, *space.atom_values(stage.index))
    found = [load for part in parts for load in all_loads(space, part)]
    return [load for load in found if load.storage is stage.target and load.index != stage.index]
