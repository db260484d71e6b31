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
            first = self.pick("Z[0] > X[i, j]", "V[n - 1] < Z[j]")  # which need not be there
            store = f"if {self.pick('Q[i, j] > 0', 'i < k', 'j != 1', first)} {{ {store} }}"
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
        if self.chance(0.3):
            return (
                f"{start} for {axis} {{ let keep = V[i] {op} {x}; let at = select(keep, K[i], j); "
                f"let best = select(keep, V[i], {x}); K[i] = at; V[i] = best; }}"
            )
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

    def together(self) -> str:
        """Write a `while` whose iterations have a state of their own, or nearly so; two of them in each other."""
        two = self.chance(0.4)
        state, place = ("Y[i, j]", "i, j") if two else (self.pick("V[i]", "Y[i, 0]", "Y[i, m - 1]"), "i")
        loops = self.pick("i, j in grid(n, m)", "j, i in grid(m, n)") if two else "i in 0..n"
        x = self.pick(
            "X[i, C[()]]", "X[I[i], C[()]]", "Z[C[()]]", "X[C[()], 0]", "V[i]", "1", "V[C[()]]", "Y[0, 0]"
        )
        y = "Z[j]" if two else "V[i]"
        test = self.pick(
            "C[()] < 3", "C[()] < K[i]", f"C[()] < m && {x} > 0", f"C[()] < 5 && {state} < 4",
            f"if_then_else(C[()] < m, {x} != {y}, false)", "C[()] < 4 && k > 0", "C[()] < m && C[()] < n",
        )  # fmt: skip
        step = self.pick(
            f"{state} {self.pick('+=', '-=', '=')} {x};",
            f"let old = {state}; {state} = {y}; S[0] = old; if S[0] < {state} {{ {state} += S[0]; }}",
            f"if {x} > 1 {{ {state} += 1; }} else {{ S[0] = {state}; }}",
            f"if k > 1 {{ if {state} > 0 {{ {state} = {y}; }} else {{ {state} += {y}; }} }}",
            f"{state} = if_then_else(C[()] < m, {x}, {y});",
            f"S[1] = 0; while S[1] < {self.pick('2', 'select(Q[i, 0] > 0, 3, 1)')} {{ {state} += {y}; S[1] += 1; }}",
            'assert C[()] < 3, "short";',
            f"K[{self.pick('i', 'i', '0', 'n - 1 - i')}] -= 1;",
        )
        guard = self.pick("", "", "", "if I[i] > 0", "if k > 0", "if Q[i, 0] > 0", "if i > 0")
        last = self.pick("", f"{state} += S[0];", "K[i] = C[()];" if place == "i" else "")
        body = f"while {test} {{ {step} C[()] += 1; }}"
        return (
            f"for {loops} {{ alloc C: Buffer[(), int64]; alloc S: Buffer[(2,), {self.dtype}]; C[()] = 0; "
            f"S[0] = 1; S[1] = 0; {f'{guard} {{ {body} }}' if guard else body} {last} }}"
        )

    def counted(self) -> str:
        """Write a loop with a count that says where to store, or nearly so."""
        count = self.pick("C[()]", "C[()]", "K[0]", "K[j]", "T[0]")
        guard = self.pick(
            "Q[i, 0] > 0", "X[i, 0] > Z[0]", "if_then_else(i > 0, V[i] != V[i - 1], true)", "I[i] > 0 && Q[i, 0] > 0",
            "V[i] > 0",
        )  # fmt: skip
        add = self.pick("1", "1", "2", "I[i]", "i", "cast(Q[i, 0], int64)")
        uses = [
            self.pick(f"Y[{count}, 0] = X[i, 0];", f"V[{count}] = X[i, 0];", f"Y[i, 0] += cast({count}, {self.dtype});",
                      f"if {count} < n {{ V[{count}] = Z[0]; }}", f"Y[i, {count}] = 1;", f"K[i] = {count};",
                      f"Y[{count} // 2, 0] += X[i, 0];")
            for _ in range(self.pick(1, 1, 2))
        ]  # fmt: skip
        step = self.pick(f"{count} += {add};", f"{count} = {count} + {add};", f"{count} = {add} + {count};",
                         f"{count} -= {add};")  # fmt: skip
        uses.insert(self.pick(0, len(uses)), step)
        body = " ".join(uses)
        if self.chance(0.3):
            body = f"if {guard} {{ {body} }} else {{ V[i] = 0; }}"
        elif self.chance(0.7):
            body = f"if {guard} {{ {body} }}"
        first = "alloc C: Buffer[(), int64]; alloc T: Buffer[(2,), int64]; T[0] = 0; "
        first += f"C[()] = {self.pick('0', '0', '1')};"
        if count == "K[j]":
            return f"{first} for j in 0..min(n, m) {{ for i in 0..n {{ {body} }} }}"
        return f"{first} for i in 0..n {{ {body} }}"

    def predicated(self) -> str:
        """Write a reduction with `init` in a block with `where`, on its reduce axis or another one."""
        loops = self.pick("i, j in grid(n, m)", "j, i in grid(m, n)", "i, j in grid(n, m - 1)")
        where = self.pick(
            "vj >= 1", "vj < k", "j > 0 && vi < 2", "i + j < n", "X[vi, vj] > 0", "Q[i, j] > 0", "I[vi] > 0",
            "vi != vj", "j == k", "Z[j] > V[i]", "X[I[i], j] != 1", "vj >= vi", "m - j > 1 || vi == 1",
        )  # fmt: skip
        target, axes = self.pick(
            ("Y[vi, 0]", "vi = spatial(i), vj = reduce(j)"), ("V[vi]", "vi = spatial(i), vj = reduce(j)"),
            ("K[vi]", "vi = spatial(i), vj = reduce(j)"), ("Y[0, vj]", "vi = reduce(i), vj = spatial(j)"),
        )  # fmt: skip
        value = self.value("vi", "vj") if target[0] != "K" else "vi * vj"
        step = self.pick(f"{target} += {value};", f"{target} = max({target}, {value});")
        before = self.pick("", "", "", "V[i] = 0;", "Y[i, 0] += 1;")
        inner = f"block sum ({axes}) where {where} {{ init {{ {target} = {self.literal()}; }} {step} }}"
        if before:
            return f"for i in 0..n {{ {before} for j in 0..m {{ {inner} }} }}"
        return f"for {loops} {{ {inner} }}"

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

    def stencil(self) -> str:
        """Combine neighbours, in rows that are shorter than those of the array."""
        row, column = self.pick("", "", "1", "2"), self.pick("", "1", "2", "2")
        loads = [
            f"X[i{self.pick('', *[f' + {at + 1}' for at in range(int(row or 0))])}, "
            f"j{self.pick('', *[f' + {at + 1}' for at in range(int(column or 0))])}]"
            for _ in range(self.pick(2, 3, 5))
        ]
        value = loads[0]
        for load in loads[1:]:
            value = self.pick(
                f"{value} + {load}", f"max({value}, {load})", f"select({value} < {load}, 1, {load})"
            )
        value = self.pick(
            value, f"({value}) * Z[j]", f"({value}) * ({loads[0]} - {loads[1]})", f"2 * ({value})"
        )
        wide = [f"{size} - {less}" if less else size for size, less in (("n", row), ("m", column))]
        store = self.pick("Y[i, j] =", "Y[i, j] =", "Y[i, j] +=", "X[i, j] =")
        return f"for i, j in grid({', '.join(wide)}) {{ {store} {value}; }}"

    def normalized(self) -> str:
        """Reduce rows, and go over them again with what came out: parts of the values are the same."""
        if self.dtype == "float16":
            return self.staged()  # where sums round at every step, nothing can be compared
        self.counter += 1
        s, w = f"S{self.counter}", f"W{self.counter}"
        part = self.pick("X[i, j] - V[i]", "X[i, j] * 2 + Z[j]", "max(X[i, j], V[i]) * X[i, j]", "X[i, j] + Y[i, j]",
                         "abs(X[i, j] - Z[j])", "abs(X[i, j]) * X[i, j]")  # fmt: skip
        steps = [
            self.pick(
                "V[i] += X[i, j];",
                "V[i] = max(V[i], X[i, j]);",
                f"V[i] += {part};",
                "V[i] += X[i, j] / 2;",
                f"V[i] -= ({part}) / 4;",
            ),
            self.pick(
                f"{s}[i] += ({part}) * ({part});",
                f"{s}[i] = max({s}[i], {part});",
                f"{w}[i, j] = ({part}) + 1;",
            ),
            self.pick(f"Y[i, j] = ({part}) + {s}[i];", f"Y[i, j] = ({part}) * {s}[i];", f"X[i, j] = {part};"),
            self.pick("", f"X[i, j] = {w}[i, j] - ({part});"),
        ]
        over = self.pick("i, j in grid(n, m)", "i, j in grid(n, m)", "j, i in grid(m, n)")
        lines = [
            f"alloc {s}: Buffer[(n,), {self.dtype}];",
            f"alloc {w}: Buffer[(n, m), {self.dtype}];",
            f"for i in 0..n {{ {s}[i] = 0; }}",
            f"for i, j in grid(n, m) {{ {w}[i, j] = 1; }}",
            *[f"for {over} {{ {step} }}" for step in steps if step],
        ]
        return "\n".join(lines)

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
    Kernel.repeated, Kernel.together, Kernel.predicated, Kernel.counted, Kernel.ragged, Kernel.product,
    Kernel.matmul, Kernel.staged,
    Kernel.stencil, Kernel.normalized,
)  # fmt: skip
