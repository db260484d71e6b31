"""Scans along the last dimension, on turned copies: a step then works on elements that lie together.

A loop that runs one step after the other over columns touches memory in strides, which costs ten times what the
arithmetic does. Arrays that such a loop goes through by their last dimension are copied with that dimension first,
and copied back afterwards if they were stored to.
"""

from __future__ import annotations

from relax_lang.tir.vectorize.dependence import accesses
from relax_lang.tir.vectorize.plan import ELEMENTWISE, Kernel, Sequential, Turned
from relax_lang.tir.vectorize.vector import Apply, Stage, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.vectorize.dependence import Access
    from relax_lang.tir.vectorize.entry import Entry
    from relax_lang.tir.vectorize.plan import Node
    from relax_lang.tir.vectorize.vector import Indices, Loop, Space, Vector


class Turning:
    """Turns the arrays of the scans of one PrimFunc."""

    def __init__(self, space: Space, entry: Entry) -> None:
        self._space = space
        self._entry = entry

    def run(self, nodes: list[Node]) -> list[Node]:
        """Return a plan with scans on turned copies."""
        return [self._turned(node) if isinstance(node, Sequential) else node for node in nodes]

    def _turned(self, node: Sequential) -> Node:
        kernels = [inner for inner in node.body if isinstance(inner, Kernel)]
        if len(kernels) < len(node.body) or self._space.dims(node.loop.extent):
            return node
        touched: dict[Storage, list[Access]] = {}
        for kernel in kernels:
            if kernel.strategy != ELEMENTWISE or kernel.lanes or kernel.gathers or not kernel.kept:
                return node
            for access in accesses(self._space, kernel.stage):
                touched.setdefault(access.storage, []).append(access)
        chosen = [storage for storage, uses in touched.items() if self._goes_through(uses, node.loop)]
        stored = {kernel.stage.target for kernel in kernels}
        if not stored.intersection(chosen):
            return node
        copies = {storage: self._copy_of(storage) for storage in chosen}
        body: list[Node] = [self._moved(kernel, copies) for kernel in kernels]
        pairs = [
            (storage, copies[storage], storage in stored, not self._is_replaced(storage, kernels, node.loop))
            for storage in chosen
        ]
        return Turned(pairs, Sequential(node.loop, body, node.reason))

    def _goes_through(self, uses: list[Access], loop: Loop) -> bool:
        """Tell whether all accesses step through the last dimension only, and along others within a step."""
        for access in uses:
            if access.index is None or len(access.index) < 2:
                return False
            last = access.index[-1]
            if self._space.dims(last) != frozenset((loop.name,)) or self._space.atoms_in(last):
                return False
            if any(loop.name in self._space.dims(part) for part in access.index[:-1]):
                return False
            if not any(self._space.dims(part) for part in access.index[:-1]):
                return False
        return True

    def _is_replaced(self, storage: Storage, kernels: list[Kernel], loop: Loop) -> bool:
        """Tell whether each step stores all of its elements of an array, and reads those of earlier steps only."""
        stages = [kernel.stage for kernel in kernels if kernel.stage.target is storage]
        if not stages or loop.extent != storage.sizes[-1] or len({stage.index for stage in stages}) > 1:
            return False
        index = stages[0].index
        extents = {name: self._space.loops[name].extent for part in index for name in self._space.dims(part)}
        for part, size in zip(index, storage.sizes, strict=True):
            if str(part) not in extents or extents[str(part)] != size:
                return False
        guards = [stage.guards for stage in stages]
        if guards != [()]:
            if [len(one) for one in guards] != [1, 1]:
                return False
            (first,), (second,) = guards
            if not _is_opposite(first, second) and not _is_opposite(second, first):
                return False
        for kernel in kernels:
            for access in accesses(self._space, kernel.stage):
                if access.storage is storage and not access.is_store and access.index is not None:
                    behind = (access.index[-1] - index[-1]).value
                    if behind is None or behind >= 0:
                        return False
        return True

    def _copy_of(self, storage: Storage) -> Storage:
        sizes = storage.sizes
        return Storage(self._entry.fresh(f"{storage.name}_turned"), storage.dtype, (sizes[-1], *sizes[:-1]))

    def _moved(self, kernel: Kernel, copies: dict[Storage, Storage]) -> Kernel:
        """Return a kernel on the copies."""

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            copy = copies.get(storage)
            return (storage, index) if copy is None else (copy, (index[-1], *index[:-1]))

        def vector_of(vector: Vector) -> Vector:
            return self._space.replaced_with(vector, {}, access_of)

        stage = kernel.stage
        target, index = access_of(stage.target, stage.index)
        guards = tuple([vector_of(guard) for guard in stage.guards])
        moved = Stage(
            stage.loops, target, index, stage.op, vector_of(stage.value), guards, stage.label, stage.node
        )
        part = Kernel(
            moved, kernel.strategy, vector_of(kernel.operand), kernel.kept, kernel.reduced, kernel.combine
        )
        part.nonempty, part.requires = kernel.nonempty, kernel.requires
        by_id = {id(storage): storage for storage in copies}
        for key, old in kernel.covered:
            new = access_of(by_id[key], old) if key in by_id else None
            part.covered.add((key, old) if new is None else (id(new[0]), new[1]))
        return part


def _is_opposite(one: Vector, other: Vector) -> bool:
    return isinstance(one, Apply) and one.op == "!" and one.args[0].key == other.key
