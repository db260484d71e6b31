"""The dependence graph of some statements: which accesses may meet at all, strongly connected components, their order.

Accesses are grouped into buckets by array and constant index, so that the work is linear in the statements where each
touches elements of its own; only accesses of one bucket, one of them a store, are asked about.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Access, Storage

    Edges = dict[int, set[int]]
    Pairs = list[tuple[Access, Access]]
    Entry = tuple[int, Access, tuple[int | None, ...]]  # statement, access, the constants in its index


def conflicts(accesses: Sequence[Sequence[Access]]) -> dict[tuple[int, int], Pairs]:
    """Return the pairs of accesses that may meet by the statements they are in, the earlier one first.

    Two accesses may meet if one is a store and no dimension has different constants in them.
    """
    by_storage: dict[Storage, list[Entry]] = {}
    for at, ones in enumerate(accesses):
        for access in ones:
            constants = () if access.index is None else tuple([part.value for part in access.index])
            by_storage.setdefault(access.storage, []).append((at, access, constants))
    found: dict[tuple[int, int], Pairs] = {}
    for entries in by_storage.values():
        if any(access.is_store for _, access, _ in entries):
            _add_conflicts(entries, found)
    return found


def _add_conflicts(entries: list[Entry], found: dict[tuple[int, int], Pairs]) -> None:
    """Add the conflicts of the accesses of one array, which are in the order of their statements."""
    dimension = _most_telling(entries)
    buckets: dict[int | None, list[Entry]] = {}
    everywhere: list[Entry] = []
    for entry in entries:
        at, access, constants = entry
        constant = constants[dimension] if len(constants) > dimension else None
        others = [*buckets.get(constant, ()), *everywhere] if constant is not None else entries
        for before, other, known in others:
            if before >= at:
                if constant is None:
                    break
                continue
            if not (access.is_store or other.is_store):
                continue
            if all(p is None or q is None or p == q for p, q in zip(known, constants, strict=False)):
                found.setdefault((before, at), []).append((other, access))
        if constant is None:
            everywhere.append(entry)
        else:
            buckets.setdefault(constant, []).append(entry)


def _most_telling(entries: list[Entry]) -> int:
    """Return the dimension in which the accesses of an array have the most different constants."""
    rank = max([len(constants) for _, _, constants in entries])
    counts = [
        len(
            {
                constants[at]
                for _, _, constants in entries
                if len(constants) > at and constants[at] is not None
            }
        )
        for at in range(rank)
    ]
    return max(range(rank), key=counts.__getitem__, default=0)


def components(edges: Edges) -> list[list[int]]:
    """Return the strongly connected components in topological order, earlier text first where there is a choice."""
    found = _strongly_connected(edges)
    component_of = {at: number for number, members in enumerate(found) for at in members}
    after: list[set[int]] = [set() for _ in found]
    waits = [0] * len(found)
    for at, targets in edges.items():
        for target in targets:
            source, sink = component_of[at], component_of[target]
            if source != sink and sink not in after[source]:
                after[source].add(sink)
                waits[sink] += 1
    ready = [(found[number][0], number) for number, count in enumerate(waits) if not count]
    heapify(ready)
    ordered: list[list[int]] = []
    while ready:
        _, number = heappop(ready)
        ordered.append(found[number])
        for sink in after[number]:
            waits[sink] -= 1
            if not waits[sink]:
                heappush(ready, (found[sink][0], sink))
    return ordered


def _strongly_connected(edges: Edges) -> list[list[int]]:
    """Return the strongly connected components, each sorted: Tarjan's algorithm, without recursion."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for root in edges:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            at, targets = work[-1]
            target = next(targets, None)
            if target is None:
                work.pop()
                if work:
                    outer = work[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[at])
                if lowest[at] == number[at]:
                    first = stack.index(at) if stack[-1] != at else len(stack) - 1
                    members = stack[first:]
                    del stack[first:]
                    on_stack.difference_update(members)
                    found.append(sorted(members))
            elif target not in number:
                number[target] = lowest[target] = len(number)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(edges[target])))
            elif target in on_stack:
                lowest[at] = min(lowest[at], number[target])
    return found
