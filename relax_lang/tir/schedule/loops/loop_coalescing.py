"""Loops that were made two, made one again: where all that a store does with `o` and `i` is `o * 4 + i`.

Schedules split loops into tiles, and put other loops between the parts. One store over a domain whose iterations may
run in any order does not need that: over `v` for `o * 4 + i` its accesses are slices, and a condition that cuts off
what the last tile has too much is a bound.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.vector_ir import Index, Load, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.lower.guards import Guards


def coalesced(space: Space, entry: Guards, stage: Stage, free: Sequence[Loop]) -> Stage:
    """Return a store over as few loops as it can have, if its iterations may run in any order."""
    loops = list(free)
    pair = _pair(space, stage, loops)
    while pair is not None:
        outer, inner = pair
        made = Loop(entry.fresh(outer.name), outer.extent * inner.extent, outer.node)
        space.loops[made.name] = made
        values = {outer.name: Polynomial.constant(0), inner.name: Polynomial.name(made.name)}
        remaining = [made if loop is outer else loop for loop in stage.loops if loop is not inner]
        stage = stage.over(space, tuple(remaining), values)
        loops = [made if loop is outer else loop for loop in loops if loop is not inner]
        pair = _pair(space, stage, loops)
    return stage


def _pair(space: Space, stage: Stage, loops: Sequence[Loop]) -> tuple[Loop, Loop] | None:
    """Return two loops that only occur as outer * extent of inner + inner."""
    polynomials = _polynomials(stage)
    through = set[str]().union(
        *[atom.vector.dims for polynomial in polynomials for atom in space.atoms_in(polynomial)],
        *[space.dims(loop.extent) for loop in stage.loops],
    )
    plain = [loop for loop in loops if loop.name not in through and not space.varies(loop.extent)]
    for outer in plain:
        for inner in plain:
            if inner is not outer and _are_one(polynomials, outer, inner):
                return outer, inner
    return None


def _are_one(polynomials: Sequence[Polynomial], outer: Loop, inner: Loop) -> bool:
    used = [one for one in polynomials if one.names() & {outer.name, inner.name}]
    for polynomial in used:
        factors = polynomial.coefficient(outer.name), polynomial.coefficient(inner.name)
        if factors[0] is None or factors[1] is None or factors[0] != factors[1] * inner.extent:
            return False
    return bool(used)


def _polynomials(stage: Stage) -> list[Polynomial]:
    """Return all that a store computes of its loop variables."""
    found = list(stage.index)
    for vector in (stage.value, *stage.guards):
        for part in parts_of(vector):
            if isinstance(part, Load):
                found += part.index
            elif isinstance(part, Index):
                found.append(part.polynomial)
    return found
