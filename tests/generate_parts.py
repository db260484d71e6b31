"""Random parts of trees that functions and PrimFuncs share: names, literals, attributes, dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES, FLOAT_LIMITS, INT_RANGES

T = TypeVar("T")
PLAIN_NAMES = ("x", "y", "z", "lv0", "gv0", "w", "h", "acc", "name_with_a_long_tail_behind_it")
STRINGS = (
    "",
    "NHWC",
    'a "quoted" one',
    "tab\tnew\nline",
    "back\\slash",
    "über",
    "\u2028 \x00 \x7f",
    "# no comment",
    "😀",
)
FLOATS = (0.0, 1.5, 1e-7, 1e16, 5e-324, 1.7976931348623157e308, float("inf"), float("nan"), 0.1)
TWO_SIDED = (
    tree.Add, tree.Sub, tree.Mul, tree.Div, tree.FloorDiv, tree.FloorMod, tree.Min, tree.Max,
    tree.EQ, tree.NE, tree.LT, tree.LE, tree.GT, tree.GE, tree.And, tree.Or,
)  # fmt: skip
BITS = (tree.BitAnd, tree.BitOr, tree.BitXor, tree.ShiftLeft, tree.ShiftRight)


class RandomParts:
    """Choices, names, literals and scalar expressions."""

    random: Random

    def one_of(self, values: Sequence[T]) -> T:
        return values[self.random.randrange(len(values))]

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def many(self, make: Callable[[], T], least: int = 0) -> tuple[T, ...]:
        return tuple([make() for _ in range(self.random.randint(least, max(least, self.width)))])

    def maybe(self, make: Callable[[], T], percent: int = 50) -> T | None:
        return make() if self.chance(percent) else None

    def deeper(self, make: Callable[[], T]) -> T:
        self.depth -= 1
        try:
            return make()
        finally:
            self.depth += 1

    def name(self) -> str:
        return self.one_of(PLAIN_NAMES if self.chance(80) else self.names)

    def binder_name(self) -> str:
        return "_" if self.chance(8) else self.name()

    def see(self, name: str) -> None:
        """Make a binding visible; `_` never is."""
        if name != "_":
            self.visible.append(name)

    def dtype(self) -> tree.DType:
        return tree.DType(self.one_of(DTYPES))

    def literal(self, depth: int = 2) -> tree.Literal:
        made: list[Callable[[], tree.Literal]] = [
            lambda: tree.IntLit(self.one_of((0, 1, 7, 1_000_000, -1, -5, 1 << 70))),
            lambda: tree.FloatLit(self.one_of(FLOATS) * self.one_of((1, -1))),
            lambda: tree.BoolLit(self.chance(50)),
            lambda: tree.StrLit(self.one_of(STRINGS)),
            tree.NullLit,
            self.dtype,
        ]
        if depth:
            made.append(lambda: tree.ListLit(self.many(lambda: self.literal(depth - 1))))
            made.append(lambda: tree.MapLit(self.map_items(depth - 1)))
        return self.one_of(made)()

    def map_items(self, depth: int) -> tuple[tree.Attr, ...]:
        keys = dict.fromkeys(self.many(lambda: self.one_of(("axis", *STRINGS))))
        return tuple([tree.Attr(key, self.literal(depth)) for key in keys])

    def numbers(self) -> tree.Literal:
        row = tree.ListLit(
            tuple([tree.IntLit(self.random.randrange(-9, 2000)) for _ in range(self.random.randrange(40))])
        )
        return row if self.chance(50) else tree.ListLit((row,) * self.random.randint(1, 3))

    def constant(self) -> tree.Constant:
        if self.chance(20):
            key = self.maybe(lambda: self.one_of(STRINGS))
            return tree.Constant(tree.FileLit(self.one_of(STRINGS), key), self.maybe(self.dtype, 20))
        data = self.numbers() if self.chance(15) else self.literal()
        return tree.Constant(data, self.maybe(self.dtype, 30))

    def attr(self) -> tree.Attr:
        return tree.Attr(self.name(), self.literal())

    def attrs(self, percent: int = 25) -> tuple[tree.Attr, ...]:
        return self.many(self.attr) if self.chance(percent) else ()

    def prim_var(self) -> tree.PrimVar:
        return tree.PrimVar(self.one_of(("n", "m", "k", "i", "_")) if self.chance(90) else self.name())

    def prim_leaf(self) -> tree.PrimExpr:
        if self.chance(50):
            return self.prim_var()
        made: list[Callable[[], tree.PrimExpr]] = [
            lambda: tree.IntImm(self.random.randrange(300), None),
            lambda: tree.IntImm(self.one_of((-3, 0, 9)), tree.DType(self.one_of(tuple(INT_RANGES)))),
            lambda: tree.FloatImm(self.one_of(FLOATS), None),
            lambda: tree.FloatImm(
                self.one_of(FLOATS) * self.one_of((1, -1)), tree.DType(self.one_of(tuple(FLOAT_LIMITS)))
            ),
            lambda: tree.BoolImm(self.chance(50)),
            lambda: tree.TypeLimit(self.one_of(("min_value", "max_value")), self.dtype()),
        ]
        return self.one_of(made)()

    def prim(self) -> tree.PrimExpr:
        if self.depth <= 0 or self.chance(40):
            return self.prim_leaf()
        return self.deeper(self._prim)

    def _prim(self) -> tree.PrimExpr:
        choice = self.random.randrange(12)
        if choice < 6:
            return self.one_of(TWO_SIDED + BITS)(self.prim(), self.prim())
        if choice < 8:
            return self.one_of((tree.Not, tree.Neg, tree.BitNot))(self.prim())
        made: list[Callable[[], tree.PrimExpr]] = [
            lambda: tree.Select(self.prim(), self.prim(), self.prim()),
            lambda: tree.Cast(self.prim(), self.dtype()),
            lambda: tree.BufferLoad(tree.PrimVar(self.name()), self.many(self.prim)),
            lambda: tree.PrimCall(
                self.one_of(("exp", "if_then_else", "grid", "odd one", "min")), (self.prim(),)
            ),
            lambda: tree.PrimCall(self.one_of(("atan2", "cast")), ()),
        ]
        return self.one_of(made)()

    def dims(self) -> tuple[tree.PrimExpr, ...]:
        depth, self.depth = self.depth, min(self.depth, 1)
        made = self.many(self.prim)
        self.depth = depth
        return made
