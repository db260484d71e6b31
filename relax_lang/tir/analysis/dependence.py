"""Which iterations of statements must keep their order: those that touch one element, one of them storing it.

Two accesses are compared dimension by dimension. Where both are `c * v + r` in one common loop variable v, the
element fixes the distance between the iterations that meet in it; where they differ in every case, they never
meet. What the equations leave open is tested direction by direction, over the ranges of the variables. An index
with an atom that varies says nothing.
"""

from __future__ import annotations

from math import gcd

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.analysis.vector_ir import (
    ArgReduction,
    Check,
    Extern,
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
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.arith.analyzer import Analyzer
    from relax_lang.tir.analysis.vector_ir import Indices, Loop, Space, Statement

    Distances = dict[str, int]


class Access:
    """An array that a statement reads or stores; `index` is None where it may be any element."""

    __slots__ = ("index", "is_store", "storage")

    def __init__(self, storage: Storage, index: Indices | None, is_store: bool) -> None:
        self.storage = storage
        self.index = index
        self.is_store = is_store


class Relation:
    """How iterations of a statement a and a statement b meet: x of a before y of b or after, and through which
    loop, outermost first; or in one iteration of all common loops.
    """

    __slots__ = ("after", "before", "equal")

    def __init__(self) -> None:
        self.before: set[str] = set()
        self.after: set[str] = set()
        self.equal = False


def accesses(space: Space, statement: Statement) -> list[Access]:
    """Return all accesses of a statement."""
    found: list[Access] = []
    _ACCESSES[type(statement)](space, statement, found)
    _add_loads(space, statement.guards, found)
    _add_loads(space, space.atom_values([loop.extent for loop in statement.loops]), found)
    return found


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
    """Tell whether the range of an index may change between the steps of a `while` inside of some loops."""
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

    @property
    def _analyzer(self) -> Analyzer:
        return self._current()

    def relate(self, a: Statement, b: Statement, pairs: Iterable[tuple[Access, Access]]) -> Relation:
        """Return how accesses of a meet those of b, over the loops that both are in and that are not fixed."""
        relation = Relation()
        common = [loop for loop in a.loops if loop in b.loops and loop.name not in self.fixed]
        for first, second in pairs:
            if first.storage is second.storage and (first.is_store or second.is_store):
                self._relate(first, second, common, relation)
        return relation

    def _relate(self, a: Access, b: Access, common: list[Loop], relation: Relation) -> None:
        distances: Distances | None = {}
        if a.index is not None and b.index is not None:
            distances = self.meeting(a.index, b.index, common)
        if distances is None:
            return
        for at, loop in enumerate(common):
            distance = distances.get(loop.name)
            if (distance or 0) < 0 or (distance is None and self._may_meet(a, b, common, at, before=True)):
                relation.before.add(loop.name)
            if (distance or 0) > 0 or (distance is None and self._may_meet(a, b, common, at, before=False)):
                relation.after.add(loop.name)
            if distance:
                return
        relation.equal = True

    def meets_later(
        self, a: Statement, b: Statement, pairs: Iterable[tuple[Access, Access]], loop: Loop
    ) -> bool:
        """Tell whether a step of a may meet an earlier step of b, if a loop around both is the outermost one."""
        common = [other for other in a.loops if other in b.loops and other.name not in self.fixed]
        for first, second in pairs:
            if first.storage is not second.storage or not (first.is_store or second.is_store):
                continue
            distances: Distances | None = {}
            if first.index is not None and second.index is not None:
                distances = self.meeting(first.index, second.index, common)
            if distances is None:
                continue
            distance = distances.get(loop.name)
            if (distance or 0) > 0 or (
                distance is None and self._may_meet(first, second, [loop], 0, before=False)
            ):
                return True
        return False

    def meeting(self, first: Indices, second: Indices, common: list[Loop]) -> Distances | None:
        """Return what is known about iterations x of `first` and y of `second` that touch the same element.

        The result gives x - y for the common loops for which it is fixed; None means that they never meet.
        """
        known: Distances = {}
        for p, q in zip(first, second, strict=True):
            if not self._tells(p) or not self._tells(q):
                continue
            moving = (p.names() | q.names()) & self.space.loops.keys() - self.fixed
            if _never(p, q, moving):
                return None
            if not moving:
                continue
            for name, distance in self._distances(p, q, moving, common).items():
                if known.setdefault(name, distance) != distance:
                    return None
        return known

    def _tells(self, part: Polynomial) -> bool:
        """Tell whether an index is made of loops and sizes only."""
        return not part.names() & self.space.atoms.keys()

    def _distances(self, p: Polynomial, q: Polynomial, moving: set[str], common: list[Loop]) -> Distances:
        loops = [loop for loop in common if loop.name in moving]
        if len(loops) != len(moving):
            return {}
        if len(loops) == 1:
            factor = p.coefficient(loops[0].name)
            rest = (q.without(moving) - p.without(moving)).value
            if factor is None or factor != q.coefficient(loops[0].name) or not factor.value or rest is None:
                return {}
            return {loops[0].name: rest // factor.value}  # it comes out, or they never meet
        if p == q and self.tells_apart(p, loops):
            return dict.fromkeys(moving, 0)
        return {}

    def _may_meet(self, a: Access, b: Access, common: list[Loop], level: int, *, before: bool) -> bool:
        """Tell whether x can meet y where they agree in the loops outside of `level`, and x comes before y there
        (or after). Refuted where one index differs for all such pairs.
        """
        if a.index is None or b.index is None:
            return True
        loop = common[level]
        shared = {other.name for other in common[:level]} | self.fixed
        # y is the earlier iteration of this loop, and `gap` + 1 how much later x is; or the other way round.
        gap = Polynomial.name("<gap>")
        later = Polynomial.name(loop.name) + gap + 1
        for p, q in zip(a.index, b.index, strict=True):
            if not self._tells(p) or not self._tells(q):
                continue
            early, late = (p, q) if before else (q, p)
            renames = {
                name: Polynomial.name(f"{name}'")
                for name in late.names() & self.space.loops.keys() - shared - {loop.name}
            }
            moved = self._renamed(late, {**renames, loop.name: later})
            upper = self._upper(early, late, shared, loop, set(renames))
            if upper is not None and self._analyzer.differ(moved - early, _given(upper)):
                return False
        return True

    def _renamed(self, polynomial: Polynomial, values: dict[str, Polynomial]) -> Polynomial:
        return self.space.substituted(polynomial, values)

    def _upper(
        self, early: Polynomial, late: Polynomial, shared: set[str], loop: Loop, renamed: set[str]
    ) -> dict[str, Polynomial] | None:
        """Return the greatest values of all variables of both sides, outer ones first."""
        upper: dict[str, Polynomial] = {}
        wanted = {*early.names(), *late.names(), loop.name} & self.space.loops.keys()
        for name in list(wanted):
            wanted |= self.space.loops[name].extent.names() & self.space.loops.keys()
        for other in self.space.loops.values():
            if other.name not in wanted:
                continue
            if other.extent.names() & (self.space.loops.keys() - shared):
                return None  # its range is not the same on both sides
            if other.name in self.fixed:
                upper[other.name] = other.extent - 1
                continue
            upper[other.name] = other.extent - (2 if other is loop else 1)
            if other.name in renamed:
                upper[f"{other.name}'"] = other.extent - 1
        upper["<gap>"] = loop.extent - 2 - Polynomial.name(loop.name)
        return upper

    def recovered(self, index: Indices, loops: Iterable[Loop]) -> set[str]:
        """Return the loops whose value an index tells: no two of their iterations touch the same element."""
        by_name = {loop.name: loop for loop in loops}
        told: set[str] = set()
        progress = True
        while progress:
            progress = False
            for part in index:
                if self.space.dims(part) - part.names() - self.fixed:
                    continue  # through an atom
                open_names = (part.names() & by_name.keys()) - told
                if open_names and self.tells_apart(part, [by_name[name] for name in sorted(open_names)]):
                    told |= open_names
                    progress = True
        return told

    def tells_apart(self, part: Polynomial, loops: Sequence[Loop]) -> bool:
        """Tell whether one index of an access tells several loops apart, as `i * m + j` does for j below m."""
        remaining: list[tuple[Polynomial, Loop]] = []
        for loop in loops:
            factor = part.coefficient(loop.name)
            if factor is None or factor.names() & {other.name for other in loops} or not self._tells(factor):
                return False
            remaining.append((factor, loop))
        if len(remaining) == 1:
            return bool(remaining[0][0].value)
        upper = {loop.name: loop.extent - 1 for loop in loops}
        if any(extent.names() & self.space.loops.keys() - self.fixed for extent in upper.values()):
            return False
        given = _given(upper)
        place = next((item for item in remaining if item[0].value in (1, -1)), None)
        if place is None:
            return False
        reach = Polynomial.constant(0)
        while place is not None:
            remaining.remove(place)
            factor = place[0] if self._analyzer.proves(place[0], given) else -place[0]
            reach = reach + factor * (place[1].extent - 1)
            # The next factor is more than all that the variables so far can add up to.
            place = next((item for item in remaining if self._exceeds(given, item[0], reach)), None)
        return not remaining

    def _exceeds(self, given: list[Polynomial], factor: Polynomial, reach: Polynomial) -> bool:
        proves = self._analyzer.proves
        return proves(factor - reach - 1, given) or proves(-factor - reach - 1, given)


def _given(upper: dict[str, Polynomial]) -> list[Polynomial]:
    """Return what is not negative where names are between 0 and their greatest values."""
    return [
        part for name, most in upper.items() for part in (Polynomial.name(name), most - Polynomial.name(name))
    ]


def _never(p: Polynomial, q: Polynomial, moving: set[str]) -> bool:
    """Tell whether p and q differ by what no step of the moving variables makes up for: the gcd test."""
    rest = (q.without(moving) - p.without(moving)).value
    if rest is None:
        return False
    step = 0
    for part in (p, q):
        for monomial, factor in part.terms.items():
            if moving.intersection(monomial):
                step = gcd(step, factor)
    return rest % step != 0 if step else rest != 0


def self_reads(space: Space, stage: Stage) -> list[Load]:
    """Return the loads of a stage from the array that it stores to, other than of the very element."""
    parts = (stage.value, *stage.guards, *space.atom_values(stage.index))
    found = [load for part in parts for load in all_loads(space, part)]
    return [load for load in found if load.storage is stage.target and load.index != stage.index]
