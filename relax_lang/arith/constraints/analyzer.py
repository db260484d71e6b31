"""One analyser of integer constraints: is a system empty, is a value never negative, between what limits is it.

A constraint is a polynomial that is at least 0, or that is 0. Each monomial is one unknown of a linear system.
What linear algebra does not know of products is added: a constraint times a factor that is not negative, where that
gives a monomial in question; so `i * m + j <= n * m - 1` follows from `i <= n - 1` and `j <= m - 1`. Facts that have
no name in common with the question, not even through other facts, are left out. An answer is a proof or it is
unknown: nothing follows from a question that is not proved.
"""

from __future__ import annotations

from relax_lang.arith.constraints.fourier_motzkin import Contradiction, System, TooManyRows
from relax_lang.arith.polynomials.division import monomial_quotient
from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from relax_lang.arith.constraints.bounds import Interval
    from relax_lang.arith.polynomials.polynomial import Monomial

_MOST_PRODUCTS = 48
_MOST_FACTS = 60
VALUE = ("<value>",)
"""The unknown whose limits are asked for."""
_REMEMBERED = 8000


class Analyzer:
    """Decides questions under facts: polynomials that are at least 0. Names that `sizes` accepts are at least 0."""

    __slots__ = ("_answers", "_definition", "_facts", "_naming", "_sizes")

    def __init__(
        self,
        facts: Iterable[Polynomial],
        sizes: Callable[[str], bool],
        definition: Callable[[str], Iterable[Polynomial]] | None = None,
    ) -> None:
        self._facts = tuple(facts)
        self._sizes = sizes
        self._definition = definition
        self._answers: dict[object, bool] = {}
        self._naming: dict[str, list[int]] = {}
        """The positions of the facts in which a name is."""
        for at, fact in enumerate(self._facts):
            for name in fact.names():
                self._naming.setdefault(name, []).append(at)

    def facts_about(self, names: Iterable[str], known: set[int]) -> list[Polynomial]:
        """Return the facts that name one of some names, in order, but for those at `known` positions, which grow."""
        found = {at for name in names for at in self._naming.get(name, ())} - known
        known |= found
        return [self._facts[at] for at in sorted(found)]

    def limits(self, monomial: Monomial) -> Interval:
        """Return the limits that a product of names has by itself."""
        for name in monomial:
            if not self._sizes(name) and monomial.count(name) % 2:
                return None, None
        return 0, None

    def definition(self, name: str) -> Iterable[Polynomial]:
        """Return what is at least 0 because of the definition of a name, such as a quotient."""
        return () if self._definition is None else self._definition(name)

    def empty(self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial] = ()) -> bool:
        """Return whether constraints are proved to have no common solution."""
        return self._is_empty(nonnegative, zero, ())

    def contradictory(self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial]) -> bool:
        """Return whether constraints have no common solution, whatever is known of the names in them: a small question,
        to be asked before `empty`.
        """
        system = System()
        try:
            system.require(nonnegative, zero)
            system.solve()
        except Contradiction:
            return True
        except TooManyRows:
            pass
        return False

    def proves(self, value: Polynomial, given: Sequence[Polynomial] = ()) -> bool:
        """Return whether a value is proved to be at least 0 wherever the given ones are."""
        if self._is_plainly_nonnegative(value) or value in given:
            return True
        return bool(value.names()) and self._is_empty((-value - 1,), (), given)

    def differ(self, value: Polynomial, given: Sequence[Polynomial] = ()) -> bool:
        """Return whether a value is proved not to be 0 wherever the given ones are at least 0."""
        if not value.names():
            return bool(value.terms)
        return self._is_empty((), (value,), given)

    def solved(self, value: Polynomial, zero: Sequence[Polynomial]) -> Interval | None:
        """Return the limits of a value that follow from equations alone; None if these have no solution."""
        system = System(VALUE)
        try:
            system.require((), (*zero, value - Polynomial({VALUE: 1})))
            system.solve()
        except Contradiction:
            return None
        return system.limits()

    def bounds(self, value: Polynomial, given: Sequence[Polynomial] = ()) -> Interval:
        """Return numbers that a value is never below and never above, as far as they are proved.

        Where the facts contradict each other there is no such number.
        """
        try:
            system = _Question(self, (), (value - Polynomial({VALUE: 1}),), given).system()
            system.solve()
        except (Contradiction, TooManyRows):
            return None, None
        return system.limits()

    def _is_plainly_nonnegative(self, value: Polynomial) -> bool:
        """Return whether no monomial of a polynomial is ever negative."""
        for monomial, factor in value.terms.items():
            if factor < 0:
                return False
            if monomial:
                low = self.limits(monomial)[0]
                if low is None or low < 0:
                    return False
        return True

    def _is_empty(
        self, nonnegative: Sequence[Polynomial], zero: Sequence[Polynomial], given: Sequence[Polynomial]
    ) -> bool:
        key = tuple(nonnegative), tuple(zero), tuple(given)
        found = self._answers.get(key)
        if found is None:
            try:
                _Question(self, nonnegative, zero, given).system().solve()
                found = False
            except Contradiction:
                found = True
            except TooManyRows:
                found = False
            if len(self._answers) > _REMEMBERED:
                self._answers.clear()
            self._answers[key] = found
        return found


class _Question:
    """Constraints with what is known of the names in them: one linear system."""

    __slots__ = ("_analyzer", "_facts", "_lowest", "_nonnegative", "_zero")

    def __init__(
        self,
        analyzer: Analyzer,
        nonnegative: Sequence[Polynomial],
        zero: Sequence[Polynomial],
        given: Sequence[Polynomial],
    ) -> None:
        self._analyzer = analyzer
        self._nonnegative = nonnegative
        self._zero = zero
        self._facts = self._relevant(given)
        self._lowest: dict[str, int] = {}
        """The names that a constraint of their own keeps from being negative."""
        for fact in (*nonnegative, *self._facts):
            low = fact.terms.get((), 0)
            if len(fact.terms) == (2 if low else 1) and low <= 0:
                for monomial, factor in fact.terms.items():
                    if len(monomial) == 1 and factor == 1:
                        self._lowest[monomial[0]] = max(-low, self._lowest.get(monomial[0], 0))

    def system(self) -> System:
        """Return the linear system; raises `Contradiction` where that shows at once."""
        system = System(VALUE)
        system.require((*self._nonnegative, *self._facts), self._zero)
        unknowns: set[Monomial] = set()
        for value in (*self._nonnegative, *self._zero, *self._facts):
            unknowns.update(value.terms)
        wanted = sorted([monomial for monomial in unknowns if len(monomial) > 1])
        for value in self._products(wanted) if wanted else ():
            system.require((value,))
            unknowns.update(value.terms)
        unknowns -= {(), VALUE}
        for monomial in unknowns:
            system.limit(monomial, self._limits(monomial))
        return system

    def _limits(self, monomial: Monomial) -> Interval:
        low, high = self._analyzer.limits(monomial)
        if low is None and not self._lowest.keys().isdisjoint(monomial):
            rest = tuple([name for name in monomial if name not in self._lowest])
            rest_low = self._analyzer.limits(rest)[0] if rest else 0
            low = 0 if rest_low is not None and rest_low >= 0 else None
        return low, high

    def _relevant(self, given: Sequence[Polynomial]) -> list[Polynomial]:
        """Return what is given, and the facts, connected with the question, and the definitions of the names in it."""
        pending = set[str]().union(*[value.names() for value in (*self._nonnegative, *self._zero)])
        names = set(pending)
        found: list[Polynomial] = []
        waiting = list(given)
        known: set[int] = set()
        while pending and len(found) < _MOST_FACTS:
            connected = [fact for fact in waiting if not fact.names().isdisjoint(pending)]
            waiting = [fact for fact in waiting if fact.names().isdisjoint(pending)] if connected else waiting
            connected += self._analyzer.facts_about(pending, known)
            connected += [fact for name in sorted(pending) for fact in self._analyzer.definition(name)]
            found += connected
            named = set[str]().union(*[fact.names() for fact in connected])
            pending = named - names
            names |= named
        return found

    def _products(self, wanted: list[Monomial]) -> Iterator[Polynomial]:
        """Yield products with factors that are not negative, such that monomials of the question occur in them."""
        left = _MOST_PRODUCTS
        done: set[tuple[int, Monomial]] = set()
        names = sorted({name for monomial in wanted for name in monomial})
        own = [bound for name in names for bound in self._bounds_of(name)]
        squared = {name for monomial in wanted for name in monomial if monomial.count(name) > 1}
        own += [Polynomial({(name, name): 1, (name,): by}) for name in sorted(squared) for by in (1, -1)]
        yield from own
        zero = [part for value in self._zero if VALUE not in value.terms for part in (value, -value)]
        for at, base in enumerate([*self._nonnegative, *self._facts, *own, *zero]):
            for part in base.terms:
                for monomial in wanted:
                    rest = monomial_quotient(monomial, part) if part else None
                    if not rest or (at, rest) in done:
                        continue
                    done.add((at, rest))
                    low = self._limits(rest)[0]
                    if low is not None and low >= 0:
                        yield base * Polynomial({rest: 1})
                        left -= 1
                        if left == 0:
                            return

    def _bounds_of(self, name: str) -> Iterator[Polynomial]:
        """Yield the limits of a name that its products do not have by themselves."""
        low, high = self._analyzer.limits((name,))
        if low:
            yield Polynomial({(name,): 1, (): -low})
        if high is not None:
            yield Polynomial({(name,): -1, (): high})


def facts_of(op: str, result: Polynomial, a: Polynomial, b: Polynomial) -> list[Polynomial]:
    """Return what is at least 0 where a result is `a op b`; a divisor must be at least 1."""
    if op == "//":
        rest = a - result * b
        return [rest, b - 1 - rest]
    if op == "%":
        return [result, b - 1 - result]
    if op == "min":
        return [a - result, b - result]
    return [result - a, result - b] if op == "max" else []
