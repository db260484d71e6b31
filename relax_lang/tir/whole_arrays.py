"""Which arrays of a PrimFunc its compiled form makes as they are written, not for a block of rows, and not at all."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule.init_folding import used_storages
from relax_lang.tir.schedule.pipeline import scheduled


def whole_arrays(func: tree.PrimFunc) -> set[tree.Buffer]:
    """Return the buffers of the `alloc`s of a PrimFunc without errors that are arrays of their sizes when it runs.

    The scalar interpreter makes all of them.
    """
    written = {node.buffer for node in func.body if isinstance(node, tree.Allocate)}
    try:
        lowering = lowered(analyse(func))
        sizes = {storage.name: storage.sizes for storage in lowering.allocated}
        nodes, _ = scheduled(lowering)
    except (NotVectorizable, RecursionError):
        return written
    used = used_storages(lowering.space, nodes)
    whole = {
        storage.name
        for storage in lowering.allocated
        if storage in used and sizes.get(storage.name) == storage.sizes
    }
    named = {symbol.node: storage.name for symbol, storage in lowering.storages.items()}
    return {buffer for buffer in written if named.get(buffer) in whole}
