"""Random programs as lists of tokens, over the whole grammar, written from `docs/language.md` (appendix A) alone.

They are right as texts; what they mean does not matter, so names need not be bound.
"""

from __future__ import annotations

from tests.format.written_parts import Tokens, joined
from tests.format.written_prim_funcs import PrimFuncs


class Written(PrimFuncs):
    """Draws the tokens of one program."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        super().__init__(seed, depth)
        self.tokens = self.file()

    # modules and functions

    def file(self) -> Tokens:
        made = ["module", *self.attributes()] if self.chance(0.4) else []
        for item in self.some(lambda: self.one(self.function, self.function, self.prim_func), 1, 3):
            made += item
        return made

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
        output = ["output", *joined(names), ";"] if names and self.chance(0.8) else []
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
