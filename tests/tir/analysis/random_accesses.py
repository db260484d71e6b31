"""Random pairs of accesses in loop nests: triangular bounds, conditions, negative and double steps, products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from relax_lang.arith.constraints.analyzer import Analyzer
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import tree
from relax_lang.tir.analysis.accesses import Access, Loop, Storage
from relax_lang.tir.analysis.dependence import Dependences, Relation
from relax_lang.tir.analysis.lowered.statements import Statement
from relax_lang.tir.analysis.lowered.vector_ir import Space

SIZES = ("n", "m")
NODE = tree.PrimVar("v")
ARRAY = Storage("A", "float32", ())

Point = dict[str, int]


def value_at(polynomial: Polynomial, point: Point) -> int:
    """Return the value of a polynomial."""
    total = 0
    for monomial, factor in polynomial.terms.items():
        for name in monomial:
            factor *= point[name]
        total += factor
    return total


class Pair:
    """Two accesses of one array in nests with common loops; all affine unless `products`."""

    def __init__(self, seed: int, products: bool) -> None:
        self.rng = Random(seed)
        self.products = products
        self.space = Space(lambda name: f"{name}_")
        self.common = self.loops("c", (), self.rng.choice((0, 1, 1, 2, 2)))
        self.rank = self.rng.choice((1, 1, 2))
        self.first, self.a = self.access("a")
        self.second, self.b = self.access("b")

    def loops(self, stem: str, around: tuple[Loop, ...], count: int) -> tuple[Loop, ...]:
        found = around
        for at in range(count):
            size = Polynomial.name(self.rng.choice(SIZES))
            extents = [size, size, size + 1, Polynomial.constant(self.rng.randint(0, 4))]
            if found:
                outer = Polynomial.name(self.rng.choice(found).name)
                extents += [outer, outer + 1, outer * 2 + 1]
            loop = Loop(f"{stem}{at}", self.rng.choice(extents), NODE)
            self.space.loops[loop.name] = loop
            found = (*found, loop)
        return found

    def access(self, stem: str) -> tuple[Access, Statement]:
        loops = self.loops(stem, self.common, self.rng.choice((0, 0, 1, 2)))
        index = tuple([self.affine(loops) for _ in range(self.rank)])
        given = [self.affine(loops) for _ in range(self.rng.choice((0, 0, 0, 1)))]
        return Access(ARRAY, index, True, loops, given), Statement(loops, (), stem, NODE)

    def affine(self, loops: Sequence[Loop]) -> Polynomial:
        result = Polynomial.constant(self.rng.randint(-2, 2))
        for loop in loops:
            if self.rng.random() < 0.6:
                result = result + Polynomial.name(loop.name) * self.rng.choice((1, 1, 1, -1, 2, -2, 3))
        if self.rng.random() < 0.3:
            result = result + Polynomial.name(self.rng.choice(SIZES)) * self.rng.choice((1, -1, 2))
        if self.products and loops and self.rng.random() < 0.6:
            loop, size = self.rng.choice(list(loops)), self.rng.choice(SIZES)
            result = result + Polynomial({tuple(sorted((loop.name, size))): self.rng.choice((1, 1, -1))})
        return result

    def relation(self) -> Relation:
        analyzer = Analyzer((), SIZES.__contains__)
        dependences = Dependences(self.space, lambda: analyzer)
        return dependences.relate(self.a, self.b, [(self.first, self.second)])

    def meetings(self, most: int) -> set[tuple[str, str]]:
        """Return how iterations meet for small sizes: (loop, "before" or "after"), or ("", "equal")."""
        found: set[tuple[str, str]] = set()
        for n, m in product(range(most + 1), repeat=2):
            sizes = {"n": n, "m": m}
            by_element: dict[tuple[int, ...], list[Point]] = {}
            for point in iterations(self.second, sizes):
                by_element.setdefault(element(self.second, point), []).append(point)
            for point in iterations(self.first, sizes):
                for other in by_element.get(element(self.first, point), ()):
                    found.add(self.order(point, other))
        return found

    def order(self, point: Point, other: Point) -> tuple[str, str]:
        for loop in self.common:
            if point[loop.name] != other[loop.name]:
                return loop.name, "before" if point[loop.name] < other[loop.name] else "after"
        return "", "equal"

    def __str__(self) -> str:
        parts = [
            f"{access.index} for {access.loops} where {access.given}" for access in (self.first, self.second)
        ]
        return " | ".join(parts)


def iterations(access: Access, sizes: Point) -> Iterator[Point]:
    """Yield the points at which an access happens."""

    def inside(at: int, point: Point) -> Iterator[Point]:
        if at == len(access.loops):
            if all(value_at(fact, point) >= 0 for fact in access.given):
                yield dict(point)
            return
        loop = access.loops[at]
        for value in range(value_at(loop.extent, point)):
            yield from inside(at + 1, {**point, loop.name: value})

    yield from inside(0, dict(sizes))


def element(access: Access, point: Point) -> tuple[int, ...]:
    """Return the index of the element that is accessed."""
    return tuple([value_at(part, point) for part in access.index or ()])


def told(relation: Relation) -> set[tuple[str, str]]:
    """Return a relation in the form of `meetings`."""
    found = {(name, "before") for name in relation.before} | {(name, "after") for name in relation.after}
    return found | ({("", "equal")} if relation.equal else set())
