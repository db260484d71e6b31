"""The iteration domains of a PrimFunc that is checked: references as accesses, made where something is to be proved.

Loops start at 0 here, and each has a name of its own. Loads the prover, so it is imported only where something seems
to be wrong, or where a loop is parallel.
"""

from __future__ import annotations

from relax_lang.arith import case_split
from relax_lang.arith.atoms import TooComplexError, atoms_below
from relax_lang.arith.bounds import Known
from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.facts import Facts
from relax_lang.arith.normal_form import atom_of, polynomial_of, rebuilt
from relax_lang.arith.polynomial import Polynomial
from relax_lang.arith.proofs import KnownFacts
from relax_lang.arith.substitute import free_variables, substitute
from relax_lang.syntax import tree
from relax_lang.tir.analysis.accesses import Access, Loop, Storage, facts_of_comparison
from relax_lang.tir.analysis.dependence import Conflict
from relax_lang.tir.ir.typing import COMPARISONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.references import AccessSite, Guard, LoopVariable, Reference, References
    from relax_lang.tir.ir.symbols import Symbol

    Values = Mapping[str, tree.PrimExpr]


class Domains:
    """The space of the loops around the references of a PrimFunc, with the facts about its sizes."""

    def __init__(self, found: References) -> None:
        self.loops: dict[str, Loop] = {}
        self._made: dict[LoopVariable, Loop] = {}
        self._starts: dict[LoopVariable, tree.PrimExpr] = {}
        """The loop variables of the program in terms of those that start at 0."""
        self._storages: dict[Symbol, Storage] = {}
        self._unknowns = {atom_of(name) for name in found.unknowns}
        dims = found.analysis.dims
        signed = {atom_of(name) for name in found.sizes if name not in dims} | self._unknowns
        facts = Facts([*signed, *[in_second(name) for name in self._unknowns]])
        for param in found.analysis.func.params:
            facts = facts.with_sizes(param.shape if isinstance(param, tree.Buffer) else ())
        self._known = facts.known
        self.analyzer = KnownFacts(facts.known)

    def access(self, reference: Reference, is_store: bool) -> Access:
        """Return a reference as an access; what has no form as a polynomial may be any element."""
        site = reference.site
        every = zip(self.loops_of(site), site.loops, strict=True)
        # An `init` also runs where its reduction has no step.
        loops = tuple([loop for loop, written in every if written.name not in site.once])
        values = {loop.name: self._starts[loop] for loop in site.loops}
        index = None if reference.resolved is None else self._polynomials(reference.resolved, values)
        given = self._given(site.guards, values)
        return Access(self._storage(reference.symbol), index, is_store, loops, given)

    def element(self, symbol: Symbol, index: Sequence[tree.PrimExpr], guards: Sequence[Guard]) -> Access:
        """Return an access of one element of a buffer, outside of loops and under conditions."""
        given = self._given(guards, {})
        return Access(self._storage(symbol), self._polynomials(index, {}), is_store=False, given=given)

    def _storage(self, symbol: Symbol) -> Storage:
        found = self._storages.get(symbol)
        if found is None:
            found = self._storages[symbol] = Storage(symbol.name, symbol.dtype or "", ())
        return found

    def loops_of(self, site: AccessSite) -> tuple[Loop, ...]:
        """Return the loops around a site as loops from 0."""
        values: dict[str, tree.PrimExpr] = {}
        for loop in site.loops:
            if loop not in self._made:
                self._made[loop] = self._loop(loop, values)
            values[loop.name] = self._starts[loop]
        return tuple([self._made[loop] for loop in site.loops])

    def _loop(self, loop: LoopVariable, values: Values) -> Loop:
        name, number = loop.name, 0
        while atom_of(name) in self.loops:
            number += 1
            name = f"{loop.name}#{number}"
        low, stop = substitute(loop.low, values), substitute(loop.stop, values)
        extent = self._polynomials([tree.Sub(stop, low)], {})
        atom, variable = atom_of(name), tree.PrimVar(name)
        made = Loop(atom, Polynomial.name(f"{atom}_extent") if extent is None else extent[0], loop.var)
        self.loops[atom] = made
        is_zero = isinstance(low, tree.IntImm) and low.value == 0
        self._starts[loop] = variable if is_zero else tree.Add(low, variable)
        return made

    def conflict(self, a: Access, b: Access, around: Sequence[LoopVariable] = ()) -> Conflict:
        """Return the pairs of iterations in which two accesses of a buffer touch one element, at one step of the loops
        `around` both.
        """
        fixed = {self._made[loop].name for loop in around}
        for loop in around:  # whose bounds have one value
            names = (*free_variables(loop.low), *free_variables(loop.stop))
            fixed |= self._unknowns.intersection([atom_of(name) for name in names])
        return Conflict(self, self.analyzer, a, b, frozenset(fixed))

    def in_second(self, value: Polynomial, fixed: frozenset[str]) -> Polynomial:
        """Return what a polynomial is in a second iteration; see `IterationSpace`."""
        varying = [
            name for name in atoms_below(value.names()) if name in self.loops or name in self._unknowns
        ]
        return self.replaced(
            value, {name: Polynomial.name(in_second(name)) for name in varying if name not in fixed}
        )

    def replaced(self, value: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
        """Replace names, none of which occurs in a value, by polynomials, those in terms too."""
        return rebuilt(value, Known(self._known.signed, values)) if values else value

    def are_zero(self, values: Iterable[Polynomial]) -> bool:
        """Return whether polynomials are proved to be 0."""
        return all(case_split.is_zero(value, self._known) is True for value in values)

    def _polynomials(self, exprs: Iterable[tree.PrimExpr], values: Values) -> Indices | None:
        try:
            return tuple([polynomial_of(substitute(expr, values), self._known) for expr in exprs])
        except (DimensionError, TooComplexError):
            return None

    def _given(self, guards: Iterable[Guard], values: Values) -> list[Polynomial]:
        found: list[Polynomial] = []
        for guard in guards:
            condition = guard.condition
            if guard.truth and isinstance(condition, _COMPARED):
                sides = self._polynomials((condition.a, condition.b), values)
                found += () if sides is None else facts_of_comparison(COMPARISONS[type(condition)], *sides)
        return found


_COMPARED = (tree.EQ, tree.NE, tree.LT, tree.LE, tree.GT, tree.GE)


def in_second(name: str) -> str:
    """Return the name for what a name is in a second iteration."""
    return f"{name}'"
