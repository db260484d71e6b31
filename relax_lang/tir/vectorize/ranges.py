"""Signs of polynomials over loop variables and sizes: what proves that accesses stay inside, or never meet.

A loop variable lies between 0 and its extent less 1, a size is at least 0, or more where that is known. Variables
are eliminated innermost first by the extreme that the sign of their factor asks for; then each size is written as
its least value plus something not negative, and a polynomial without negative factors is not negative.
"""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.tir.vectorize.vector import replace_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_DEPTH = 12


class Ranges:
    """What is known of names: `upper` of the variables, in an order where no bound names a later one; and which
    sizes cannot be negative. Domains are taken to be non-empty, unless `may_be_empty`: then no size is taken to be
    more than 0 because a variable runs up to it.
    """

    def __init__(
        self, upper: Mapping[str, Polynomial], known: Callable[[str], bool], *, may_be_empty: bool = False
    ) -> None:
        self.upper = dict(upper)
        self._known = known
        self._least = {} if may_be_empty else _least_values(self.upper.values())

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
        for name in value.names() & self._least.keys():
            if self._known(name):
                value = replace_name(value, name, Polynomial.name(name) + self._least[name])
        return value.is_nonnegative(self._known)

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
