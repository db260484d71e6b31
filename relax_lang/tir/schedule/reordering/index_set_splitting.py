"""Index sets split where two accesses share an iteration: `D[i, j]` is stored, `D[i, k]` read, so `j` is cut at `k`.

A store that reads what other iterations of it store keeps its loops. On either side of the cut nothing may be left of
that: then each part is one operation over its box, and the parts run one after the other in an order that keeps all
dependences.
"""

from __future__ import annotations

from itertools import islice, product

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statement_accesses import self_reads
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Index
from relax_lang.tir.schedule.reordering.instance_order import InstanceOrder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector

_MOST_CUTS = 2
_MOST_TRIED = 12
_CUTS = (("<=", ">"), ("<", ">="), ("<", "==", ">"))
"""What is on the sides of a cut: the iteration itself goes to one of them, or is a part of its own."""


def split_stages(
    space: Space, dependences: Dependences, stage: Stage, fixed: frozenset[str]
) -> Iterator[list[Stage]]:
    """Yield the parts of a store, in an order that keeps all dependences; few parts first."""
    cuts = _cuts(space, stage, fixed)
    if not 0 < len(cuts) <= _MOST_CUTS:
        return
    ways = sorted(product(_CUTS, repeat=len(cuts)), key=lambda way: sum([len(ops) for ops in way]))
    for way in islice(ways, _MOST_TRIED):
        parts = [_part(space, stage, list(zip(cuts, ops, strict=True))) for ops in product(*way)]
        if any(_reads_earlier(dependences, part, fixed) for part in parts):
            continue
        order = InstanceOrder(dependences, parts, fixed, parts=True).sequence()
        if order is not None:
            yield [parts[at] for at in order]


def _reads_earlier(dependences: Dependences, part: Stage, fixed: frozenset[str]) -> bool:
    """Return whether an instance of a part may read what an earlier one stored."""
    order = InstanceOrder(dependences, [part], fixed, parts=True)
    return order.depends(0, 0, reads_stored=True)


def _cuts(space: Space, stage: Stage, fixed: frozenset[str]) -> list[tuple[Loop, Polynomial]]:
    """Return the loops that the index of a store moves where a read of the same array does not, and where that is."""
    free = {loop.name: loop for loop in stage.loops if loop.name not in fixed}
    found: list[tuple[Loop, Polynomial]] = []
    for load in self_reads(space, stage):
        for mine, other in zip(stage.index, load.index, strict=True):
            names = space.dims(mine) & free.keys()
            if len(names) != 1 or space.dims(other) & free.keys() or space.atoms_in(other):
                continue
            name = next(iter(names))
            if mine.coefficient(name) != Polynomial.constant(1):
                continue
            cut = free[name], other - (mine - Polynomial.name(name))
            if not space.dims(cut[1]) & free.keys() and cut not in found:
                found.append(cut)
    return found


def _part(space: Space, stage: Stage, bounds: list[tuple[tuple[Loop, Polynomial], str]]) -> Stage:
    """Return the part of a store on some sides of the cuts."""
    guards: list[Vector] = []
    for (loop, place), op in bounds:
        value = Polynomial.name(loop.name)
        parts = Index(value, space.dims(value)), Index(place, space.dims(place))
        guards.append(Apply(op, parts, dtypes.BOOL))
    return stage.over(space, stage.loops, {}, [*guards, *stage.guards])
