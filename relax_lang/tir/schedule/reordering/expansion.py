"""Buffers that each iteration fills before it reads them get a copy per iteration: scalar and array expansion.

`alloc t` outside of loops, `t = 0; t += …; y[i] = t` inside: iterations wait for each other only because they share t.
A buffer is expanded where every read is proved to follow a store to the element in the same iteration, for each of the
nests that use it on its own; and only over as many loops as leave no array much larger than one that is there already
(see `array_sizes`).
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Storage
from relax_lang.tir.analysis.lowered.other_arrays import OtherArrays
from relax_lang.tir.analysis.lowered.statement_accesses import KnownAccesses, accesses, guard_facts
from relax_lang.tir.analysis.lowered.statements import Check, Repeat, Stage
from relax_lang.tir.analysis.lowered.vector_ir import all_loads
from relax_lang.tir.schedule.array_sizes import fits
from relax_lang.tir.schedule.footprint import Footprints
from relax_lang.tir.schedule.plan import Sequential, statements_in, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.lowered.other_arrays import Rewritable
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.plan import Node

    Nest = tuple[list[Rewritable], int]  # statements, and how many loops around them all


class Copies(NamedTuple):
    """What a buffer has become in one nest: an array for all iterations of some loops, and what uses that."""

    buffer: Storage
    array: Storage
    loops: list[Loop]
    users: list[Rewritable]


def expand_buffers(lowering: Lowering, whole: Collection[tuple[Storage, Loop]] = ()) -> list[Copies]:
    """Give buffers of a PrimFunc copies per iteration, but in those of `whole` one for all iterations of a loop."""
    if not any(one.loops for one in lowering.statements):
        return []
    shared = [one for one in lowering.allocated if not one.is_temporary]
    accesses = KnownAccesses(lowering.space)
    touching: dict[Storage, list[int]] = {}
    for at, statement in enumerate(lowering.statements):
        for storage in dict.fromkeys([one.storage for one in accesses.of(statement)]):
            touching.setdefault(storage, []).append(at)
    made: list[Copies] = []
    for storage in shared:  # statements change, but stay where they are, and touch all else that they touched
        made += _Expansion(lowering, storage, touching.get(storage, ()), accesses, whole).run()
    return made


def needless(space: Space, nodes: Sequence[Node], made: Sequence[Copies]) -> set[tuple[Storage, Loop]]:
    """Return the buffers with a loop over which their copies are of no use in a plan: the loop stays a loop, and all of
    a step uses one of them, apart from what fills it in with nothing that is read.
    """
    found: set[tuple[Storage, Loop]] = set()
    inside: dict[Loop, list[set[Statement]]] = {}
    for node in walk(nodes) if made else ():
        if isinstance(node, Sequential):
            inside.setdefault(node.loop, []).append(set(statements_in(node.body)))
    if not inside:
        return found
    arrays = {copies.array for copies in made}
    users: dict[Storage, list[Statement]] = {}
    for statement in statements_in(nodes):
        for storage in {access.storage for access in accesses(space, statement)} & arrays:
            users.setdefault(storage, []).append(statement)
    for copies in made:
        own = users.get(copies.array, [])
        for loop in copies.loops:
            for body in inside.get(loop, ()):
                outside = [one for one in own if one not in body]
                if len(outside) < len(own) and all(_is_fill(space, one, copies.array) for one in outside):
                    found.add((copies.buffer, loop))
    return found


def _is_fill(space: Space, statement: Statement, array: Storage) -> bool:
    """Return whether a statement fills an array with what it reads from no array."""
    if not isinstance(statement, Stage) or statement.target is not array or statement.op != "=":
        return False
    parts = (statement.value, *statement.guards, *space.atom_values(statement.index))
    return not any(all_loads(space, part) for part in parts)


def only_rewritable(space: Space, statements: Sequence[Statement], storage: Storage) -> list[Rewritable]:
    """Return the statements that touch a buffer if all are stores, checks and what `while` repeats of them, and no
    extent of a loop reads it, in text order; else none.
    """
    found: list[Rewritable] = []
    for statement in statements:
        if not isinstance(statement, Stage | Check | Repeat) or statement.reducing:
            return []
        extents = space.atom_values([loop.extent for loop in statement.loops])
        if any(load.storage is storage for value in extents for load in all_loads(space, value)):
            return []
        if isinstance(statement, Repeat) and len(only_rewritable(space, statement.body, storage)) != len(
            statement.body
        ):
            return []
        found.append(statement)
    return found


class _Expansion:
    """The expansion of one buffer, which the statements at some places touch."""

    def __init__(
        self,
        lowering: Lowering,
        storage: Storage,
        places: Sequence[int],
        accesses: KnownAccesses,
        whole: Collection[tuple[Storage, Loop]],
    ) -> None:
        self._lowering = lowering
        self._places = {lowering.statements[at]: at for at in places}
        self._space = lowering.space
        self._storage = storage
        self._regions = Footprints(lowering.space, lowering.entry)
        self._accesses = accesses
        self._whole = whole

    def run(self) -> list[Copies]:
        """Expand the buffer as far as that is possible; return what it has become."""
        users = only_rewritable(self._space, list(self._places), self._storage)
        if not users:
            return []
        nests = self._nests(users, 0)
        loops = [self._expanded(stages[0].loops[:depth]) for stages, depth in nests]
        if not any(loops):
            return []
        made: list[Copies] = []
        statements = self._lowering.statements
        self._lowering.allocated.remove(self._storage)
        for (stages, _), over in zip(nests, loops, strict=True):
            elements_first = self._are_apart(stages)
            copies = tuple([extent for _, extent in over])
            sizes = self._storage.sizes
            copy = Storage(
                self._lowering.entry.fresh(self._storage.name),
                self._storage.dtype,
                (*sizes, *copies) if elements_first else (*copies, *sizes),
            )
            self._lowering.allocated.append(copy)
            index = tuple([Polynomial.name(loop.name) for loop, _ in over])
            arrays = self._arrays(copy, index, elements_first)
            changed = [arrays.statement(stage) for stage in stages]
            for stage, now in zip(stages, changed, strict=True):
                statements[self._places[stage]] = now
            made.append(Copies(self._storage, copy, [loop for loop, _ in over], changed))
        return made

    def _are_apart(self, stages: list[Rewritable]) -> bool:
        """Return whether whatever reads the buffer names its elements by numbers, as if each were a variable: then all
        copies of an element lie together.
        """
        reads = [
            access.index
            for stage in stages
            for access in self._accesses.of(stage)
            if access.storage is self._storage and not access.is_store
        ]
        return bool(reads) and all(
            index is not None and all(part.value is not None for part in index) for index in reads
        )

    def _nests(self, stages: list[Rewritable], depth: int) -> list[Nest]:
        """Return the parts of some statements with `depth` common loops that use nothing of each other's, each with as
        many loops around it as have iterations of their own.
        """
        parts: list[list[Rewritable]] = []
        for stage in stages:
            if len(stage.loops) == depth:
                return [(stages, depth)]
            if parts and parts[-1][0].loops[depth] is stage.loops[depth]:
                parts[-1].append(stage)
            else:
                parts.append([stage])
        if not all(self._is_filled(part, depth + 1) for part in parts):
            return [(stages, depth)]
        return [nest for part in parts for nest in self._nests(part, depth + 1)]

    def _is_filled(self, statements: Sequence[Statement], depth: int, before: Sequence[Stage] = ()) -> bool:
        """Return whether each read of the buffer follows a store to the element in the same iteration of some loops,
        one of these statements or of those that are certain to run `before` them.
        """
        stores = [*before]
        for one in statements:
            if isinstance(one, Repeat):
                condition = Check(one.loops, one.guards, one.label, one.node, one.condition, ())
                body = [replaced(inner, guards=(*one.guards, *inner.guards)) for inner in one.body]
                if not self._is_filled([condition, *body], depth, stores):
                    return False
                continue
            for access in self._accesses.of(one):
                if access.storage is self._storage and not access.is_store:
                    index = access.index
                    if index is None or not any(self._covers(store, one, index, depth) for store in stores):
                        return False
            if isinstance(one, Stage):
                stores.append(one)
        return True

    def _covers(self, store: Stage, reader: Statement, index: Indices, depth: int) -> bool:
        """Return whether a store to the element of an index comes before each iteration of what reads it."""
        if store.op != "=" or store.target is not self._storage:
            return False
        common = depth
        pairs = list(zip(store.loops, reader.loops, strict=False))
        while common < len(pairs) and pairs[common][0] is pairs[common][1]:
            common += 1
        own = {loop.name: loop for loop in store.loops[common:]}
        if not self._holds_for(store.guards, reader, own):
            return False
        given = [
            *[part for loop in reader.loops for part in loop.constraints],
            *(reader.facts if isinstance(reader, Stage) else ()),
            *guard_facts(reader.guards),
        ]
        proves = self._lowering.entry.analyzer.proves
        for mine, other in zip(store.index, index, strict=True):
            names = mine.names() & own.keys()
            if not names:
                if mine != other or self._space.dims(mine) & own.keys() or self._changes(mine):
                    return False
                continue
            name = min(names)
            value = other - (mine - Polynomial.name(name))
            if self._space.dims(value) & own.keys() or self._space.atoms_in(mine):
                return False
            loop = own.pop(name)
            if self._space.dims(loop.extent) & {one.name for one in store.loops[common:]}:
                return False
            if not all(proves(limit, given) for limit in (value, loop.extent - 1 - value)):
                return False
        return all(
            not self._space.dims(loop.extent) & {one.name for one in store.loops[common:]}
            and proves(loop.extent - 1, given)
            for loop in own.values()
        )

    def _changes(self, part: Polynomial) -> bool:
        """Return whether an index is read from an array that is stored to, so that it may be another one later."""
        read = [
            load.storage
            for value in self._space.atom_values([part])
            for load in all_loads(self._space, value)
        ]
        return not self._space.constant.issuperset(read)

    def _holds_for(self, guards: Sequence[Vector], reader: Statement, own: dict[str, Loop]) -> bool:
        """Return whether conditions of a store are conditions of what reads it, too, and mean the same there."""
        known = {guard.key for guard in reader.guards}
        return all(
            guard.key in known and not guard.dims & own.keys() and not all_loads(self._space, guard)
            for guard in guards
        )

    def _expanded(self, loops: Sequence[Loop]) -> list[tuple[Loop, Polynomial]]:
        """Return the loops over which the buffer is expanded, with how many copies there are; inner ones go first."""
        found: list[tuple[Loop, Polynomial]] = []
        sizes = [*self._storage.sizes]
        for at in reversed(range(len(loops))):
            loop = loops[at]
            extent = None if (self._storage, loop) in self._whole else self._most_steps(loops[: at + 1])
            if extent is None:
                break
            sizes.append(loop.whole if extent == loop.extent else extent)
            if not fits(sizes, self._lowering):
                break
            found.insert(0, (loop, extent))
        return found

    def _most_steps(self, loops: Sequence[Loop]) -> Polynomial | None:
        """Return how many iterations the innermost of some loops has at most."""
        extent = loops[-1].extent
        if not self._space.varies(extent):
            return extent
        last = self._regions.greatest(Polynomial.name(loops[-1].name), loops)
        if last is None or self._space.varies(last):
            return None
        more = (last + 1, last + 2)
        return next((size for size in more if self._lowering.entry.is_nonnegative(size)), None)

    def _arrays(self, copy: Storage, more: Indices, elements_first: bool) -> OtherArrays:
        """Return what uses a copy of the buffer, in whose index the loops come first or last."""

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            if storage is not self._storage:
                return storage, index
            return copy, (*index, *more) if elements_first else (*more, *index)

        return OtherArrays(self._lowering.space, self._lowering.entry.fresh, access_of)
