"""What all drawn programs have: choices, names, literals, attributes and dimensions, as lists of tokens."""

from __future__ import annotations

import random
from collections.abc import Callable

DTYPES = ("float32", "int64", "bool", "float16", "uint8", "bfloat16")
Tokens = list[str]


class Drawing:
    """Draws the tokens of the parts that graph functions and PrimFuncs share."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        self.random = random.Random(seed)
        self.depth = depth
        self.count = 0

    # choices

    def one(self, *choices: Callable[[], Tokens]) -> Tokens:
        return self.random.choice(choices)()

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def some(self, make: Callable[[], Tokens], low: int = 0, high: int = 3) -> list[Tokens]:
        return [make() for _ in range(self.random.randint(low, high))]

    def listed(self, parts: list[Tokens], *, single: bool = False) -> Tokens:
        """Return parts with commas between them; `single` says that one part alone needs its comma."""
        made: Tokens = []
        for at, part in enumerate(parts):
            made += [*([","] if at else []), *part]
        if parts and ((single and len(parts) == 1) or self.chance(0.3)):
            made.append(",")
        return made

    def deeper(self, make: Callable[[], Tokens], otherwise: Callable[[], Tokens]) -> Tokens:
        if self.depth <= 0:
            return otherwise()
        self.depth -= 1
        made = make()
        self.depth += 1
        return made

    def name(self) -> Tokens:
        self.count += 1
        return [f"`v.{self.count}`" if self.chance(0.05) else f"v{self.count}"]

    def global_name(self) -> Tokens:
        self.count += 1
        return [f'@"g {self.count}"' if self.chance(0.1) else f"@g{self.count}"]

    def string(self) -> Tokens:
        return [self.random.choice(('"a"', '"x # y"', '""', '"\\n\\""'))]

    def integer(self) -> Tokens:
        return [self.random.choice(("0", "1", "42", "1_000", "7"))]

    def dtype(self) -> Tokens:
        return [self.random.choice(DTYPES)]

    # attributes

    def attributes(self) -> Tokens:
        def entry() -> Tokens:
            self.count += 1
            key = f'"k {self.count}"' if self.chance(0.3) else f"k{self.count}"
            return [key, ":", *self.literal()]

        return ["attrs", "{", *self.listed(self.some(entry, 0, 3)), "}"]

    def literal(self) -> Tokens:
        simple = (
            self.integer,
            lambda: ["-", "1.5"],
            lambda: ["true"],
            lambda: ["null"],
            self.string,
            self.dtype,
            lambda: ["nan"],
        )

        def listed() -> Tokens:
            return ["[", *self.listed(self.some(self.literal)), "]"]

        return self.deeper(lambda: self.one(*simple, listed, listed), lambda: self.one(*simple))

    # dimensions

    def dims(self) -> Tokens:
        return ["(", *self.listed(self.some(self.dimension), single=True), ")"]

    def dimension(self) -> Tokens:
        def sum_() -> Tokens:
            made = self.size()
            for _ in range(self.random.randint(1, 3)):
                made += [self.random.choice(("+", "-", "*", "//", "%")), *self.size()]
            return made

        def called() -> Tokens:
            return [self.random.choice(("min", "max")), "(", *self.size(), ",", *self.dimension(), ")"]

        def select() -> Tokens:
            return ["select", "(", *self.size(), ">", "1", ",", *self.size(), ",", *self.dimension(), ")"]

        return self.deeper(lambda: self.one(self.size, sum_, called, select), self.size)

    def size(self) -> Tokens:
        return self.one(lambda: ["n"], lambda: ["m"], self.integer)


def joined(names: list[Tokens]) -> Tokens:
    """Return names with commas between them."""
    made: Tokens = []
    for at, name in enumerate(names):
        made += [*([","] if at else []), *name]
    return made
