"""How many operations over arrays, and over single elements, a plan runs: what NumPy's share of a call is.

The count is plain data, so that it can be kept with the code, and is evaluated at the sizes of a call by
`tir.loops.steps`.
"""

from __future__ import annotations

from typing import assert_never

from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.loops.steps import Operations


def operations_of(
    nodes: Sequence[plan.Node], in_sizes: Callable[[Polynomial], Polynomial]
) -> Operations | None:
    """Return what a plan runs: how many operations once, and the loops around others; None where data decide that.

    `in_sizes` returns the number of steps of a loop without names of the generated code, as far as that can be done.
    """
    once = 0
    loops: list[tuple[str, tuple[tuple[tuple[str, ...], int], ...], Operations]] = []
    for node in nodes:
        match node:
            case plan.Kernel() | plan.ArgKernel() | plan.Single():
                once += 1
            case plan.Tile():
                once += len(node.body)  # blocks are large: there are few of them
            case plan.Sequential():
                inner = operations_of(node.body, in_sizes)
                if inner is None:
                    return None
                steps = in_sizes(node.loop.whole)
                loops.append((node.loop.name, tuple(steps.ordered_terms()), inner))
            case plan.While() | plan.LockStep() | plan.TransposedScan():
                return None
            case _:
                assert_never(node)
    return once, tuple(loops)
