"""Random running operations that start again or have a bound, over one row or several, and arguments at the limits of
their dtypes.
"""

from __future__ import annotations

import random

import numpy as np

DTYPES = (
    "int64",
    "int64",
    "int64",
    "int32",
    "int32",
    "int8",
    "uint8",
    "uint64",
    "float64",
    "float32",
    "bool",
)
PARAMS = (
    "X: Buffer[({1}, m), {0}], Z: Buffer[({1}, m), {0}], F: Buffer[({1}, m), float64], V: Buffer[({1}, m), bool],"
    " S: Buffer[({1},), {0}], W: Buffer[(m,), {0}], Y: Buffer[({1}, m + 1), {0}]"
)


class RunningSteps:
    """A store in which each element is made of the one before: kept, added to, replaced or bounded."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"running steps {seed}")
        self.dtype = self.pick(*DTYPES)
        self.is_integer = "int" in self.dtype
        self.rows = self.random.random() < 0.4
        self.sizes = self.pick(0, 1, 2, 5) if self.rows else 1, self.pick(0, 1, 1, 2, 3, 7, 40)
        self.down = self.random.random() < 0.2
        self.is_stored = self.random.random() < 0.4
        """Whether the first element begins with one that is stored before."""
        self.text = self.program()

    def pick(self, *options):
        return self.random.choice(options)

    def program(self) -> str:
        row = "i" if self.rows else "0"
        head = "for i, j in grid(n, m)" if self.rows else "for j in 0..m"
        self.at = f"{row}, j"
        target, before = (f"Y[{row}, j + 1]", f"Y[{row}, j]")
        if self.down:
            target, before = f"Y[{row}, m - 1 - j]", f"Y[{row}, m - j]"
        start = self.pick(self.literal(), f"S[{row}]", self.load())
        self.before = before if self.is_stored else f"if_then_else(j > 0, {before}, {start})"
        self.later = before
        value = self.step()
        if self.random.random() < 0.15:
            self.before = before
            value = f"if_then_else(j == 0, {self.value()}, {self.step()})"
        if self.random.random() < 0.15:
            condition = f"j > 0 && {self.condition()}"
            self.before = before
            value = f"if_then_else({condition}, {self.moved()}, {self.value()})"
        params = PARAMS.format(self.dtype, "n" if self.rows else "1")
        return f"prim_func @f({params}) {{ {head} {{ {target} = {value}; }} }}"

    def literal(self) -> str:
        if self.dtype == "bool":
            return self.pick("true", "false")
        if not self.is_integer:
            return self.pick("0.0", "1.0", "-0.0")
        return self.pick("0", "0", "1", "3") if self.dtype.startswith("u") else self.pick("0", "0", "1", "-3")

    def load(self) -> str:
        return self.pick(f"X[{self.at}]", f"Z[{self.at}]", "W[j]", f"S[{self.at.split(',', maxsplit=1)[0]}]")

    def value(self) -> str:
        if self.is_integer and self.random.random() < 0.2:
            return f"({self.load()} {self.pick('+', '-')} {self.load()})"
        return self.pick(self.literal(), self.load(), self.load())

    def condition(self) -> str:
        plain = self.pick(f"V[{self.at}]", f"F[{self.at}] > 0.0", f"F[{self.at}] <= W[j]", f"!V[{self.at}]")
        if "W[j]" in plain and self.dtype != "float64":
            plain = f"F[{self.at}] < 1.0"
        return plain if self.random.random() < 0.8 else f"{plain} {self.pick('&&', '||')} V[{self.at}]"

    def moved(self) -> str:
        """Return the value before, perhaps with something added."""
        if not self.is_integer:
            return self.before
        value = self.before
        for _ in range(self.pick(0, 1, 1, 2)):
            value = f"({value} {self.pick('+', '+', '-')} {self.value()})"
        return f"({self.value()} + {value})" if self.random.random() < 0.2 else value

    def step(self) -> str:
        kind = self.random.random()
        if self.is_integer and kind < 0.45:
            op = self.pick("max", "max", "min")
            value = f"{op}({self.moved()}, {self.value()})"
            if self.random.random() < 0.2:
                value = f"{op}({self.value()}, {value})"
            return f"{value} {self.pick('+', '-')} {self.value()}" if self.random.random() < 0.3 else value
        choice = self.pick("if_then_else", "if_then_else", "select")
        sides = [self.moved(), self.value()]
        if self.random.random() < 0.2:
            sides[1] = f"if_then_else({self.condition()}, {self.moved()}, {self.value()})"
        if self.random.random() < 0.5:
            sides.reverse()
        value = f"{choice}({self.condition()}, {', '.join(sides)})"
        return f"{value} + {self.value()}" if self.is_integer and self.random.random() < 0.2 else value

    def numbers(self, shape: tuple[int, ...], numbers: np.random.Generator) -> np.ndarray:
        if self.dtype == "bool":
            return numbers.random(shape) < 0.5
        if not self.is_integer:
            found = numbers.integers(-3, 4, shape).astype(self.dtype)
            found[numbers.random(shape) < 0.2] = np.nan
            return found
        limits = np.iinfo(self.dtype)
        found = numbers.integers(0 if limits.min == 0 else -4, 5, shape).astype(self.dtype)
        if self.is_extreme:
            limit = [limits.min, limits.max, limits.max // 2, limits.min // 2 + 1]
            near = np.array(limit, self.dtype)[numbers.integers(0, len(limit), shape)]
            found = np.where(numbers.random(shape) < 0.3, near, found)
        return found

    def arguments(self) -> list[object]:
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        self.is_extreme = self.random.random() < 0.4
        n, m = self.sizes
        f = numbers.integers(-2, 3, (n, m)).astype(np.float64)
        f[numbers.random((n, m)) < 0.2] = np.nan
        v = numbers.random((n, m)) < self.pick(0.0, 0.3, 0.8, 1.0)
        x, z, s, w, y = [self.numbers(shape, numbers) for shape in ((n, m), (n, m), (n,), (m,), (n, m + 1))]
        return [x, z, f, v, s, w, y]
