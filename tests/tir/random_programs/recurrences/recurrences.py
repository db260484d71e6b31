"""Random recurrences of one dimension: each element is computed from ones stored before it, and from other arrays."""

from __future__ import annotations

import random

import numpy as np

DTYPES = ("int64", "int64", "int32", "int8", "uint8", "uint32", "float64", "float64", "float32")
PARAMS = (
    "X: Buffer[(n,), {0}], Z: Buffer[(n,), {0}], Y: Buffer[(n + 3,), {0}], K: Buffer[(n,), int64],"
    " S: Buffer[(2,), {0}], m: int64"
)


class Recurrence:
    """A loop over an array, up or down, whose steps read what earlier ones, or later ones, store."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"recurrence {seed}")
        self.dtype = self.pick(*DTYPES)
        self.is_float = self.dtype.startswith("float")
        self.terms = 0
        """How many values are combined in all: more than one may be taken in any order, which infinities show."""
        self.down = self.random.random() < 0.25
        self.start = self.pick("0", "0", "0", "1", "2", "min(n, 3)")
        body = [self.step() for _ in range(self.pick(1, 1, 1, 2))]
        if self.random.random() < 0.2:
            body.append(
                f"S[{self.pick('0', 'i % 2')}] = {self.combined(self.pick('S[0]', 'S[1]'), self.value())};"
            )
        body = [self.guarded(one) for one in body]
        self.text = (
            f"prim_func @f({PARAMS.format(self.dtype)}) {{ for i in {self.start}..n {{ {' '.join(body)} }} }}"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def place(self, by: int) -> str:
        """Return an index of Y, some elements away from the one of the iteration."""
        at = f"n + 2 - i - {2 - by}" if self.down else f"i + {by}"
        return at.replace("- 0", "").replace("+ 0", "")

    def step(self) -> str:
        target = self.pick(0, 1, 1, 2)
        before = [by for by in range(3) if (by > target if self.down else by < target)]
        distances = [*before * 4, 0, 1, 2]
        read = f"Y[{self.place(self.pick(*distances))}]"
        if self.random.random() < 0.1:
            read = self.pick("Y[K[i]]", "Y[n + 2]", "Y[0]", f"Y[{self.place(target)} - m]")
        value = self.combined(read, self.value())
        if self.random.random() < 0.25:
            value = self.combined(value, self.value())
        if self.random.random() < 0.15:
            value = self.combined(value, f"Y[{self.place(self.pick(*distances))}]")
        if self.random.random() < 0.1:
            value = f"if_then_else(i > {self.pick(0, 1)}, {value}, {self.value()})"
        if self.random.random() < 0.1:
            return f"Y[{self.place(target)}] {self.pick('+=', '-=', '*=')} {read};"
        return f"Y[{self.place(target)}] = {value};"

    def combined(self, first: str, second: str) -> str:
        self.terms += 1
        parts = [first, second] if self.random.random() < 0.7 else [second, first]
        op = self.pick("+", "+", "+", "-", "*", "min", "max")
        if not self.is_float and self.random.random() < 0.15:
            op = self.pick("&", "|", "^")
        return f"{op}({', '.join(parts)})" if op.isalpha() else f"({parts[0]} {op} {parts[1]})"

    def value(self) -> str:
        one = "1.0" if self.is_float else "1"
        return self.pick(
            "X[i]", "X[i]", "X[i]", "X[n - 1 - i]", "Z[i]", f"(X[i] + {one})", "max(X[i], Z[i])", one
        )

    def guarded(self, statement: str) -> str:
        if self.random.random() < 0.8:
            return statement
        return f"if {self.pick('i > 0', 'X[i] > Z[i]', 'i % 2 == 0', 'm < 2')} {{ {statement} }}"

    def arguments(self) -> list[object]:
        n, rng = self.pick(0, 1, 2, 3, 5, 9, 40), np.random.default_rng(self.random.randrange(1 << 30))
        arrays = [self._values(rng, size) for size in (n, n, n + 3, 2)]
        if self.random.random() < 0.1:
            arrays[0] = arrays[2][3:] if self.random.random() < 0.5 else arrays[2][:n]
        if self.random.random() < 0.1:
            arrays[1] = arrays[0]
        x, z, y, s = arrays
        return [x, z, y, rng.integers(0, n + 3, n), s, self.pick(0, 1, 1, 2)]

    def _values(self, rng: np.random.Generator, size: int) -> np.ndarray:
        if self.is_float:
            values = rng.integers(-3, 4, size).astype(self.dtype)
            if self.terms == 1 and self.random.random() < 0.4:
                special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e30, 0.1], self.dtype)
                some = rng.random(size) < 0.2
                values[some] = rng.choice(special, int(some.sum()))
            return values
        limits = np.iinfo(self.dtype)
        if self.random.random() < 0.3:
            return rng.integers(limits.min, limits.max, size, dtype=self.dtype, endpoint=True)
        return rng.integers(0 if limits.min == 0 else -3, 4, size).astype(self.dtype)
