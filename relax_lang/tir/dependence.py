"""Whether stages may run one after the other, each over its whole domain at once. Proved, or refused.

Running a stage to its end before the next one starts is right unless an iteration of the later stage, which ran
earlier in the text's order, touches an element that the former one touches afterwards. Two accesses are compared
dimension by dimension: where both are `c * v + r` in one common loop variable v, the element fixes the distance
between the iterations that meet in it; where they differ by a constant, they never meet.
"""

from __future__ import annotations

from relax_lang.tir.vector import Refused, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.vector import Loop, Stage, Storage

    Index = tuple[Polynomial, ...]
    Distances = dict[str, int]


def check_order(stages: list[Stage], loop_names: set[str]) -> None:
    """Prove that all stages may run one after the other; raises `Refused` where that cannot be shown."""
    for at, later in enumerate(stages):
        for earlier in stages[:at]:
            _check_pair(earlier, later, loop_names)


def _check_pair(earlier: Stage, later: Stage, loop_names: set[str]) -> None:
    common = [loop for loop in earlier.loops if loop in later.loops]
    shares_reduction = later.reducing and not set(later.reducing).isdisjoint(earlier.loops)
    if not common and not shares_reduction:
        return
    for first, second in _conflicts(later, earlier):
        distances = meeting(first, second, loop_names, common)
        if distances is None:
            continue
        if shares_reduction:
            # `later` is an `init` and `earlier` stands before its block: it runs again after the `init`.
            harmful = True
        elif earlier.reducing:
            # `init` runs before the first step of its own iteration, wherever that is in the loops.
            harmful = [distances.get(loop.name) for loop in common] != [0] * len(common)
        else:
            harmful = may_run_before(distances, common)
        if harmful:
            reason = f"`{later.label}` and `{earlier.label}` meet in `{later.target.name}` across iterations"
            raise Refused(reason, later.node)


def _conflicts(later: Stage, earlier: Stage) -> Iterable[tuple[Index, Index]]:
    """Yield the pairs of accesses to one array of which one is a store."""
    for storage, index, is_store in accesses(later):
        for other, other_index, other_is_store in accesses(earlier):
            if storage is other and (is_store or other_is_store):
                yield index, other_index


def accesses(stage: Stage) -> list[tuple[Storage, Index, bool]]:
    """Return all accesses of a stage; the last component tells whether it stores."""
    found = [
        (load.storage, load.index, False) for part in (stage.value, *stage.guards) for load in loads(part)
    ]
    if stage.op != "=":
        found.append((stage.target, stage.index, False))
    found.append((stage.target, stage.index, True))
    return found


def meeting(first: Index, second: Index, loop_names: set[str], common: list[Loop]) -> Distances | None:
    """Return what is known about iterations x of `first` and y of `second` that touch the same element.

    The result gives x - y for the common loops for which it is fixed; None means that they never meet.
    """
    known: Distances = {}
    names = {loop.name for loop in common}
    for p, q in zip(first, second, strict=True):
        used = (p.names() | q.names()) & loop_names
        if not used:
            difference = (p - q).value
            if difference is not None and difference != 0:
                return None
        elif len(used) == 1 and used <= names:
            name = next(iter(used))
            distance = _distance(p, q, name)
            if distance is None:
                continue
            if distance == "never" or known.setdefault(name, int(distance)) != distance:
                return None
    return known


def _distance(p: Polynomial, q: Polynomial, name: str) -> int | str | None:
    """Return x - y where p at x equals q at y, `never` if they cannot be equal, None if it is not fixed."""
    factor = p.coefficient(name)
    if factor is None or factor != q.coefficient(name) or not factor.value:
        return None
    rest = (q.without({name}) - p.without({name})).value
    if rest is None:
        return None
    return "never" if rest % factor.value else rest // factor.value


def may_run_before(distances: Distances, common: list[Loop]) -> bool:
    """Tell whether x, at these distances from y, can come before y in the order of the common loops."""
    for loop in common:
        distance = distances.get(loop.name)
        if distance is None or distance < 0:
            return True
        if distance > 0:
            return False
    return False


def recovered(index: Index, loops: Iterable[Loop]) -> set[str]:
    """Return the loops whose value an index tells: no two of their iterations touch the same element."""
    by_name = {loop.name: loop for loop in loops}
    told: set[str] = set()
    progress = True
    while progress:
        progress = False
        for part in index:
            open_names = (part.names() & by_name.keys()) - told
            if open_names and _tells(part, [by_name[name] for name in sorted(open_names)]):
                told |= open_names
                progress = True
    return told


def _tells(part: Polynomial, loops: list[Loop]) -> bool:
    """Tell whether one index of an access tells several loops apart, as `i * m + j` does for j below m."""
    remaining: list[tuple[Polynomial, Loop]] = []
    for loop in loops:
        factor = part.coefficient(loop.name)
        if factor is None or factor.names() & {other.name for other in loops}:
            return False
        remaining.append((factor, loop))
    if len(remaining) == 1:
        return bool(remaining[0][0].value)
    place = next((item for item in remaining if item[0].value in (1, -1)), None)
    if place is None:
        return False
    while place is not None:
        remaining.remove(place)
        weight = place[0] * place[1].extent if place[0].value != -1 else place[1].extent
        place = next((item for item in remaining if weight in (item[0], -item[0])), None)
    return not remaining


def check_iterations(stage: Stage, kept: list[Loop], loop_names: set[str]) -> None:
    """Prove that the iterations of a stage are independent: none reads what an earlier one wrote."""
    for storage, index, is_store in accesses(stage):
        if is_store or storage is not stage.target or index == stage.index:
            continue
        distances = meeting(stage.index, index, loop_names, kept)
        if distances is not None and may_run_before(distances, kept):
            raise Refused(f"an iteration may read what an earlier one stored in `{storage.name}`", stage.node)
