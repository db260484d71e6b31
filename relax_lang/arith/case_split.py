"""Proofs by cases: where a minimum, a choice, a `/` or an alternative among the facts prevents a direct one."""

from __future__ import annotations

from math import lcm

from relax_lang.arith.assumptions import assume
from relax_lang.arith.constraints import conditions
from relax_lang.arith.constraints.conditions import joined, negated, nonnegative
from relax_lang.arith.constraints.proofs import KnownFacts
from relax_lang.arith.normal_form import rebuilt, rebuilt_condition
from relax_lang.arith.polynomials.atoms import (
    ALWAYS,
    AND,
    FALSE,
    FLOOR,
    MIN,
    NAME,
    NEVER,
    OR,
    SELECT,
    TRUE,
    TRUNCATE,
    ZERO,
    Atom,
    TooComplexError,
    atoms_below,
    condition,
    names_in_condition,
)
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from relax_lang.arith.constraints.bounds import Known
    from relax_lang.arith.polynomials.atoms import Condition

_MOST_CASES = 24
_MOST_WORK = 10_000
_MOST_AT_ONCE = 4
_MOST_REMAINDERS = 12
_QUOTIENT = "'"  # ends the name of a quotient; no name of a program is an atom that ends so


def is_zero(value: Polynomial, known: Known) -> bool | None:
    """Return whether a polynomial is 0 for all values that the facts allow, for none, or neither is known. [D.13]"""
    try:
        return _Proof().is_zero(value, known)
    except TooComplexError:  # in a case a factor is a sum: then nothing is proved
        return None


def decided(item: Condition, known: Known) -> bool | None:
    """Return whether a condition is true for all values that the facts allow, for none, or neither is known. [D.13]"""
    try:
        return _Proof().decided(item, known)
    except TooComplexError:
        return None


def assume_all(known: Known, items: Iterable[Condition]) -> Known:
    """Return what is known once all of these conditions hold. [D.13]"""
    done: list[Condition] = []
    for item in items:
        equal = known.equal
        known = assume(known, rebuilt_condition(item, known))
        for earlier in done if known.equal != equal else ():  # what is equal may sharpen them
            known = assume(known, rebuilt_condition(earlier, known))
        done.append(item)
    return known


class CaseAnalyzer(KnownFacts):
    """The analyser of known facts, which assumes one constraint after the other, and looks at cases, where all of
    them at once give no answer.
    """

    __slots__ = ("_by_cases", "_left")

    def __init__(self, known: Known) -> None:
        super().__init__(known)
        self._by_cases: dict[object, bool] = {}
        self._left = _MOST_WORK

    @property
    def is_impossible(self) -> bool:
        """Whether the facts contradict each other."""
        return self._known.impossible

    def assuming(self, items: Iterable[Condition]) -> CaseAnalyzer:
        """Return the analyser of the same facts and of conditions that hold, too."""
        return CaseAnalyzer(assume_all(self._known, items))

    def proves(self, value: Polynomial, given: Sequence[Polynomial] = ()) -> bool:
        """Return whether a value is proved to be at least 0 wherever the given ones are, by cases if need be."""
        return super().proves(value, given) or (not given and self.holds(nonnegative(value, self._known)))

    def holds(self, item: Condition) -> bool:
        """Return whether a condition is proved to be true, by cases if need be."""
        return decided(rebuilt_condition(item, self._known), self._known) is True

    def is_zero(self, value: Polynomial) -> bool:
        """Return whether a value is proved to be 0, by cases if need be."""
        return is_zero(value, self._known) is True

    def simplified(self, value: Polynomial) -> Polynomial:
        """Return a value as it is under the facts."""
        return rebuilt(value, self._known)

    def empty(self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial] = ()) -> bool:
        """Return whether constraints are proved to have no common solution, by cases if need be."""
        if super().empty(nonnegative, zero):
            return True
        key = tuple(nonnegative), tuple(zero)
        found = self._by_cases.get(key)
        if found is None:
            proof = _Proof(self._left)
            items = [conditions.zero(value, self._known) for value in zero]
            items += [conditions.nonnegative(value, self._known) for value in nonnegative]
            try:
                found = proof.contradict(items, self._known)
            except TooComplexError:
                found = False
            self._left = proof.work
            self._by_cases[key] = found
        return found


class _Proof:
    """One proof: the number of cases that it may still look at, and of pairs of conditions that may meet."""

    __slots__ = ("left", "work")

    def __init__(self, work: int = _MOST_WORK) -> None:
        self.left = _MOST_CASES
        self.work = work

    def is_zero(self, value: Polynomial, known: Known) -> bool | None:
        answer = conditions.is_zero(value, known)
        if answer is not None:
            return answer
        return self._in_all_cases(value.names(), known, lambda case: self.is_zero(rebuilt(value, case), case))

    def decided(self, item: Condition, known: Known) -> bool | None:
        if item.kind in (TRUE, FALSE):
            return item.kind == TRUE
        if item.parts:
            return self._decided_parts(item, known)
        now = conditions.redecided(item, known)
        if now in (ALWAYS, NEVER):
            return now == ALWAYS
        return self._in_all_cases(
            item.value.names(), known, lambda case: self.decided(rebuilt_condition(item, case), case)
        )

    def contradict(self, items: Iterable[Condition], known: Known) -> bool:
        """Return whether conditions never hold together."""
        items = [rebuilt_condition(item, known) for item in items]
        self.work -= len(items) ** 2
        if self.work < 0:
            return False
        if assume_all(known, items).impossible:
            return True
        cases = _cases(set[str]().union(*[names_in_condition(item) for item in items]), known)
        self.left -= len(cases)
        if not cases or self.left < 0:
            return False
        return all(case.impossible or self.contradict(items, case) for case in cases)

    def _decided_parts(self, item: Condition, known: Known) -> bool | None:
        """Decide parts one after the other; the next one only matters if those before did not settle the matter."""
        settles = item.kind == OR
        undecided = False
        for part in item.parts:
            answer = self.decided(rebuilt_condition(part, known), known)
            if answer is settles:
                return settles
            if answer is None:
                undecided = True
                known = assume(known, negated(part, known) if settles else part)
                if known.impossible:
                    return settles
        return None if undecided else not settles

    def _in_all_cases(
        self, atoms: Collection[str], known: Known, decide: Callable[[Known], bool | None]
    ) -> bool | None:
        """Return the answer that is the same in all cases, at least one of which always holds."""
        cases = _cases(atoms, known)
        self.left -= len(cases)
        if not cases or self.left < 0:
            return None
        answers: set[bool] = set()
        for case in cases:
            if case.impossible:
                continue
            answer = decide(case)
            if answer is None:
                return None
            answers.add(answer)
        return answers.pop() if len(answers) == 1 else None


def _cases(atoms: Collection[str], known: Known) -> list[Known]:
    """Return facts of which at least one set holds for all values that the given facts allow; none if unhelpful."""
    inside = set(atoms_below(atoms))
    terms = [atom for atom in inside if isinstance(atom, Atom) and atom.kind not in (FLOOR, NAME)]
    if terms:
        # An inner term first: what it is may settle an outer one.
        found = _alternatives(min(terms, key=lambda atom: (len(atom), atom)), known)
        return [assume(known, each) for each in found]
    for clause in known.clauses:
        if not inside.isdisjoint(names_in_condition(clause)):
            without = known.with_clauses(tuple([other for other in known.clauses if other is not clause]))
            return [assume(without, part) for part in clause.parts]
    return _residues(inside, known)


def _residues(inside: Collection[str], known: Known) -> list[Known]:
    """Return a case for each remainder of a name that is divided: n = 6 * n' + 5 settles n // 2 and n // 3."""
    divisors: dict[str, int] = {}
    for atom in inside:
        if isinstance(atom, Atom) and atom.kind == FLOOR and atom.parts[1].value is not None:
            for name in atom.parts[0].names():
                if not isinstance(name, Atom) and not name.endswith(_QUOTIENT):
                    divisors[name] = lcm(divisors.get(name, 1), atom.parts[1].value)
    if not divisors:
        return []
    name, divisor = min(divisors.items(), key=lambda item: (item[1], item[0]))
    if not 1 < divisor <= _MOST_REMAINDERS or known.signed is None or name in known.signed:
        return []
    quotient = Polynomial.name(name + _QUOTIENT) * divisor
    rests = [Polynomial.name(name) - quotient - rest for rest in range(divisor)]
    return [assume(known, condition(ZERO, rest)) for rest in rests]


def _alternatives(item: Atom, known: Known) -> list[Condition]:
    """Return conditions of which one holds at least, and under each of which a term is something simpler."""
    if item.condition is not None:
        assert item.kind == SELECT
        chosen_by = rebuilt_condition(item.condition, known)
        return [chosen_by, negated(chosen_by, known)]
    if len(item.parts) > _MOST_AT_ONCE:
        return []
    parts = [rebuilt(part, known) for part in item.parts]
    if item.kind == TRUNCATE:
        dividend, divisor = parts
        return [
            joined(AND, (nonnegative(a, known), nonnegative(b, known)), known)
            for a in (dividend, -dividend)
            for b in (divisor, -divisor)
        ]
    found: list[Condition] = []
    for part in parts:
        ahead = [other - part if item.kind == MIN else part - other for other in parts if other is not part]
        found.append(joined(AND, [nonnegative(other, known) for other in ahead], known))
    return found
