"""Random PrimFuncs of the kinds that compilers meet: gathers, scatters, scans, windows, padding, argmax, `while`.

Each program is one to three nests made from templates with random pieces, on the same buffers; indices and row
pointers are sometimes outside. Numbers are small whole ones, so that sums are exact in any order.
"""

from __future__ import annotations

import random

import numpy as np

DTYPES = ("int64", "int32", "int8", "uint8", "float32", "float32", "float64", "float16")
PARAMS = (
    "X: Buffer[(n, m), {0}], Z: Buffer[(m,), {0}], I: Buffer[(n,), int64], P: Buffer[(n + 1,), int64], "
    "Q: Buffer[(n, m), int8], Y: Buffer[(n, m), {0}], V: Buffer[(n,), {0}], K: Buffer[(n,), int64], k: int64"
)


class Kernel:
    """One random program and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.pick(*DTYPES)
        self.n, self.m = self.pick(0, 1, 2, 3, 4, 5, 6), self.pick(0, 1, 2, 4, 5, 8)
        self.counter = 0
        count = self.pick(1, 1, 1, 2, 3)
        nests = [self.random.choice(TEMPLATES)(self) for _ in range(count)]
        self.text = f"prim_func @f({PARAMS.format(self.dtype)}) {{\n" + "\n".join(nests) + "\n}\n"

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def literal(self) -> str:
        return self.pick("0", "1", "2", "3")

    def element(self, i: str = "i", j: str = "j") -> str:
        return self.pick(
            f"X[{i}, {j}]", f"X[{i}, {j}]", f"Z[{j}]", f"V[{i}]", f"cast({j}, {self.dtype})", self.literal()
        )

    def value(self, i: str = "i", j: str = "j") -> str:
        a, b = self.element(i, j), self.element(i, j)
        return self.pick(a, f"{a} + {b}", f"{a} * {b}", f"max({a}, {b})", f"select({a} < {b}, {a}, {b})")

    def op(self) -> str:
        return self.pick("=", "=", "+=", "-=", "*=")

    def gather(self) -> str:
        row = self.pick("I[i]", "I[i]", "I[i] - 1", "I[n - 1 - i]", "I[I[i]]", "max(I[i], 0)")
        column = self.pick("j", "m - 1 - j", "0", "j // 2", "j % 2")
        store = f"Y[i, j] {self.op()} {self.pick('', '2 * ')}X[{row}, {column}];"
        if self.chance(0.3):
            store = f"if {self.pick('I[i] > 0', 'I[i] >= 0 && I[i] < n', 'Q[i, j] > 0')} {{ {store} }}"
        return f"for i, j in grid(n, m) {{ {store} }}"

    def scatter(self) -> str:
        row = self.pick("I[i]", "I[i]", "I[i] + 1", "n - 1 - I[i]", "i // 2", "(i * 3) % n")
        store = f"Y[{row}, {self.pick('j', 'j', '0', 'm - 1 - j')}] {self.op()} {self.value()};"
        if self.chance(0.3):
            store = f"if {self.pick('Q[i, j] > 0', 'i < k', 'j != 1')} {{ {store} }}"
        return f"for {self.pick('i, j in grid(n, m)', 'j, i in grid(m, n)')} {{ {store} }}"

    def divided(self) -> str:
        c = self.pick("2", "3", "4", "m", "n")
        loops = f"for i in 0..{self.pick('n', 'n * 2', 'n * m', 'm * 4', '8')}"
        left = self.pick(
            f"Y[i // {c}, i % {c}]", f"Y[i % {c}, i // {c}]", "Y[i // m, i % m]", "V[i // 2]", "V[i]"
        )
        right = self.pick(
            f"X[i // {c}, i % {c}]", "X[i // m, i % m]", "Z[i % 3]", "V[(i * 2) // 3]", "X[(i + 1) // 2, 0]"
        )
        return f"{loops} {{ {left} {self.op()} {right}; }}"

    def scan(self) -> str:
        start = self.pick("0", "1", "V[i]")
        before = self.pick("j > 0, Y[i, j - 1]", "j >= 1, Y[i, j - 1]", "i > 0, Y[i - 1, j]", "j > 1, Y[i, j - 2]",
                           "j < m - 1, Y[i, j + 1]", "i > 0 && j > 0, Y[i - 1, j - 1]")  # fmt: skip
        body = f"if_then_else({before}, {start}) {self.pick('+', '*', '-')} {self.value()}"
        if self.chance(0.2):
            body = f"max(if_then_else({before}, {start}), {self.value()})"
        return f"for {self.pick('i, j in grid(n, m)', 'j, i in grid(m, n)')} {{ Y[i, j] = {body}; }}"

    def padded(self) -> str:
        a, b = self.pick("0", "1", "2"), self.pick("1", "2", "k")
        inside = self.pick(f"j >= {a} && j < m - {b}", f"i >= {a} && j >= {b}", f"j < {b}", f"!(j < {a} || i == 1)",
                           f"i - j >= {a}", f"i + j < n && j > {a}")  # fmt: skip
        index = self.pick(f"i, j - {a}", f"i - {a}, j", f"i, j + {b}", "i - j, j", f"i, m - 1 - {a} + j - j")
        other = self.pick(self.literal(), "Z[j]", "V[i]", f"if_then_else(j == {b}, Z[j], {self.literal()})")
        choice = f"if_then_else({inside}, X[{index}], {other})"
        value = self.pick(choice, f"{choice} * {self.element()}", f"{self.element()} + {choice}")
        if self.chance(0.3):
            return f"for i, j in grid(n, m) {{ V[i] {self.pick('+=', '-=')} {value}; }}"
        return f"for i, j in grid(n, m) {{ Y[i, j] {self.op()} {value}; }}"

    def window(self) -> str:
        s, taps = self.pick("1", "2"), self.pick("2", "3")
        place = f"j * {s} + r" + self.pick("", "", " - 1")
        row = self.pick("i", "i", "i + q", "i * 2 + q")
        load = f"X[{row}, {place}]"
        if self.chance(0.6):
            load = f"if_then_else({place} >= 0 && {place} < m && {row} < n, {load}, {self.literal()})"
        step = self.pick(
            f"Y[i, j] = max(Y[i, j], {load});", f"Y[i, j] += {load};", f"Y[i, j] += {load} * Z[r];"
        )
        first = f"Y[i, j] = {self.literal()};" if self.chance(0.7) else ""
        wide = self.pick("n, m", "n, m // 2", "n // 2, m // 2")
        return f"for i, j in grid({wide}) {{ {first} for q, r in grid({self.pick('1', '2')}, {taps}) {{ {step} }} }}"

    def best(self) -> str:
        op = self.pick("<", "<=", ">", ">=")
        axis = self.pick("i, j in grid(n, m)", "j, i in grid(m, n)")
        start = f"for i in 0..n {{ V[i] = {self.literal()}; K[i] = {self.pick('-1', '0', '7')}; }}"
        x = self.pick("X[i, j]", "X[i, m - 1 - j]", "X[i, j] * 2", "X[n - 1 - i, j]")
        if self.chance(0.5):
            place = self.pick("j", "j * 2", "i + j")
            return f"{start} for {axis} {{ if V[i] {op} {x} {{ V[i] = {x}; K[i] = {place}; }} }}"
        tie = f" || V[i] == {x} && j < K[i]" if op in "<>" and self.chance(0.5) else ""
        return (
            f"{start} for {axis} {{ let wins = V[i] {op} {x}{tie}; let at = select(wins, j, K[i]); "
            f"let best = select(wins, {x}, V[i]); K[i] = at; V[i] = best; }}"
        )

    def repeated(self) -> str:
        test = self.pick("C[()] < 3", "C[()] < I[i]", "C[()] < m && X[i, C[()]] > 0", "K[i] > 0 && C[()] < 4")
        body = self.pick(
            "K[i] -= 1;", "Y[i, 0] += 1;", f"for j in 0..m {{ Y[i, j] += {self.element()}; }}", "V[i] += 1;"
        )
        last = self.pick("K[i] = C[()];", "", "Y[i, C[()]] = 1;")
        return (
            f"for i in 0..n {{ alloc C: Buffer[(), int64]; C[()] = 0; "
            f"while {test} {{ {body} C[()] += 1; }} {last} }}"
        )

    def ragged(self) -> str:
        bounds = self.pick("0..i", "i..m", "P[i]..P[i + 1]", "0..I[i]", "0..min(i + 1, m)", "i + 1..n")
        place = self.pick("Y[i, j]", "V[i]", "Y[i, 0]", "V[j]")
        return f"for i in 0..n {{ for j in {bounds} {{ {place} {self.op()} {self.value()}; }} }}"

    def product(self) -> str:
        out = self.pick("K[i]", "K[0]", "K[j]")
        a = self.pick("cast(Q[i, j], int64)", "I[i]", "cast(Q[n - 1 - i, j], int64)")
        b = self.pick("cast(Q[i, j], int64)", "cast(j, int64)", "P[i]", "I[i]")
        first = f"for i in 0..n {{ K[i] = {self.literal()}; }}" if self.chance(0.6) else ""
        return f"{first} for i, j in grid(n, {self.pick('m', 'm', 'min(n, m)')}) {{ {out} += {a} * {b}; }}"

    def matmul(self) -> str:
        """Write a product of matrices into rows and columns that exist in both."""
        factor = self.pick(
            "X[i, l] * X[j, l]", "X[i, l] * Z[l] * X[j, l]", "X[i, l] * Z[l]", "X[j, l] * V[i]"
        )
        size = "min(n, m)"
        return f"for i, j, l in grid({size}, {size}, m) {{ Y[i, j] {self.pick('+=', '-=')} {factor}; }}"

    def staged(self) -> str:
        row = self.pick(
            "", "T[j] = T[j] - T[m - 1 - j];", "for q in 0..m { V[i] += T[q]; }", "if T[j] > 1 { T[j] = 0; }"
        )
        row = row if "for q" not in row else ""
        middle = "for q in 0..m { V[i] += T[q]; }" if self.chance(0.5) else ""
        return (
            f"for i in 0..n {{ alloc T: Buffer[(m,), {self.dtype}]; for j in 0..m {{ T[j] = {self.value()}; }} "
            f"for j in 0..m {{ {row} }} {middle} "
            f"for j in 0..m {{ Y[i, j] {self.op()} T[{self.pick('j', 'm - 1 - j')}]; }} }}"
        ).replace("for j in 0..m {  }", "")

    def arguments(self) -> list[object]:
        """Return arrays for the parameters, and k."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        n, m = self.n, self.m
        low = 0 if self.dtype == "uint8" else -2

        def whole(*shape: int) -> np.ndarray:
            return numbers.integers(low, 4, shape).astype(self.dtype)

        wild = self.chance(0.2)
        index = numbers.integers(-1 if wild else 0, max(1, n + wild), (n,))
        pointers = np.sort(numbers.integers(-1 if wild else 0, max(1, m + 1 + wild), (n + 1,)))
        small = numbers.integers(-3, 4, (n, m)).astype(np.int8)
        y = whole(n, m)
        x = y if self.chance(0.1) else whole(n, m)
        return [
            x,
            whole(m),
            index,
            pointers,
            small,
            y,
            whole(n),
            numbers.integers(-2, 5, (n,)),
            self.pick(-1, 0, 1, 2, 9),
        ]


TEMPLATES = (
    Kernel.gather, Kernel.scatter, Kernel.divided, Kernel.scan, Kernel.padded, Kernel.window, Kernel.best,
    Kernel.repeated, Kernel.ragged, Kernel.product, Kernel.matmul, Kernel.staged,
)  # fmt: skip
