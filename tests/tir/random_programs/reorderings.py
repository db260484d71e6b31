"""Random PrimFuncs whose iterations depend on each other: factorizations, shortest paths, stencils in place, triangles,
scratch buffers outside of loops.

Integers wrap around and floats hold few small whole numbers, so that sums are exact in any order. Bounds, offsets and
the order of loops vary, so that many of the programs may not be reordered; some go out of bounds, or pass one array
twice.
"""

from __future__ import annotations

import random

import numpy as np

DTYPES = ("int32", "int64", "int32", "int8", "uint8", "float64", "float32")
PARAMS = (
    "A: Buffer[(n, n), {0}], B: Buffer[(n, m), {0}], C: Buffer[(n, n), {0}], D: Buffer[(n + 2, m + 2), {0}], "
    "x: Buffer[(n,), {0}], y: Buffer[(n,), {0}]"
)


class Reordering:
    """One random program and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.pick(*DTYPES)
        self.n, self.m = self.pick(0, 1, 2, 3, 4, 5, 7), self.pick(0, 1, 2, 3, 5, 8)
        self.counter = 0
        self.allocs: list[str] = []
        nests = [self.random.choice(TEMPLATES)(self) for _ in range(self.pick(1, 1, 1, 2))]
        lines = [*self.allocs, *nests]
        self.text = f"prim_func @f({PARAMS.format(self.dtype)}) {{\n" + "\n".join(lines) + "\n}\n"

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def op(self) -> str:
        return self.pick("=", "+=", "-=", "-=")

    def joined(self, *loads: str) -> str:
        """Write an operation on some loads; floats stay small."""
        value = loads[0]
        for load in loads[1:]:
            kind = self.pick("max", "min", "+", *[] if self.dtype[0] == "f" else "-*")
            value = f"{kind}({value}, {load})" if kind in ("max", "min") else f"({value} {kind} {load})"
        return value

    def loops(self, *heads: str) -> tuple[str, str]:
        """Write loops and what closes them."""
        return " ".join([f"for {head} {{" for head in heads]), "}" * len(heads)

    # ---- shortest paths, elimination: an element of a row or column that the step is about

    def paths(self) -> str:
        k = self.pick("k", "k", "k", "k", "0", "n - 1", "n - 1 - k", "k // 2")
        reads = [
            f"A[i, {k}]",
            f"A[{k}, j]",
            f"A[{k}, {k}]",
            "A[i, j]",
            "x[i]",
            "C[i, j]",
            f"A[j, {k}]",
            "A[j, i]",
        ]
        count = self.pick(1, 2, 2, 3)
        value = self.joined(*[self.pick(*reads[:3], *reads) for _ in range(count)])
        low, high = self.pick(("0", "n"), ("0", "n"), ("1", "n"), ("0", "n - 1"))
        heads = ["k in 0..n", f"i in {low}..{high}", f"j in {self.pick('0', '0', low)}..n"]
        if self.chance(0.2):
            heads[1], heads[2] = heads[2], heads[1]
        if self.chance(0.15):
            heads[0] = "k in 0..1"
        before, after = self.loops(*heads)
        store = self.pick(f"A[i, j] = {self.joined('A[i, j]', value)};", f"A[i, j] {self.op()} {value};")
        if self.chance(0.15):
            store = f"if {self.pick('i != j', 'C[i, j] > 1', 'i <= k', 'j > k')} {{ {store} }}"
        return f"{before} {store} {after}"

    def row(self) -> str:
        """Write a recurrence on a vector around an element that others read."""
        k = self.pick("k", "k", "0", "n - 1 - k", "k + 1")
        step = f"x[i] {self.op()} {self.joined(self.pick(f'x[{k}]', f'x[{k}]', 'x[i]', 'x[n - 1 - i]'), 'A[i, k]')};"
        before, after = self.loops("k in 0..n - 1", "i in 0..n")
        return f"{before} {step} {after}"

    # ---- factorizations: loops of several statements change places

    def factorization(self) -> str:
        t = self.pick("A", "A", "C")
        one = f"{t}[i, j] {self.op()} {self.joined(f'{t}[i, k]', self.pick(f'{t}[k, j]', f'{t}[j, k]', 'C[j, k]'))};"
        two = f"{t}[i, j] {self.op()} {self.pick(f'{t}[j, j]', f'{t}[i, i]', f'{t}[i, 0]', 'x[j]')};"
        other = f"{t}[k, {self.pick('i', 'k')}]"
        three = f"{t}[i, {self.pick('j', 'i')}] {self.op()} {self.joined(f'{t}[i, k]', other)};"
        bound = self.pick("i", "i", "i + 1", "n")
        lines = [f"for k in 0..{self.pick('j', 'j', 'j', 'i', 'j + 1')} {{ {one} }}"]
        if self.chance(0.7):
            lines.append(two)
        if self.chance(0.2):
            lines.reverse()
        nest = f"for j in 0..{bound} {{ {' '.join(lines)} }}"
        if self.chance(0.6):
            low = self.pick("i", "i + 1", "0") if "j" in three.split("=", maxsplit=1)[0] else "0"
            inner = f"for k in 0..{self.pick('i', 'i', 'n')} {{ {three} }}"
            high = "1" if low == "0" else "n"
            nest += f" for j in {low}..{high} {{ {inner} }}"
        if self.chance(0.3):
            nest += f" {t}[i, i] {self.op()} {self.pick('x[i]', 'y[i]', f'{t}[0, i]')};"
        return f"for i in 0..n {{ {nest} }}"

    def solve(self) -> str:
        i = self.pick("i", "i", "n - 1 - i")
        bounds = self.pick("0..i", "0..i", "i + 1..n", "0..n")
        lines = [f"x[{i}] = {self.pick('y[i]', 'x[i]', '1')};"] if self.chance(0.7) else []
        lines.append(
            f"for j in {bounds} {{ x[{i}] {self.op()} {self.joined(f'A[{i}, j]', self.pick('x[j]', 'y[j]'))}; }}"
        )
        if self.chance(0.5):
            lines.append(f"y[i] {self.op()} x[{i}];")
        return f"for i in 0..n {{ {' '.join(lines)} }}"

    # ---- wavefronts

    def stencil(self) -> str:
        heads = ["i in 1..n + 1", "j in 1..m + 1"]
        if self.chance(0.2):
            heads.reverse()
        if self.chance(0.3):
            heads.insert(0, "s in 0..2")
        i, j = self.pick(("i", "j"), ("i", "j"), ("i", "j"), ("n + 1 - i", "j"), ("i", "m + 1 - j"))
        offsets = [(0, -1), (-1, 0), (-1, -1), (-1, 1), (0, 1), (1, 0), (1, -1), (1, 1), (0, 0)]
        taken = [self.pick(*offsets[: self.pick(3, 4, 9)]) for _ in range(self.pick(1, 2, 3, 4))]
        loads = [f"D[{i} + {a}, {j} + {b}]".replace("+ -", "- ") for a, b in taken]
        if self.chance(0.3):
            loads.append(self.pick("B[i - 1, j - 1]", "x[i - 1]", f"cast(j, {self.dtype})"))
        value = self.joined(*loads)
        if self.chance(0.2):
            value = f"if_then_else({self.pick('j > 1', 'i > 1', 'B[i - 1, j - 1] > 1')}, {value}, {loads[0]})"
        lines = [f"D[{i}, {j}] {self.pick('=', '=', '+=')} {value};"]
        if self.chance(0.25):
            lines.append(f"D[{i}, {j}] = {self.joined(f'D[{i}, {j}]', self.pick(*loads))};")
        if self.chance(0.2):
            lines[0] = f"if {self.pick('i < j', 'B[i - 1, j - 1] > 0', 'j != 2')} {{ {lines[0]} }}"
        before, after = self.loops(*heads)
        return f"{before} {' '.join(lines)} {after}"

    def triangle(self) -> str:
        bounds = self.pick("0..i", "0..i + 1", "i..n", "i + 1..n", "n - i..n", "0..n - i")
        target = self.pick("A[i, j]", "A[i, j]", "A[j, i]")
        lines = (
            [f"{target} {self.op()} {self.pick('C[i, j]', 'x[j]', 'C[j, i]', 'A[i, j]', '2')};"]
            if self.chance(0.6)
            else []
        )
        if self.chance(0.8):
            value = self.joined(
                self.pick("B[i, k]", "B[i, 0]", "B[i, k]"), self.pick("B[j, k]", "x[j]", "B[i, k]")
            )
            if self.chance(0.4):
                value = "B[i, k] * B[j, k]"
            lines.append(f"for k in 0..m {{ {target} {self.op()} {value}; }}")
        if self.chance(0.3):
            lines.append(f"{self.pick('A[j, i]', 'C[j, i]', 'C[i, j]')} = {target};")
        return f"for i in 0..n {{ for j in {bounds} {{ {' '.join(lines)} }} }}"

    def sums(self) -> str:
        """Write sums of products over a part of a range, or under a condition."""
        bounds = self.pick("0..i", "0..i", "i + 1..n", "i..n", "0..i + 1", "0..n")
        left = self.pick("A[i, k]", "A[k, i]", "A[i, k]", "x[k]")
        right = self.pick("B[k, j]", "D[k, j]", "B[k, m - 1 - j]", "D[k, j + 1]")
        target = self.pick("B[i, j]", "B[i, j]", "D[i + 2, j]", "D[i, j]")
        store = f"{target} {self.pick('+=', '-=')} {left} * {right};"
        if self.chance(0.3):
            where = self.pick("k <= i", "C[i, k] > 1", "k != j", "x[k] > 0 && k < i")
            bounds, store = "0..n", f"if {where} {{ {store} }}"
        if self.chance(0.2):
            bounds, store = "0..i", f"B[k, j] {self.pick('+=', '-=')} B[i, j] * A[i, k];"
        return f"for i, j in grid(n, m) {{ for k in {bounds} {{ {store} }} }}"

    def wrapped(self) -> str:
        """Write indices that wrap around."""
        rows = ["(i + 1) % n", "(i + n - 1) % n", "i % n", "(i + 2) % n", "(n - 1 - i) % n", "(i + k) % n"]
        columns = ["(j + 1) % m", "(j + m - 1) % m", "j", "m - 1 - j", "(j + m) % m"]
        loads = [f"B[{self.pick(*rows[:5])}, {self.pick(*columns)}]" for _ in range(self.pick(1, 1, 2, 3))]
        loads.append(self.pick(f"x[{self.pick(*rows[:5])}]", "B[i, j]"))
        store = f"D[i, {self.pick('j', 'j + 1')}] {self.pick('=', '+=')} {self.joined(*loads)};"
        if self.chance(0.2):
            store = f"B[i, j] {self.pick('=', '+=')} {loads[0]};"
        if self.chance(0.2):
            store = f"if {self.pick('i > j', 'B[i, j] > 0', 'j > 0')} {{ {store} }}"
        if self.chance(0.2):
            rolled = self.pick(*rows[:2], rows[5])
            return f"for i, k in grid(n, n) {{ y[i] {self.pick('+=', '-=')} x[{rolled}] * A[i, k]; }}"
        return f"for i, j in grid(n, m) {{ {store} }}"

    # ---- scratch outside of loops

    def scratch(self) -> str:
        self.counter += 1
        name = f"t{self.counter}"
        if self.chance(0.5):
            self.allocs.append(f"alloc {name}: Buffer[(), {self.dtype}];")
            t = f"{name}[()]"
            start = f"{t} = {self.pick('0', 'A[i, j]', 'x[i]', '1')};"
            bounds = self.pick("0..n", "0..i", "0..j", "j..n", "1..n")
            step = f"for k in {bounds} {{ {t} {self.pick('+=', '-=')} {self.joined('A[i, k]', 'C[k, j]')}; }}"
            use = f"{self.pick('A[i, j]', 'C[i, j]', 'C[i, j]', 'y[i]')} {self.op()} {t};"
            lines = [start, step, use]
            before = ""
            if self.chance(0.15):  # what an earlier iteration left is used
                before = f"{t} = 2; "
                lines[0] = self.pick("", f"if C[i, j] > 1 {{ {start} }}", f"if j > 0 {{ {start} }}")
            if self.chance(0.1):
                lines.append(f"{t} = 1;")
            j = self.pick("0..n", "0..i", "i..n", "0..n")
            return f"{before}for i in 0..n {{ for j in {j} {{ {' '.join(lines)} }} }}"
        self.allocs.append(f"alloc {name}: Buffer[(m,), {self.dtype}];")
        first = f"for k in 0..m {{ {name}[k] = {self.pick('0', 'B[i, k]', 'x[i]')}; }}"
        sums = f"{name}[k] {self.pick('+=', '-=')} {self.joined('B[i, k]', 'x[i]')};"
        more = f"for k in 0..m {{ for s in 0..{self.pick('n', 'm')} {{ {sums} }} }}"
        index = self.pick("k", "k", "m - 1 - k", "0")
        last = f"for k in 0..m {{ B[i, k] {self.op()} {name}[{index}]; }}"
        lines = [first, more, last] if self.chance(0.7) else [first, last]
        if self.chance(0.3):
            again = f"for k in 0..m {{ {name}[k] = B[i, {self.pick('k', '0')}]; }}"
            lines.append(f"{again} for k in 0..m {{ B[i, k] += {name}[k]; }}")
        if self.chance(0.2):  # a part of it only
            lines[0] = lines[0].replace("0..m", "0..min(i + 1, m)")
            lines.insert(0, f"for k in 0..m {{ {name}[k] = 1; }}")
        return f"for i in 0..n {{ {' '.join(lines)} }}"

    # ---- scratch whose elements are variables

    def variables(self) -> str:
        self.counter += 1
        t = f"t{self.counter}"
        self.allocs.append(f"alloc {t}: Buffer[(3,), {self.dtype}];")
        start = self.pick(
            f"for r in 0..3 {{ {t}[r] = 0; }}", f"for r in 0..3 {{ {t}[r] = x[i]; }}",
            f"{t}[2] = 1; {t}[0] = 0; {t}[1] = {self.pick('0', 'C[i, j]')};",
            f"for r in 0..3 {{ {t}[r] = {self.pick('1', 'B[i, j]', 'y[j]')}; {t}[0] = 2; }}",
            f"for r in 0..3 {{ {t}[r] = C[i, r]; }}", f"for r in 0..2 {{ {t}[r + 1] = 0; }} {t}[0] = y[j];",
        )  # fmt: skip
        values = ("A[i, k]", "C[k, j]", "A[j, k]", "x[i]", "y[k]", f"{t}[0]", "C[i, j]")
        steps: list[str] = []
        for _ in range(self.pick(1, 2, 3)):
            value = self.joined(*[self.pick(*values) for _ in range(self.pick(1, 2))])
            step = f"{t}[{self.pick(0, 1, 1, 2)}] {self.pick('+=', '+=', '-=', '=')} {value};"
            steps.append(
                f"if {self.pick('C[k, j]', 'A[i, k]', 'x[i]')} > 0 {{ {step} }}" if self.chance(0.2) else step
            )
        bounds = self.pick("0..n", "0..n", "0..i", "0..j", "1..n")
        last = self.pick(f"{t}[2]", f"{t}[2]", f"{t}[k % 3]", f"{t}[j % 3]", "B[i, 0]")
        uses = self.joined(f"{t}[0]", f"{t}[1]", last.replace("k", "i"))
        use = f"{self.pick('D[i, j]', 'A[i, j]', 'C[i, j]', 'y[i]', 'y[j]')} {self.op()} {uses};"
        return f"for i, j in grid(n, n) {{ {start} for k in {bounds} {{ {' '.join(steps)} }} {use} }}"

    def arguments(self) -> list[object]:
        """Return arrays for the parameters; now and then two of them are one."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        n, m = self.n, self.m

        def some(*shape: int) -> np.ndarray:
            return numbers.integers(0 if self.dtype[0] == "u" else -3, 4, shape).astype(self.dtype)

        arrays = [some(n, n), some(n, m), some(n, n), some(n + 2, m + 2), some(n), some(n)]
        if self.chance(0.1):
            arrays[2] = arrays[0]
        if self.chance(0.05):
            arrays[5] = arrays[4]
        if self.chance(0.1):
            arrays[0] = some(n, 2 * n)[:, ::2]
        if self.chance(0.1):
            arrays[3] = np.asfortranarray(arrays[3])
        return list(arrays)


TEMPLATES = (
    Reordering.paths, Reordering.paths, Reordering.row, Reordering.factorization, Reordering.factorization,
    Reordering.solve, Reordering.stencil, Reordering.stencil, Reordering.triangle, Reordering.triangle,
    Reordering.scratch, Reordering.scratch, Reordering.variables, Reordering.sums, Reordering.wrapped,
)  # fmt: skip
