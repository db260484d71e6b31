"""Signs of polynomials over loop variables and sizes: what proves that accesses stay inside, or never meet.

A loop variable lies between 0 and its extent less 1, a size is at least 0, or more where that is known. Variables
are eliminated innermost first by the extreme that the sign of their factor asks for; then each size is written as
its least value plus something not negative, and a polynomial without negative factors is not negative.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.analysis.vector_ir import replace_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_DEPTH = 12
_FACTS = 2
"""So many facts are added up at most."""


class Ranges:
    """What is known of names: `upper` of the variables, in an order where no bound names a later one; and which
    sizes cannot be negative. Domains are taken to be non-empty, unless `may_be_empty`: then no size is taken to be
    more than 0 because a variable runs up to it. `facts` are polynomials over sizes that are at least 0.
    """

    def __init__(
        self,
        upper: Mapping[str, Polynomial],
        known: Callable[[str], bool],
        facts: Sequence[Polynomial] = (),
        *,
        may_be_empty: bool = False,
    ) -> None:
        self.upper = dict(upper)
        self._known = known
        self._least = {} if may_be_empty else _least_values(self.upper.values())
        self._facts = [self._above_least(fact) for fact in facts]

    def is_nonnegative(self, value: Polynomial, depth: int = _DEPTH) -> bool:
        """Tell whether a polynomial is provably at least 0 for all values of its names."""
        if value.is_nonnegative(lambda name: name in self.upper or self._known(name)):
            return True
        if depth == 0:
            return False
        for name in reversed(self.upper):
            if name not in value.names():
                continue
            factor = value.coefficient(name)
            if factor is None:
                return False
            if self.is_nonnegative(factor, depth - 1):
                return self.is_nonnegative(value.without({name}), depth - 1)
            if self.is_nonnegative(-factor, depth - 1):
                return self.is_nonnegative(value.without({name}) + factor * self.upper[name], depth - 1)
            return False
        value = self._above_least(value)
        # Whole numbers: 2 * value + 1 is not negative if value is not, and only then. Facts on halves tell that.
        return self._follows(value) or (bool(self._facts) and self._follows(value * 2 + 1))

    def _above_least(self, value: Polynomial) -> Polynomial:
        """Return a polynomial with each size written as its least value plus something."""
        for name in value.names() & self._least.keys():
            if self._known(name):
                value = replace_name(value, name, Polynomial.name(name) + self._least[name])
        return value

    def _follows(self, value: Polynomial, most: int = _FACTS) -> bool:
        """Tell whether a polynomial over sizes is at least 0, because it is the sum of some facts and such a one."""
        if value.is_nonnegative(self._known):
            return True
        for fact in self._facts if most else ():
            for monomial, factor in fact.terms.items():
                times = value.terms.get(monomial, 0) // factor if monomial else 0
                if times > 0 and self._follows(value - fact * times, most - 1):
                    return True
        return False

    def differ(self, difference: Polynomial) -> bool:
        """Tell whether a difference is provably never 0."""
        return self.is_nonnegative(difference - 1) or self.is_nonnegative(-difference - 1)


def _least_values(uppers: Iterable[Polynomial]) -> dict[str, int]:
    """Return the sizes that are known to be more than 0 because a variable runs up to them."""
    found: dict[str, int] = {}
    for upper in uppers:
        extent = upper + 1
        names = extent.names()
        if len(extent.terms) == 1 and min(extent.terms.values()) > 0:
            for name in names:  # a product of sizes that is not 0
                found[name] = max(found.get(name, 0), 1)
        if len(names) != 1:
            continue
        name = next(iter(names))
        factor = upper.coefficient(name)
        if (
            factor is not None
            and factor.value
            and factor.value > 0
            and upper.without({name}).value is not None
        ):
            # factor * name + rest >= 0
            least = -(upper.without({name}).value or 0)
            found[name] = max(found.get(name, 0), -(-least // factor.value))
    return {name: least for name, least in found.items() if least > 0}
