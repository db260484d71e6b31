"""Random expressions of loop nests: sizes, indices, loads and conditions."""

from __future__ import annotations

import random


class NestExpressions:
    """Choices, and expressions over the loops and buffers of a nest."""

    random: random.Random

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def size(self) -> str:
        dim = self.random.choice(list(self.dims))
        return self.random.choice([*self.dims, *self.dims, *self.dims, "2", "3", f"{dim} + 1", f"{dim} * 2"])

    def value_of(self, size: str) -> int:
        return eval(size, {}, dict(self.dims))

    def writable(self) -> str:
        return self.random.choice([name for name in self.buffers if name not in self.inputs])

    def index(self, buffer: str, loops: list) -> str:
        sizes = self.buffers[buffer]
        return ", ".join([self.subscript(size, loops) for size in sizes]) or "()"

    def subscript(self, size: str, loops: list) -> str:
        """Write an index that usually is in bounds: a loop of the dimension's size, or a constant."""
        limit = self.value_of(size)
        if self.tidy_loops:
            exact = [name for name, _, high in loops if high == size]
            smaller = [name for name, _, high in loops if f"{high} + 1" == size]
            if smaller and self.chance(0.7):
                return self.random.choice(smaller) + self.pick("", " + 1")
            if exact and self.chance(0.95):
                return self.pick(*exact, *exact, f"{size} - 1 - {exact[0]}")
            if limit and self.chance(0.9):
                return str(self.random.randrange(limit))
        fitting = [name for name, _, high in loops if high == size or not high.isidentifier()]
        fitting = fitting or [name for name, _, _ in loops]
        if not loops or self.chance(0.08):
            return str(self.pick(0, 0, 1) if limit > 1 else 0)
        name = self.random.choice(fitting)
        if self.chance(0.15):
            return f"{size} - 1 - {name}"
        if self.risky and self.chance(0.2):
            other = self.random.choice(loops)[0]
            return self.pick(f"{name} + 1", f"{name} - 1", f"{name} * 2", f"{name} + {other}", f"{name} // 2",
                             f"{name} * 2 + {other}", f"2 * {name} - {other}")  # fmt: skip
        if self.has_index and self.chance(0.1):
            return f"I[{name}]"
        return name

    def literal(self) -> str:
        if self.dtype == "bool":
            return self.pick("true", "false")
        if self.dtype.startswith("u"):
            return self.pick("0", "1", "3")
        return self.pick("0", "1", "2", "-1", "min_value(int8)" if self.dtype == "int8" else "3")

    def load(self, loops: list) -> str:
        others = [name for name in self.buffers if name != self.target]
        buffer = self.random.choice(others if others and self.chance(0.8) else list(self.buffers))
        return f"{buffer}[{self.index(buffer, loops)}]"

    def expression(self, loops: list, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return self.load(loops) if self.chance(0.85) else self.literal()
        a, b = self.expression(loops, depth - 1), self.expression(loops, depth - 1)
        if kind < 0.4:
            return f"select({self.condition(loops)}, {a}, {b})"
        if kind < 0.48:
            return f"if_then_else({self.condition(loops)}, {a}, {b})"
        if self.dtype == "bool":
            return f"({a} {self.pick('&&', '||', '==', '!=', '&', '^')} {b})"
        if kind < 0.56 and loops:
            return f"({a} + cast({self.random.choice(loops)[0]}, {self.dtype}))"
        if kind < 0.62:
            return f"{self.pick('max', 'min')}({a}, {b})"
        if kind < 0.70:
            return self.odd_operation(a, b)
        return f"({a} {self.pick('+', '-', '*')} {b})"

    def odd_operation(self, a: str, b: str) -> str:
        if self.dtype.startswith("float"):
            return self.pick(f"floor({a})", f"abs({a})", f"(-{a})", f"({a} // 2)", f"trunc({a})")
        divisor = b if self.risky and self.chance(0.5) else "3"
        return self.pick(f"({a} // {divisor})", f"({a} % {divisor})", f"({a} / {divisor})", f"({a} & {b})",
                         f"({a} << 1)", f"({a} >> 1)", f"(~{a})", f"popcount({a})", f"abs({a})")  # fmt: skip

    def condition(self, loops: list) -> str:
        lets = self.lets
        if loops and self.chance(0.6):
            name = self.random.choice(loops)[0]
            return f"{name} {self.pick('<', '>', '<=', '==', '!=')} {self.pick('1', '2', *self.dims)}"
        if lets and self.dtype != "bool" and self.chance(0.5):
            return f"{self.random.choice(lets)} > 0"
        load = self.load(loops)
        if self.dtype == "bool":
            return load
        return f"{load} {self.pick('<', '>', '==')} {self.pick('1', '2')}"
