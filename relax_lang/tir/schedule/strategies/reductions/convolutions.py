"""Convolutions: sums of products of two lists that are stored where the sum of their indices says.

`S[i + a] += C[i] * W[a]` adds the convolution of C and W to S, for each row of other loops. Loops that run backwards
(`S[i - a]`) are turned round first.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.vector_ir import Apply
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.strategies.reductions.contractions import factors_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.dependence import Dependences
    from relax_lang.tir.analysis.lowered.statements import Stage
    from relax_lang.tir.analysis.lowered.vector_ir import Space, Vector


def convolution(
    space: Space, dependences: Dependences, fresh: Callable[[str], str], stage: Stage, free: list[Loop]
) -> plan.Kernel | None:
    """Return the kernel of a store that adds products, `stage.value`, over its `free` loops; None if it is no
    convolution. Its last kept loop runs over the sums of the two reduced ones.
    """
    names = {loop.name for loop in free}
    if stage.target.dtype in dtypes.HALVES or any(guard.dims & names for guard in stage.guards):
        return None
    found = _added(space, stage, free)
    if found is None or any(space.varies(loop.extent) for loop in found[1]):
        return None
    at, pair = found
    stage = _turned(space, stage, at, pair)
    factors = _split(stage.value, pair)
    if factors is None or stage.index[at].coefficient(pair[0].name) != stage.index[at].coefficient(
        pair[1].name
    ):
        return None
    first, second = pair
    along = Loop(fresh("at"), first.extent + second.extent - 1, first.node)
    space.loops[along.name] = along
    kept = [*[loop for loop in free if loop not in pair], along]
    if dependences.recovered(summed(space, stage.index, pair, along), kept) != {loop.name for loop in kept}:
        return None
    kernel = plan.Kernel(stage, plan.CONVOLUTION, stage.value, kept, [*pair], "+", factors=factors)
    kernel.nonempty = True
    return kernel


def summed(space: Space, index: Indices, pair: tuple[Loop, Loop], along: Loop) -> Indices:
    """Return the index of a target with one loop in place of the sum of two."""
    values = {pair[0].name: Polynomial.name(along.name), pair[1].name: Polynomial.constant(0)}
    return tuple([space.substituted(part, values) for part in index])


def _added(space: Space, stage: Stage, free: list[Loop]) -> tuple[int, tuple[Loop, Loop]] | None:
    """Return the dimension of the target whose index has two loops, with these, where no other one has either."""
    found: tuple[int, tuple[Loop, Loop]] | None = None
    for at, part in enumerate(stage.index):
        loops = [loop for loop in free if loop.name in space.dims(part)]
        if len(loops) < 2:
            continue
        if found is not None or len(loops) > 2:
            return None
        factors = [part.coefficient(loop.name) for loop in loops]
        if any(factor is None or not factor.value for factor in factors):
            return None
        found = at, (loops[0], loops[1])
    return found


def _turned(space: Space, stage: Stage, at: int, pair: tuple[Loop, Loop]) -> Stage:
    """Return a store in which both loops move forwards along the target."""
    values: dict[str, Polynomial] = {}
    for loop in pair:
        factor = stage.index[at].coefficient(loop.name)
        if factor is not None and (factor.value or 0) < 0:
            values[loop.name] = loop.extent - 1 - Polynomial.name(loop.name)
    return stage.over(space, stage.loops, values) if values else stage


def _split(product: Vector, pair: tuple[Loop, Loop]) -> list[Vector] | None:
    """Return what of a product varies over each of two loops, with what varies over neither in the first; None if
    something varies over both, or nothing over one.
    """
    groups: list[Vector | None] = [None, None]
    for factor in factors_of(product):
        varying = [loop.name in factor.dims for loop in pair]
        if all(varying):
            return None
        at = int(varying[1])
        before = groups[at]
        groups[at] = factor if before is None else Apply("*", (before, factor), product.dtype)
    first, second = groups
    if first is None or second is None or pair[0].name not in first.dims:
        return None
    return [first, second]
