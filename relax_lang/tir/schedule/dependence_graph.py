"""The dependence graph of some statements: which accesses may meet at all, strongly connected components, their order.

Accesses are grouped into buckets by array and constant index, so that the work is linear in the statements where each
touches elements of its own; only accesses of one bucket, one of them a store, are asked about.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from relax_lang.tir.analysis.lowered.statement_accesses import updates_commute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Access, Indices, Storage
    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Space

    Edges = dict[int, set[int]]
    Pairs = list[tuple[Access, Access]]
    Entry = tuple[int, Access]  # an access with the number of its statement


MOST_PAIRS = 20_000
"""Pairs of statements that may depend on each other; with more of them all runs in the order of the text."""


class TooManyPairs(Exception):  # noqa: N818 - an answer, not an error
    """The graph is not made."""


class _Group:
    """The accesses of one element in the same iterations, in the order of their statements."""

    __slots__ = ("constants", "entries", "has_store")

    def __init__(self, index: Indices | None) -> None:
        self.constants = () if index is None else tuple([part.value for part in index])
        self.entries: list[Entry] = []
        self.has_store = False


class Conflicts:
    """The pairs of accesses that may meet, by the statements they are in, the earlier one first.

    Of the accesses of one element in the same iterations those next to each other represent all: what holds a pair of
    them in its order holds the others. `represented` has the statements of all of them, by such pairs.
    """

    __slots__ = ("pairs", "represented")

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], Pairs] = {}
        self.represented: dict[tuple[int, int], list[int]] = {}

    def add(self, a: Entry, b: Entry) -> None:
        """Add the conflict of two accesses, if there is one."""
        if a[0] != b[0] and (a[1].is_store or b[1].is_store):
            first, second = (a, b) if a[0] < b[0] else (b, a)
            self.pairs.setdefault((first[0], second[0]), []).append((first[1], second[1]))
            if len(self.pairs) > MOST_PAIRS:
                raise TooManyPairs

    def add_neighbours(self, a: Entry, b: Entry, statements: list[int]) -> None:
        """Add the conflict of two accesses that are next to each other among those of some statements."""
        self.add(a, b)
        if len(statements) > 2:
            self.represented[min(a[0], b[0]), max(a[0], b[0])] = statements


def conflicts(accesses: Sequence[Sequence[Access]]) -> Conflicts:
    """Return the pairs of accesses that may meet: one is a store, and no dimension has different constants in them.

    Raises `TooManyPairs`.
    """
    by_storage: dict[Storage, dict[object, _Group]] = {}
    for at, ones in enumerate(accesses):
        for access in ones:
            groups = by_storage.setdefault(access.storage, {})
            key = access.index, access.loops, tuple(access.given)
            if key not in groups:
                groups[key] = _Group(access.index)
            groups[key].entries.append((at, access))
            groups[key].has_store |= access.is_store
    found = Conflicts()
    for groups in by_storage.values():
        if any(group.has_store for group in groups.values()):
            _add_conflicts(list(groups.values()), found)
    return found


def _add_conflicts(groups: list[_Group], found: Conflicts) -> None:
    """Add the conflicts of the accesses of one array."""
    dimension = _most_telling(groups)
    buckets: dict[int | None, list[_Group]] = {}
    for group in groups:
        if group.has_store:
            _add_neighbours(group, found)
        constant = group.constants[dimension] if len(group.constants) > dimension else None
        others = [constant, None] if constant is not None else list(buckets)
        for other in [other for key in others for other in buckets.get(key, ())]:
            if group.has_store or other.has_store:
                pairs = zip(other.constants, group.constants, strict=False)
                if all(p is None or q is None or p == q for p, q in pairs):
                    _add_all(group, other, found)
        buckets.setdefault(constant, []).append(group)


def _add_neighbours(group: _Group, found: Conflicts) -> None:
    """Add the pairs of a store with what is between the stores before and after it, and with these."""
    statements = list(dict.fromkeys([at for at, _ in group.entries]))
    last: Entry | None = None
    loads: list[Entry] = []
    for entry in group.entries:
        if last is not None:
            found.add_neighbours(last, entry, statements)
        if not entry[1].is_store:
            loads.append(entry)
            continue
        for load in loads:
            found.add_neighbours(load, entry, statements)
        last, loads = entry, []


def _add_all(one: _Group, other: _Group, found: Conflicts) -> None:
    for entry in one.entries:
        for second in other.entries:
            found.add(entry, second)


def _most_telling(groups: list[_Group]) -> int:
    """Return the dimension in which the accesses of an array have the most different constants."""
    rank = max([len(group.constants) for group in groups])
    seen = [{group.constants[at] for group in groups if len(group.constants) > at} for at in range(rank)]
    return max(range(rank), key=lambda at: len(seen[at] - {None}), default=0)


class Commuting:
    """Whether updates of one element may change places."""

    def __init__(self, space: Space, statements: Sequence[Statement], found: Conflicts) -> None:
        self._space = space
        self._statements = statements
        self._represented = found.represented
        self._known: dict[int, bool] = {}

    def holds(self, one: int, other: int) -> bool:
        """Return whether two statements commute, and so do all those whose order they represent."""
        if not self._commute(one, other):
            return False
        all_of_them = self._represented.get((one, other))
        if all_of_them is None:
            return True
        key = id(all_of_them)
        if key not in self._known:
            self._known[key] = all(self._commute(one, at) for at in all_of_them)
        return self._known[key]

    def _commute(self, one: int, other: int) -> bool:
        return updates_commute(self._space, self._statements[one], self._statements[other])


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
