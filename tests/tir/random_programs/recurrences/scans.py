"""Random PrimFuncs with a loop that runs step by step: scans and recurrences along some dimension of their arrays.

Rows are independent, or nearly: now and then one statement reads another row, or the whole column before. Floats
hold small whole numbers, so that results must be equal to the last bit.
"""

from __future__ import annotations

import random

import numpy as np

DTYPES = ("int64", "int32", "int8", "uint8", "float32", "float32", "float64", "float16")


class Scan:
    """One random program and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.random.choice(DTYPES)
        self.rank = self.pick(2, 2, 2, 3)
        self.dims = {name: self.pick(0, 1, 1, 2, 3, 3, 5, 7) for name in ("n", "m", "k")[: self.rank]}
        self.along = self.rank - 1 if self.chance(0.75) else self.pick(*range(self.rank))
        self.backwards = self.chance(0.3)
        self.first = self.pick(0, 0, 0, 1, 2)
        self.extra = self.pick(0, 0, 0, 1)
        """By how much dimensions are larger than what is stored."""
        self.names = ["X", "Z", "Y", "V"]
        self.stored = ["Y", "V"][: self.pick(1, 1, 2)]
        self.has_state = self.chance(0.3)
        self.text = self.program()

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def program(self) -> str:
        sizes = [f"{name} + {self.extra}" if self.extra else name for name in self.dims]
        params = [f"{name}: Buffer[({', '.join(sizes)}), {self.dtype}]" for name in self.names]
        params += [f"{name}s: Buffer[({name},), {self.dtype}]" for name in self.dims]
        params.append(f"a: {self.dtype}")
        self.vars = [f"i{at}" for at in range(self.rank)]
        names = list(self.dims)
        bounds = [f"0..{name}" for name in names]
        bounds[self.along] = f"{self.first}..{names[self.along]}"
        order = list(range(self.rank))
        if self.chance(0.5):
            self.random.shuffle(order)
        lines = []
        if self.has_state:  # a state for each row beside the arrays, of the whole function
            outer = [at for at in range(self.rank) if at != self.along]
            shape = ", ".join([names[at] for at in outer])
            params.append(f"S: Buffer[({shape},), {self.dtype}]")
            self.state = "S[" + ", ".join([self.vars[at] for at in outer]) + "]"
        if self.chance(0.3):
            lines.append(self.start(names))
        head = "".join([f"for {self.vars[at]} in {bounds[at]} {{ " for at in order])
        lines.append(f"  {head}")
        count = self.pick(1, 1, 2, 3)
        lines += [f"    {self.statement(self.stored[at % len(self.stored)])}" for at in range(count)]
        lines.append("  " + "}" * self.rank)
        return f"prim_func @f({', '.join(params)}) {{\n" + "\n".join(lines) + "\n}\n"

    def start(self, names: list[str]) -> str:
        """Write a nest that stores the first column of an array."""
        others = [at for at in range(self.rank) if at != self.along]
        loops = "".join([f"for {self.vars[at]} in 0..{names[at]} {{ " for at in others])
        index = [self.vars[at] if at != self.along else "0" for at in range(self.rank)]
        guard = f"if {names[self.along]} > 0 {{ " if self.chance(0.8) else "{ " * 0
        body = f"{self.stored[0]}[{', '.join(index)}] = {self.literal()};"
        return f"  {loops}{guard}{body}{' }' if guard else ''}" + " }" * len(others)

    def column(self, distance: int, fixed: bool = False) -> str:
        """Return the index along the scan, some steps after the current one."""
        name, size = self.vars[self.along], list(self.dims)[self.along]
        if fixed:
            return self.pick("0", "1") if self.chance(0.7) else f"{size} - 1"
        if self.backwards:
            last = f"{size} - 1" if not self.extra or self.chance(0.9) else size
            return f"{last} - {name}" + (
                f" - {distance}" if distance > 0 else f" + {-distance}" if distance else ""
            )
        return name + (f" + {distance}" if distance > 0 else f" - {-distance}" if distance else "")

    def place(self, name: str, distance: int, *, odd: bool = False, fixed: bool = False) -> str:
        index = list(self.vars)
        index[self.along] = self.column(distance, fixed)
        others = [at for at in range(self.rank) if at != self.along]
        if odd:
            at = self.pick(*others)
            index[at] = self.pick("0", f"{list(self.dims)[at]} - 1 - {self.vars[at]}", f"{self.vars[at]} + 1")
        elif self.extra and self.shift:
            index[others[0]] += " + 1"
        return f"{name}[{', '.join(index)}]"

    def statement(self, name: str) -> str:
        self.shift = self.extra and self.chance(0.5)
        kind = self.random.random()
        if self.has_state and kind < 0.5:
            op = self.pick("=", "+=")
            return f"{self.state} {op} {self.value(name, 1)}; {self.place(name, 0)} = {self.state};"
        op = self.pick("=", "=", "=", "=", "+=", "-=")
        store = f"{self.place(name, 0)} {op} {self.value(name, 2)};"
        if kind > 0.85:
            other = f" else {{ {self.place(name, 0)} = {self.value(name, 1)}; }}" if self.chance(0.6) else ""
            return f"if {self.condition()} {{ {store} }}{other}"
        return store

    def condition(self) -> str:
        name, size = self.vars[self.along], list(self.dims)[self.along]
        if self.chance(0.8):
            return f"{name} {self.pick('>', '>=', '==', '!=', '<')} {self.pick('0', '1', '2', f'{size} - 1')}"
        return f"{self.place('X', 0)} {self.pick('>', '==')} {self.literal()}"

    def literal(self) -> str:
        return self.pick("0", "1", "2") if self.dtype.startswith("u") else self.pick("0", "1", "2", "-1")

    def before(self, name: str) -> str:
        """Return an earlier element, or the literal where there is none."""
        steps = self.pick(1, 1, 1, 2)
        load = self.place(name, -steps, odd=self.chance(0.06))
        if steps <= self.first and self.chance(0.7):
            return load
        variable = self.vars[self.along]
        if self.chance(0.2):
            return f"if_then_else({variable} < {steps}, {self.load()}, {load})"
        least = self.pick(f"{variable} > {steps - 1}", f"{variable} >= {steps}")
        return f"if_then_else({least}, {load}, {self.literal()})"

    def load(self) -> str:
        if self.chance(0.15):
            at = self.pick(*range(self.rank))
            return f"{list(self.dims)[at]}s[{self.vars[at]}]"
        if self.chance(0.1):
            return "a"
        distance = self.pick(0, 0, 0, 0, 0, 1) if self.first == 0 else self.pick(0, 0, 0, -1, 1)
        if distance > 0 and not self.extra and self.chance(0.8):
            distance = 0
        return self.place(self.pick("X", "X", "Z"), distance, odd=self.chance(0.05), fixed=self.chance(0.1))

    def value(self, name: str, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.1:
            return self.load()
        a = (
            self.before(self.pick(name, name, *self.stored))
            if self.chance(0.7)
            else self.value(name, depth - 1)
        )
        b = self.value(name, depth - 1)
        if self.chance(0.5):
            a, b = b, a
        if kind < 0.25:
            return f"{self.pick('max', 'min')}({a}, {b})"
        if kind < 0.35:
            return f"(2 * {a} {self.pick('+', '-')} {b})"
        return f"({a} {self.pick('+', '+', '-', '*')} {b})"

    def arguments(self) -> list[object]:
        """Return arrays for the parameters; sometimes two of them are one."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        low = 0 if self.dtype == "uint8" else -2
        shape = [size + self.extra for size in self.dims.values()]
        whole = [numbers.integers(low, 3, shape).astype(self.dtype) for _ in self.names]
        if self.chance(0.15):
            whole[2] = whole[0]
        small = [numbers.integers(low, 3, size).astype(self.dtype) for size in self.dims.values()]
        result: list[object] = [*whole, *small, 1.0 if self.dtype.startswith("float") else 1]
        if self.has_state:
            outer = [size for at, size in enumerate(self.dims.values()) if at != self.along]
            result.append(numbers.integers(low, 3, outer).astype(self.dtype))
        return result
