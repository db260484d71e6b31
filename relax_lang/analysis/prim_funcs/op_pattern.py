"""Kinds of PrimFuncs by how the indices of their loads go with those of their stores: what may be fused with what.

The numbers are those of TVM's attribute `op_pattern`. [TIR.8]
"""

from __future__ import annotations

from relax_lang.base.node import structure, walk
from relax_lang.syntax import tree
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.ir.typing.well_typed import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.references.access_sites import Reference, References

ELEMENTWISE = 0
BROADCAST = 1
INJECTIVE = 2
REDUCTION = 3
"""A commutative reduction of whole dimensions."""
OUT_FUSABLE = 4
"""Something larger into whose results element-by-element work may be fused: products, windows, softmax."""
OPAQUE = 8
NAMES = {
    ELEMENTWISE: "element-wise",
    BROADCAST: "broadcast",
    INJECTIVE: "injective",
    REDUCTION: "reduction",
    OUT_FUSABLE: "out-fusable",
    OPAQUE: "opaque",
}

ATTRIBUTE = "op_pattern"


def given_pattern(func: tree.PrimFunc) -> int | None:
    """Return the kind that a PrimFunc says it has."""
    for attr in func.attrs:
        if attr.key == ATTRIBUTE and isinstance(attr.value, tree.IntLit):
            return attr.value.value
    return None


def op_pattern(func: tree.PrimFunc) -> int:
    """Return the kind of a PrimFunc: the largest of its stores; a reduction before other work is out-fusable.

    A store is element-wise where some load has its indices, and all others a part of them (a bias); broadcast where
    loads leave indices out; injective where indices of loads are made of those of the store. Over loops that the store
    does not name it is a reduction, if they index loads directly, and out-fusable if it multiplies or has windows.
    """
    if any(
        isinstance(node, tree.CallExtern | tree.Break | tree.Continue | tree.While) for node in walk(func)
    ):
        return OPAQUE
    analysis = analyse(func)
    if analysis.has_errors:
        return OPAQUE
    found = collect_references(analysis)
    kind = -1
    for store in found.accesses:
        if not isinstance(store.node, tree.BufferStore) or store.site.in_init:
            continue
        own = _of_store(store, found)
        kind = OUT_FUSABLE if kind == REDUCTION and own < REDUCTION else max(kind, own)
    return OPAQUE if kind < 0 else kind


def _of_store(store: Reference, found: References) -> int:
    site = store.site
    assert isinstance(store.node, tree.BufferStore)
    assert store.resolved is not None
    if any(not guard.asserted for guard in site.guards):
        return OPAQUE
    inside = {node for node in walk(store.node) if isinstance(node, tree.BufferLoad)}
    loads = [one for one in found.accesses if one.node in inside and one.site.loops == site.loops]
    names = {loop.name for loop in site.loops}
    stored = _names(store.resolved) & names
    if len([one for one in store.resolved if isinstance(one, tree.PrimVar)]) < len(stored):
        return INJECTIVE if all(_names(one.resolved or ()) & names <= stored for one in loads) else OPAQUE
    reduced = {
        loop.name
        for loop in site.loops
        if loop.name not in stored and not (isinstance(loop.stop, tree.IntImm) and loop.stop.value == 1)
    }
    if reduced:
        return _of_reduction(store, loads, reduced)
    kind, has_same = ELEMENTWISE, False
    for load in loads:
        own = _of_load(load, store, names)
        has_same = has_same or own == ELEMENTWISE
        kind = max(kind, own)
    return ELEMENTWISE if kind == BROADCAST and has_same else kind


def _of_load(load: Reference, store: Reference, loops: set[str]) -> int:
    assert load.resolved is not None
    assert store.resolved is not None
    keys = [structure(index) for index in store.resolved]
    own = [structure(index) for index in load.resolved]
    if own == keys:
        return ELEMENTWISE
    at = 0
    for index, key in zip(load.resolved, own, strict=True):
        if isinstance(index, tree.IntImm) and index.value == 0:
            continue
        if not isinstance(index, tree.PrimVar) or key not in keys[at:]:
            break
        at = keys.index(key, at) + 1
    else:
        return BROADCAST
    return INJECTIVE if _names(load.resolved) & loops <= _names(store.resolved) else OPAQUE


def _of_reduction(store: Reference, loads: list[Reference], reduced: set[str]) -> int:
    statement = store.node
    assert isinstance(statement, tree.BufferStore)
    others = [load for load in loads if load.symbol is not store.symbol]
    if any(load.symbol is store.symbol and not _same(load, store) for load in loads):
        return OPAQUE
    is_update = statement.op != "=" or len(others) < len(loads)
    if not is_update:
        return OPAQUE  # each step stores over the one before
    products = [node for node in walk(statement.value) if isinstance(node, tree.Mul)]
    if products and len(others) > 1:
        return OUT_FUSABLE
    for load in others:
        for index in load.resolved or ():
            if not isinstance(index, tree.PrimVar) and _names((index,)) & reduced:
                return OUT_FUSABLE
    return REDUCTION


def _same(one: Reference, other: Reference) -> bool:
    return [structure(index) for index in one.resolved or ()] == [
        structure(index) for index in other.resolved or ()
    ]


def _names(indices: tuple[tree.PrimExpr, ...]) -> set[str]:
    return {node.name for index in indices for node in walk(index) if isinstance(node, tree.PrimVar)}
