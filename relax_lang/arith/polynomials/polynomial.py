"""Polynomials with integer coefficients over names: the algebra of dimensions and of loop indices.

`n * m + 2 * i - 1` is a sum of monomials; two expressions that are the same polynomial are equal for all values.
Anything else (`//`, `%`, `min`, …) must be given a name of its own by the caller. Values are immutable.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    Monomial = tuple[str, ...]  # sorted names, each as often as its power; () is 1


class Polynomial:
    """A sum of monomials: `terms` maps each to its coefficient, none of which is 0.

    What is given as terms is kept, and must not change any more.
    """

    __slots__ = ("_hash", "_names", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        # The dictionary is not copied: polynomials are made by the thousand, each from one of its own.
        if 0 in terms.values():
            terms = {monomial: factor for monomial, factor in terms.items() if factor}
        self.terms = terms
        self._hash: int | None = None
        self._names: frozenset[str] | None = None

    @staticmethod
    def constant(value: int) -> Polynomial:
        """Return a number."""
        return Polynomial({(): value})

    @staticmethod
    def name(name: str) -> Polynomial:
        """Return a name."""
        return Polynomial({(name,): 1})

    def __add__(self, other: Polynomial | int) -> Polynomial:
        terms = dict(self.terms)
        if isinstance(other, int):
            if not other:
                return self
            terms[()] = terms.get((), 0) + other
            return Polynomial(terms)
        for monomial, factor in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -factor for monomial, factor in self.terms.items()})

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        terms = dict(self.terms)
        if isinstance(other, int):
            if not other:
                return self
            terms[()] = terms.get((), 0) - other
            return Polynomial(terms)
        for monomial, factor in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) - factor
        return Polynomial(terms)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if isinstance(other, int):
            return Polynomial({monomial: factor * other for monomial, factor in self.terms.items()})
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Polynomial(terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    @property
    def value(self) -> int | None:
        """The number that this is, or None if a name is in it."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def names(self) -> frozenset[str]:
        """Return the names in it."""
        if self._names is None:
            self._names = frozenset([name for monomial in self.terms for name in monomial])
        return self._names

    def coefficient(self, name: str) -> Polynomial | None:
        """Return the factor of a name, or None where a power of it occurs."""
        terms: dict[Monomial, int] = {}
        for monomial, factor in self.terms.items():
            power = monomial.count(name)
            if power > 1:
                return None
            if power:
                rest = list(monomial)
                rest.remove(name)
                terms[tuple(rest)] = factor
        return Polynomial(terms)

    def without(self, names: AbstractSet[str]) -> Polynomial:
        """Return the sum of the monomials in which none of the names occurs."""
        return Polynomial({m: factor for m, factor in self.terms.items() if names.isdisjoint(m)})

    def renamed(self, names: Mapping[str, str]) -> Polynomial:
        """Return it with other names, put in place all at once."""
        terms: dict[Monomial, int] = {}
        for monomial, factor in self.terms.items():
            renamed = tuple(sorted([names.get(name, name) for name in monomial]))
            terms[renamed] = terms.get(renamed, 0) + factor
        return Polynomial(terms)

    def is_nonnegative(self, known: Callable[[str], bool]) -> bool:
        """Return whether it cannot be negative where all names that `known` accepts are at least 0.

        Sufficient, not necessary: no factor is negative and no other name occurs in an odd power.
        """
        for monomial, factor in self.terms.items():
            if factor < 0:
                return False
            for name in monomial:
                if not known(name) and monomial.count(name) % 2:
                    return False
        return True

    def ordered_terms(self) -> list[tuple[Monomial, int]]:
        """Return the terms in the order in which they are shown."""
        return sorted(self.terms.items(), key=_position)

    def __str__(self) -> str:
        """Show it as an expression that Python and the language both read: `n * m + 2 * i - 1`."""
        text = ""
        for monomial, factor in self.ordered_terms():
            product = " * ".join([*([] if abs(factor) == 1 and monomial else [str(abs(factor))]), *monomial])
            if text:
                text += f" {'-' if factor < 0 else '+'} {product}"
            else:
                text = f"{'-' if factor < 0 else ''}{product}"
        return text or "0"

    def __repr__(self) -> str:
        return f"Polynomial({self})"


def _position(term: tuple[Monomial, int]) -> tuple[bool, bool, Monomial]:
    """Sort what is added first, so that no text starts with a minus without need, and the number last."""
    monomial, factor = term
    return not monomial, factor < 0, monomial
