"""The accesses of lowered statements, with what is known where they happen."""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Access, Storage, facts_of_comparison
from relax_lang.tir.analysis.lowered.statements import (
    ArgReduction,
    Check,
    Extern,
    Listing,
    New,
    Repeat,
    RunningByKey,
    Stage,
)
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, Load, Vector, all_loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.base.node import Table
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space


def guard_facts(guards: Iterable[Vector]) -> list[Polynomial]:
    """Return what is not negative where conditions on indices hold."""
    found: list[Polynomial] = []
    for guard in guards:
        if isinstance(guard, Apply) and len(guard.args) == 2:
            a, b = guard.args
            if isinstance(a, Index) and isinstance(b, Index):
                found += facts_of_comparison(guard.op, a.polynomial, b.polynomial)
    return found


class KnownAccesses:
    """The accesses of statements, found once for each."""

    __slots__ = ("_known", "_space")

    def __init__(self, space: Space) -> None:
        self._space = space
        self._known: dict[Statement, list[Access]] = {}

    def of(self, statement: Statement) -> list[Access]:
        """Return all accesses of a statement."""
        found = self._known.get(statement)
        if found is None:
            found = self._known[statement] = accesses(self._space, statement)
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


def constant_arrays(space: Space, statements: Sequence[Statement]) -> set[Storage]:
    """Return the arrays that are read and not stored to, by all statements of a PrimFunc."""
    if _calls_out(statements):
        return set()
    found = [access for statement in statements for access in accesses(space, statement)]
    return {access.storage for access in found} - {access.storage for access in found if access.is_store}


def _calls_out(statements: Sequence[Statement]) -> bool:
    """Return whether a packed function is called, which may write anything."""
    return any(
        isinstance(statement, Extern) or (isinstance(statement, Repeat) and _calls_out(statement.body))
        for statement in statements
    )


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


def _of_listing(space: Space, listing: Listing, found: list[Access]) -> None:
    found.append(Access(listing.chosen, None, is_store=False))
    found += [Access(storage, None, is_store=True) for storage in (*listing.lists, listing.number)]


def _of_running_by_key(space: Space, running: RunningByKey, found: list[Access]) -> None:
    read = (running.keys, running.values, running.before)
    found += [Access(storage, None, is_store=False) for storage in read]
    found.append(Access(running.before, None, is_store=True))


_ACCESSES: Table[Statement, Callable[[Space, Any, list[Access]], None]] = {
    Stage: _of_stage,
    Check: _of_check,
    Repeat: _of_repeat,
    ArgReduction: _of_arg_reduction,
    Extern: _of_extern,
    New: _of_new,
    Listing: _of_listing,
    RunningByKey: _of_running_by_key,
}


_ADDS = frozenset(("+=", "-="))


def updates_commute(space: Space, a: Statement, b: Statement) -> bool:
    """Return whether two statements update one array, in an order that does not matter: both add, or both multiply, and
    nothing that they compute reads the array. Sums and products of floats may be computed in another order; those of
    narrow floats are rounded at each store.
    """
    if not isinstance(a, Stage) or not isinstance(b, Stage) or a.target is not b.target:
        return False
    if a.target.dtype in dtypes.HALVES or not ({a.op, b.op} <= _ADDS or a.op == b.op == "*="):
        return False
    parts = [part for one in (a, b) for part in (one.value, *one.guards, *space.atom_values(one.index))]
    return all(load.storage is not a.target for part in parts for load in all_loads(space, part))


def self_reads(space: Space, stage: Stage) -> list[Load]:
    """Return the loads of a stage from the array that it stores to, other than of the very element."""
    parts = (stage.value, *stage.guards, *space.atom_values(stage.index))
    found = [load for part in parts for load in all_loads(space, part)]
    return [load for load in found if load.storage is stage.target and load.index != stage.index]


def touched_by(stage: Stage, loads: Iterable[Load]) -> list[Access]:
    """Return what a statement stores in, then some of what it loads, with all that holds where it does."""
    given = [*stage.facts, *guard_facts(stage.guards)]
    reads = [Access(load.storage, load.index, False, stage.loops, given) for load in loads]
    return [Access(stage.target, stage.index, True, stage.loops, given), *reads]
