"""Initial values of reductions: a constant that was just stored to what is accumulated need not be stored."""

from __future__ import annotations

from collections import Counter

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.dependence import accesses
from relax_lang.tir.analysis.vector_ir import Const
from relax_lang.tir.codegen.views import is_view, view
from relax_lang.tir.schedule.plan import (
    ELEMENTWISE,
    SCAN,
    SCATTER,
    ArgKernel,
    Kernel,
    Sequential,
    Single,
    Tile,
    TransposedScan,
    While,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.vector_ir import Indices, Space, Storage
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node


def fold_initial_values(writer: Writer, nodes: list[Node], uses: Counter[Storage] | None = None) -> None:
    """Give reductions the constant that was stored just before to what they accumulate, instead of storing it."""
    uses = _uses(writer.space, nodes) if uses is None else uses
    for at, node in enumerate(nodes):
        if isinstance(node, Sequential):
            before = len(writer.lines)
            with writer.indented("", node.loop):
                fold_initial_values(writer, node.body, uses)
            del writer.lines[before:]
            continue
        if isinstance(node, ArgKernel):
            _note_initial_state(writer, nodes[:at], node, uses)
            continue
        if not isinstance(node, Kernel) or node.strategy in (ELEMENTWISE, SCAN, SCATTER):
            continue
        if node.stage.guards or node.nonempty or node.lanes:
            continue
        before = _last_access(writer.space, nodes[:at], node.stage.target)
        stage, order = node.stage, [loop.name for loop in node.kept]
        if (
            before is None
            or before.folded
            or not _fills_same(writer, before, stage.target, stage.index, order)
        ):
            continue
        assert isinstance(before.operand, Const)
        node.initial = before.operand
        before.folded = True


def _last_access(space: Space, nodes: list[Node], target: Storage) -> Kernel | None:
    for node in reversed(nodes):
        if target in _touched(space, node):
            return node if isinstance(node, Kernel) else None
    return None


def _touched(space: Space, node: Node) -> set[Storage]:
    if isinstance(node, Kernel):
        return {access.storage for access in accesses(space, node.stage)}
    if isinstance(node, Single | ArgKernel):
        return {access.storage for access in accesses(space, node.statement)}
    if isinstance(node, TransposedScan):
        return {*node.storages, *_touched(space, node.body[0])}
    assert isinstance(node, Sequential | While | Tile)
    found: set[Storage] = set()
    if isinstance(node, While):  # its conditions read arrays, too
        found |= {access.storage for access in accesses(space, node.repeat)}
    for inner in node.body:
        found |= _touched(space, inner)
    return found


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


def _fills_same(writer: Writer, fill: Kernel, target: Storage, index: Indices, order: list[str]) -> bool:
    """Tell whether a kernel stores one constant to all elements that another one accumulates in."""
    if fill.strategy != ELEMENTWISE or fill.stage.guards or not isinstance(fill.operand, Const):
        return False
    if fill.nonempty or fill.lanes or not (is_view(writer, index) and is_view(writer, fill.stage.index)):
        return False
    fill_order = [loop.name for loop in fill.kept]
    wanted = view(writer, target, index, order)[0]
    return wanted == view(writer, fill.stage.target, fill.stage.index, fill_order)[0]


def _note_initial_state(writer: Writer, before: list[Node], node: ArgKernel, uses: Counter[Storage]) -> None:
    """Note the constants that the state of an argument reduction holds before, and which parts of it hold nothing
    that anybody reads afterwards: these need no array.
    """
    order = [loop.name for loop in node.kept]
    for update in node.statement.updates:
        if update.storage.dtype in dtypes.HALVES:
            continue  # it holds the constant rounded
        fill = _last_access(writer.space, before, update.storage)
        if fill is None or fill.folded or not _fills_same(writer, fill, update.storage, update.index, order):
            continue
        assert isinstance(fill.operand, Const)
        node.initial[update.storage] = fill.operand
        if not update.storage.is_param and uses[update.storage] == 2:
            node.unused.add(update.storage)
            fill.folded = True


def _uses(space: Space, nodes: Sequence[Node]) -> Counter[Storage]:
    """Return how many statements touch each array."""
    found: Counter[Storage] = Counter()
    for node in nodes:
        if isinstance(node, Sequential | While | Tile | TransposedScan):
            found += _uses(space, node.body)
        else:
            found.update(_touched(space, node))
        if isinstance(node, While):
            found.update({access.storage for access in accesses(space, node.repeat)})
    return found
