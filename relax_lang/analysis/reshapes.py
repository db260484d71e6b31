"""PrimFuncs that only give a tensor another shape: the elements stay in row-major order. [TIR.8] [TIR.20]"""

from __future__ import annotations

from relax_lang.arith.facts import Facts
from relax_lang.arith.prover import EQUAL, compare
from relax_lang.arith.substitute import free_variables
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tir.analysis.collect_references import collect_references
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.ir.well_typed import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.references import AccessSite, Reference

_OTHER = (
    tree.AssertStmt,
    tree.Break,
    tree.CallExtern,
    tree.Continue,
    tree.While,
    tree.IfThenElse,
    tree.Allocate,
)


def is_reshape(func: tree.PrimFunc) -> bool:
    """Return whether a PrimFunc of one input and one result only copies all elements, in row-major order.

    Proved by comparing the places of both in memory; what cannot be proved is no reshape.
    """
    tensors = buffers(func)
    if len(tensors) != 2 or any(isinstance(node, _OTHER) for node in walk(func)):
        return False
    given, made = tensors
    if given.dtype.name != made.dtype.name:
        return False
    analysis = analyse(func)
    if analysis.has_errors:
        return False
    found = collect_references(analysis)
    if len(found.accesses) != 2 or found.unknowns:
        return False
    load, store = found.accesses
    if not isinstance(store.node, tree.BufferStore) or store.node.value is not load.node:
        return False
    if load.symbol.node is not given or store.symbol.node is not made or store.reads:
        return False
    site = store.site
    if site.guards or site.once or load.resolved is None or store.resolved is None:
        return False
    facts = Facts([name for name in found.sizes if name not in analysis.dims])
    facts = facts.with_sizes((*given.shape, *made.shape))
    if compare(_count(given.shape), _count(made.shape), facts) != EQUAL:
        return False
    if not _covers(store, site, made.shape, facts):
        return False
    for loop in site.loops:
        facts = facts.with_(tree.LT(tree.PrimVar(loop.name), loop.stop))
    place, source = _place(store.resolved, made.shape), _place(load.resolved, given.shape)
    return compare(place, source, facts) == EQUAL


def _covers(store: Reference, site: AccessSite, shape: Sequence[tree.PrimExpr], facts: Facts) -> bool:
    """Return whether a store reaches every element once: by a loop for each dimension, or by one for all."""
    assert store.resolved is not None
    loops = {loop.name: loop for loop in site.loops}
    if any(not isinstance(loop.low, tree.IntImm) or loop.low.value for loop in site.loops):
        return False
    if len(loops) == 1:
        [loop] = site.loops
        whole = compare(loop.stop, _count(shape), facts) == EQUAL
        inside = facts.with_(tree.LT(tree.PrimVar(loop.name), loop.stop))
        place = _place(store.resolved, shape)
        if whole and compare(place, tree.PrimVar(loop.name), inside) == EQUAL:
            return True
    for index, dim in zip(store.resolved, shape, strict=True):
        if (
            isinstance(index, tree.IntImm)
            and index.value == 0
            and isinstance(dim, tree.IntImm)
            and dim.value == 1
        ):
            continue
        loop = loops.pop(index.name, None) if isinstance(index, tree.PrimVar) else None
        if loop is None or not _is_size(loop.stop, site):
            return False
        if compare(loop.stop, dim, facts) != EQUAL:
            return False
    return all(isinstance(loop.stop, tree.IntImm) and loop.stop.value == 1 for loop in loops.values())


def _is_size(stop: tree.PrimExpr, site: AccessSite) -> bool:
    names = {loop.name for loop in site.loops}
    return names.isdisjoint(free_variables(stop))


def _count(shape: Sequence[tree.PrimExpr]) -> tree.PrimExpr:
    count: tree.PrimExpr = tree.IntImm(1)
    for dim in shape:
        count = tree.Mul(count, dim)
    return count


def _place(indices: Sequence[tree.PrimExpr], shape: Sequence[tree.PrimExpr]) -> tree.PrimExpr:
    place: tree.PrimExpr = tree.IntImm(0)
    for index, dim in zip(indices, shape, strict=True):
        place = tree.Add(tree.Mul(place, dim), index)
    return place
