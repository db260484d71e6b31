"""Iterations that are run for all sizes: some loops at their first or last step, proved to exist. [TIR.8]

Every proof is one about the system of constraints of the loops and conditions around a site (`space`).
"""

from __future__ import annotations

from relax_lang.arith.normal_form import atom_of
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.printing import expression
from relax_lang.syntax import tree
from relax_lang.tir.analysis.references.index_expressions import is_larger, plainly_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.accesses import Loop
    from relax_lang.tir.analysis.memory_safety.reference_space import ReferenceSpace
    from relax_lang.tir.analysis.memory_safety.sample_iterations import Sizes
    from relax_lang.tir.analysis.references.access_sites import AccessSite, Guard, LoopVariable, References

_LARGEST = 60
"""Nodes in an index of which is proved that it is inside."""


class Iteration:
    """One iteration of the loops around a site, for all sizes for which none of these is empty.

    Loops that are named in `moved` are at their first step, or at their last one if `at_last` names them, too; others
    are at any. The conditions in `assumed` hold at some iterations. `values` has the steps of loops that were moved,
    by the names of the loops from 0.
    """

    __slots__ = ("_analyzer", "_assumed", "_site", "_space", "values")

    def __init__(self, space: ReferenceSpace, site: AccessSite, assumed: Sequence[Guard]) -> None:
        self._space = space
        self._site = site
        self._assumed = assumed
        self._analyzer = space.iterated(site, assumed)
        self.values: dict[str, Polynomial] = {}

    def proves(self, value: Polynomial) -> bool:
        """Return whether a number is proved not to be negative at the iteration."""
        return self._analyzer.proves(self._analyzer.simplified(self._space.replaced(value, self.values)))

    def value(self, expr: tree.PrimExpr) -> Polynomial | None:
        """Return what an expression at the site is at the iteration."""
        found = self._space.numbers((expr,), self._site)
        return None if found is None else self._space.replaced(found[0], self.values)

    def moves(self, moved: Collection[str], at_last: Collection[str]) -> bool:
        """Move loops to their first or last step, outermost first; return whether these are proved to exist."""
        for loop, written in zip(self._space.loops_of(self._site), self._site.loops, strict=True):
            if written.name in moved:
                if not self.proves(loop.extent - 1):
                    return False
                last = written.name in at_last
                self.values[loop.name] = self._extent(loop) - 1 if last else Polynomial.constant(0)
            elif self._extent(loop) != loop.extent and not self.proves(loop.constraints[1]):
                return False
        return True

    def _extent(self, loop: Loop) -> Polynomial:
        return self._space.replaced(loop.extent, self.values)

    def reaches_site(self) -> bool:
        """Return whether all conditions around the site are proved to hold; those that are assumed do where they do not
        depend on loops that were moved, or the program fails without them.
        """
        for guard, item in zip(self._site.guards, self._space.conditions(self._site), strict=True):
            is_assumed = guard in self._assumed
            if item is None:
                if not is_assumed or (self.values and not guard.asserted):
                    return False
                continue
            here = self._space.replaced_condition(item, self.values)
            if is_assumed and here == item:
                continue
            if not self._analyzer.holds(here):
                return False
        return True

    @property
    def is_impossible(self) -> bool:
        """Whether no such iteration exists for any sizes."""
        return self._analyzer.is_impossible

    def written_values(self) -> list[tuple[LoopVariable, tree.PrimExpr]]:
        """Return the loop variables that were moved, with their values as people write them."""
        found: list[tuple[LoopVariable, tree.PrimExpr]] = []
        for loop, made in zip(self._site.loops, self._space.loops_of(self._site), strict=True):
            value = self.value(tree.PrimVar(loop.name)) if made.name in self.values else None
            if value is not None:
                found.append((loop, self.written(self._analyzer.simplified(value))))
        return found

    def written(self, value: Polynomial) -> tree.PrimExpr:
        """Return a polynomial as an expression over the loop variables of the program."""
        names: dict[str, Polynomial] = {}
        for loop, made in zip(self._site.loops, self._space.loops_of(self._site), strict=True):
            start = self._space.numbers((tree.PrimVar(loop.name),), self._site)
            assert start is not None, "a loop variable is a number"
            names[made.name] = Polynomial.name(atom_of(loop.name)) - start[0] + Polynomial.name(made.name)
        return expression(self._space.replaced(value, names))


def proved_inside(found: References, sizes: Sizes) -> set[tuple[Node, int]]:
    """Return the indices, as accesses and positions, that are inside of their dimension wherever they are reached."""
    inside: set[tuple[Node, int]] = set()
    outside: set[tuple[Node, int]] = set()
    for access in found.accesses:
        dims = found.shapes[access.symbol]
        for at, index in enumerate(access.resolved or ()):
            is_known = plainly_inside(index, dims[at], access.site.loops) or (
                not access.site.in_init  # which may run without a step of its loops
                and not is_larger(index, _LARGEST)
                and _is_inside(sizes.space, access.site, index, dims[at])
            )
            (inside if is_known else outside).add((access.node, at))
    return inside - outside


def _is_inside(space: ReferenceSpace, site: AccessSite, index: tree.PrimExpr, dim: tree.PrimExpr) -> bool:
    try:
        iteration = Iteration(space, site, site.guards)
        value, size = iteration.value(index), iteration.value(dim)
        if value is None or size is None:
            return False
        return iteration.proves(value) and iteration.proves(size - 1 - value)
    except TooComplexError:  # conditions around the site make it too long
        return False


def element_at(iteration: Iteration, index: Sequence[tree.PrimExpr]) -> list[tree.PrimExpr] | None:
    """Return the element of an index at an iteration, as people write it."""
    found: list[tree.PrimExpr] = []
    for expr in index:
        value = iteration.value(expr)
        if value is None:
            return None
        found.append(iteration.written(value))
    return found
