"""Results that a PrimFunc does not write, wholly or in part, for those who know which buffers are. [O.4] [TIR.20]"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.syntax import tree
from relax_lang.tir.analysis.memory_safety.sample_iterations import is_stepped_over, may_hold, to_corner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.memory_safety.sample_iterations import Env, Sizes
    from relax_lang.tir.analysis.references.access_sites import Reference, References
    from relax_lang.tir.ir.symbols import Symbol

_MOST_STORES = 40
_MOST_AXES = 4
_ONE = tree.IntImm(1)


def is_written(accesses: Sequence[Reference]) -> bool:
    """Return whether there is a store, or a packed function that may store. [TIR.20]"""
    return any(access.writes for access in accesses)


def unwritten_element(
    found: References, symbol: Symbol, accesses: Sequence[Reference], sizes: Sizes
) -> str | None:
    """Return an element of a buffer, as it is written, if no store ever gets to it: the first, the last, or the second
    on an axis that stores step over. [TIR.20]
    """
    stores = [access for access in accesses if access.writes]
    shape = found.shapes[symbol]
    if not shape or not stores or len(stores) > _MOST_STORES:
        return None
    if any(access.resolved is None for access in stores):
        return None
    for element in ([tree.Sub(dim, _ONE) for dim in shape], [tree.IntImm(0) for _ in shape]):
        if not _seems_written(stores, element, sizes) and _is_unwritten(
            found, symbol, stores, element, sizes
        ):
            return _text(symbol, element)
    for axis in range(min(len(shape), _MOST_AXES)):
        if _is_stepped_over(stores, axis, sizes):
            element = [tree.IntImm(int(at == axis)) for at in range(len(shape))]
            if _is_unwritten(found, symbol, stores, element, sizes):
                return _text(symbol, element)
    return None


def _is_stepped_over(stores: Sequence[Reference], axis: int, sizes: Sizes) -> bool:
    """Return whether every store seems to step over the second place on an axis: `Y[2 * i]`, `Y[i, 3 * j]`."""
    if any(type((store.resolved or ())[axis]) is tree.PrimVar for store in stores):
        return False  # `Y[i]`, as in most stores
    for env in sizes.samples():
        for access in stores:
            inside = dict(env)
            try:
                if not to_corner(access.site.loops, (), inside):
                    continue
            except DimensionError:
                return False
            if not is_stepped_over((access.resolved or ())[axis], access.site.loops, 1, inside):
                return False
    return True


def _seems_written(stores: Sequence[Reference], element: Sequence[tree.PrimExpr], sizes: Sizes) -> bool:
    """Return whether a store gets to an element for some sizes, at a corner of its loops: the usual case."""
    for env in sizes.samples():
        for access in stores:
            loops = access.site.loops
            for at_last in ((), [loop.name for loop in loops]):
                try:
                    if (
                        to_corner(loops, at_last, env)
                        and may_hold(access.site.guards, env)
                        and _is_at(access, element, env)
                    ):
                        return True
                except DimensionError:
                    continue
    return False


def _is_at(store: Reference, element: Sequence[tree.PrimExpr], env: Env) -> bool:
    for index, at in zip(store.resolved or (), element, strict=True):
        if evaluate(index, env) != evaluate(at, env):
            return False
    return True


def _is_unwritten(
    found: References,
    symbol: Symbol,
    stores: Sequence[Reference],
    element: Sequence[tree.PrimExpr],
    sizes: Sizes,
) -> bool:
    """Return whether every store is proved never to meet an element, for all sizes that have it."""
    space = sizes.space
    exists = [
        value
        for dim, at in zip(found.shapes[symbol], element, strict=True)
        for value in space.size_at_least(dim, 2 if isinstance(at, tree.IntImm) and at.value else 1)
    ]
    first = space.element(symbol, element, exists)
    return all(
        space.conflict(first, access).is_excluded() for store in stores for access in space.cases(store, True)
    )


def _text(symbol: Symbol, element: Sequence[tree.PrimExpr]) -> str:
    from relax_lang.arith.printing import simplified
    from relax_lang.format.printer import show

    return f"{symbol.name}[{', '.join([show(simplified(at)) for at in element])}]"
