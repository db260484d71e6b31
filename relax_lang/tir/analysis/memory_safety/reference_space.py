"""The space of the references of a PrimFunc that is checked, made where something is to be proved of its accesses.

Loops start at 0 here, and each has a name of its own. Loads the prover, so it is imported only where something seems
to be wrong, or where a loop is parallel.
"""

from __future__ import annotations

from itertools import product

from relax_lang.arith.case_split import CaseAnalyzer
from relax_lang.arith.constraints import conditions
from relax_lang.arith.constraints.bounds import Known
from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.facts import Facts
from relax_lang.arith.normal_form import atom_of, condition_of, polynomial_of, rebuilt, rebuilt_condition
from relax_lang.arith.polynomials.atoms import (
    AND,
    NONNEGATIVE,
    NONZERO,
    OR,
    TRUE,
    ZERO,
    TooComplexError,
    atoms_below,
)
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.substitute import free_variables, substitute
from relax_lang.syntax import tree
from relax_lang.tir.analysis.accesses import Access, Loop, Storage
from relax_lang.tir.analysis.dependence import Budget, Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from relax_lang.arith.polynomials.atoms import Condition
    from relax_lang.tir.analysis.accesses import Indices
    from relax_lang.tir.analysis.references.access_sites import (
        AccessSite,
        Guard,
        LoopVariable,
        Reference,
        References,
    )
    from relax_lang.tir.ir.symbols import Symbol

    Values = Mapping[str, tree.PrimExpr]

_MOST_CASES = 8


class ReferenceSpace:
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
        self.known = facts.known
        """What is known of the sizes."""
        self.analyzer = CaseAnalyzer(facts.known)
        self._iterated: dict[object, CaseAnalyzer] = {}
        self._budget = Budget()

    # ---- references as accesses

    def access(self, reference: Reference, is_store: bool) -> Access:
        """Return a reference as an access; what has no form as a polynomial may be any element.

        Of its conditions only those are kept that are not alternatives.
        """
        site = reference.site
        given = _constraints([item for item in self.conditions(site) if item is not None])
        # An `init` also runs where its reduction has no step.
        loops = tuple([self._made[loop] for loop in site.loops if loop.name not in site.once])
        index = None if reference.resolved is None else self.numbers(reference.resolved, site)
        return Access(self._storage(reference.symbol), index, is_store, loops, given)

    def cases(self, reference: Reference, is_store: bool) -> list[Access]:
        """Return accesses one of which happens whenever a reference does: one for each case of its conditions."""
        access = self.access(reference, is_store)
        clauses = [_alternatives(item) for item in self.conditions(reference.site) if item is not None]
        chosen: list[tuple[Polynomial, ...]] = [()]
        for clause in [clause for clause in clauses if len(clause) > 1]:
            if len(chosen) * len(clause) <= _MOST_CASES:
                chosen = [(*some, *more) for some, more in product(chosen, clause)]
        return [
            Access(access.storage, access.index, is_store, access.loops, (*access.given, *case))
            for case in chosen
        ]

    def element(self, symbol: Symbol, index: Sequence[tree.PrimExpr], given: Sequence[Polynomial]) -> Access:
        """Return an access of one element of a buffer, outside of loops and under conditions."""
        return Access(self._storage(symbol), self._polynomials(index, {}), is_store=False, given=given)

    def size_at_least(self, dim: tree.PrimExpr, least: int) -> Indices:
        """Return what is not negative where a dimension is so large."""
        return tuple([value - least for value in self._polynomials((dim,), {}) or ()])

    def numbers(self, exprs: Iterable[tree.PrimExpr], site: AccessSite) -> Indices | None:
        """Return resolved expressions at a site as polynomials; None where one has no such form."""
        self.loops_of(site)
        return self._polynomials(exprs, {loop.name: self._starts[loop] for loop in site.loops})

    def conditions(self, site: AccessSite) -> list[Condition | None]:
        """Return the conditions around a site; None for one of which nothing is known."""
        self.loops_of(site)
        values = {loop.name: self._starts[loop] for loop in site.loops}
        return [self._condition(guard, values) for guard in site.guards]

    def _storage(self, symbol: Symbol) -> Storage:
        found = self._storages.get(symbol)
        if found is None:
            found = self._storages[symbol] = Storage(symbol.name, symbol.dtype or "", ())
        return found

    def _polynomials(self, exprs: Iterable[tree.PrimExpr], values: Values) -> Indices | None:
        try:
            return tuple([polynomial_of(substitute(expr, values), self.known) for expr in exprs])
        except (DimensionError, TooComplexError):
            return None

    def _condition(self, guard: Guard, values: Values) -> Condition | None:
        if guard.condition is None:
            return None
        try:
            found = condition_of(substitute(guard.condition, values), self.known)
        except (DimensionError, TooComplexError):
            return None
        return found if guard.truth else conditions.negated(found, self.known)

    # ---- loops

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

    def iterated(self, site: AccessSite, assumed: Collection[Guard]) -> CaseAnalyzer:
        """Return the analyser of any iteration of the loops around a site at which some of its conditions hold."""
        loops = self.loops_of(site)
        key = site.loops, tuple(assumed)
        found = self._iterated.get(key)
        if found is None:
            within = [conditions.nonnegative(each, self.known) for loop in loops for each in loop.constraints]
            given = [
                item
                for guard, item in zip(site.guards, self.conditions(site), strict=True)
                if item is not None and guard in assumed
            ]
            found = self._iterated[key] = self.analyzer.assuming([*within, *given])
        return found

    # ---- systems

    def conflict(self, a: Access, b: Access, around: Sequence[LoopVariable] = ()) -> Conflict:
        """Return the pairs of iterations in which two accesses of a buffer touch one element, at one step of the loops
        `around` both.
        """
        fixed = {self._made[loop].name for loop in around}
        for loop in around:  # whose bounds have one value
            names = (*free_variables(loop.low), *free_variables(loop.stop))
            fixed |= self._unknowns.intersection([atom_of(name) for name in names])
        return Conflict(self, self._budget.analyzer(self.analyzer), a, b, frozenset(fixed))

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
        return rebuilt(value, Known(self.known.signed, values)) if values else value

    def replaced_condition(self, item: Condition, values: Mapping[str, Polynomial]) -> Condition:
        """Replace names in a condition, as `replaced` does."""
        return rebuilt_condition(item, Known(self.known.signed, values)) if values else item


def _constraints(items: Iterable[Condition]) -> tuple[Polynomial, ...]:
    """Return what is not negative where conditions hold, alternatives left out."""
    return tuple([value for item in items if len(found := _alternatives(item)) == 1 for value in found[0]])


def _alternatives(item: Condition) -> list[tuple[Polynomial, ...]]:
    """Return constraints, those of one alternative of which hold where a condition does; none if it never holds."""
    if item.kind == NONNEGATIVE:
        return [(item.value,)]
    if item.kind == ZERO:
        return [(item.value, -item.value)]
    if item.kind == NONZERO:
        return [(item.value - 1,), (-item.value - 1,)]
    if item.kind == AND:
        return [_constraints(item.parts)]
    if item.kind == OR:
        return [case for part in item.parts for case in _alternatives(part)]
    return [()] if item.kind == TRUE else [(Polynomial.constant(-1),)]


def in_second(name: str) -> str:
    """Return the name for what a name is in a second iteration; proofs by cases name quotients `v'`."""
    return f"{name}''"
