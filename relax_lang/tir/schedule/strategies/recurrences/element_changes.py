"""What is asked of a store before the values that it leaves in an element are taken beforehand.

Counts, remainders, carried values and values by key ask the same of the statements of a circle of dependences: that one
store alone changes the elements, by what none of them changes, and that the others read nothing else of the array.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statements import Check, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Load, all_loads, same_access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from relax_lang.tir.analysis.accesses import Indices, Loop
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

    Plain = Stage | Check


def changes(
    space: Space, members: Sequence[Statement], fixed: frozenset[str]
) -> Iterator[tuple[list[Plain], int, Stage, list[Loop]]]:
    """Yield the stores of a circle of stores and checks: all of its statements, which of them the store is, the store,
    and the loops in which it runs, if their bounds are numbers when the function is called.
    """
    plain = [one for one in members if isinstance(one, Stage | Check)]
    if len(plain) != len(members):
        return
    for at, one in enumerate(plain):
        if isinstance(one, Stage):
            loops = [loop for loop in one.loops if loop.name not in fixed]
            if loops and not any(space.varies(loop.extent) for loop in loops):
                yield plain, at, one, loops


def loads_of(space: Space, statement: Plain) -> list[Load]:
    """Return what a statement reads, but for the bounds of its loops."""
    parts = list(statement.guards)
    if isinstance(statement, Stage):
        parts += [statement.value, *space.atom_values(statement.index)]
    else:
        parts += [*statement.values, *([] if statement.condition is None else [statement.condition])]
    return [load for part in parts for load in all_loads(space, part)]


def loads_beside(space: Space, change: Stage, value: Vector) -> list[Load]:
    """Return what decides how a store changes its element, where `value` is added or stored."""
    parts = (value, *change.guards, *space.atom_values(change.index))
    return [load for part in parts for load in all_loads(space, part)]


def added_by(stage: Stage) -> Vector | None:
    """Return what a store adds to an integer; None if it does anything else."""
    dtype = stage.target.dtype
    if not dtypes.is_integer(dtype):
        return None
    if stage.op == "+=":
        return stage.value
    if stage.op == "-=":
        return Apply("neg", (stage.value,), dtype)
    value = stage.value
    if stage.op != "=" or not isinstance(value, Apply) or value.op != "+":
        return None
    first, second = value.args
    for old, new in ((first, second), (second, first)):
        if isinstance(old, Load) and same_access(old, stage.target, stage.index):
            return new
    return None


def changes_one_element(space: Space, members: Sequence[Plain], change: Stage, loops: Sequence[Loop]) -> bool:
    """Return whether a store is to one element in all iterations of loops, in which all others run, too."""
    names = {loop.name for loop in loops}
    if any(space.dims(part) & names or space.atoms_in(part) for part in change.index):
        return False
    return all(loop in member.loops for member in members for loop in loops)


def shares_loops(members: Sequence[Plain], change: Stage) -> bool:
    """Return whether all others run in all loops of a store, and in others inside of these at most."""
    return all(
        member.loops[: len(change.loops)] == change.loops and not member.reducing for member in members
    )


def changes_alone(
    space: Space, members: Sequence[Plain], change: Stage, loads: Iterable[Load], *, elements: bool = False
) -> bool:
    """Return whether a store alone changes an array, by what no statement changes, and the others read of this array
    the very element that it changes. `loads` are those by which it changes.

    With `elements` the others may read and change elements that are never the one that it changes.
    """
    stored = {member.target for member in members if isinstance(member, Stage)}
    extents = space.atom_values([loop.extent for member in members for loop in member.loops])
    bounds = [load for part in extents for load in all_loads(space, part)]
    if any(load.storage in stored for load in (*loads, *bounds)):
        return False
    for member in members:
        if member is change:
            continue
        others = [load.index for load in loads_of(space, member) if load.storage is change.target]
        others = [index for index in others if index != change.index]
        if isinstance(member, Stage) and member.target is change.target:
            others.append(member.index)
        if any(not elements or not _are_apart(index, change.index) for index in others):
            return False
    return True


def _are_apart(index: Indices, other: Indices) -> bool:
    """Return whether two indices surely name different elements."""
    return any((mine - its).value for mine, its in zip(index, other, strict=True))


def is_read_by_others(space: Space, members: Sequence[Plain], change: Stage) -> bool:
    """Return whether a statement reads the array that another one changes."""
    others = [member for member in members if member is not change]
    return any(load.storage is change.target for member in others for load in loads_of(space, member))
