"""Block axes used as if they were of another kind, and domains that loops do not reach. [TIR.9] [TIR.10]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tir.ir.symbols import LET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.analysis.references.access_sites import Axis, Reference, References
    from relax_lang.tir.ir.symbols import Symbol

_MOST_STORES = 100
"""Stores of one block that are looked at, once for each axis."""


def suspicious_axes(found: References) -> list[Diagnostic]:
    """Return axes whose kind or domain does not fit how they are used. [TIR.9] [TIR.10]"""
    if not found.axes:
        return []
    stores: dict[tree.Block, list[Reference]] = {}
    for access in found.accesses:
        block = access.site.block
        if block is not None and isinstance(access.node, tree.BufferStore):
            those = stores.setdefault(block, [])
            if len(those) < _MOST_STORES:
                those.append(access)
    diagnostics: list[Diagnostic] = []
    for axis in found.axes:
        block = axis.site.block
        if block is not None:
            diagnostics += _look(found, axis, block, stores.get(block, []))
        diagnostics += _not_covered(axis)
    return diagnostics


def _look(found: References, axis: Axis, block: tree.Block, stores: list[Reference]) -> list[Diagnostic]:
    symbol = found.analysis.symbols[axis.node.var]
    if axis.node.kind == "reduce":
        return _stored_through(found, axis, symbol, block, stores)
    if axis.node.kind == "spatial" and _moves(axis):
        if block.init is not None:
            return _starts_over(found, axis, symbol, stores)
        return _combines(found, axis, symbol, stores)
    return []


def _stored_through(
    found: References, axis: Axis, symbol: Symbol, block: tree.Block, stores: list[Reference]
) -> list[Diagnostic]:
    """Find a store with an element for each step of a reduce axis, to something that outlives the block.

    An index that is computed from the axis, as in `Y[r // 2] += …`, may well combine steps.
    """
    for access in stores:
        made = found.allocations.get(access.symbol)
        if made is not None and made[1].block is block:
            continue
        if access.site.in_init or not _is_index(found, symbol, access):
            continue
        from relax_lang.tir.diagnostics.warnings import axis_use

        name, buffer = axis.node.var.name, access.symbol.name
        message = f"axis `{name}` is reduce, but `{buffer}` is stored through it"
        return [axis_use(axis.node, message, f"each step of `{name}` has an element", access.node, "spatial")]
    return []


def _starts_over(found: References, axis: Axis, symbol: Symbol, stores: list[Reference]) -> list[Diagnostic]:
    """Find a spatial axis that no result depends on, so that `init` wipes out each step but the last."""
    first = [access for access in stores if access.site.in_init]
    for access in first:
        if symbol in (used := _symbols_in(found, access)) or any(one.kind == LET for one in used):
            return []
    updates = [
        access
        for access in stores
        if not access.site.in_init
        and _updates(found, access)
        and access.symbol in {one.symbol for one in first}
    ]
    if not updates:
        return []
    from relax_lang.tir.diagnostics.warnings import axis_use

    name, buffer = axis.node.var.name, updates[0].symbol.name
    message = (
        f"axis `{name}` is spatial, but its steps share elements of `{buffer}`: `init` starts over at each"
    )
    return [axis_use(axis.node, message, f"the same for every `{name}`", updates[0].node, "reduce")]


def _combines(found: References, axis: Axis, symbol: Symbol, stores: list[Reference]) -> list[Diagnostic]:
    """Find a spatial axis whose steps update one element, outside of any condition that may choose one of them."""
    for access in stores:
        made = found.allocations.get(access.symbol)
        if made is not None and made[1].block is axis.site.block:
            continue
        if len(access.site.guards) > len(axis.site.guards) or not _updates(found, access):
            continue
        used = _symbols_in(found, access)
        if symbol in used or any(one.kind == LET for one in used):
            continue
        if len(access.site.loops) > len(axis.site.loops):
            continue  # a loop of the block may run over what the axis counts
        from relax_lang.tir.diagnostics.warnings import axis_use

        name, buffer = axis.node.var.name, access.symbol.name
        message = f"axis `{name}` is spatial, but its steps share elements of `{buffer}`"
        return [axis_use(axis.node, message, f"the same for every `{name}`", access.node, "reduce")]
    return []


def _is_index(found: References, symbol: Symbol, access: Reference) -> bool:
    """Return whether one of the indices of a store is an axis, nothing else."""
    assert isinstance(access.node, tree.BufferStore), "only stores are asked about"
    symbols = found.analysis.symbols
    return any(symbols.get(index) is symbol for index in access.node.indices)


def _symbols_in(found: References, access: Reference) -> set[Symbol]:
    """Return what the indices of a store mention."""
    assert isinstance(access.node, tree.BufferStore), "only stores are asked about"
    symbols = found.analysis.symbols
    return {
        symbols[node]
        for index in access.node.indices
        for node in walk(index)
        if isinstance(node, tree.PrimVar)
    }


def _updates(found: References, access: Reference) -> bool:
    """Return whether a store combines what is there with something."""
    store = access.node
    if not isinstance(store, tree.BufferStore):
        return False
    symbols = found.analysis.symbols
    loads = [node for node in walk(store.value) if isinstance(node, tree.BufferLoad)]
    return store.op != "=" or any(symbols[load.buffer] is access.symbol for load in loads)


def _moves(axis: Axis) -> bool:
    """Return whether an axis has more than one value, as far as can be seen: loops of one step do not count."""
    if type(axis.value) is not tree.PrimVar:
        return False
    for loop in axis.site.loops:
        if loop.name == axis.value.name:
            if isinstance(loop.low, tree.IntImm) and isinstance(loop.stop, tree.IntImm):
                return loop.stop.value - loop.low.value > 1
            return True
    return False


def _not_covered(axis: Axis) -> list[Diagnostic]:
    """Find a loop that runs over a part of the domain only. [TIR.9]"""
    if axis.domain is None or type(axis.value) is not tree.PrimVar:
        return []
    for loop in axis.site.loops:
        if loop.name != axis.value.name:
            continue
        if not _is_part(loop.low, loop.stop, *axis.domain):
            return []
        from relax_lang.format.printer import show
        from relax_lang.tir.diagnostics.warnings import axis_not_covered

        assert axis.node.dom is not None, "an axis without a domain has none here"
        bounds = loop.node.ranges[list(loop.node.loop_vars).index(loop.var)]
        return [axis_not_covered(axis.node, show(bounds), show(axis.node.dom), loop.var)]
    return []


def _is_part(low: tree.PrimExpr, stop: tree.PrimExpr, least: tree.PrimExpr, end: tree.PrimExpr) -> bool:
    """Return whether the range of a loop is provably a part of a domain, less than all of it."""
    if isinstance(low, tree.IntImm) and isinstance(least, tree.IntImm):
        if isinstance(stop, tree.PrimVar) and isinstance(end, tree.PrimVar) and stop.name == end.name:
            return low.value > least.value
        if isinstance(stop, tree.IntImm) and isinstance(end, tree.IntImm):
            parts = least.value <= low.value < stop.value <= end.value
            return parts and (low.value, stop.value) != (least.value, end.value)
    from relax_lang.arith.facts import Facts
    from relax_lang.arith.prover import prove

    facts = Facts(None).with_(tree.LT(low, stop))
    inside = prove(tree.GE(low, least), facts) is True and prove(tree.LE(stop, end), facts) is True
    return inside and (prove(tree.GT(low, least), facts) is True or prove(tree.LT(stop, end), facts) is True)
