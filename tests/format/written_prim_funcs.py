"""Random PrimFuncs as lists of tokens, over the whole grammar."""

from __future__ import annotations

from tests.format.written_parts import Drawing, Tokens, joined


class PrimFuncs(Drawing):
    """Draws the tokens of PrimFuncs."""

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
            return ["for", *kind, *joined(names), "in", "grid", "(", *sizes, ")", *self.steps()]
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
