"""Initial values of reductions: a constant that was just stored to what is accumulated need not be stored."""

from __future__ import annotations

from collections import Counter

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statement_accesses import accesses
from relax_lang.tir.analysis.lowered.vector_ir import Const
from relax_lang.tir.schedule.plan import (
    CONVOLUTION,
    ELEMENTWISE,
    SCAN,
    SCATTER,
    SUMMED_AREA,
    ArgKernel,
    Kernel,
    Sequential,
    TransposedScan,
    accesses_in,
    statements_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.schedule.plan import Node


def fold_initial_values(
    space: Space,
    nodes: Sequence[Node],
    uses: Counter[Storage] | None = None,
    fixed: frozenset[str] = frozenset(),
) -> None:
    """Give reductions the constant that was stored just before to what they accumulate, instead of storing it."""
    uses = _uses(space, nodes) if uses is None else uses
    for at, node in enumerate(nodes):
        if isinstance(node, Sequential):
            fold_initial_values(space, node.body, uses, fixed | {node.loop.name})
            continue
        if isinstance(node, ArgKernel):
            _note_initial_state(space, nodes[:at], node, uses, fixed)
            continue
        if not isinstance(node, Kernel) or node.strategy in (
            CONVOLUTION,
            ELEMENTWISE,
            SCAN,
            SCATTER,
            SUMMED_AREA,
        ):
            continue
        if node.stage.guards or node.nonempty or node.lanes:
            continue
        before = _last_access(space, nodes[:at], node.stage.target)
        stage = node.stage
        if before is None or before.folded or not _fills_same(space, before, node.kept, stage.index, fixed):
            continue
        assert isinstance(before.operand, Const)
        node.initial = before.operand
        before.folded = True


def _last_access(space: Space, nodes: Sequence[Node], target: Storage) -> Kernel | None:
    for node in reversed(nodes):
        if target in _touched(space, node):
            return node if isinstance(node, Kernel) else None
    return None


def _touched(space: Space, node: Node) -> set[Storage]:
    copied = node.storages if isinstance(node, TransposedScan) else ()
    return {*copied, *[access.storage for access in accesses_in(space, [node])]}


def used_storages(space: Space, nodes: Sequence[Node]) -> set[Storage]:
    """Return the arrays that a plan reads or stores to."""
    found: set[Storage] = set()
    for node in nodes:
        if isinstance(node, Kernel) and node.folded:
            continue
        found |= {
            storage
            for storage in _touched(space, node)
            if not isinstance(node, ArgKernel) or not (storage.is_temporary or storage in node.unused)
        }
    return found


def _fills_same(
    space: Space, fill: Kernel, kept: Sequence[Loop], index: Indices, fixed: frozenset[str]
) -> bool:
    """Return whether a kernel stores one constant to all elements that another one accumulates in."""
    if fill.strategy != ELEMENTWISE or fill.stage.guards or not isinstance(fill.operand, Const):
        return False
    if fill.nonempty or fill.lanes:
        return False
    wanted = _elements(space, index, kept, fixed)
    return wanted is not None and wanted == _elements(space, fill.stage.index, fill.kept, fixed)


def _elements(
    space: Space, index: Indices, kept: Sequence[Loop], fixed: frozenset[str]
) -> list[tuple[Polynomial, list[tuple[Polynomial, Polynomial, int]]]] | None:
    """Return what elements an affine index names: the first one of each dimension, and the factor and extent of each
    loop in it, with the position of the loop where a dimension has several. None of an index that is not affine.
    """
    order = [loop.name for loop in kept]
    found: list[tuple[Polynomial, list[tuple[Polynomial, Polynomial, int]]]] = []
    for part in index:
        if any(atom.vector.dims - fixed for atom in space.atoms_in(part)):
            return None
        moving = sorted((part.names() & space.loops.keys()) - fixed, key=list(space.loops).index)
        steps: list[tuple[Polynomial, Polynomial, int]] = []
        for name in moving:
            factor = part.coefficient(name)
            if factor is None or factor.names() & set(moving) or name not in order:
                return None
            position = order.index(name) if len(moving) > 1 or factor.value is None else -1
            steps.append((factor, space.loops[name].extent, position))
        found.append((part.without(set(moving)), steps))
    return found


def _note_initial_state(
    space: Space, before: Sequence[Node], node: ArgKernel, uses: Counter[Storage], fixed: frozenset[str]
) -> None:
    """Note the constants that the state of an argument reduction holds before, and which parts of it hold nothing
    that anybody reads afterwards: these need no array.
    """
    for update in node.statement.updates:
        if update.storage.dtype in dtypes.HALVES:
            continue  # it holds the constant rounded
        fill = _last_access(space, before, update.storage)
        if fill is None or fill.folded or not _fills_same(space, fill, node.kept, update.index, fixed):
            continue
        assert isinstance(fill.operand, Const)
        node.initial[update.storage] = fill.operand
        if not update.storage.is_param and uses[update.storage] == 2:
            node.unused.add(update.storage)
            fill.folded = True


def _uses(space: Space, nodes: Sequence[Node]) -> Counter[Storage]:
    """Return how many statements touch each array."""
    return Counter(
        storage
        for statement in statements_in(nodes)
        for storage in {access.storage for access in accesses(space, statement)}
    )
