"""Reads of elements that nothing was stored to before, in every run in which the loops are not empty. [TIR.18]

A read is looked at in the first and in the last iteration of its loops. Samples settle it where code is in order: some
store seems to write the element before. Otherwise every store has to be excluded by its conflict system: one that is
in a step of a common loop before, or in the same step and earlier in the text, never meets the element.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.tir.analysis.memory_safety.sample_iterations import (
    is_stepped_over,
    may_hold,
    names_in,
    range_of,
    to_corner,
)
from relax_lang.tir.analysis.references.access_sites import depth_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from relax_lang.syntax import tree
    from relax_lang.tir.analysis.memory_safety.iterations import Iteration
    from relax_lang.tir.analysis.memory_safety.reference_space import ReferenceSpace
    from relax_lang.tir.analysis.memory_safety.sample_iterations import Env, Sizes
    from relax_lang.tir.analysis.references.access_sites import Guard, LoopVariable, Reference, References
    from relax_lang.tir.ir.symbols import Symbol

_MOST_READS = 200
_MOST_STORES = 40
_MOST_LOOPS = 16


class Uninitialized:
    """A read of what nothing was stored to before.

    Where there are stores before, which leave the element out, `element` is its index, and `iteration` gives the loop
    variables that matter, with their values there.
    """

    __slots__ = ("element", "iteration", "read")

    def __init__(
        self,
        read: Reference,
        element: Sequence[tree.PrimExpr] = (),
        iteration: Sequence[tuple[LoopVariable, tree.PrimExpr]] = (),
    ) -> None:
        self.read = read
        self.element = element
        self.iteration = iteration


class Store:
    """A store, or a packed function, and how it is ordered with a read: `is_before` in the text, and in how many loops
    around the buffer's memory both are.
    """

    __slots__ = ("common", "is_before", "reference")

    def __init__(self, reference: Reference, is_before: bool, read: Reference) -> None:
        self.reference = reference
        self.is_before = is_before
        self.common = 0
        for mine, other in zip(read.site.loops, reference.site.loops, strict=False):
            if mine is not other:
                break
            self.common += 1


class UninitializedReads:
    """The first uninitialized read of each buffer of a PrimFunc: looked for when it is asked for, and once."""

    __slots__ = ("_accesses", "_found", "_known", "_sizes")

    def __init__(
        self, found: References, accesses: Mapping[Symbol, Sequence[Reference]], sizes: Sizes
    ) -> None:
        self._found = found
        self._accesses = accesses
        self._sizes = sizes
        self._known: dict[Symbol, Uninitialized | None] = {}

    def of(self, symbol: Symbol) -> Uninitialized | None:
        """Return the first access that certainly reads an element before anything was stored to it. [TIR.18]"""
        if symbol not in self._known:
            self._known[symbol] = _uninitialized_read(
                self._found, symbol, self._accesses[symbol], self._sizes
            )
        return self._known[symbol]


def _uninitialized_read(
    found: References, symbol: Symbol, accesses: Sequence[Reference], sizes: Sizes
) -> Uninitialized | None:
    writes = [(at, access) for at, access in enumerate(accesses) if access.writes]
    if len(writes) > _MOST_STORES:
        writes = []  # then only what precedes them all is looked at
    is_stored = False
    n_loops = depth_of(found, symbol)[0]
    for at, access in enumerate(accesses[:_MOST_READS]):
        if access.resolved is None or (is_stored and not writes):
            return None
        if access.reads and (access.is_used or not is_stored) and len(access.site.loops) <= _MOST_LOOPS:
            stores = [Store(one, before < at, access) for before, one in writes]
            stores = [store for store in stores if store.is_before or store.common > n_loops]
            question = _Question(found, symbol, access, stores, sizes)
            try:
                uninitialized = question.answer(by_element=is_stored)
            except TooComplexError:  # what the iteration puts in for the loops makes the indices too long
                uninitialized = None
            if uninitialized is not None:
                return uninitialized
        is_stored = is_stored or access.writes
    return None


class _Question:
    """Whether one read is uninitialized."""

    def __init__(
        self, found: References, symbol: Symbol, read: Reference, stores: Sequence[Store], sizes: Sizes
    ) -> None:
        n_loops, n_guards = depth_of(found, symbol)
        self.read = read
        self.stores = stores
        self.sizes = sizes
        self._n_loops = n_loops
        self._inner = [loop.name for loop in read.site.loops[n_loops:]]
        guards = read.site.guards
        self._assumed: list[Guard] = [
            *guards[:n_guards],
            *[guard for guard in guards[n_guards:] if guard.asserted],
        ]
        """What holds wherever the memory is made, and what the program fails without."""
        self._proved = [guard for guard in guards if guard not in self._assumed]

    def answer(self, *, by_element: bool) -> Uninitialized | None:
        """Look at the first iteration, then, if some stores come before, at the last one."""
        if any(guard.condition is None for guard in self._proved):
            return None
        bounds = [bound for loop in self.read.site.loops[self._n_loops :] for bound in (loop.low, loop.stop)]
        if None in names_in(bounds):
            return None
        for at_last in ((), self._inner) if by_element and not self.read.site.once else ((),):
            seems = self._seems_unwritten(at_last)
            if (seems or (seems is None and not by_element)) and self.sizes.proofs_left > 0:
                self.sizes.proofs_left -= 1
                iteration = self._proof(at_last)
                if iteration is not None:
                    return self._found(iteration, by_element=by_element)
        return None

    def _found(self, iteration: Iteration, *, by_element: bool) -> Uninitialized | None:
        if not by_element:
            return Uninitialized(self.read)
        from relax_lang.tir.analysis.memory_safety.iterations import element_at

        element = element_at(iteration, self.read.resolved or ())
        return None if element is None else Uninitialized(self.read, element, iteration.written_values())

    # ---- samples

    def _seems_unwritten(self, at_last: Collection[str]) -> bool | None:
        """Return whether no sample shows a store that may write the element before; None if none gets to the read."""
        is_reached: bool | None = None
        for env in self.sizes.samples():
            try:
                if to_corner(self.read.site.loops, at_last, env) and may_hold(self._proved, env):
                    is_reached = True
                    element = [evaluate(index, env) for index in self.read.resolved or ()]
                    for store in self.stores:
                        if self._may_write(store, element, env, at_last):
                            return False
            except DimensionError:
                continue
        return is_reached

    def _may_write(self, store: Store, element: Sequence[int], env: Env, at_last: Collection[str]) -> bool:
        if not at_last and not store.is_before:
            return False  # nothing comes before a first iteration
        index = store.reference.resolved
        if index is None:
            return True
        free = store.reference.site.loops[self._n_loops if at_last else store.common :]
        inside = env
        if free:
            inside = dict(env)
            if not to_corner(free, (), inside):
                return False
        elif not may_hold(store.reference.site.guards, env):
            return False
        for expr, value in zip(index, element, strict=True):
            if None not in names_in((expr,)):
                low, high = range_of(expr, free, inside)
                if not low <= value <= high or is_stepped_over(expr, free, value, inside):
                    return False
        return True

    # ---- proofs

    def _proof(self, at_last: Collection[str]) -> Iteration | None:
        from relax_lang.tir.analysis.memory_safety.iterations import Iteration  # loads the prover

        space = self.sizes.space
        iteration = Iteration(space, self.read.site, self._assumed)
        if iteration.is_impossible or not iteration.moves(self._inner, at_last):
            return None
        if not iteration.reaches_site() or not all(
            self._is_excluded(space, store, iteration) for store in self.stores
        ):
            return None
        return iteration

    def _is_excluded(self, space: ReferenceSpace, store: Store, iteration: Iteration) -> bool:
        """Return whether a store is proved never to write the element before it is read."""
        from relax_lang.arith.polynomials.polynomial import Polynomial

        read = space.access(self.read, is_store=False)
        around = self.read.site.loops[: self._n_loops]
        common = space.loops_of(self.read.site)[self._n_loops : store.common]
        for access in space.cases(store.reference, is_store=True):
            conflict = space.conflict(read, access, around)
            for name, value in iteration.values.items():
                conflict.require(Polynomial.name(name) - value)
            for loop in common:
                _, same, earlier = conflict.directions(loop)
                if earlier:
                    return False
                if not same:
                    break
                conflict.equate(loop)
            else:
                if store.is_before and not conflict.is_excluded():
                    return False
        return True
