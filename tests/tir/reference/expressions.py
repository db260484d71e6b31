"""Expressions of PrimFuncs with all that chapter 17 of docs/language.md describes, written from it alone."""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.tir.reference.numbers import WIDTHS, is_integer

INTEGERS = tuple(WIDTHS)
FLOATS = ("float32", "float64", "float16", "bfloat16")
_LEVELS = {"||": 0, "&&": 1, "!": 2, "==": 3, "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8}
_LEVELS |= {"*": 9, "/": 9, "//": 9, "%": 9, "prefix": 10, "call": 11}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Text(NamedTuple):
    """An expression, and how tightly what is outermost in it binds."""

    text: str
    level: int = _LEVELS["call"]


class Store(NamedTuple):
    """A buffer in scope."""

    name: str
    shape: tuple[str, ...]
    dtype: str


class Expressions:
    """Random expressions over names and buffers in scope."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.counter = 0
        self.numbers: list[tuple[str, str]] = []  # names and dtypes
        self.within: dict[str, str] = {}  # variables from 0 up to the extent
        self.buffers: list[Store] = []
        self.dtypes: list[str] = []
        self.nested = 0
        """In how many indices the next expression is."""

    def dtype(self) -> str:
        return self.random.choice(self.dtypes)

    def name(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def join(self, operator: str, a: Text, b: Text) -> Text:
        level = _LEVELS["==" if operator in _COMPARISONS else operator]
        left = level + (operator in _COMPARISONS)
        return Text(f"{bracket(a, left)} {operator} {bracket(b, level + 1)}", level)

    def literal(self, dtype: str, *, typed: bool = False) -> Text:
        if dtype == "bool":
            return Text(self.random.choice(("true", "false")))
        if is_integer(dtype):
            number = self.random.choice((0, 1, 1, 2, 2, 3, 5, 7, 100))
            if self.random.random() < 0.04 and dtype in ("int64", "uint64"):
                number = self.random.choice((2**63 - 1, 6364136223846793005, 2**62))
            if self.random.random() < 0.03:
                return Text(f"{self.random.choice(('min_value', 'max_value'))}({dtype})")
            if self.random.random() < 0.2:
                return Text(f"{dtype}({number})")
            return Text(f"cast({number}, {dtype})") if typed else Text(str(number))
        number = self.random.choice(("0.0", "0.5", "1.0", "2.0", "1.5", "4.0"))
        if typed:
            return Text(f"{dtype}({number})")
        return Text(number) if self.random.random() < 0.8 else Text(f"-{number}", _LEVELS["prefix"])

    def whole(self, depth: int) -> Text:
        return self.expr("int64", depth)

    def leaf(self, dtype: str) -> Text:
        names = [name for name, found in self.numbers if found == dtype]
        stores = [one for one in self.buffers if one.dtype == dtype and self.nested < 2]
        if names and (not stores or self.random.random() < 0.6):
            return Text(self.random.choice(names))
        if stores and self.random.random() < 0.9:
            return self.load(self.random.choice(stores))
        if self.numbers and self.random.random() < 0.8:
            return Text(f"cast({self.random.choice(self.numbers)[0]}, {dtype})")
        return self.literal(dtype, typed=True)

    def load(self, store: Store) -> Text:
        return Text(f"{store.name}[{indices([self.index(extent) for extent in store.shape])}]")

    def index(self, extent: str) -> Text:
        fits = [name for name, one in self.within.items() if one == extent]
        if fits and self.random.random() < 0.7:
            name = self.random.choice(fits)
            forms = (name,) * 6 + (f"{name} // 2", f"{extent} - 1 - {bracket(Text(name), 9)}")
            return Text(
                self.random.choice((*forms, f"min({name} + 1, {extent} - 1)", f"({name} + 1) % ({extent})"))
            )
        self.nested += 1
        one = self.whole(self.random.choice((0, 0, 1, 2)) if self.nested < 3 else 0)
        self.nested -= 1
        modulo = self.join("%", one, Text(extent, 0))
        clamped = Text(f"max(min({one.text}, {extent} - 1), 0)")
        chosen = self.random.random()
        if chosen < 0.03:
            return one
        return Text("0") if chosen < 0.25 else modulo if chosen < 0.7 else clamped

    def choice(self, dtype: str, depth: int, own: Text | None = None) -> Text:
        name = self.random.choice(("select", "if_then_else", "if_then_else"))
        a = own or self.expr(dtype, depth - 1)
        b = a if self.random.random() < 0.3 else self.expr(dtype, depth - 1)
        parts = [a.text, b.text]
        self.random.shuffle(parts)
        chosen = Text(f"{name}({self.expr('bool', depth - 1).text}, {parts[0]}, {parts[1]})")
        if self.random.random() < 0.3 and dtype != "bool":
            sign = self.random.choice("-~") if is_integer(dtype) else "-"
            return Text(f"{sign}{chosen.text}", _LEVELS["prefix"])
        return chosen

    def guarded(self, dtype: str, depth: int) -> Text:
        """Write a load whose index is tested first."""
        stores = [one for one in self.buffers if one.dtype == dtype and len(one.shape) == 1]
        if not stores:
            return self.leaf(dtype)
        store = self.random.choice(stores)
        at = self.whole(depth)
        tests = f"{bracket(at, 4)} >= 0 && {bracket(at, 4)} < {store.shape[0]}"
        return Text(f"if_then_else({tests}, {store.name}[{at.text}], {self.expr(dtype, 0).text})")

    def expr(self, dtype: str, depth: int) -> Text:
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf(dtype)
        if self.random.random() < 0.12:
            return self.choice(dtype, depth)
        if self.random.random() < 0.06:
            return self.guarded(dtype, depth - 1)
        if dtype == "bool":
            return self.condition(depth)
        found = self.integer(dtype, depth) if is_integer(dtype) else self.fraction(dtype, depth)
        return Text(f"({found.text})") if self.random.random() < 0.05 else found

    def operands(self, dtype: str, depth: int) -> list[Text]:
        a = self.expr(dtype, depth - 1)
        b = self.literal(dtype) if self.random.random() < 0.4 else self.expr(dtype, depth - 1)
        return [a, b] if self.random.random() < 0.85 else [b, a]

    def condition(self, depth: int) -> Text:
        form = self.random.random()
        if form < 0.3:
            a, b = self.expr("bool", depth - 1), self.expr("bool", depth - 1)
            return self.join(self.random.choice(("&&", "||")), a, b)
        if form < 0.4:
            return Text(f"!{bracket(self.expr('bool', depth - 1), 2)}", 2)
        dtype = self.random.choice((self.dtype(), "int64", "int64"))
        if dtype == "bool":
            return self.leaf("bool")
        if dtype in FLOATS and form < 0.5:
            test = self.random.choice(("isnan", "isinf", "isfinite"))
            return Text(f"{test}({self.expr(dtype, depth - 1).text})")
        return self.join(self.random.choice(_COMPARISONS), *self.operands(dtype, depth))

    def integer(self, dtype: str, depth: int) -> Text:
        form = self.random.random()
        a, b = self.operands(dtype, depth)
        if form < 0.45:
            return self.join(self.random.choice("+-*+"), a, b)
        if form < 0.65:  # divisors are rarely zero
            operator = self.random.choice(("//", "%", "/", "%"))
            divisor = self.random.choice(
                (Text("3"), Text("2"), self.join("+", Text(f"abs({a.text})"), Text("1")), b)
            )
            return self.join(operator, self.join("+", a, b) if self.random.random() < 0.4 else a, divisor)
        if form < 0.75:
            return self.join(self.random.choice("&|^"), a, b)
        if form < 0.8:
            return self.join(
                self.random.choice(("<<", ">>")), self.expr(dtype, depth - 1), Text(self.random.choice("123"))
            )
        if form < 0.88:
            return Text(f"{self.random.choice(('min', 'max'))}({a.text}, {b.text})")
        operand = self.expr(dtype, depth - 1)
        if form < 0.93:
            return Text(f"{self.random.choice('-~')}{bracket(operand, _LEVELS['prefix'])}", _LEVELS["prefix"])
        if form < 0.96:
            return Text(f"{self.random.choice(('abs', 'popcount', 'clz'))}({operand.text})")
        source = self.random.choice((*INTEGERS, self.dtype()))
        return Text(f"cast({self.expr(source, depth - 1).text}, {dtype})")

    def fraction(self, dtype: str, depth: int) -> Text:
        form = self.random.random()
        a, b = self.operands(dtype, depth)
        if form < 0.5:
            return self.join(self.random.choice("+-*"), a, b)
        if form < 0.6:
            return self.join("/", a, Text(self.random.choice(("2.0", "0.5", "4.0"))))
        if form < 0.7:
            return Text(f"{self.random.choice(('min', 'max'))}({a.text}, {b.text})")
        operand = self.expr(dtype, depth - 1)
        if form < 0.8:
            return Text(f"-{bracket(operand, _LEVELS['prefix'])}", _LEVELS["prefix"])
        if form < 0.9:
            name = self.random.choice(("abs", "floor", "ceil", "trunc", "round", "nearbyint"))
            return Text(f"{name}({operand.text})")
        source = self.random.choice(("int64", "int32", "int8", "bool", self.dtype()))
        return Text(f"cast({self.expr(source, depth - 1).text}, {dtype})")


def bracket(one: Text, level: int) -> str:
    """Put an expression into parentheses where it binds less tightly than its place asks for."""
    return f"({one.text})" if one.level < level else one.text


def dims(shape: tuple[str, ...]) -> str:
    """Write dimensions as the declaration of a buffer has them."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(shape)})"


def indices(at: list[Text]) -> str:
    """Write the indices of an element."""
    return ", ".join([one.text for one in at]) or "()"
