"""Dimensions from text, and random ones, with their values for small numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from random import Random

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.arith.facts import NO_FACTS, Facts
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

Values = dict[str, int]

NAMES = ("n", "m", "k")
LITERALS = (0, 1, 2, 3, 4, 6)
DIVISORS = (1, 2, 3, 4, -2)
COMPARISONS = (tree.EQ, tree.NE, tree.LT, tree.LE, tree.GT, tree.GE)
OPERATIONS = (
    tree.Add,
    tree.Add,
    tree.Sub,
    tree.Mul,
    tree.Mul,
    tree.FloorDiv,
    tree.FloorDiv,
    tree.FloorMod,
    tree.Div,
    tree.Min,
    tree.Max,
)

SIZES: list[Values] = [dict(zip(NAMES, point, strict=True)) for point in product(range(5), repeat=3)]
SIZES += [
    dict(zip(NAMES, point, strict=True))
    for point in [(7, 12, 30), (100, 3, 8), (26, 13, 13), (0, 50, 7), (9, 0, 40)]
]
INTEGERS: list[Values] = [dict(zip(NAMES, point, strict=True)) for point in product(range(-3, 4), repeat=3)]


def dim(text: str) -> tree.PrimExpr:
    """Parse one dimension."""
    parsed = parse(f"Shape[({text},)]", "struct_info")
    assert not parsed.diagnostics, text
    info = parsed.tree
    assert isinstance(info, tree.ShapeStructInfo)
    assert info.values is not None
    return info.values[0]


def condition(text: str) -> tree.PrimExpr:
    """Parse one condition."""
    chosen = dim(f"select({text}, 1, 0)")
    assert isinstance(chosen, tree.Select)
    return chosen.condition


def facts(*texts: str) -> Facts:
    """Return what conditions say."""
    found = NO_FACTS
    for text in texts:
        found = found.with_(condition(text))
    return found


def value(expr: tree.PrimExpr, values: Values) -> int | bool | None:
    """Return the value of an expression, None if it has none."""
    try:
        return evaluate(expr, values)
    except DimensionError:
        return None


def fulfilling(conditions: Iterable[tree.PrimExpr], points: Sequence[Values]) -> list[Values]:
    """Return the points at which all conditions hold."""
    wanted = list(conditions)
    return [point for point in points if all(value(each, point) for each in wanted)]


class Expressions:
    """Random dimensions and conditions over three names."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def number(self, depth: int) -> tree.PrimExpr:
        rng = self.rng
        if depth <= 0:
            return (
                tree.PrimVar(rng.choice(NAMES)) if rng.random() < 0.6 else tree.IntImm(rng.choice(LITERALS))
            )
        kind = rng.choice((*OPERATIONS, tree.Neg, tree.Select))
        if kind is tree.Neg:
            return tree.Neg(self.number(depth - 1))
        if kind is tree.Select:
            return tree.Select(self.condition(depth - 2), self.number(depth - 1), self.number(depth - 1))
        if kind in (tree.FloorDiv, tree.FloorMod, tree.Div) and rng.random() < 0.7:
            return kind(self.number(depth - 1), tree.IntImm(rng.choice(DIVISORS)))
        sides = [self.number(depth - 1), self.number(rng.randint(0, depth - 1))]
        rng.shuffle(sides)
        return kind(*sides)

    def condition(self, depth: int) -> tree.PrimExpr:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.4:
            return rng.choice(COMPARISONS)(self.number(depth - 1), self.number(depth - 1))
        if rng.random() < 0.3:
            return tree.Not(self.condition(depth - 1))
        return rng.choice((tree.And, tree.Or))(self.condition(depth - 1), self.condition(depth - 1))

    def related(self, expr: tree.PrimExpr) -> tree.PrimExpr:
        """Return an expression that often has to do with another one: equal to it, or never."""
        two, three = tree.IntImm(2), tree.IntImm(3)
        x, y = self.number(1), self.number(0)
        forms = (
            tree.Add(expr, tree.IntImm(self.rng.choice((1, 2)))),
            tree.Sub(tree.Add(expr, x), x),
            tree.Min(expr, tree.Add(expr, tree.PrimVar("n"))),
            tree.FloorDiv(tree.Mul(expr, three), three),
            tree.Add(tree.Mul(tree.FloorDiv(expr, two), two), tree.FloorMod(expr, two)),
            tree.Select(self.condition(0), expr, expr),
            tree.FloorDiv(tree.Mul(expr, y), y),
            tree.Neg(tree.Max(tree.Neg(expr), tree.Neg(x))),
            tree.Max(expr, x),
            self.number(2),
            self.number(self.rng.randint(0, 3)),
            self.number(1),
        )
        return self.rng.choice(forms)
