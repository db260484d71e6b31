"""Scans along the last dimension, on transposed copies: a step then works on elements that lie together.

A loop that runs one step after the other over columns touches memory in strides, which costs ten times what the
arithmetic does. Arrays that such a loop goes through by their last dimension are copied with that dimension first,
and copied back afterwards if they were stored to: some rows at a time, where rows have nothing to do with each
other, so that the copies stay small. What is read for the last time where a result is stored lends it its copy.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statement_accesses import accesses
from relax_lang.tir.analysis.lowered.statements import Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index, replace_name
from relax_lang.tir.schedule.layout.row_independence import Rows, find_rows
from relax_lang.tir.schedule.plan import (
    ELEMENTWISE,
    Kernel,
    Sequential,
    TransposedCopy,
    TransposedScan,
    accesses_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Access, Indices
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.plan import Node

    Columns = tuple[Polynomial, Polynomial]


class Transposition:
    """Turns the arrays of the scans of one PrimFunc."""

    def __init__(self, space: Space, entry: Guards) -> None:
        self._space = space
        self._entry = entry

    def run(self, nodes: list[Node]) -> list[Node]:
        """Return a plan with scans on transposed copies."""
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Sequential):
                others = [other for other in nodes if other is not node]
                elsewhere = {access.storage for access in accesses_in(self._space, others)}
                result.append(self._turned(node, elsewhere))
            else:
                result.append(node)
        return result

    def _turned(self, node: Sequential, elsewhere: set[Storage]) -> Node:
        kernels = [inner for inner in node.body if isinstance(inner, Kernel)]
        if len(kernels) < len(node.body) or self._space.varies(node.loop.extent):
            return node
        touched: dict[Storage, list[Access]] = {}
        for kernel in kernels:
            if kernel.strategy != ELEMENTWISE or kernel.lanes or kernel.gathers or not kernel.kept:
                return node
            for access in accesses(self._space, kernel.stage):
                touched.setdefault(access.storage, []).append(access)
        chosen = [storage for storage, uses in touched.items() if self._goes_through(uses, node.loop)]
        if not any(kernel.stage.target in chosen for kernel in kernels):
            return node
        rows = find_rows(self._space, self._entry, kernels, chosen)
        transposed = self._on_copies(node, kernels, chosen, rows)
        for copy in transposed.copies:
            target = copy.target
            if target is None or target.is_param or target in elsewhere:
                continue
            if copy.source is not target and copy.before is None:
                copy.target = None  # nothing reads it afterwards
        return transposed

    def _goes_through(self, uses: list[Access], loop: Loop) -> bool:
        """Return whether accesses step through the last dimension only, and along others within a step."""
        steps = False
        for access in uses:
            if access.index is None or len(access.index) < 2:
                return False
            last = access.index[-1]
            if self._space.dims(last) - {loop.name} or self._space.atoms_in(last):
                return False
            steps = steps or loop.name in last.names()
            if any(loop.name in self._space.dims(part) for part in access.index[:-1]):
                return False
            if not any(self._space.dims(part) for part in access.index[:-1]):
                return False
        return steps

    def _on_copies(
        self, node: Sequential, kernels: list[Kernel], chosen: list[Storage], rows: Rows | None
    ) -> TransposedScan:
        scan = _Scan(self._space, self._entry, node.loop, kernels, rows)
        size = Polynomial.name(self._entry.fresh("rows")) if rows is not None else None
        copies: dict[Storage, TransposedCopy] = {}
        stored = {kernel.stage.target for kernel in kernels}
        for storage in sorted(chosen, key=lambda one: one not in stored):  # what lends its copy comes last
            everything = (Polynomial.constant(0), storage.sizes[-1])
            host = None if storage in stored else scan.host(storage, copies)
            if host is not None:
                copies[storage] = copies[host]
                copies[host].source, copies[host].reads = storage, everything
                continue
            copy = copies[storage] = TransposedCopy(self._local(storage, rows, size), _rows_of(storage, rows))
            found = scan.replaced(storage) if storage in stored else None
            if storage in stored:
                copy.target, copy.stores = storage, everything if found is None else found.stored
            if found is None:
                copy.source, copy.reads = storage, everything
            else:
                copy.before = found.read
        return self._moved_all(node, kernels, copies, rows, size)

    def _moved_all(
        self,
        node: Sequential,
        kernels: list[Kernel],
        copies: dict[Storage, TransposedCopy],
        rows: Rows | None,
        size: Polynomial | None,
    ) -> TransposedScan:
        start = None
        if rows is not None:
            start = Loop(self._entry.fresh("start"), rows.extent, rows.loops[0].node)
            self._space.loops[start.name] = start
        body: list[Node] = [
            self._moved(kernel, copies, rows.loops[at] if rows is not None else None, start, size)
            for at, kernel in enumerate(kernels)
        ]
        transposed = TransposedScan(
            list(dict.fromkeys(copies.values())), [Sequential(node.loop, body, node.reason)]
        )
        transposed.start, transposed.size = start, size
        return transposed

    def _local(self, storage: Storage, rows: Rows | None, size: Polynomial | None) -> Storage:
        sizes = list(storage.sizes)
        if rows is not None and size is not None:
            self._entry.note_size(size)
            sizes[rows.places[storage][0]] = size
        name = self._entry.fresh(f"{storage.name}_turned")
        return Storage(name, storage.dtype, (sizes[-1], *sizes[:-1]))

    def _moved(
        self,
        kernel: Kernel,
        copies: dict[Storage, TransposedCopy],
        row: Loop | None,
        start: Loop | None,
        size: Polynomial | None,
    ) -> Kernel:
        """Return a kernel on the copies, over the rows of one block."""
        values: dict[str, Polynomial] = {}
        inner = row
        if row is not None and start is not None and size is not None:
            inner = Loop(self._entry.fresh(row.name), size, row.node)
            self._space.loops[inner.name] = inner
            values[row.name] = Polynomial.name(start.name) + Polynomial.name(inner.name)

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            copy = copies.get(storage)
            if copy is None:
                return storage, tuple([self._space.substituted(part, values) for part in index])
            parts = list(index)
            if copy.rows is not None and inner is not None:
                parts[copy.rows[0]] = Polynomial.name(inner.name)
            return copy.storage, (parts[-1], *parts[:-1])

        def vector_of(vector: Vector) -> Vector:
            return self._space.replaced_with(vector, values, access_of)

        def in_block(loops: Sequence[Loop]) -> list[Loop]:
            return [inner if loop is row and inner is not None else loop for loop in loops]

        stage = kernel.stage
        part = replaced(
            kernel,
            stage=stage.accessing(in_block(stage.loops), access_of, vector_of),
            operand=vector_of(kernel.operand),
            kept=in_block(kernel.kept),
            requires=[self._space.substituted(value, values) for value in kernel.requires],
            covered=set(),
        )
        by_id = {id(access.storage): access.storage for access in accesses(self._space, stage)}
        for key, old in kernel.covered:
            if key in by_id:
                storage, new = access_of(by_id[key], old)
                part.covered.add((id(storage), new))
        return part


class _Replaced:
    """What a scan stores of an array, column by column, and what it reads of it that was there before."""

    __slots__ = ("read", "stored")

    def __init__(self, stored: Columns, read: Columns | None) -> None:
        self.stored = stored
        self.read = read


class _Scan:
    """The kernels of one loop that runs step by step, and how they go through an array."""

    def __init__(
        self, space: Space, entry: Guards, loop: Loop, kernels: list[Kernel], rows: Rows | None
    ) -> None:
        self._space = space
        self._entry = entry
        self._loop = loop
        self._kernels = kernels
        self._rows = rows

    def replaced(self, storage: Storage) -> _Replaced | None:
        """Return which columns are stored, if each step stores all elements of one, and reads none before that."""
        stages = self._stores(storage)
        direction = self._direction(storage)
        if not direction or not self._fills_column(storage, stages):
            return None
        last = stages[0].index[-1]
        furthest = 0
        before: list[Stage] = []
        for kernel in self._kernels:
            for index in self._loads(kernel, storage):
                distance = self._distance(kernel, index[-1], last)
                if distance is None or distance * direction > 0 or (distance == 0 and not _is_whole(before)):
                    return None
                furthest = max(furthest, abs(distance))
            if kernel.stage.target is storage:
                before.append(kernel.stage)
        return self._columns(last.without({self._loop.name}), direction, furthest, storage.sizes[-1])

    def _columns(
        self, first: Polynomial, direction: int, furthest: int, size: Polynomial
    ) -> _Replaced | None:
        extent, longest = self._loop.extent, self._entry.whole_extent(self._loop.extent)
        if direction > 0:
            low, high, inside = first, first + extent, (first, size - first - longest)
        else:
            low, high, inside = first + 1 - extent, first + 1, (first + 1 - longest, size - 1 - first)
        if not all(self._entry.is_nonnegative(value) for value in inside):
            return None
        if not furthest:
            return _Replaced((low, high), None)
        if direction < 0:
            rest = size - high
            if rest.value is not None and rest.value < furthest:
                return _Replaced((low, high), (high, size) if rest.value else None)
            if not self._entry.is_nonnegative(rest - furthest):
                return None
            return _Replaced((low, high), (high, high + furthest))
        if low.value is not None and low.value < furthest:
            return _Replaced((low, high), (Polynomial.constant(0), low) if low.value else None)
        return (
            _Replaced((low, high), (low - furthest, low))
            if self._entry.is_nonnegative(low - furthest)
            else None
        )

    def host(self, storage: Storage, copies: dict[Storage, TransposedCopy]) -> Storage | None:
        """Return an array whose copy this one may be copied to: what is read of it is read before the other is
        stored there.
        """
        for other, copy in copies.items():
            if copy.target is not other or copy.source is not None or copy.before is not None:
                continue
            if other.dtype != storage.dtype or other.sizes != storage.sizes:
                continue
            if _rows_of(storage, self._rows) != _rows_of(other, self._rows):
                continue
            if self._is_read_first(storage, other):
                return other
        return None

    def _is_read_first(self, storage: Storage, target: Storage) -> bool:
        """Return whether each element of an array is read for the last time before that of the target is stored."""
        index, direction = self._stores(target)[0].index, self._direction(target)
        for at, kernel in enumerate(self._kernels):
            for load in self._loads(kernel, storage):
                distance = self._distance(kernel, load[-1], index[-1])
                if distance is None or distance * direction < 0:
                    return False
                if distance:
                    continue
                if kernel.stage.target is target and load[:-1] != index[:-1]:
                    return False
                for earlier in self._kernels[:at]:
                    if earlier.stage.target is target and not _exclude(earlier.stage, kernel.stage):
                        return False
        return True

    def _stores(self, storage: Storage) -> list[Stage]:
        return [kernel.stage for kernel in self._kernels if kernel.stage.target is storage]

    def _loads(self, kernel: Kernel, storage: Storage) -> list[Indices]:
        found = [access for access in accesses(self._space, kernel.stage) if access.storage is storage]
        return [access.index for access in found if not access.is_store and access.index is not None]

    def _direction(self, storage: Storage) -> int:
        """Return 1 or -1 where each step stores to the column after, or before, that of the last step; or 0."""
        indices = {stage.index for stage in self._stores(storage)}
        if len(indices) != 1:
            return 0
        last = next(iter(indices))[-1]
        factor = last.coefficient(self._loop.name)
        if factor is None or self._space.varies(last.without({self._loop.name})):
            return 0
        return factor.value if factor.value in (1, -1) else 0

    def _distance(self, kernel: Kernel, one: Polynomial, other: Polynomial) -> int | None:
        """Return how far apart two columns are in every step that a kernel runs in, if that is one number."""
        difference = one - other
        for guard in kernel.stage.guards:
            if isinstance(guard, Apply) and guard.op == "==":
                a, b = guard.args
                if isinstance(a, Index) and isinstance(b, Index):
                    rest = a.polynomial - b.polynomial
                    factor = rest.coefficient(self._loop.name)
                    if factor is not None and factor.value in (1, -1):
                        place = rest.without({self._loop.name}) * -factor.value
                        difference = replace_name(difference, self._loop.name, place)
        return difference.value

    def _fills_column(self, storage: Storage, stages: list[Stage]) -> bool:
        """Return whether each step stores all elements of its column, of the rows at hand."""
        index = stages[0].index
        names: set[str] = set()
        for at, part in enumerate(index[:-1]):
            moving = part.names() & self._space.loops.keys()
            if len(moving) != 1 or moving & names:
                return False
            loop = self._space.loops[next(iter(moving))]
            names.add(loop.name)
            if self._rows is not None and at == self._rows.places[storage][0]:
                continue
            if part != Polynomial.name(loop.name) or loop.extent != storage.sizes[at]:
                return False
        if not all(names <= {loop.name for loop in stage.loops} for stage in stages):
            return False
        return _is_whole(stages)


def _rows_of(storage: Storage, rows: Rows | None) -> tuple[int, Polynomial] | None:
    return None if rows is None else rows.places[storage]


def _is_whole(stages: list[Stage]) -> bool:
    """Return whether one of some statements runs in any case."""
    return any(not stage.guards for stage in stages) or any(
        _exclude(one, other) for one in stages for other in stages
    )


def _exclude(one: Stage, other: Stage) -> bool:
    """Return whether the condition of one statement is the opposite of that of another."""
    if len(one.guards) != 1 or len(other.guards) != 1:
        return False
    first, second = one.guards[0], other.guards[0]
    return _is_opposite(first, second) or _is_opposite(second, first)


def _is_opposite(one: Vector, other: Vector) -> bool:
    return isinstance(one, Apply) and one.op == "!" and one.args[0].key == other.key
