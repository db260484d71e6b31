"""Random networks: what the random programs of the engines do not have, for the passes that are about it.

Expressions inside of each other, convolutions with batch normalizations, operators that are decomposed, private
functions that take and return tuples that are never read whole, PrimFuncs that only move elements. Every second network
is a straight line that ends in a mean, so that it has a gradient; all are float64, so that gradients can be measured.
"""

from __future__ import annotations

import random

import numpy as np

HEAD = """
private prim_func @turned(X: Buffer[(a, b), float64], Y: Buffer[(b, a), float64]) {
  for i, j in grid(b, a) { Y[i, j] = X[j, i]; }
}
private prim_func @middle(X: Buffer[(a, 6), float64], Y: Buffer[(a, 2), float64]) {
  for i, j in grid(a, 2) { Y[i, j] = X[i, j * 2 + 1]; }
}
private prim_func @halved(X: Buffer[(a, b), float64], Y: Buffer[(a, b), float64]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] * 0.5; }
}
"""
MATRIX, ROW, IMAGE = "matrix", "row", "image"
TYPES = {
    MATRIX: "Tensor[(n, 6), float64]",
    ROW: "Tensor[(6,), float64]",
    IMAGE: "Tensor[(2, 3, 4, 4), float64]",
}
BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
UNARY = (
    "negative",
    "tanh",
    "nn.relu",
    "square",
    "abs",
    "sigmoid",
    "sin",
    "nn.gelu",
    "nn.silu",
    "nn.gelu_tanh",
)


class Network:
    """One random network and its arguments."""

    max_calls = 1_000

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.straight = seed % 2 == 0
        self.counter = 0
        self.helpers: list[str] = []
        self.names: dict[str, list[str]] = {}
        parts = [HEAD]
        if not self.straight:
            parts += [self.helper() for _ in range(self.pick(1, 2))]
        parts.append(self.main())
        self.text = "\n".join(parts)

    def pick(self, *options):
        return self.random.choice(options)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def array(self, *shape: int, least: float = -1.0) -> str:
        """Return a constant."""
        return f"const({self.numbers.uniform(least, 1.0, shape).round(2).tolist()}, float64)"

    def use(self, kind: str, depth: int = 0) -> str:
        """Return a name, or an expression in its place."""
        if depth < 2 and self.random.random() < 0.3:
            return self.expression(kind, depth + 1)
        return self.pick(self.names[kind][-1], *self.names[kind])

    def expression(self, kind: str, depth: int = 0) -> str:
        m, r, i = (lambda kind=kind: self.use(kind, depth) for kind in (MATRIX, ROW, IMAGE))
        if kind == ROW:
            return self.pick(
                f"mean({m()}, axis=[0])",
                f"{self.pick(*UNARY)}({r()})",
                f"{r()} * {r()}",
                f"reshape(mean({i()}, axis=[2, 3]), shape(6))",
                f"cumsum({r()}, axis=0)",
            )
        if kind == IMAGE:
            weights, shift = self.array(3, 3, 3, 3), self.array(1, 3, 1, 1)
            conv = f"nn.conv2d({i()}, {weights}, padding=[1, 1])"
            stats = [self.array(3) for _ in range(3)] + [self.array(3, least=0.1)]
            training = "false" if self.pick(True, True, False) else "true"
            norm = f"{', '.join(stats)}, axis=1, training={training}"
            return self.pick(
                conv,
                f"nn.batch_norm({conv}, {norm})[0]",
                f"nn.batch_norm({conv} + {shift}, {norm})[0]",
                f"nn.batch_norm({i()}, {norm})[0]",
                f"{self.pick(*UNARY)}({i()})",
                f"{i()} * {shift}",
                f"nn.max_pool2d({i()}, pool_size=[3, 3], padding=[1, 1])",
                f"nn.avg_pool2d({i()}, pool_size=[3, 3], padding=[1, 1])",
                f"nn.group_norm({i()}, {self.array(3)}, {self.array(3)}, num_groups=3, channel_axis=1, axes=[2, 3])",
            )
        options = [
            f"{self.pick(*BINARY)}({m()}, {self.pick(m, r)()})",
            f"{self.pick(*UNARY)}({m()})",
            f"matmul({m()}, {self.array(6, 6)})",
            f"nn.relu(matmul({m()}, {self.array(6, 6)}))",
            f"nn.softmax({m()}, axis={self.pick(-1, 0)})",
            f"nn.log_softmax({m()}, axis=-1)",
            f"nn.layer_norm({m()}, {r()}, {r()}, axes=[-1])",
            f"nn.rms_norm({m()}, {r()}, axes=[-1])",
            f"nn.dropout({m()}, rate=0.5)[0]",
            f"reshape(permute_dims({m()}), shape(n, 6))",
            f"concat(split({m()}, indices_or_sections=2, axis=1), axis=1)",
            f"{m()} - mean({m()}, axis=[-1], keepdims=true)",
            f"where({m()} < {r()}, {m()}, {m()})",
            f"{m()} + {r()} * {m()}",
        ]
        if not self.straight:
            options += [
                f"permute_dims(call_tir(@turned, ({m()},)) -> Tensor[(6, n), float64])",
                f"concat(({', '.join([f'call_tir(@middle, ({m()},)) -> Tensor[(n, 2), float64]'] * 3)}), axis=1)",
                f"call_tir(@halved, ({m()},)) -> {TYPES[MATRIX]}",
            ]
        return self.pick(*options)

    def statements(self, count: int) -> list[str]:
        """Return bindings; a block of them where the network is a straight line or by chance."""
        lines: list[str] = []
        made: list[tuple[str, str]] = []
        block = self.straight or self.pick(True, True, False)
        before = {kind: list(names) for kind, names in self.names.items()}
        for _ in range(count):
            kind = self.pick(MATRIX, MATRIX, ROW, IMAGE)
            if self.helpers and self.random.random() < 0.3:
                made += self.call(lines)
                continue
            name = self.fresh("v")
            lines.append(f"let {name} = {self.expression(kind)};")
            made.append((name, kind))
            self.names[kind].append(name)
        if not block:
            return lines
        wanted = made[-3:]
        inner = " ".join(lines)
        outputs: list[str] = []
        self.names = before
        for name, kind in wanted:
            out = self.fresh("o")
            outputs.append(out)
            inner += f" let {out} = {name};"
            self.names[kind].append(out)
        return [f"dataflow {{ {inner} output {', '.join(outputs)}; }}"]

    def helper(self) -> str:
        """Write a function of nested tuples, some of whose parameters nothing needs."""
        name, pair, other = self.fresh("@helper"), self.fresh("p"), self.fresh("p")
        self.names = {MATRIX: [f"{pair}[0]", f"{pair}[1][0]"], ROW: [f"{pair}[1][1]"], IMAGE: [other]}
        lines = self.statements(self.pick(1, 3))
        m, r = (self.use(kind) for kind in (MATRIX, ROW))
        self.helpers.append(name)
        info = f"({TYPES[MATRIX]}, ({TYPES[MATRIX]}, {TYPES[ROW]}))"
        body = "\n".join([*lines, f"({m}, ({self.use(MATRIX)}, {r}), {self.use(IMAGE)})"])
        params = f"{pair}: {info}, {other}: {TYPES[IMAGE]}, unused: {TYPES[MATRIX]}"
        return f"private def {name}({params}) {{\n{body}\n}}"

    def call(self, lines: list[str]) -> list[tuple[str, str]]:
        """Call a helper, and read some of what it returns."""
        given = f"({self.use(MATRIX)}, ({self.use(MATRIX)}, {self.use(ROW)}))"
        if self.pick(True, False):
            tuple_name = self.fresh("t")
            lines.append(f"let {tuple_name} = {given};")
            given = tuple_name
        result = self.fresh("q")
        lines.append(
            f"let {result} = {self.pick(*self.helpers)}({given}, {self.use(IMAGE)}, {self.use(MATRIX)});"
        )
        fields = [("[0]", MATRIX), ("[1][0]", MATRIX), ("[1][1]", ROW), ("[2]", IMAGE)]
        made: list[tuple[str, str]] = []
        for field, kind in self.random.sample(fields, self.pick(1, 2)):
            name = self.fresh("v")
            lines.append(f"let {name} = {result}{field};")
            self.names[kind].append(name)
            made.append((name, kind))
        return made

    def main(self) -> str:
        self.names = {MATRIX: ["x", "y"], ROW: ["r"], IMAGE: ["i"]}
        params = [f"x: {TYPES[MATRIX]}", f"y: {TYPES[MATRIX]}", f"r: {TYPES[ROW]}", f"i: {TYPES[IMAGE]}"]
        lines = self.statements(self.pick(3, 6, 10))
        m, r, i = self.use(MATRIX), self.use(ROW), self.use(IMAGE)
        if self.straight:
            lines.append(f"mean({m}) + mean({r}) * mean({i})")
        else:
            lines.append(f"({m}, {r}, ({i}, x))")
        return f"def @main({', '.join(params)}) {{\n" + "\n".join(lines) + "\n}"

    def arguments(self) -> list[object]:
        """Return what the network is run with."""
        numbers = np.random.default_rng(len(self.text))
        return [numbers.uniform(-1, 1, shape) for shape in ((4, 6), (4, 6), (6,), (2, 3, 4, 4))]
