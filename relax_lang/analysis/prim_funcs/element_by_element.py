"""PrimFuncs that may write their result over an operand: each element is read only where its own is stored. [TIR.8]"""

from __future__ import annotations

from relax_lang.base.node import structure, walk
from relax_lang.syntax import tree
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.ir.typing.well_typed import analyse


def overwritable(func: tree.PrimFunc) -> list[int]:
    """Return which inputs of a PrimFunc with one result its result may be written over, by their positions.

    There is one store, over loops that its indices name, and the input is read at these indices only. Whether both
    have one shape is for the call to know.
    """
    tensors = buffers(func)
    if len(tensors) < 2 or len(tensors) < len(func.params):
        return []  # calls in place take no scalars
    made = tensors[-1]
    safe = read_where_stored(func, made)
    return [at for at, buffer in enumerate(tensors[:-1]) if buffer in safe]


def read_where_stored(func: tree.PrimFunc, made: tree.Buffer) -> list[tree.Buffer]:
    """Return the parameters that a PrimFunc reads only at the element of `made` which it is storing.

    `made` is the last parameter, and all that is stored to, by one statement.
    """
    if any(
        isinstance(
            node,
            tree.CallExtern | tree.Break | tree.Continue | tree.While | tree.Allocate | tree.BufferView,
        )
        for node in walk(func)
    ):
        return []
    analysis = analyse(func)
    if analysis.has_errors:
        return []
    found = collect_references(analysis)
    stores = [one for one in found.accesses if one.writes]
    if len(stores) != 1 or stores[0].reads or stores[0].symbol.node is not made or stores[0].site.once:
        return []
    [store] = stores
    if any(not guard.asserted for guard in store.site.guards):
        return []
    assert store.resolved is not None
    indices = [index.name for index in store.resolved if isinstance(index, tree.PrimVar)]
    if set(indices) != {loop.name for loop in store.site.loops} or len(indices) < len(store.resolved):
        return []
    key = [structure(index) for index in store.resolved]
    safe: list[tree.Buffer] = []
    for buffer in buffers(func):
        loads = [one for one in found.accesses if one.symbol.node is buffer and one is not store]
        same = all(
            one.resolved is not None and [structure(index) for index in one.resolved] == key for one in loads
        )
        if loads and same and buffer.dtype.name == made.dtype.name and len(buffer.shape) == len(made.shape):
            safe.append(buffer)
    return safe
