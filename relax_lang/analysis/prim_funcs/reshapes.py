"""PrimFuncs that only copy elements: in row-major order to another shape, or as a view of a tensor. [TIR.8] [TIR.20]"""

from __future__ import annotations

from relax_lang.analysis.effects import DOES_MORE
from relax_lang.arith.facts import Facts
from relax_lang.arith.prover import EQUAL, compare
from relax_lang.arith.substitute import free_variables
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tir.analysis.references.collect_references import collect_references
from relax_lang.tir.ir.signature import buffers
from relax_lang.tir.ir.typing.well_typed import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.references.access_sites import AccessSite, Reference


class Copy:
    """A PrimFunc of one input and one result of its dtype that copies elements in one statement: `made[…] = given[…]`.

    `indices` are those of the load and `places` those of the store, `facts` what is known of sizes and loop variables.
    """

    __slots__ = ("facts", "given", "indices", "made", "places", "site")

    def __init__(
        self, given: tree.Buffer, made: tree.Buffer, load: Reference, store: Reference, facts: Facts
    ) -> None:
        assert load.resolved is not None
        assert store.resolved is not None
        self.given = given
        self.made = made
        self.indices: Sequence[tree.PrimExpr] = load.resolved
        self.places: Sequence[tree.PrimExpr] = store.resolved
        self.site = store.site
        for loop in self.site.loops:
            facts = facts.with_(tree.LT(tree.PrimVar(loop.name), loop.stop))
        self.facts = facts


def copy_of(func: tree.PrimFunc) -> Copy | None:
    """Return what a PrimFunc copies, if it does nothing else and writes every element of its result once."""
    tensors = buffers(func)
    if len(tensors) != 2 or any(isinstance(node, DOES_MORE) for node in walk(func)):
        return None
    given, made = tensors
    if given.dtype.name != made.dtype.name:
        return None
    analysis = analyse(func)
    if analysis.has_errors:
        return None
    found = collect_references(analysis)
    if len(found.accesses) != 2 or found.unknowns:
        return None
    load, store = found.accesses
    if not isinstance(store.node, tree.BufferStore) or store.node.value is not load.node:
        return None
    if load.symbol.node is not given or store.symbol.node is not made or store.reads:
        return None
    site = store.site
    if site.guards or site.once or load.resolved is None or store.resolved is None:
        return None
    facts = Facts([name for name in found.sizes if name not in analysis.dims])
    facts = facts.with_sizes((*given.shape, *made.shape))
    if not _covers(store, site, made.shape, facts):
        return None
    return Copy(given, made, load, store, facts)


def is_reshape(func: tree.PrimFunc) -> bool:
    """Return whether a PrimFunc of one input and one result only copies all elements, in row-major order.

    Proved by comparing the places of both in memory; what cannot be proved is not a reshape.
    """
    copy = copy_of(func)
    if copy is None:
        return False
    given, made = copy.given.shape, copy.made.shape
    if compare(_count(given), _count(made), copy.facts) != EQUAL:
        return False
    return compare(_place(copy.places, made), _place(copy.indices, given), copy.facts) == EQUAL


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
