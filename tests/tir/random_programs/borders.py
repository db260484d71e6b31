"""Random programs at the borders of dtypes: indices that bits, remainders, quotients, shifts and limits keep inside.

The generator takes what the language reference has, not what the compiler knows. Tables are as large as the greatest
index, one element smaller, or larger.
"""

from __future__ import annotations

import random

import numpy as np

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
DTYPES = (*INTEGERS, "int64", "float64", "float32", "bool")
EXTENTS = (1, 2, 7, 8, 9, 15, 16, 17, 128, 255, 256)
SIZES = (0, 1, 2, 3, 5, 5, 9, 40)


class Borders:
    """Loops over arrays of one dtype, with indices that are computed in another one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"borders {seed}")
        self.dtype = self.pick(*DTYPES)
        self.key = self.pick(*INTEGERS)
        self.is_float = self.dtype.startswith("float")
        self.extent = self.pick(*EXTENTS)
        self.lets: list[str] = []
        self.sequential = self.random.random() < 0.5
        loops = [self.loop() for _ in range(self.pick(1, 1, 2))]
        self.text = (
            f"prim_func @f(X: Buffer[(n,), {self.dtype}], K: Buffer[(n,), {self.key}], "
            f"T: Buffer[({self.extent},), {self.dtype}], Y: Buffer[(n,), {self.dtype}], "
            f"S: Buffer[(3,), {self.dtype}], C: Buffer[(n,), bool], k: {self.key}) {{ {' '.join(loops)} }}"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def loop(self) -> str:
        self.lets = []
        body = [self.statement() for _ in range(self.pick(1, 1, 2, 3))]
        if self.sequential:
            self.lets = []
            body.insert(self.random.randrange(len(body) + 1), self.waiting())
        start = self.pick("0", "0", "0", "1", "2")
        return f"for i in {start}..{self.pick('n', 'n', 'n', 'min(n, 5)')} {{ {' '.join(body)} }}"

    def waiting(self) -> str:
        """Return a statement that waits for an earlier iteration."""
        before = self.pick("Y[i - 1]", "Y[i - 2]", "S[0]", "S[1]", "Y[max(i - 1, 0)]", f"T[{self.index()}]")
        return self.pick(
            f"Y[i] = {self.combined(before, self.value(1))};",
            f"S[0] = {self.combined('S[1]', self.value(1))}; S[1] = {self.combined('S[0]', before)};",
            f"if {self.condition()} {{ S[i % 3] = {self.value(1)}; }} else {{ Y[i] = {before}; }}",
            f"S[0] = {self.value(1)}; if S[0] == {before} {{ {self.pick('break', 'continue')}; }}",
        )

    def statement(self) -> str:
        kind = self.random.random()
        if kind < 0.15 and not self.is_bool:
            name = f"v{len(self.lets)}"
            text = f"let {name} = {self.value(2)};"
            self.lets.append(name)
            return text
        if kind < 0.25:
            return f"T[{self.index()}] {'=' if self.is_bool else self.pick('=', '+=', '-=')} {self.value(1)};"
        if kind < 0.4:
            return f"if {self.condition()} {{ Y[i] = {self.value(2)}; }}"
        if kind < 0.5:
            return f"C[i] = {self.condition()};"
        if kind < 0.6 and not self.is_bool:
            return f"S[{self.pick('0', '1', '2')}] {self.pick('+=', '-=')} {self.value(1)};"
        if kind < 0.68:
            return f'assert {self.condition()} || i < {self.pick("3", "n - 1")}, "stop";'
        return f"Y[i] = {self.value(2)};"

    @property
    def is_bool(self) -> bool:
        return self.dtype == "bool"

    def value(self, depth: int) -> str:
        """Return a value of the dtype of the arrays."""
        if self.is_bool:
            return f"T[{self.index()}]" if self.chance(0.3) else self.condition()
        if depth <= 0 or self.chance(0.25):
            return self.pick(
                "X[i]", "X[i]", f"T[{self.index()}]", "S[2]", "X[n - 1 - i]", self.literal(), *self.lets
            )
        if self.chance(0.12):
            choose = self.pick("select", "if_then_else")
            return f"{choose}({self.condition()}, {self.value(depth - 1)}, {self.value(depth - 1)})"
        if self.chance(0.1):
            return f"cast({self.pick(f'cast({self.keyed(1)}, int64)', self.condition())}, {self.dtype})"
        return self.combined(self.value(depth - 1), self.value(depth - 1))

    def literal(self) -> str:
        if self.is_float:
            return self.pick("0.0", "1.0", "-2.0", "inf")
        return self.pick("0", "1", "3", f"min_value({self.dtype})", f"max_value({self.dtype})")

    def combined(self, a: str, b: str) -> str:
        if self.is_bool:
            return f"({a} {self.pick('&&', '||', '==', '!=')} {b})"
        op = self.pick("+", "-", "*", "min", "max")
        if not self.is_float and self.chance(0.3):
            op = self.pick("&", "|", "^", "//", "%", "/")
        return f"{op}({a}, {b})" if op.isalpha() else f"({a} {op} {b})"

    def condition(self) -> str:
        if self.chance(0.2):
            return self.pick("C[i]", "(!C[i])", f"(C[i] {self.pick('&&', '||')} {self.comparison()})")
        return self.comparison()

    def comparison(self) -> str:
        compared = self.pick("==", "!=", "<", "<=", ">", ">=")
        keys = f"({self.keyed(1)} {compared} {self.keyed(1)})"
        if self.is_bool:
            return self.pick("X[i]", "(!X[i])", keys)
        if self.is_float and self.chance(0.2):
            return self.pick("isnan(X[i])", "isfinite(X[i])", "isinf(S[2])")
        return self.pick(f"(X[i] {compared} {self.literal()})", keys)

    def index(self) -> str:
        """Return an index of the table."""
        inner = self.keyed(self.pick(1, 2, 2, 3))
        number = inner if self.key == "int64" else f"cast({inner}, int64)"
        bound = self.pick(self.extent, self.extent, self.extent, self.extent + 1, max(self.extent - 1, 1))
        return self.pick(
            number,
            f"{number} % {bound}",
            f"{number} % {bound}",
            f"({number} & {bound - 1})",
            f"({number} & {bound - 1})",
            f"max(min({number}, {bound - 1}), 0)",
            f"min(max({number}, 0), {bound - 1})",
            f"{number} // {bound}",
            f"({number} % {bound} + {self.pick('1', 'i')}) % {bound}",
            f"cast(cast({number}, {self.pick(*INTEGERS)}), int64) % {bound}",
            f"cast({self.comparison()}, int64)",
        )

    def keyed(self, depth: int) -> str:
        """Return an integer of the dtype of the keys."""
        if depth <= 0 or self.chance(0.2):
            limit = self.pick("min_value", "max_value")
            return self.pick("K[i]", "K[i]", "K[i]", "k", "1", "3", "7", f"{limit}({self.key})")
        a, b = self.keyed(depth - 1), self.keyed(depth - 1)
        small = self.pick(1, 2, 3, 7, 8, 15, 16, 100)
        shift = self.pick(0, 1, 3, 7, 7, "(K[i] & 7)")
        return self.pick(
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {small})",
            f"({a} & {b})",
            f"({a} & {small})",
            f"({a} | {small})",
            f"({a} ^ {b})",
            f"({a} % {small})",
            f"({a} // {small})",
            f"({a} >> {shift})",
            f"({a} << {shift})",
            f"min({a}, {b})",
            f"max({a}, {small})",
            f"abs({a})" if self.key[0] == "i" else f"({a} >> 1)",
            f"(-{a})",
            f"cast(cast({a}, {self.pick(*INTEGERS)}), {self.key})",
            f"select({a} < {b}, {a}, {small})",
            f"popcount({a})" if self.chance(0.5) else f"(~{a})",
        )

    def arguments(self, n: int | None = None) -> list[object]:
        """Return arguments of some size, some of them views of others, or of other layouts."""
        n = self.pick(*SIZES) if n is None else n
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        x, y, t, s = [self._values(rng, self.dtype, size) for size in (n, n, self.extent, 3)]
        keys, conditions = self._values(rng, self.key, n), rng.random(n) < 0.5
        if self.chance(0.15):
            x, y = self._alike(x, y)
        if self.chance(0.1) and self.key == self.dtype:
            keys = y
        if self.chance(0.1):
            x = x[::-1]
        if self.chance(0.1):
            y = np.repeat(y, 2)[::2]
        number = int(self._values(rng, self.key, 1)[0])
        return [x, keys, t, y, s, conditions, number]

    def _alike(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = np.concatenate([x, y[:1]])
        return self.pick((y, y), (both[1:], both[: len(x)]), (both[: len(x)], both[1:]), (y[::-1], y))

    def _values(self, rng: np.random.Generator, dtype: str, size: int) -> np.ndarray:
        if dtype == "bool":
            return rng.random(size) < 0.5
        if dtype.startswith("float"):
            values = rng.integers(-3, 4, size).astype(dtype)
            if self.random.random() < 0.3:
                special = np.array([np.nan, np.inf, -np.inf, -0.0], dtype)
                some = rng.random(size) < 0.2
                values[some] = rng.choice(special, int(some.sum()))
            return values
        limits = np.iinfo(dtype)
        kind = self.random.random()
        if kind < 0.3:
            return rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
        if kind < 0.5:
            few = [limits.min, limits.min + 1, 0, 1, 2, limits.max - 1, limits.max]
            return np.array([self.pick(*few) for _ in range(size)], dtype)
        return rng.integers(0 if limits.min == 0 or kind < 0.8 else -4, 18, size).astype(dtype)
