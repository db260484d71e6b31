"""Reductions that are taken twice: the second one reads what the first one has stored.

Counts of both and of either of two conditions, for instance, need one product of the same matrices each.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import Apply, all_loads
from relax_lang.tir.schedule.plan import (
    CONTRACTION,
    ELEMENTWISE,
    REDUCTION,
    WINDOW,
    Kernel,
    Sequential,
    accesses_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from relax_lang.tir.analysis.accesses import Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector
    from relax_lang.tir.schedule.plan import Node

    Kind = tuple[str, str, tuple[Polynomial, ...], tuple[Polynomial, ...], frozenset[Storage]]


def read_common_reductions(space: Space, nodes: Sequence[Node]) -> list[Node]:
    """Return a plan in which a reduction that another array holds already is read from there."""
    found: list[Node] = []
    held: dict[Kind, list[tuple[int, Kernel]]] = {}
    for node in nodes:
        made = node
        if isinstance(node, Sequential):
            node.body = read_common_reductions(space, node.body)
        elif isinstance(node, Kernel) and _is_plain(node):
            alike = held.setdefault(_kind(space, node), [])
            for at, first in alike:
                if _is_same(space, first, node) and _is_kept(space, first, node, found[at + 1 :]):
                    made = _reading(space, first, node)
                    break
            if made is node and node.starts_from_identity:
                alike.append((len(found), node))
        found.append(made)
    return found


def _is_plain(kernel: Kernel) -> bool:
    """Return whether a kernel reduces all iterations of its loops, to what its target holds as it is."""
    if kernel.strategy not in (CONTRACTION, REDUCTION, WINDOW) or kernel.stage.target.dtype in dtypes.HALVES:
        return False
    return not (kernel.stage.guards or kernel.lanes or kernel.nonempty or kernel.folded)


def _kind(space: Space, kernel: Kernel) -> Kind:
    """Return what reductions that are the same have in common."""
    kept, reduced = [tuple([loop.extent for loop in loops]) for loops in (kernel.kept, kernel.reduced)]
    read = frozenset([load.storage for load in all_loads(space, kernel.operand)])
    return kernel.combine, kernel.stage.target.dtype, kept, reduced, read


def _loops(first: Kernel, second: Kernel) -> Iterator[tuple[Loop, Loop]]:
    """Yield the loops of two reductions of a kind, each with its counterpart."""
    yield from zip(first.kept, second.kept, strict=True)
    yield from zip(first.reduced, second.reduced, strict=True)


def _is_same(space: Space, first: Kernel, second: Kernel) -> bool:
    """Return whether two kernels reduce the same values; the factors of a product have any order."""
    names = {other.name: Polynomial.name(loop.name) for loop, other in _loops(first, second)}
    one = [part.key for part in first.factors or [first.operand]]
    other = [space.replaced(part, names).key for part in second.factors or [second.operand]]
    return sorted(one) == sorted(other)


def _is_kept(space: Space, first: Kernel, second: Kernel, between: Sequence[Node]) -> bool:
    """Return whether an array holds a reduction until it is taken again, of elements that are still the same."""
    if first.stage.target is second.stage.target:
        return False
    read = {access.storage for access in accesses_in(space, [first])}
    return not any(access.is_store and access.storage in read for access in accesses_in(space, between))


def _reading(space: Space, first: Kernel, second: Kernel) -> Kernel:
    """Return a kernel that combines its target with what another one has stored."""
    stage = second.stage
    names = {loop.name: Polynomial.name(other.name) for loop, other in _loops(first, second)}
    index = tuple([space.substituted(part, names) for part in first.stage.index])
    held = space.element(first.stage.target, index, stage.node)
    value: Vector = held
    if not second.starts_from_identity:
        current = second.initial or stage.current(space)
        value = Apply("-" if second.negated else second.combine, (current, held), stage.target.dtype)
    loops = tuple([loop for loop in stage.loops if loop not in second.reduced])
    made = Kernel(replaced(stage, loops=loops, op="=", value=value), ELEMENTWISE, value, second.kept, [])
    made.covered = {(id(held.storage), index), *second.covered}
    made.requires = second.requires
    return made
