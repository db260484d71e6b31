"""Random programs as lists of tokens, over the whole grammar, written from `docs/language.md` (appendix A) alone.

They are right as texts; what they mean does not matter, so names need not be bound.
"""

from __future__ import annotations

import random
from collections.abc import Callable

DTYPES = ("float32", "int64", "bool", "float16", "uint8", "bfloat16")
Tokens = list[str]


class Written:
    """Draws the tokens of one program."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        self.random = random.Random(seed)
        self.depth = depth
        self.count = 0
        self.tokens = self.file()

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

    # modules and functions

    def file(self) -> Tokens:
        made = ["module", *self.attributes()] if self.chance(0.4) else []
        for item in self.some(lambda: self.one(self.function, self.function, self.prim_func), 1, 3):
            made += item
        return made

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

    def purity(self) -> Tokens:
        return [self.random.choice(("pure", "impure", "force_pure"))] if self.chance(0.2) else []

    def params(self) -> Tokens:
        return ["(", *self.listed(self.some(lambda: [*self.name(), ":", *self.info()])), ")"]

    def result(self) -> Tokens:
        return ["->", *self.info()] if self.chance(0.5) else []

    def function(self) -> Tokens:
        private = ["private"] if self.chance(0.3) else []
        attrs = self.attributes() if self.chance(0.3) else []
        head = [*private, *self.purity(), "def", *self.global_name(), *self.params(), *self.result()]
        return [*head, *attrs, *self.block()]

    def block(self) -> Tokens:
        made = ["{"]
        for statement in self.some(self.statement):
            made += statement
        return [*made, *self.expression(), "}"]

    def statement(self) -> Tokens:
        return self.one(self.binding, self.binding, self.dataflow, self.bindings)

    def binding(self) -> Tokens:
        if self.chance(0.15):
            return [*self.match(), ";"]
        if self.chance(0.15):
            return [*self.expression(), ";"]
        annotation = [":", *self.info()] if self.chance(0.3) else []
        value = self.match() if self.chance(0.15) else self.expression()
        return ["let", *self.name(), *annotation, "=", *value, ";"]

    def match(self) -> Tokens:
        if self.chance(0.2):
            return ["match_shape", "(", *self.expression(), ",", *self.dims(), ")"]
        return [
            "match_cast",
            "(",
            *self.expression(),
            ",",
            *self.info(),
            *([","] if self.chance(0.2) else []),
            ")",
        ]

    def dataflow(self) -> Tokens:
        bindings = self.some(self.binding, 1, 3)
        made = ["dataflow", "{"]
        names: list[Tokens] = []
        for binding in bindings:
            made += binding
            if binding[0] == "let":
                names.append([binding[1]])
        output = ["output", *_joined(names), ";"] if names and self.chance(0.8) else []
        return [*made, *output, "}"]

    def bindings(self) -> Tokens:
        made = ["bindings", "{"]
        for binding in self.some(self.binding, 1, 2):
            made += binding
        return [*made, "}"]

    # expressions

    def expression(self) -> Tokens:
        simple = (
            self.name,
            self.integer,
            lambda: ["true"],
            lambda: ["1.5"],
            self.global_name,
            lambda: ["(", ")"],
        )
        return self.deeper(
            lambda: self.one(
                *simple,
                self.chain,
                self.chain,
                self.call,
                self.call,
                self.condition,
                self.closure,
                self.tuple,
                self.index,
                self.constant,
                self.shape,
                lambda: ["extern", *self.string()],
                lambda: ["-", *self.name()],
                self.block,
                lambda: ["(", *self.expression(), ")"],
            ),
            lambda: self.one(*simple),
        )

    def chain(self) -> Tokens:
        symbols = self.random.choice((("+", "-"), ("*", "/", "//", "%"), ("&&", "||"), ("==",), ("**",)))
        made = self.operand()
        count = 1 if symbols == ("==",) else self.random.randint(1, 5)
        for _ in range(count):
            made += [self.random.choice(symbols), *self.operand()]
        return made

    def operand(self) -> Tokens:
        return self.deeper(lambda: self.one(self.name, self.call, self.name), self.name)

    def call(self) -> Tokens:
        callee = self.one(lambda: ["nn.relu"], lambda: ["add"], self.global_name, self.name)
        parts = self.some(self.expression, 0, 4)
        for name in self.random.sample(("axis", "keepdims", "dtype"), self.random.randint(0, 2)):
            parts.append([name, "=", *self.literal()])
        arrow = ["->", *self.info()] if self.chance(0.15) else []
        return [*callee, "(", *self.listed(parts), ")", *arrow]

    def condition(self) -> Tokens:
        made = ["if", *self.name(), *self.block(), "else"]
        return [*made, *(self.condition() if self.chance(0.3) else self.block())]

    def closure(self) -> Tokens:
        return [*self.purity(), "fn", *self.params(), *self.result(), *self.block()]

    def tuple(self) -> Tokens:
        return ["(", *self.listed(self.some(self.expression, 1, 4), single=True), ")"]

    def index(self) -> Tokens:
        return [*self.name(), "[", "0", "]"]

    def shape(self) -> Tokens:
        return ["shape", *self.dims()]

    def constant(self) -> Tokens:
        if self.chance(0.2):
            key = [",", '"key"'] if self.chance(0.5) else []
            return ["const", "(", "file", "(", '"w.npz"', *key, ")", ")"]
        count = self.random.choice((0, 1, 3, 40))
        numbers = ["[", *self.listed([self.integer() for _ in range(count)]), "]"]
        rows = ["[", *self.listed([list(numbers) for _ in range(self.random.randint(1, 3))]), "]"]
        dtype = self.random.choice(("float32", "int64"))
        return ["const", "(", *self.random.choice((numbers, rows)), ",", dtype, ")"]

    # struct infos and dimensions

    def info(self) -> Tokens:
        simple = (
            lambda: ["Object"],
            lambda: ["Tensor"],
            lambda: ["Shape"],
            lambda: ["PackedFunc"],
            lambda: ["Prim", "[", *self.dtype(), "]"],
            lambda: ["Tensor", "[", *self.dims(), ",", *self.dtype(), "]"],
            lambda: ["Tensor", "[", "ndim", "=", "2", ",", *self.dtype(), "]"],
            lambda: ["Tensor", "[", "_", ",", *self.dtype(), "]"],
            lambda: ["Shape", "[", *self.dims(), "]"],
            lambda: ["PackedFunc", "[", "derive", "=", '"empty"', "]"],
        )
        return self.deeper(
            lambda: self.one(*simple, self.tuple_info, self.function_info), lambda: self.one(*simple)
        )

    def tuple_info(self) -> Tokens:
        return ["(", *self.listed(self.some(self.info), single=True), ")"]

    def function_info(self) -> Tokens:
        purity = [self.random.choice(("pure", "impure"))] if self.chance(0.3) else []
        return [*purity, "fn", "(", *self.listed(self.some(self.info)), ")", "->", *self.info()]

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

    # PrimFuncs

    def prim_func(self) -> Tokens:
        def param() -> Tokens:
            return [*self.name(), ":", *(self.buffer() if self.chance(0.8) else ["int64"])]

        private = ["private"] if self.chance(0.3) else []
        attrs = self.attributes() if self.chance(0.3) else []
        head = [*private, "prim_func", *self.global_name(), "(", *self.listed(self.some(param, 1, 4)), ")"]
        return [*head, *attrs, *self.steps()]

    def buffer(self) -> Tokens:
        return ["Buffer", "[", *self.dims(), ",", *self.dtype(), "]"]

    def steps(self, low: int = 1) -> Tokens:
        made = ["{"]
        for step in self.some(self.step, low, 3):
            made += step
        return [*made, "}"]

    def step(self) -> Tokens:
        simple = (
            lambda: [*self.element(), self.random.choice(("=", "+=", "-=", "*=")), *self.value(), ";"],
            lambda: [*self.element(), "=", *self.value(), ";"],
            lambda: [
                "let",
                *self.name(),
                *([":", "int64"] if self.chance(0.3) else []),
                "=",
                *self.value(),
                ";",
            ],
            self.alloc,
            lambda: ["assert", *self.value(), ",", *self.string(), ";"],
            lambda: ["call_extern", "(", '"f"', ",", *self.listed(self.some(self.value, 1, 3)), ")", ";"],
        )
        return self.deeper(
            lambda: self.one(*simple, self.loop, self.loop, self.branch, self.repeat, self.unit),
            lambda: self.one(*simple),
        )

    def alloc(self) -> Tokens:
        where = ["in", '"local"'] if self.chance(0.3) else []
        return ["alloc", *self.name(), ":", *self.buffer(), *where, ";"]

    def loop(self) -> Tokens:
        kind = self.one(
            list, list, lambda: ["parallel"], lambda: ["unrolled"], lambda: ["thread", "(", '"x"', ")"]
        )
        if self.chance(0.4):
            names = self.some(self.name, 2, 3)
            sizes = self.listed([self.value() for _ in names])
            return ["for", *kind, *_joined(names), "in", "grid", "(", *sizes, ")", *self.steps()]
        return ["for", *kind, *self.name(), "in", *self.value(), "..", *self.value(), *self.steps()]

    def branch(self) -> Tokens:
        made = ["if", *self.name(), *self.steps()]
        if self.chance(0.3):
            return [*made, "else", *self.branch()]
        return [*made, "else", *self.steps()] if self.chance(0.5) else made

    def repeat(self) -> Tokens:
        return ["while", *self.name(), *self.steps()]

    def unit(self) -> Tokens:
        def axis() -> Tokens:
            domain = [",", "0", "..", *self.size()] if self.chance(0.4) else []
            kind = self.random.choice(("spatial", "reduce", "scan", "opaque"))
            return [*self.name(), "=", kind, "(", *self.value(), *domain, ")"]

        made = ["block", *self.name(), "(", *self.listed(self.some(axis, 1, 3)), ")"]
        if self.chance(0.3):
            made += ["where", *self.name(), "<", *self.size()]
        for word in ("reads", "writes"):
            if self.chance(0.3):
                made += [word, "[", *self.listed(self.some(self.region, 1, 3)), "]"]
        made += self.attributes() if self.chance(0.2) else []
        init = ["init", *self.steps()] if self.chance(0.4) else []
        return [*made, "{", *init, *self.steps()[1:]]

    def region(self) -> Tokens:
        def part() -> Tokens:
            return [*self.value(), *(["..", *self.value()] if self.chance(0.5) else [])]

        return [*self.name(), "[", *self.listed(self.some(part, 1, 3)), "]"]

    def element(self) -> Tokens:
        return [*self.name(), "[", *self.listed(self.some(self.value, 1, 3)), "]"]

    def value(self) -> Tokens:
        simple = (self.name, self.integer, lambda: ["1.5"], lambda: ["min_value", "(", "float32", ")"])

        def sum_() -> Tokens:
            made = self.name()
            for _ in range(self.random.randint(1, 5)):
                made += [self.random.choice(("+", "-", "*", "//", "%", "<<", "&", "|", "^")), *self.name()]
            return made

        def called() -> Tokens:
            word = self.random.choice(("exp", "max", "select", "if_then_else"))
            count = {"exp": 1, "max": 2}.get(word, 3)
            return [word, "(", *self.listed([self.value() for _ in range(count)]), ")"]

        return self.deeper(
            lambda: self.one(
                *simple,
                sum_,
                called,
                self.element,
                lambda: ["cast", "(", *self.value(), ",", *self.dtype(), ")"],
                lambda: ["(", *self.value(), ")"],
                lambda: ["~", *self.name()],
            ),
            lambda: self.one(*simple),
        )


def _joined(names: list[Tokens]) -> Tokens:
    made: Tokens = []
    for at, name in enumerate(names):
        made += [*([","] if at else []), *name]
    return made
