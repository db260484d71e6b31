"""Systems of linear constraints over the integers: elimination of equations, then of inequalities.

An unknown is a monomial of a polynomial. Equations are eliminated first: one with an unknown of factor 1 or -1 is a
substitution, and one whose factors have a common divisor that does not divide its constant has no solution. The
inequalities follow by Fourier-Motzkin elimination; each new row is divided by the common divisor of its factors and
its constant rounded down, which cuts off points that are not integers. A contradiction found is a proof; the
converse does not hold: the system may have no integer solution although none is found.
"""

from __future__ import annotations

from math import gcd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.arith.constraints.bounds import Interval
    from relax_lang.arith.polynomials.polynomial import Monomial, Polynomial

    Factors = dict[Monomial, int]
    Row = tuple[Factors, int]
    Key = frozenset[tuple[Monomial, int]]

_MOST_ROWS = 400


class Contradiction(Exception):  # noqa: N818 - an answer, not an error
    """The constraints have no solution."""


class TooManyRows(Exception):  # noqa: N818 - an answer, not an error
    """The elimination is given up."""


class System:
    """Inequalities `factors + constant >= 0` and equations; `add` and `solve` raise `Contradiction`."""

    __slots__ = ("_equations", "_kept", "_rows")

    def __init__(self, kept: Monomial | None = None) -> None:
        self._rows: dict[Key, Row] = {}
        self._equations: list[Row] = []
        self._kept = kept
        """The unknown that is not eliminated."""

    def require(self, nonnegative: Iterable[Polynomial], zero: Iterable[Polynomial] = ()) -> None:
        """Add constraints: polynomials that are at least 0, and polynomials that are 0."""
        for polynomial in zero:
            factors = dict(polynomial.terms)
            self._equations.append((factors, factors.pop((), 0)))
        for polynomial in nonnegative:
            factors = dict(polynomial.terms)
            self._add(factors, factors.pop((), 0))

    def limit(self, unknown: Monomial, limits: Interval) -> None:
        """Add the least and the greatest value of an unknown; None where there is none."""
        low, high = limits
        if low is not None:
            self._add({unknown: 1}, -low)
        if high is not None:
            self._add({unknown: -1}, high)

    def solve(self) -> None:
        """Eliminate all unknowns but the one that is kept."""
        self._solve_equations()
        unknown = self._next()
        while unknown is not None:
            self._eliminate(unknown)
            self._solve_equations()
            unknown = self._next()

    def limits(self) -> Interval:
        """Return the least and the greatest value of the unknown that is kept, after `solve`."""
        low: int | None = None
        high: int | None = None
        for factors, constant in self._rows.values():
            factor = factors[self._kept] if self._kept is not None else 0
            if factor > 0:
                low = -constant if low is None else max(low, -constant)
            elif factor < 0:
                high = constant if high is None else min(high, constant)
        return low, high

    def _add(self, factors: Factors, constant: int) -> None:
        """Add an inequality; of two with the same factors the sharper one is kept."""
        if not factors:
            if constant < 0:
                raise Contradiction
            return
        common = gcd(*factors.values())
        if common > 1:
            factors = {unknown: factor // common for unknown, factor in factors.items()}
            constant //= common
        key = frozenset(factors.items())
        known = self._rows.get(key)
        if known is not None and known[1] <= constant:
            return
        opposite = self._rows.get(frozenset([(unknown, -factor) for unknown, factor in factors.items()]))
        if opposite is not None:
            slack = opposite[1] + constant
            if slack < 0:
                raise Contradiction
            if slack == 0:
                self._equations.append((factors, constant))
        self._rows[key] = factors, constant

    def _solve_equations(self) -> None:
        """Eliminate an unknown by each equation."""
        while self._equations:
            factors, constant = self._equations.pop()
            if not factors:
                if constant:
                    raise Contradiction
                continue
            common = gcd(*factors.values())
            if constant % common:
                raise Contradiction
            if common > 1:
                factors = {unknown: factor // common for unknown, factor in factors.items()}
                constant //= common
            self._substitute(factors, constant)

    def _substitute(self, factors: Factors, constant: int) -> None:
        """Eliminate the unknown of the smallest factor of an equation from everything."""
        choices = [unknown for unknown in factors if unknown != self._kept]
        if not choices:  # the kept unknown is a number
            self._add(factors, constant)
            self._add({unknown: -factor for unknown, factor in factors.items()}, -constant)
            return
        chosen = min(choices, key=lambda unknown: abs(factors[unknown]))
        by = factors[chosen]
        sides = factors, constant
        self._equations = [
            _combined(row, abs(by), sides, -row[0][chosen] * (1 if by > 0 else -1))
            if chosen in row[0]
            else row
            for row in self._equations
        ]
        for key, row in list(self._rows.items()):
            if chosen in row[0]:
                del self._rows[key]
                self._add(*_combined(row, abs(by), sides, -row[0][chosen] * (1 if by > 0 else -1)))

    def _next(self) -> Monomial | None:
        """Return the unknown that brings the fewest new rows. The rows of those that are bounded on one side only are
        dropped first, all at once: such a bound always has a solution.
        """
        while True:
            counts = self._counts()
            free = {unknown for unknown, (below, above) in counts.items() if not below or not above}
            if not free:
                break
            self._rows = {key: row for key, row in self._rows.items() if free.isdisjoint(row[0])}
        best: Monomial | None = None
        fewest = 0
        for unknown, (below, above) in counts.items():
            more = below * above - below - above
            if best is None or more < fewest:
                best, fewest = unknown, more
        return best

    def _counts(self) -> dict[Monomial, list[int]]:
        """Return how many rows bound each unknown from above and from below, but for the one that is kept."""
        counts: dict[Monomial, list[int]] = {}
        for factors, _ in self._rows.values():
            for unknown, factor in factors.items():
                count = counts.setdefault(unknown, [0, 0])
                count[factor > 0] += 1
        if self._kept is not None:
            counts.pop(self._kept, None)
        return counts

    def _eliminate(self, unknown: Monomial) -> None:
        """Replace the rows of an unknown by the sums of each lower and each upper bound."""
        lower: list[Row] = []
        upper: list[Row] = []
        for key, row in list(self._rows.items()):
            factor = row[0].get(unknown)
            if factor is not None:
                del self._rows[key]
                (lower if factor > 0 else upper).append(row)
        if len(self._rows) + len(lower) * len(upper) > _MOST_ROWS:
            raise TooManyRows
        for one in lower:
            for other in upper:
                self._add(*_combined(one, -other[0][unknown], other, one[0][unknown]))


def _combined(one: Row, times: int, other: Row, by: int) -> Row:
    """Return `times * one + by * other`, without the unknowns that cancel."""
    common = gcd(times, by)
    if common > 1:
        times //= common
        by //= common
    factors = {unknown: factor * times for unknown, factor in one[0].items()}
    for unknown, factor in other[0].items():
        total = factors.get(unknown, 0) + factor * by
        if total:
            factors[unknown] = total
        else:
            del factors[unknown]
    return factors, one[1] * times + other[1] * by
