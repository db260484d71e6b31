"""Places in memory: where tensors whose lives are known may be, so that no two live ones overlap.

Tensors whose sizes have a common factor (`n * 16` and `n * 24`) share one storage of that factor: offsets are numbers
times it, and compared as numbers. Within a storage the largest tensor is placed first, each at the lowest place
where nothing is that lives at the same time: never more than the sum, and close to what is alive at once.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from relax_lang.arith.evaluate import DimensionError
from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.normal_form import polynomial_of
from relax_lang.arith.polynomials.atoms import TooComplexError
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.arith.printing import expression
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Life(NamedTuple):
    """A tensor to be placed: the statements at which its life begins and ends, and its bytes."""

    name: str
    first: int
    last: int
    element: int
    """The bytes of an element, a power of two: offsets are multiples of it."""
    units: int
    unit: Polynomial
    """It takes `units * unit` bytes; the coefficients of `unit` have no common factor."""


class Storage(NamedTuple):
    """A storage and the places in it, in units."""

    unit: Polynomial
    units: int
    offsets: dict[str, int]

    def octets(self, units: int) -> tree.PrimExpr:
        """Return a number of units in bytes."""
        return expression(self.unit * units)


def life(
    name: str,
    lives: tuple[int, int],
    element: int,
    size: tree.PrimExpr,
    most: Callable[[Polynomial], int | None] = lambda _size: None,
) -> Life | None:
    """Return a tensor of so many bytes; None if there is no normal form of its size.

    It `lives` from one statement to another, and has elements of `element` bytes. `most` may know a number that
    the size does not exceed, which takes its place.
    """
    try:
        found = polynomial_of(size, NO_FACTS.known)
    except (DimensionError, TooComplexError):
        return None
    limit = most(found)
    if limit is not None:
        found = Polynomial.constant(limit)
    units = gcd(*found.terms.values())
    if not units:
        return Life(name, *lives, element, 0, Polynomial.constant(1))
    unit = Polynomial({monomial: factor // units for monomial, factor in found.terms.items()})
    return Life(name, *lives, element, units, unit)


def placed(lives: Iterable[Life]) -> list[Storage]:
    """Return storages for tensors, in the order in which their lives begin."""
    groups: dict[Polynomial, list[Life]] = {}
    for one in lives:
        groups.setdefault(one.unit, []).append(one)
    return [_storage(unit, group) for unit, group in groups.items()]


def _storage(unit: Polynomial, group: Sequence[Life]) -> Storage:
    offsets: dict[str, int] = {}
    total = 0
    alive = _Alive(group)
    for one in sorted(group, key=lambda life: (-life.units, life.first)):
        offset = 0
        for start, end in sorted(alive.beside(one, offsets)):
            if start - offset >= one.units:
                break
            offset = max(offset, -(-end // one.element) * one.element)
        offsets[one.name] = offset
        total = max(total, offset + one.units)
    if total > sum([one.units for one in group]):  # what is lost between elements of different sizes
        total = 0
        for one in sorted(group, key=lambda life: -life.element):
            offsets[one.name] = total
            total += one.units
    return Storage(unit, total, offsets)


class _Alive:
    """Which tensors of a group live at the same time as another."""

    def __init__(self, group: Sequence[Life]) -> None:
        self._at: dict[int, list[Life]] = {}
        """Statement to the tensors that live there, for the statements at which some life begins."""
        starts = sorted({one.first for one in group})
        active: list[Life] = []
        begins = iter(sorted(group, key=lambda life: life.first))
        following = next(begins, None)
        for start in starts:
            active = [one for one in active if one.last >= start]
            while following is not None and following.first == start:
                active.append(following)
                following = next(begins, None)
            self._at[start] = active
        self._starts = starts

    def beside(self, one: Life, offsets: dict[str, int]) -> set[tuple[int, int]]:
        """Return the places that tensors have already which live at the same time: where they start and end."""
        from bisect import bisect_left, bisect_right

        found: set[tuple[int, int]] = set()
        for start in self._starts[
            bisect_left(self._starts, one.first) : bisect_right(self._starts, one.last)
        ]:
            for other in self._at[start]:
                offset = offsets.get(other.name)
                if offset is not None and other is not one and other.units:
                    found.add((offset, offset + other.units))
        return found
