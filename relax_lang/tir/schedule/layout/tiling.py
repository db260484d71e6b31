"""Kernels one after the other on some rows at a time, so that what they hand on stays in the cache.

Kernels that follow each other and meet only in equal rows of their outermost loops are a group: it runs block by
block of rows. An intermediate array that only a group uses, row by row, is as small as one block. The temporary
arrays of a kernel shrink likewise, so that memory does not grow with them.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.other_arrays import OtherArrays
from relax_lang.tir.analysis.lowered.statement_accesses import KnownAccesses
from relax_lang.tir.analysis.lowered.vector_ir import Apply, loads, parts_of
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.schedule.layout.block_sharing import places
from relax_lang.tir.schedule.plan import (
    CONTRACTION,
    ELEMENTWISE,
    REDUCTION,
    WINDOW,
    Kernel,
    Tile,
    TransposedScan,
    statements_in,
    walk,
)
from relax_lang.tir.schedule.strategies.reductions.bilinear_forms import bilinear_form
from relax_lang.tir.schedule.strategies.reductions.order_counts import counted_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Access, Indices, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Load, Space, Vector
    from relax_lang.tir.array_ir.nodes import Scalar
    from relax_lang.tir.lower.guards import Guards
    from relax_lang.tir.schedule.plan import Node
    from relax_lang.tir.schedule.strategies.reductions.bilinear_forms import BilinearForm

TILE_ELEMENTS = 1 << 18
"""How many elements of the widest kernel a block has: measured to be best where an array of it is a part of L2."""


class Group:
    """Kernels that may run block by block of rows, each with its loop over the rows.

    Of each array it keeps in which dimensions an access has the row, once for all accesses that are alike.
    """

    def __init__(self) -> None:
        self.members: list[tuple[Kernel, Loop]] = []
        self._touched: dict[Storage, set[tuple[frozenset[int], bool]]] = {}

    def add(self, kernel: Kernel, row: Loop, accesses: Sequence[Access]) -> None:
        """Add a kernel."""
        self.members.append((kernel, row))
        for access in accesses:
            self._touched.setdefault(access.storage, set()).add(
                (_row_dimensions(access, row), access.is_store)
            )

    def meets_in_rows(self, accesses: Sequence[Access], row: Loop) -> bool:
        """Return whether accesses touch what the group touches in equal rows only."""
        for access in accesses:
            dimensions = _row_dimensions(access, row)
            for known, is_store in self._touched.get(access.storage, ()):
                if (access.is_store or is_store) and dimensions.isdisjoint(known):
                    return False
        return True


class Tiling:
    """Makes blocks of the kernels of one PrimFunc."""

    def __init__(self, space: Space, entry: Guards, allocated: list[Storage]) -> None:
        self._space = space
        self._entry = entry
        self._allocated = allocated
        self._users: dict[Storage, int] = {}
        self._accesses = KnownAccesses(space)

    def run(self, nodes: list[Node]) -> list[Node]:
        """Return a plan with blocks."""
        for statement in statements_in(nodes):
            for storage in {access.storage for access in self._accesses.of(statement)}:
                self._users[storage] = self._users.get(storage, 0) + 1
        for node in walk(nodes):
            if isinstance(node, TransposedScan):  # its statements have copies in place of these
                for storage in set(node.storages):
                    self._users[storage] = self._users.get(storage, 0) + 1
        return self._blocked(nodes)

    def _blocked(self, nodes: list[Node]) -> list[Node]:
        result: list[Node] = []
        group = Group()
        for node in nodes:
            row = self._row(node, group) if isinstance(node, Kernel) else None
            if row is None and group.members:
                result += self._finished(group.members)
                group = Group()
                row = self._row(node, group) if isinstance(node, Kernel) else None
            if row is not None and isinstance(node, Kernel):
                group.add(node, row, self._accesses.of(node.stage))
            else:
                result.append(node)
        return [*result, *self._finished(group.members)]

    def _row(self, kernel: Kernel, group: Group) -> Loop | None:
        """Return the loop over the rows of a kernel that may join a group."""
        if kernel.strategy not in (ELEMENTWISE, REDUCTION, CONTRACTION, WINDOW) or kernel.lanes:
            return None
        if kernel.stage.guards and kernel.strategy not in (ELEMENTWISE, REDUCTION):
            return None
        if kernel.strategy == REDUCTION and counted_pairs(self._space, kernel, kernel.stage.guards):
            return None  # sorting takes less than comparing
        loops = [loop for loop in kernel.kept if not self._space.varies(loop.extent)]
        if not group.members:
            return loops[0] if loops else None
        extent = group.members[0][1].extent
        accesses = self._accesses.of(kernel.stage)
        return next(
            (loop for loop in loops if loop.extent == extent and group.meets_in_rows(accesses, loop)), None
        )

    def _finished(self, group: list[tuple[Kernel, Loop]]) -> list[Node]:
        """Return a group as a block, if that is worth while."""
        widest = self._widest(group) if group else None
        extent = group[0][1].extent if group else Polynomial.constant(0)
        n_passes = sum([self._n_passes(kernel) for kernel, _ in group])
        if widest is None or n_passes < 3 or (extent.value is not None and extent.value <= 1):
            return [self._windowed(kernel) for kernel, _ in group]
        least = _LEAST_ROWS if any(_is_product_of_rows(kernel, row) for kernel, row in group) else 1
        return [self._block(group, widest, TILE_ELEMENTS, least)]

    def _windowed(self, kernel: Kernel) -> Node:
        """Return a contraction of windows as a block: laid out as a matrix, windows take many times their array."""
        if kernel.strategy != CONTRACTION or kernel.lanes or kernel.stage.guards or kernel.folded:
            return kernel
        for factor in kernel.factors:
            if not any(self._is_window(load) or self._is_gathered(load) for load in loads(factor)):
                continue
            shared = kernel.factors[0].dims & kernel.factors[1].dims
            rows = [loop for loop in kernel.kept if loop.name in factor.dims]
            rows = [loop for loop in rows if not self._space.varies(loop.extent)]
            chosen = [loop for loop in rows if loop.name in shared][-1:]
            chosen = chosen or self._of_few_elements(rows, kernel)[:1] or rows[-2:-1]
            if not chosen or any(self._space.varies(loop.extent) for loop in kernel.reduced):
                continue
            return self._block([(kernel, chosen[0])], _elements(rows, kernel, chosen[0]), TILE_ELEMENTS)
        return kernel

    @staticmethod
    def _of_few_elements(rows: list[Loop], kernel: Kernel) -> list[Loop]:
        """Return the loops of which one iteration is known to fit into a block: the outermost one makes blocks whose
        results lie in a row.
        """
        found: list[Loop] = []
        for loop in rows if len(rows) > 1 else ():
            number = _elements(rows, kernel, loop).value
            if isinstance(number, int) and number <= TILE_ELEMENTS:
                found.append(loop)
        return found

    def _is_window(self, load: Load) -> bool:
        """Return whether a load names elements several times: two loops add up in one index."""
        return any(len(self._space.dims(part)) > 1 for part in load.index)

    def _is_gathered(self, load: Load) -> bool:
        """Return whether data choose what a load names."""
        return any(self._space.atoms_in(part) for part in load.index)

    def _block(
        self, group: list[tuple[Kernel, Loop]], widest: Polynomial, length: int, least: int = 1
    ) -> Tile:
        """Return a group as a block of rows that have so many elements together; it has a least number of rows."""
        extent = group[0][1].extent
        number: Scalar = Literal(length)
        if widest.value != 1:
            number = ScalarOp("//", (number, ScalarOp("max", (Literal(1), widest))))
        if least > 1:
            number = ScalarOp("max", (Literal(least), number))
        number = ScalarOp("max", (Literal(1), ScalarOp("min", (extent, number))))
        step = self._entry.define(number, "step", nonnegative=True)
        start = Loop(self._entry.fresh("start"), extent, group[0][1].node)
        self._space.loops[start.name] = start
        size = Polynomial.name(self._entry.fresh("rows"))
        self._entry.note_size(size)
        local = self._local(group)
        for storage, at in local.items():
            sizes = storage.sizes
            storage.shape, storage.outer = (*sizes[:at], step, *sizes[at + 1 :]), ()
        shared = places([(kernel, self._accesses.of(kernel.stage)) for kernel, _ in group], local)
        for storage in shared:
            self._allocated.remove(storage)
        body = [self._part(kernel, row, start, size, local, shared) for kernel, row in group]
        requires = [value for kernel, _ in group for value in kernel.requires]
        return Tile(start, size, step, body, requires)

    def _n_passes(self, kernel: Kernel) -> int:
        """Return how often a kernel goes over memory that a block of rows would keep in the cache."""
        if kernel.folded:
            return 0
        if kernel.strategy == CONTRACTION:
            return 0
        full = frozenset([loop.name for loop in (*kernel.kept, *kernel.reduced)])
        values = [kernel.operand, *kernel.stage.guards]
        return sum([_n_steps(value, full) for value in values]) + (kernel.strategy == REDUCTION)

    def _widest(self, group: list[tuple[Kernel, Loop]]) -> Polynomial | None:
        """Return how many elements a row has in the kernel with the most loops."""
        widest: Polynomial | None = None
        most = -1
        for kernel, row in group:
            others = [loop for loop in self._spread(kernel) if loop is not row]
            if kernel.folded or len(others) <= most:
                continue
            most, widest = len(others), Polynomial.constant(1)
            for loop in others:
                if self._space.varies(loop.extent):
                    return None
                widest = widest * loop.extent
        return widest

    def _spread(self, kernel: Kernel) -> list[Loop]:
        """Return the loops of the largest array of a kernel: a matrix product needs none over all of its loops, but
        windows are laid out.
        """
        loops = [*kernel.kept, *kernel.reduced]
        form = _form(kernel)
        if form is not None:
            return [loop for loop in loops if loop.name in (form.rows, form.columns)]
        if kernel.strategy != CONTRACTION:
            return loops
        for factor in kernel.factors:
            if any(self._is_window(load) for load in loads(factor)):
                return [loop for loop in loops if loop.name in factor.dims]
        return kernel.kept

    def _local(self, group: list[tuple[Kernel, Loop]]) -> dict[Storage, int]:
        """Return the arrays that only this group uses, each row in its own block, with the dimension of the rows."""
        touched: dict[Storage, list[tuple[Access, Loop]]] = {}
        users: dict[Storage, int] = {}
        for kernel, row in group:
            for access in self._accesses.of(kernel.stage):
                touched.setdefault(access.storage, []).append((access, row))
            for storage in {access.storage for access in self._accesses.of(kernel.stage)}:
                users[storage] = users.get(storage, 0) + 1
        found: dict[Storage, int] = {}
        for storage, uses in touched.items():
            if storage.is_param or storage not in self._allocated or users[storage] != self._users[storage]:
                continue
            for at in range(len(storage.sizes)):
                if all(
                    access.index is not None and access.index[at] == Polynomial.name(row.name)
                    for access, row in uses
                ):
                    found[storage] = at
                    break
        return found

    def _part(
        self,
        kernel: Kernel,
        row: Loop,
        start: Loop,
        size: Polynomial,
        local: dict[Storage, int],
        shared: dict[Storage, Storage],
    ) -> Kernel:
        """Return a kernel over the rows of one block, in whose arrays others may be that were `shared` with them."""
        inner = Loop(self._entry.fresh(row.name), size, row.node)
        self._space.loops[inner.name] = inner
        values = {row.name: Polynomial.name(start.name) + Polynomial.name(inner.name)}
        shift = {start.name: Polynomial.constant(0)}

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            moved, at = [*index], local.get(storage)
            if at is not None:
                moved[at] = self._space.substituted(moved[at], shift)
            return shared.get(storage, storage), tuple(moved)

        arrays = OtherArrays(self._space, self._entry.fresh, access_of, values)
        loops = [inner if loop is row else loop for loop in kernel.stage.loops]
        part = replaced(
            kernel,
            stage=replaced(arrays.stage(kernel.stage), loops=tuple(loops)),
            operand=arrays.vector(kernel.operand),
            kept=[inner if loop is row else loop for loop in kernel.kept],
            factors=[arrays.vector(factor) for factor in kernel.factors],
            requires=[],
        )
        part.covered = {
            (id(a.storage), a.index) for a in self._accesses.of(part.stage) if a.index is not None
        }
        return part


def _elements(rows: list[Loop], kernel: Kernel, row: Loop) -> Polynomial:
    """Return how many elements of windows an iteration of one of the loops over rows has."""
    number = Polynomial.constant(1)
    for loop in (*rows, *kernel.reduced):
        if loop is not row:
            number = number * loop.extent
    return number


def _row_dimensions(access: Access, row: Loop) -> frozenset[int]:
    """Return the dimensions in which an access has the row itself."""
    name = Polynomial.name(row.name)
    return frozenset([at for at, part in enumerate(access.index or ()) if part == name])


_LEAST_ROWS = 128
"""Matrices of fewer rows are multiplied slower: BLAS arranges the other matrix anew for each."""


def _is_product_of_rows(kernel: Kernel, row: Loop) -> bool:
    """Return whether blocks of rows make a matrix product several, with one matrix for all."""
    form = _form(kernel)
    if form is not None:
        return row.name == form.rows
    if kernel.strategy != CONTRACTION:
        return False
    return len([factor for factor in kernel.factors if row.name in factor.dims]) == 1


def _form(kernel: Kernel) -> BilinearForm | None:
    """Return the three matrices that a reduction multiplies, if it does."""
    if kernel.strategy != REDUCTION or kernel.stage.guards:
        return None
    return bilinear_form(
        kernel, kernel.operand.dims - {loop.name for loop in (*kernel.kept, *kernel.reduced)}
    )


def _n_steps(value: Vector, full: frozenset[str]) -> int:
    """Return how many operations on whole arrays an expression has."""
    return len([part for part in parts_of(value) if isinstance(part, Apply) and part.dims == full])
