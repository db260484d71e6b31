"""Expressions, stores and arguments of the random programs of `random_idioms`."""

from __future__ import annotations

import random

import numpy as np

from tests.tir.reference.interpreter import Array
from tests.tir.reference.numbers import FLOATS, WIDTHS

# An expression is a name or number (a string), or a tuple of an operator and operands.
PRECEDENCE = (
    ("||",),
    ("&&",),
    ("!",),
    ("==", "!=", "<", "<=", ">", ">="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "//", "%"),
    ("neg", "~"),
)
LEVEL = {op: level for level, ops in enumerate(PRECEDENCE) for op in ops}
PREFIX = {"neg": "-", "~": "~", "!": "!"}
DTYPES = (
    "int32",
    "int32",
    "int64",
    "float32",
    "int8",
    "uint8",
    "uint64",
    "float64",
    "uint32",
    "int16",
    "bool",
)


def written(expr, *, full: bool = False, least: int = 0) -> str:
    """Return the text of an expression, with all parentheses or only those that it needs."""
    if isinstance(expr, str):
        return expr
    op, *operands = expr
    if op == "load":
        name, *indices = operands
        return f"{name}[{', '.join([written(at, full=full) for at in indices]) or '()'}]"
    if op not in LEVEL:
        return f"{op}({', '.join([written(operand, full=full) for operand in operands])})"
    level = LEVEL[op]
    if op in PREFIX:
        text = f"{PREFIX[op]}{written(operands[0], full=full, least=level)}"
    else:
        chained = op in LEVEL and PRECEDENCE[level] == PRECEDENCE[3]
        left = written(operands[0], full=full, least=level + chained)
        text = f"{left} {op} {written(operands[1], full=full, least=level + 1)}"
    return f"({text})" if full or level < least else text


class Expressions:
    """What expressions are made of: names in scope, their dtypes and extents."""

    random: random.Random
    sizes: dict[str, int]
    careless: bool
    counter: int
    buffers: dict[str, tuple[list[str], str]]
    params: dict[str, tuple[list[str], str]]
    scalars: dict[str, str]
    loops: dict[str, str]
    lets: dict[str, str]
    stored: list[str]

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def inside(self, size: str):
        """Return an index that is mostly inside."""
        same = [name for name, extent in self.loops.items() if extent == size]
        options: list = [*same, *same, *same, *[("-", ("-", size, "1"), name) for name in same]]
        options += [("%", ("+", name, self.pick("1", "k", "2")), size) for name in same]
        options += [("//", name, "2") for name in same]
        if not options:
            options = [("%", self.pick(*self.loops, "k"), size), ("-", size, "1")]
        if self.careless and self.chance(0.2):
            options = [("+", option, self.pick("1", "-1", "k")) for option in options]
        return self.pick(*options)

    def index(self, depth: int):
        """Return an int64 expression of sizes, loop variables, and elements of `I`."""
        if depth <= 0 or self.chance(0.25):
            return self.pick(
                *self.loops, *self.loops, "n", "m", "k", "1", "2", ("load", "I", self.inside("n"))
            )
        op = self.pick(
            "+",
            "-",
            "*",
            "//",
            "%",
            "/",
            "min",
            "max",
            "&",
            "|",
            "^",
            "neg",
            "~",
            "<<",
            ">>",
            "select",
            "abs",
        )
        if op in ("neg", "~", "abs"):
            return (op, self.index(depth - 1))
        if op in ("<<", ">>"):
            return (op, self.index(depth - 1), self.pick("1", "2"))
        if op in ("//", "%", "/") and not self.careless:
            return (
                op,
                self.index(depth - 1),
                self.pick("2", "3", ("+", "n", "1"), ("max", self.index(depth - 2), "1")),
            )
        if op == "select":
            return (op, self.condition(depth - 1), self.index(depth - 1), self.index(depth - 1))
        return (op, self.index(depth - 1), self.index(depth - 1))

    def chosen(self, size: str):
        """Return an index that data choose."""
        raw = ("load", "I", self.inside("n"))
        guarded = [
            ("%", raw, size),
            ("min", ("max", raw, "0"), ("-", size, "1")),
            ("%", ("+", raw, "k"), size),
        ]
        return raw if self.careless and self.chance(0.3) else self.pick(*guarded)

    def literal(self, dtype: str) -> str:
        if dtype == "bool":
            return self.pick("true", "false")
        if dtype in FLOATS:
            return self.pick("0.0", "1.0", "2.0", "0.5")
        return self.pick("0", "0", "1", "2", f"max_value({dtype})", f"min_value({dtype})")

    def leaf(self, dtype: str):
        names = [name for name, (_, found) in self.buffers.items() if found == dtype]
        options: list = [self.literal(dtype)]
        for _ in range(3 if names else 0):
            name = self.pick(*names)
            options.append(("load", name, *[self.inside(size) for size in self.buffers[name][0]]))
        options += [name for name, found in (*self.lets.items(), *self.scalars.items()) if found == dtype] * 2
        if dtype != "bool" and self.loops:
            options.append(("cast", self.pick(*self.loops), dtype))
        return self.pick(*options)

    def value(self, dtype: str, depth: int):
        if depth <= 0 or self.chance(0.3):
            return self.leaf(dtype)
        if dtype == "bool":
            return self.condition(depth)
        op = self.pick(
            "+",
            "-",
            "*",
            "min",
            "max",
            "neg",
            "select",
            "if_then_else",
            "cast",
            "abs",
            *(("//", "%", "/", "&", "|", "^", "~", "<<", ">>", "popcount") if dtype in WIDTHS else ()),
        )
        a = self.value(dtype, depth - 1)
        if op == "cast":
            return (op, self.value(self.pick(*DTYPES), depth - 1), dtype)
        if op in ("neg", "~", "abs", "popcount"):
            return (op, a)
        if op in ("<<", ">>"):
            return (op, a, self.pick("1", "2"))
        b = self.value(dtype, depth - 1)
        if op in ("//", "%", "/"):
            return (op, a, b if self.careless else self.pick("3", ("|", b, "1"), f"{dtype}(2)"))
        return (op, self.condition(depth - 1), a, b) if op in ("select", "if_then_else") else (op, a, b)

    def condition(self, depth: int):
        if depth <= 0 or self.chance(0.5):
            dtype = self.pick("int64", *[found for _, found in self.buffers.values()])
            if dtype == "bool":
                return self.leaf("bool")
            make = self.index if dtype == "int64" else (lambda depth: self.value(dtype, depth))
            return (self.pick("<", "<=", ">", ">=", "==", "!="), make(min(depth, 1)), make(0))
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            ("&&", a, b), ("||", a, b), ("!", a), ("==", a, b), ("if_then_else", self.condition(0), a, b)
        )

    def within(self, index, size: str):
        return ("&&", ("<=", "0", index), ("<", index, size))

    def combined(self, target, dtype: str) -> list[list]:
        """Return a statement that combines an element with a value."""
        value = self.value(dtype, 2)
        if dtype == "bool":
            return [self.store(target, "=", (self.pick("&&", "||"), target, value))]
        pair = (target, value) if self.chance(0.6) else (value, target)
        options = [
            (self.pick("min", "max"), *pair),
            ("+", *pair),
            ("+", ("+", *pair), self.leaf(dtype)),
            ("-", target, value),
            ("select", self.condition(1), target, ("+", *pair)),
        ]
        if dtype in WIDTHS:
            options += [("^", *pair), ("|", *pair), ("&", *pair)]
        return (
            [self.store(target, "=", self.pick(*options))]
            if self.chance(0.6)
            else [self.store(target, self.pick("+=", "+=", "-=", "*="), value)]
        )

    def store(self, target, op: str, value) -> list:
        return [(target,), f" {op} ", (value,), ";"]

    def op_of(self, dtype: str) -> str:
        return "=" if dtype == "bool" else self.pick("=", "=", "+=", "-=", "*=")

    def arguments(self) -> dict[str, Array | float]:
        """Return arguments by name; arrays hold small numbers."""
        found: dict[str, Array | float] = {}
        for name, (shape, dtype) in self.params.items():
            sizes = [self.sizes.get(size) if size in self.sizes else int(size) for size in shape]
            count = int(np.prod(sizes, dtype=np.int64))
            found[name] = Array(sizes, dtype, [self.number(dtype) for _ in range(count)])
        for name, dtype in self.scalars.items():
            found[name] = self.number(dtype)
        return found

    def number(self, dtype: str):
        if dtype == "bool":
            return self.chance(0.5)
        if dtype in FLOATS:
            return float(self.pick(0, 1, 2, 3, -1, -2, 0.5))
        return self.random.randint(-3 if WIDTHS[dtype][1] else 0, 6)
