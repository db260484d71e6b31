"""Random programs about shapes, written for one choice of sizes and run on many.

The generator knows nothing of types or proofs: it keeps the NumPy shapes that its values have for the sizes it writes
for, and writes dimensions as expressions that have these values there. For other sizes the program may fail anywhere.
"""

from __future__ import annotations

import re
from random import Random

NAMES = ("n", "m", "k")
Shape = tuple[int, ...]


class ShapeProgram:
    """`text` is the program, `sizes` the sizes it was written for; `branches` whether some of it may not run."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.sizes = {name: self.random.randint(0, 4) for name in NAMES}
        self.values: dict[str, Shape] = {}
        self.lines: list[str] = []
        self.count = 0
        self.branches = False
        params = ["s: Shape[(n, m, k)]"]
        for at in range(self.random.randint(1, 3)):
            name = f"p{at}"
            shape = tuple([self.size() for _ in range(self.random.randint(1, 3))])
            params.append(f"{name}: {self.info(shape)}")
            self.values[name] = shape
        self.params = list(self.values)
        self.helper = ""
        if self.chance(0.5):
            self.make_helper()
        inside = self.chance(0.25)
        for _ in range(self.random.randint(2, 7)):
            self.statement()
        body = "\n  ".join(self.lines)
        last = list(self.values)[-1]
        if inside and last not in self.params:
            body = f"dataflow {{\n  {body}\n  output {last};\n  }}"
        self.text = f"def @main({', '.join(params)}) {{\n  {body}\n  {last}\n}}\n{self.helper}"

    # Choices.

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def size(self) -> int:
        if self.chance(0.6):
            return self.sizes[self.random.choice(NAMES)]
        return self.random.randint(0, 6)

    def value(self) -> tuple[str, Shape]:
        return self.random.choice(list(self.values.items()))

    def like(self, rank: int) -> tuple[str, Shape] | None:
        found = [item for item in self.values.items() if len(item[1]) == rank]
        return self.random.choice(found) if found else None

    # Dimensions.

    def expr(self, depth: int = 2) -> tuple[str, int]:
        """Return an expression over the names and what it is for the sizes."""
        if depth == 0 or self.chance(0.3):
            if self.chance(0.7):
                name = self.random.choice(NAMES)
                return name, self.sizes[name]
            number = self.random.randint(0, 4)
            return str(number), number
        (a, x), (b, y) = self.expr(depth - 1), self.expr(depth - 1)
        divisor = self.random.randint(1, 4)
        return self.random.choice(
            [
                (f"({a} + {b})", x + y),
                (f"({a} - {b})", x - y),
                (f"({a} * {b})", x * y),
                (f"({a} // {divisor})", x // divisor),
                (f"({a} % {divisor})", x % divisor),
                (f"min({a}, {b})", min(x, y)),
                (f"max({a}, {b})", max(x, y)),
                (f"select({a} < {b}, {a}, {b})", x if x < y else y),
            ]
        )

    def dim(self, wanted: int) -> str:
        """Return an expression that is `wanted` for the sizes."""
        for _ in range(self.random.randint(1, 12)):
            text, value = self.expr(self.random.randint(0, 2))
            if value == wanted:
                return text
        return str(wanted)

    def dims(self, shape: Shape) -> str:
        inner = ", ".join([self.dim(size) for size in shape])
        return f"({inner},)" if len(shape) == 1 else f"({inner})"

    def info(self, shape: Shape) -> str:
        if self.chance(0.1):
            return f"Tensor[ndim={len(shape)}, float32]"
        return f"Tensor[{self.dims(shape)}, float32]"

    # Statements.

    def bind(self, value: str, shape: Shape) -> None:
        name = f"v{self.count}"
        self.count += 1
        annotation = f": {self.info(shape)}" if self.chance(0.15) else ""
        self.lines.append(f"let {name}{annotation} = {value};")
        self.values[name] = shape

    def statement(self) -> None:
        makers = (
            self.binary, self.matmul, self.concat, self.reshape, self.slice, self.reduce, self.turn, self.cast,
            self.spread, self.split, self.branch, self.call, self.expand, self.stack, self.new,
        )  # fmt: skip
        for _ in range(6):
            if self.random.choice(makers)():
                return

    def binary(self) -> bool:
        a, x = self.value()
        fitting = [(b, y) for b, y in self.values.items() if self.broadcast(x, y) is not None]
        b, y = self.random.choice(fitting)
        shape = self.broadcast(x, y)
        assert shape is not None
        self.bind(f"{self.pick('add', 'multiply', 'maximum')}({a}, {b})", shape)
        return True

    def broadcast(self, x: Shape, y: Shape) -> Shape | None:
        rank = max(len(x), len(y))
        x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
        if any(a != b and 1 not in (a, b) for a, b in zip(x, y, strict=True)):
            return None
        return tuple([b if a == 1 else a for a, b in zip(x, y, strict=True)])

    def matmul(self) -> bool:
        one, other = self.like(2), self.like(2)
        if one is None or other is None or one[1][1] != other[1][0]:
            return False
        self.bind(f"matmul({one[0]}, {other[0]})", (one[1][0], other[1][1]))
        return True

    def concat(self) -> bool:
        a, x = self.value()
        axis = self.random.randrange(len(x)) if x else -1
        if axis < 0:
            return False

        def rest(shape: Shape) -> Shape:
            return shape[:axis] + shape[axis + 1 :]

        fitting = [(b, y) for b, y in self.values.items() if len(y) == len(x) and rest(x) == rest(y)]
        b, y = self.random.choice(fitting)
        self.bind(f"concat(({a}, {b}), axis={axis})", (*x[:axis], x[axis] + y[axis], *x[axis + 1 :]))
        return True

    def stack(self) -> bool:
        a, x = self.value()
        fitting = [b for b, y in self.values.items() if y == x]
        axis = self.random.randint(0, len(x))
        self.bind(f"stack(({a}, {self.random.choice(fitting)}), axis={axis})", (*x[:axis], 2, *x[axis:]))
        return len(x) < 4

    def reshape(self) -> bool:
        a, x = self.value()
        count = 1
        for size in x:
            count *= size
        if count == 0 or len(x) < 2:
            return False
        at = self.random.randrange(len(x))
        order = (*x[at:], *x[:at]) if self.chance(0.5) else (x[0] * x[1], *x[2:])
        free = self.random.randrange(len(order)) if self.chance(0.6) else -1
        target = ", ".join(["-1" if axis == free else self.dim(size) for axis, size in enumerate(order)])
        self.bind(f"reshape({a}, shape({target}))", order)
        return True

    def slice(self) -> bool:
        a, x = self.value()
        if not x:
            return False
        axis, step = self.random.randrange(len(x)), self.random.choice((1, 1, 1, 2, -1, -2))
        bounds: list[tuple[str, int]] = []
        for _ in range(2):
            text, value = self.expr(1)
            if self.chance(0.4):
                value = self.random.choice((-3, -1, 1, 2, (1 << 63) - 1, -(1 << 63)))
                text = str(value)
            elif self.chance(0.3):
                text, value = f"-({text})", -value
            bounds.append((text, value))
        (low, start), (high, stop) = bounds
        extent = len(range(x[axis])[slice(start, stop, step)])
        self.bind(
            f"strided_slice({a}, ({axis},), ({low},), ({high},), ({step},))",
            (*x[:axis], extent, *x[axis + 1 :]),
        )
        return True

    def reduce(self) -> bool:
        a, x = self.value()
        if not x:
            return False
        axis, keep = self.random.randrange(len(x)), self.chance(0.5)
        rest = (1,) if keep else ()
        self.bind(
            f"sum({a}, axis={axis}, keepdims={'true' if keep else 'false'})",
            (*x[:axis], *rest, *x[axis + 1 :]),
        )
        return True

    def turn(self) -> bool:
        a, x = self.value()
        self.bind(f"permute_dims({a})", x[::-1])
        return True

    def expand(self) -> bool:
        a, x = self.value()
        axis = self.random.randint(0, len(x))
        self.bind(f"expand_dims({a}, axis={axis})", (*x[:axis], 1, *x[axis:]))
        return len(x) < 4

    def spread(self) -> bool:
        a, x = self.value()
        shape = tuple([self.size() if extent == 1 else extent for extent in x])
        self.bind(f"broadcast_to({a}, shape({', '.join([self.dim(size) for size in shape])}))", shape)
        return bool(x)

    def split(self) -> bool:
        a, x = self.value()
        if not x:
            return False
        axis, cut = self.random.randrange(len(x)), self.random.randint(0, 4)
        low = min(cut, x[axis])
        part = self.random.randint(0, 1)
        extent = (low, x[axis] - low)[part]
        self.bind(
            f"split({a}, indices_or_sections=[{cut}], axis={axis})[{part}]",
            (*x[:axis], extent, *x[axis + 1 :]),
        )
        return True

    def cast(self) -> bool:
        a, x = self.value()
        if self.chance(0.3) and x:
            inner = ", ".join(
                [self.dim(size) if self.chance(0.6) else f"w{self.count}_{at}" for at, size in enumerate(x)]
            )
            self.bind(f"match_cast({a}, Tensor[({inner},), float32])", x)
        else:
            self.bind(f"match_cast({a}, {self.info(x)})", x)
        return True

    def branch(self) -> bool:
        a, x = self.value()
        fitting = [b for b, y in self.values.items() if len(y) == len(x)]
        b = self.random.choice(fitting)
        self.branches = True
        condition, holds = self.condition()
        shape = x if holds else self.values[b]
        self.bind(f"if {condition} {{ {self.checked(a)} }} else {{ {self.checked(b)} }}", shape)
        return True

    def condition(self, depth: int = 1) -> tuple[str, bool]:
        """Return a condition on sizes and whether it holds."""
        if depth and self.chance(0.3):
            (one, p), (other, q) = self.condition(0), self.condition(0)
            return self.random.choice(
                [(f"({one}) && ({other})", p and q), (f"({one}) || ({other})", p or q), (f"!({one})", not p)]
            )
        (left, u), (right, v) = self.expr(1), self.expr(1)
        if self.chance(0.3):
            return f"shape_equals(shape(max({left}, 0)), shape(max({right}, 0)))", max(u, 0) == max(v, 0)
        if not set(NAMES) & set(re.findall(r"\w+", left + " " + right)):
            left, u = "n", self.sizes["n"]  # of numbers alone, a comparison is one of tensors
        comparisons = {"==": u == v, "!=": u != v, "<": u < v, "<=": u <= v, ">": u > v, ">=": u >= v}
        operator = self.random.choice(list(comparisons))
        return f"{left} {operator} {right}", comparisons[operator]

    def checked(self, name: str) -> str:
        """Return a value, perhaps by way of an annotation that depends on the branch."""
        return f"let q: {self.info(self.values[name])} = {name}; q" if self.chance(0.4) else name

    def new(self) -> bool:
        shape = tuple([self.size() for _ in range(self.random.randint(1, 2))])
        self.bind(f"ones(shape({', '.join([self.dim(size) for size in shape])}), dtype=float32)", shape)
        return True

    def make_helper(self) -> None:
        """Write a function of a tensor and a shape, whose result has dimensions of both."""
        result = self.pick("(a, b)", "(b, a)", "(a, c)", "(a + b, c)", "(max(a, 1), b)")
        self.result = result
        body = {
            "(a, b)": "x",
            "(b, a)": "permute_dims(x)",
            "(a, c)": "matmul(x, ones(shape(b, c), dtype=float32))",
            "(a + b, c)": "ones(shape(b + a, c), dtype=float32)",
            "(max(a, 1), b)": (
                f"if {self.pick('shape_equals(shape(a), shape(0))', 'a == 0', '!(a > 0)')} "
                "{ ones(shape(1, b), dtype=float32) } else { x }"
            ),
        }[result]
        head = "def @helper(x: Tensor[(a, b), float32], t: Shape[(c,)])"
        self.helper = f"{head} -> Tensor[{result}, float32] {{ {body} }}\n"

    def call(self) -> bool:
        one = self.like(2)
        if not self.helper or one is None:
            return False
        (a, b), (text, c) = one[1], self.expr(1)
        if c < 0:
            return False
        shape = {
            "(a, b)": (a, b), "(b, a)": (b, a), "(a, c)": (a, c), "(a + b, c)": (a + b, c),
            "(max(a, 1), b)": (max(a, 1), b),
        }[self.result]  # fmt: skip
        self.bind(f"@helper({one[0]}, shape({text}))", shape)
        return True
