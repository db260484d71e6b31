"""Random expressions of Relax functions: the part of random programs without statements."""

from __future__ import annotations

import random

BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "divide", "power", "floor_divide", "floor_mod")
UNARY = ("negative", "tanh", "nn.relu", "square", "abs", "sqrt", "floor", "sigmoid", "exp")
MATRIX, ROW, NUMBER, FLAG, COUNT, SHAPE = "matrix", "row", "number", "flag", "count", "shape"
KINDS = (MATRIX, MATRIX, MATRIX, ROW, NUMBER, FLAG, COUNT)
TYPES = {
    MATRIX: "Tensor[(n, m), float32]",
    ROW: "Tensor[(m,), float32]",
    NUMBER: "Tensor[(), float32]",
    FLAG: "Tensor[(), bool]",
    COUNT: "Tensor[(), int32]",
    SHAPE: "Shape[(n, m)]",
}


class RandomExpressions:
    """Choices, and expressions over what is in scope."""

    random: random.Random
    counter: int
    risk: float
    scope: list[tuple[str, str]]
    dims: list[str]

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def wrong(self) -> bool:
        return self.chance(self.risk)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def use(self, kind: str) -> str:
        """Return a variable of a kind, or another way to come by such a value."""
        if self.wrong():
            kind = self.pick(*KINDS)
        names = [name for name, known in self.scope if known == kind]
        if names and self.chance(0.85):
            return self.pick(names[-1], *names)
        return {
            MATRIX: self.pick(
                names[0] if names else "ones(shape(n, m), dtype=float32)", "zeros(shape(n, m), dtype=float32)"
            ),
            ROW: "full(shape(m), 0.5)",
            NUMBER: self.pick("0.5", "2.0", "const(1.5, float32)"),
            FLAG: self.pick("true", "false"),
            COUNT: self.pick("0", "1", "3"),
            SHAPE: "shape(n, m)",
        }[kind]

    def params(self, kinds: list[str]) -> list[str]:
        params: list[str] = []
        self.scope = []
        for kind in kinds:
            name = self.fresh("p")
            params.append(f"{name}: {TYPES[kind]}")
            self.scope.append((name, kind))
        return params

    def expression(self, kind: str) -> str:
        if kind == MATRIX:
            return self.pick(
                f"{self.pick(*BINARY)}({self.use(MATRIX)}, {self.use(self.pick(MATRIX, MATRIX, ROW, NUMBER))})",
                f"{self.pick(*BINARY)}({self.use(self.pick(ROW, NUMBER))}, {self.use(MATRIX)})",
                f"{self.pick(*UNARY)}({self.use(MATRIX)})",
                f"{self.use(MATRIX)} + {self.use(MATRIX)} * {self.use(MATRIX)}",
                f"nn.softmax({self.use(MATRIX)}, axis={self.pick(-1, 0)})",
                f"reshape({self.use(MATRIX)}, {self.pick('shape(n, m)', 'shape(n, -1)', 'shape(m, n)')})",
                f"matmul({self.use(MATRIX)}, zeros(shape(m, m), dtype=float32))",
                f"call_tir(@double, ({self.use(MATRIX)},)) -> Tensor[({self.pick('n, m', 'n, m', 'm, n')}), float32]",
                f"call_tir(@plus, ({self.use(MATRIX)},), shape({self.pick('n', 'm * 2', '3')})) -> {TYPES[MATRIX]}",
                "x" if ("x", MATRIX) in self.scope else self.use(MATRIX),
            )
        if kind == ROW:
            return self.pick(
                f"sum({self.use(MATRIX)}, axis=[0])",
                f"{self.pick(*UNARY)}({self.use(ROW)})",
                f"{self.use(ROW)} - {self.use(self.pick(ROW, NUMBER))}",
            )
        if kind == NUMBER:
            return self.pick(
                f"sum({self.use(MATRIX)})", f"{self.use(NUMBER)} * {self.use(NUMBER)}", "const(0.25, float32)"
            )
        if kind == FLAG:
            return self.pick(
                f"{self.use(NUMBER)} {self.pick('<', '>=', '!=')} {self.use(NUMBER)}",
                f"{self.use(COUNT)} == {self.use(COUNT)}",
                f"{self.use(FLAG)} && {self.use(FLAG)}",
                f"!{self.use(FLAG)}",
            )
        return self.pick(
            f"{self.use(COUNT)} + {self.use(COUNT)}", f"{self.use(COUNT)} - 1", "const(2, int32)"
        )

    def shapes(self, lines: list[str], depth: int) -> None:
        name = self.fresh("s")
        risky = (
            self.pick("shape(n - 3, m)", "shape(n // (m - m), m)", "shape(m, n)")
            if self.wrong()
            else "shape(n, m)"
        )
        lines.append(f"let {name} = {self.pick('shape_of(' + self.use(MATRIX) + ')', risky)};")
        if self.chance(0.5):
            new = self.fresh("d")
            lines.append(
                f"match_cast({name}, Shape[({new}, {self.pick('m', 'n')})]);"
                if self.wrong()
                else f"match_cast({name}, Shape[({new}, m)]);"
            )
            self.dims.append(new)
        if self.chance(0.5):
            lines.append(f"let {name}_t: Tensor[{name}, float32] = {self.use(MATRIX)};")
            self.scope.append((f"{name}_t", MATRIX))
        self.scope.append((name, SHAPE))
        self.bind(lines, MATRIX, f"zeros({name}, dtype=float32)")

    def cast(self, lines: list[str], depth: int) -> None:
        dims = [*self.dims, "n", "m"]
        new = self.fresh("d")
        first = self.pick(new, "n", "n", f"{self.pick(*dims)} * 1" if not self.wrong() else "n + 1")
        second = self.pick("m", "m", new) if first != new else "m"
        info = self.pick(
            f"Tensor[({first}, {second}), float32]", "Tensor[ndim=2]", "Tensor[_, float32]", "Object"
        )
        name = self.fresh("v")
        binder = self.pick(f"let {name} = ", f"let {name} = ", "")
        lines.append(f"{binder}match_cast({self.use(MATRIX)}, {info});")
        if binder:
            self.scope.append((name, MATRIX))
        if new in info:
            self.dims.append(new)
