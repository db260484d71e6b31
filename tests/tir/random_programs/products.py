"""Random PrimFuncs with sums of products of small integers, counts of two conditions, and with short loops that
conditions and indices mix.

Types, zero points, casts around products, transposed factors, windows with their padding inside, strided stores,
tiles with a `where`. Numbers are often the extremes of their types, sums sometimes long, so that they pass what
float32 holds exactly; floats are small whole numbers.
"""

from __future__ import annotations

import random

import numpy as np

SMALL = ("int8", "uint8", "int8", "uint8", "int16", "uint16", "bool")
TARGETS = ("int32", "int32", "int64", "int16", "uint32", "float32", "float64")


class Product:
    """One random program and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.a, self.b = self.pick(*SMALL), self.pick(*SMALL)
        self.dtype = self.pick(*TARGETS)
        self.is_float = "float" in self.dtype
        self.wide = "int32" if self.is_float or self.chance(0.5) else self.dtype
        self.n, self.m = self.pick(0, 1, 2, 3, 5, 9), self.pick(0, 1, 2, 4, 17)
        self.k = self.pick(0, 1, 2, 3, 40, 90)
        body = "\n".join([self.random.choice(TEMPLATES)(self) for _ in range(self.pick(1, 1, 2))])
        self.text = (
            f"prim_func @f(A: Buffer[(n, k), {self.a}], B: Buffer[(k, m), {self.b}], D: Buffer[(m, k), {self.b}], "
            f"S: Buffer[(n,), {self.pick('int32', 'uint8')}], T: Buffer[(m,), int32], W: Buffer[(3, 2), {self.dtype}], "
            f"X: Buffer[(n, m), {self.dtype}], C: Buffer[(n, m), {self.dtype}], Y: Buffer[(n * 2 + 2, m * 2), "
            f"{self.dtype}], z: {self.wide}) {{\n{body}\n}}\n"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def factor(self, load: str, zero: str) -> str:
        value = f"cast({load}, {self.wide})"
        if self.chance(0.5):
            return value
        zero = self.pick("z", "z", f"cast({zero}, {self.wide})", f"cast(3, {self.wide})")
        return self.pick(
            f"({value} - {zero})", f"({value} + {zero})", f"({zero} + {value})", f"({zero} - {value})"
        )

    def cast(self, value: str) -> str:
        return value if self.wide == self.dtype else f"cast({value}, {self.dtype})"

    def start(self) -> str:
        return self.pick("", "", f"C[i, j] = {self.pick('0', '1')};")

    def product(self) -> str:
        """Write a product of matrices of small integers."""
        a = self.factor("A[i, p]", "S[i]")
        b = self.factor(self.pick("B[p, j]", "D[j, p]"), "T[j]")
        value = f"{a} * {b}"
        if self.wide == self.dtype and self.chance(0.2):
            middle = self.pick("int16", "int32", "uint8")
            value = f"cast(cast(A[i, p], {middle}) * cast(B[p, j], {middle}), {self.dtype})"
        elif self.wide != self.dtype:
            value = f"cast({value}, {self.dtype})"
        op = "+=" if self.is_float else self.pick("+=", "+=", "-=")
        loops = self.pick("i, j, p in grid(n, m, k)", "p, i, j in grid(k, n, m)")
        first = self.start()
        before = f"for i, j in grid(n, m) {{ {first} }}\n" if first else ""
        return f"{before}for {loops} {{ C[i, j] {op} {value}; }}"

    def condition(self, load: str, zero: str) -> str:
        """Write a condition on an element, or on one and what is compared with it."""
        value = f"cast({load}, int32)"
        return self.pick(
            f"{value} > 1", f"{value} == cast({zero}, int32)", f"!({value} < cast({zero}, int32))",
            f"100 // {value} > 3", f"({value} > 2 || {value} < cast({zero}, int32))",
        )  # fmt: skip

    def counted(self) -> str:
        """Write a count, or a sum of one number, over the iterations in which conditions on two matrices hold."""
        a = self.condition("A[i, p]", "S[i]")
        b = self.condition(self.pick("B[p, j]", "D[j, p]"), "T[j]")
        more = self.pick("", "", " && S[i] > 3", " && A[i, p] == A[i, 0]", " || T[j] > 2")
        both = f"({a}) {self.pick('&&', '&&', '||', '!=')} ({b}){more}"
        number = self.pick("1.0", "2.5") if self.is_float else self.pick("1", "1", "3")
        op = self.pick("+=", "+=", "-=")
        if self.chance(0.5):
            step = f"C[i, j] {op} cast({both}, {self.dtype});"
        else:
            step = f"if {both} {{ C[i, j] {op} {number}; }}"
        first = self.start()
        before = f"for i, j in grid(n, m) {{ {first} }}\n" if first else ""
        return f"{before}for i, j, p in grid(n, m, k) {{ {step} }}"

    def padded(self) -> str:
        """Write a window over an array with the condition that keeps it inside, or nearly so."""
        s = self.pick("1", "1", "2")
        rows, columns = self.pick("1", "1", "0"), self.pick("1", "0", "2")
        y, x = f"i * {s} + r", "j + q"
        tests = [f"{y} >= {rows}", f"{y} < n + {rows}", f"{x} >= {columns}", f"{x} < m + {columns}"]
        if self.chance(0.2):
            tests.remove(self.random.choice(tests))
        inside, load = " && ".join(tests), f"X[{y} - {rows}, {x} - {columns}]"
        value = self.pick(f"{load} * W[r, q]", load, f"{load} + W[r, q]")
        op = self.pick("+=", "+=", "max")
        step = f"C[i, j] += {value};" if op == "+=" else f"C[i, j] = max(C[i, j], {value});"
        if self.chance(0.5):
            body = f"if {inside} {{ {step} }}"
        else:
            body = step.replace(load, f"if_then_else({inside}, {load}, {self.pick('0', '1')})")
        return f"for i, j, r, q in grid(n, m, 3, 2) {{ {body} }}"

    def strided(self) -> str:
        """Write a store or a sum at places that a short loop moves."""
        place = self.pick(
            "i * 2 + r, j * 2 + q", "i * 2 + r, j", "i + r, j * 2 + q", "r * i, j", "i * 2 + r, q"
        )
        value = self.pick("X[i, j] * W[r, q]", "X[i, j]", "W[r, q]", "X[i, j] + W[r, 0]")
        op = self.pick("+=", "+=", "+=", "=", "-=")
        order = self.pick("i, j, r, q in grid(n, m, 3, 2)", "r, i, q, j in grid(3, n, 2, m)")
        return f"for {order} {{ Y[{place}] {op} {value}; }}"

    def tiled(self) -> str:
        """Write an operation in tiles, with a condition that cuts off what is too much."""
        size = self.pick("2", "3", "4")
        more = int(size) - 1
        i, j = f"io * {size} + ii", self.pick(f"jo * {size} + ji", f"ji * ((m + {more}) // {size}) + jo")
        where = f"where {i} < n && {j} < m"
        step = self.pick(
            "C[vi, vj] = X[vi, vj] + 1;", "C[vi, vj] += X[vi, vj];", "C[vi, vj] = X[n - 1 - vi, vj];",
            f"C[vi, vj] = if_then_else(vi % {size} == 0, X[vi // {size}, vj], 2);",
        )  # fmt: skip
        return (
            f"for io, jo, ii, ji in grid((n + {more}) // {size}, (m + {more}) // {size}, {size}, {size}) {{ "
            f"block b (vi = spatial({i}), vj = spatial({j})) {where} {{ {step} }} }}"
        )

    def shuffled(self) -> str:
        """Write a change of layout by divisions."""
        rows = self.pick("i % 4 // 2", "i // 2 % 2", "i % 2", "(i + 1) // 2", "i % 4 % 2")
        store = self.pick("Y[i, j]", "Y[i, j]", "Y[i // 4 * 2 + i % 2, j]")
        step = f"{store} {self.pick('=', '=', '+=')} X[i // 4, j] * W[{rows}, {self.pick('j % 2', '0', 'i % 2')}];"
        return f"for i, j in grid({self.pick('n * 4', 'n * 4', '8', 'n')}, m) {{ {step} }}"

    def arguments(self) -> list[object]:
        """Return arrays for the parameters, and z."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        n, m, k = self.n, self.m, self.k

        def small(dtype: str, *shape: int) -> np.ndarray:
            if dtype == "bool":
                return numbers.random(shape) < 0.5
            limits = np.iinfo(dtype)
            if numbers.random() < 0.4:
                return numbers.choice([limits.min, limits.max], shape).astype(dtype)
            return numbers.integers(limits.min, limits.max, shape, dtype, endpoint=True)

        def whole(*shape: int) -> np.ndarray:
            return numbers.integers(0 if self.dtype[0] == "u" else -3, 4, shape).astype(self.dtype)

        a, b, d = small(self.a, n, k), small(self.b, k, m), small(self.b, m, k)
        s, t = small("uint8", n), small("int32", m)
        if self.is_float:
            a, b, d = [(x.astype(np.int64) % 8).astype(x.dtype) for x in (a, b, d)]
            s, t = s % 8, t % 8
        elif self.chance(0.5):
            t = t % 300
        kind = self.text.split("S: Buffer[(n,), ")[1].split("]")[0]
        z = self.pick(0, 1, 5, 100) if self.is_float or self.chance(0.7) else self.pick(30_000, -30_000)
        if self.wide == "uint32":
            z = abs(z)
        x = whole(n, m)
        c = x if self.chance(0.1) else whole(n, m)
        return [a, b, d, s.astype(kind), t, whole(3, 2), x, c, whole(n * 2 + 2, m * 2), z]


TEMPLATES = (
    Product.product, Product.product, Product.counted,
    Product.padded, Product.padded, Product.strided, Product.tiled, Product.shuffled,
)  # fmt: skip
