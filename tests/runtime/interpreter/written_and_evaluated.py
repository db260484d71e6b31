"""Random Relax programs from docs/language.md alone, chapters 2 to 13, evaluated in plain Python as they are written.

A third meaning beside the two engines: it shares no code with them, not even the parser. Every expression is made
together with its value: tensors are lists of Python numbers with a shape. What is written covers scopes and
shadowing, branches on data and on sizes, closures and recursion, functions as values, tuples, match_cast, dataflow
blocks, sizes as values, and operators whose results are easily worked out. All programs are right, so the checker may
find no error.
"""

from __future__ import annotations

import math
import random
import re
from typing import Any

from tests.runtime.interpreter.plain_tensors import DTYPES, F, NotTamed, S, T, elementwise, info_of
from tests.runtime.interpreter.written_operators import Operators


class Program(Operators):
    """One random program: `text`, `arguments`, and the `value` of `@main`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"written and evaluated {seed}")
        self.counter = 0
        self.items: list[str] = []
        self.sizes = {"n": self.pick(1, 2, 3, 4), "m": self.pick(1, 2, 3)}
        self.names: dict[str, Any] = {}
        self.impure = False
        self.arguments: dict[str, Any] = {}
        params = []
        for name in ("x", "y", "c", "k"):
            shape = self.pick(("n", "m"), ("n",), ("m", "n"), ()) if name in "xy" else ()
            dtype = {"c": "bool", "k": "int32"}.get(name) or self.pick(*DTYPES)
            value = self.tensor(dtype, tuple([self.sizes[size] for size in shape]))
            params.append(f"{name}: Tensor[({', '.join(shape)}{',' * (len(shape) == 1)}), {dtype}]")
            self.arguments[name] = self.names[name] = value
        params.append("sh: Shape[(n, m)]")
        self.arguments["sh"] = self.names["sh"] = S((self.sizes["n"], self.sizes["m"]))
        lines, self.value = self.block(0, self.pick(4, 7, 10))
        self.text = "\n".join([f"def @main({', '.join(params)}) -> Object {{", *lines, "}", *self.items, ""])

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def tensor(self, dtype: str, shape: tuple[int, ...]) -> T:
        return T(dtype, shape, [self.number(dtype) for _ in range(math.prod(shape))])

    def number(self, dtype: str) -> Any:
        if dtype == "bool":
            return self.chance(0.5)
        return (
            float(self.pick(0, 1, 2, -1, -3, 0.5, 4))
            if dtype == "float32"
            else self.pick(0, 1, 2, 3, -1, -2, 7)
        )

    # -- statements

    def block(self, depth: int, count: int) -> tuple[list[str], Any]:
        """Return statements and a value, without the braces; what they bind is forgotten at the end."""
        saved, sizes = self.names, self.sizes
        self.names, self.sizes = dict(saved), dict(sizes)
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(depth)
        text, value = self.any_value(2)
        if self.chance(0.6):
            parts = [(text, value), *[self.any_value(1) for _ in range(self.pick(0, 1, 2))]]
            text = f"({', '.join([one for one, _ in parts])},)"
            value = tuple([one for _, one in parts])
        self.names, self.sizes = saved, sizes
        return [*lines, text], value

    def statement(self, depth: int) -> list[str]:
        kinds = ["let", "let", "let", "let", "tuple", "choice", "choice", "inner", "closure", "dataflow", "cast",
                 "function", "recursion", "higher", "bindings", "size_choice", "annotated"]  # fmt: skip
        return getattr(self, self.pick(*kinds[: 4 if depth > 2 else None]))(depth)

    def bind(self, value: Any) -> str:
        """Return a name for a value: often one that is bound already."""
        old = [name for name, other in self.names.items() if type(other) is type(value)]
        name = self.pick(*old) if old and self.chance(0.3) else self.fresh("v")
        self.names[name] = value
        return name

    def let(self, depth: int) -> list[str]:
        text, value = self.any_value(3)
        return [f"let {self.bind(value)} = {text};"]

    def annotated(self, depth: int) -> list[str]:
        text, value = self.typed(2)
        dims = [self.dim_of(size) for size in value.shape]
        info = self.pick(
            f"Tensor[({', '.join(dims)}{',' * (len(dims) == 1)}), {value.dtype}]",
            f"Tensor[ndim={len(dims)}, {value.dtype}]", "Tensor", "Object", f"Tensor[_, {value.dtype}]",
        )  # fmt: skip
        name = self.fresh("w")
        if info == "Object":
            other = self.bind(value)
            return [
                f"let {name}: Object = {text};",
                f"let {other} = match_cast({name}, Tensor[ndim={len(dims)}, {value.dtype}]);",
            ]
        if info == "Tensor" or "_" in info:
            other = self.bind(value)
            return [
                f"let {name}: {info} = {text};",
                f"let {other} = match_cast({name}, Tensor[ndim={len(dims)}, {value.dtype}]);",
            ]
        self.names[name] = value
        return [f"let {name}: {info} = {text};"]

    def dim_of(self, size: int) -> str:
        """Return a dimension expression for a size."""
        names = [name for name, value in self.sizes.items() if value == size]
        if not self.sizes:
            return str(size)
        other = self.pick(*self.sizes)
        off = size - self.sizes[other]
        near = f"{other} + {off}" if off > 0 else f"{other} - {-off}" if off else other
        return self.pick(str(size), near, *names, *names)

    def tuple(self, depth: int) -> list[str]:
        parts = [self.any_value(1) for _ in range(self.pick(1, 2, 3))]
        text = f"({', '.join([one for one, _ in parts])}{',' if len(parts) == 1 else ''})"
        value = tuple([one for _, one in parts])
        name = self.bind(value)
        at = self.random.randrange(len(parts))
        return [f"let {name} = {text};", f"let {self.bind(value[at])} = {name}[{at}];"]

    def choice(self, depth: int) -> list[str]:
        """Return an `if` whose branches have blocks of their own; both are written, one counts."""
        condition, flag = self.scalar_bool()
        yes, if_true = self.block(depth + 1, self.pick(0, 1, 2))
        no, if_false = self.block(depth + 1, self.pick(0, 1, 2))
        return self.chosen(condition, flag, yes, if_true, no, if_false)

    def chosen(
        self, condition: str, flag: bool, yes: list[str], if_true: Any, no: list[str], if_false: Any
    ) -> list[str]:
        value = if_true if flag else if_false
        name = self.fresh("z")
        lines = [f"let {name} = if {condition} {{", *yes, "} else {", *no, "};"]
        info = info_of(value)
        if info is None or self.chance(0.3):
            return lines
        return [*lines, f"let {self.bind(value)} = match_cast({name}, {info});"]

    def size_choice(self, depth: int) -> list[str]:
        if not self.sizes:
            return self.let(depth)
        text, size = self.dim(2)
        op = self.pick("<", ">", "==", "!=", "<=", ">=")
        against = self.pick(1, 2, 3)
        if not any(re.search(rf"\b{name}\b", text) for name in self.sizes):
            text, size = self.pick(*self.sizes.items())
        flag = eval(f"{size} {op} {against}")
        reached, other = (
            self.block(depth + 1, 1),
            (["(const(1), true)"], ()),
        )  # nothing with sizes that it excludes
        (yes, if_true), (no, if_false) = (reached, other) if flag else (other, reached)
        return self.chosen(f"{text} {op} {against}", flag, yes, if_true, no, if_false)

    def inner(self, depth: int) -> list[str]:
        lines, value = self.block(depth + 1, self.pick(1, 2, 3))
        return [f"let {self.bind(value)} = {{", *lines, "};"]

    def bindings(self, depth: int) -> list[str]:
        return ["bindings {", *self.let(depth), *self.let(depth), "}"]

    def dataflow(self, depth: int) -> list[str]:
        """Return a dataflow block; what it does not list is forgotten, and older names mean what they meant."""
        saved = dict(self.names)
        lines: list[str] = []
        made: list[str] = []
        for _ in range(self.pick(1, 2, 4)):
            text, value = self.any_value(2)
            name = self.fresh("d")
            lines.append(f"let {name} = {text};")
            self.names[name] = value
            made.append(name)
        listed = self.random.sample(made, self.pick(0, 1, len(made)))
        self.names = saved | {name: self.names[name] for name in listed}
        output = [f"output {', '.join(listed)};"] if listed else []
        return ["dataflow {", *lines, *output, "}"]

    def cast(self, depth: int) -> list[str]:
        """Return a match_cast that binds new names for the sizes of a tensor."""
        text, value = self.typed(2)
        whole = self.fresh("o")
        dims = []
        for size in value.shape:
            if self.chance(0.5):
                name = self.fresh("e")
                self.sizes[name] = size
                dims.append(name)
            else:
                dims.append(str(size))
        info = f"Tensor[({', '.join(dims)}{',' * (len(dims) == 1)}), {value.dtype}]"
        return [f"let {whole}: Object = {text};", f"let {self.bind(value)} = match_cast({whole}, {info});"]

    def closure(self, depth: int) -> list[str]:
        """Return a function literal that uses what is around it, and a call of it."""
        function, lines = self.function_literal()
        name = self.fresh("f")
        self.names[name] = function
        arg = self.tensor_of(function.dtype)
        value = function.compute(arg[1])
        return [f"let {name} = {lines};", *self.known(f"{name}({arg[0]})", value)]

    def known(self, call: str, value: Any) -> list[str]:
        """Return statements that bind the result of a call of which too little is known."""
        got = self.fresh("r")
        return [f"let {got} = {call};", f"let {self.bind(value)} = match_cast({got}, {info_of(value)});"]

    def function_literal(self) -> tuple[F, str]:
        dtype = self.pick("int32", "float32")
        others = [
            (name, one)
            for name, one in self.names.items()
            if isinstance(one, T) and one.dtype == dtype and one.shape == ()
        ]
        op, compute = self.pick(
            ("+", lambda a, b: a + b), ("*", lambda a, b: a * b), ("-", lambda a, b: a - b)
        )
        captured, value = self.pick(*others) if others else (f"const(2, {dtype})", T(dtype, (), [2]))
        param = self.pick("a", "x", "y")
        if param == captured:
            param = "a"
        use = f"{captured} {op} {param}" if self.chance(0.5) else f"{param} {op} {captured}"
        turn = use.startswith(captured)

        def run(arg: T) -> T:
            pair = (value, arg) if turn else (arg, value)
            return elementwise(dtype, compute, *pair)

        info = self.pick(f"Tensor[_, {dtype}]", f"Tensor[_, {dtype}]", "Tensor")
        head = (
            f"fn ({param}: {info})"
            if info != "Tensor"
            else f"fn ({param}: Tensor[_, {dtype}]) -> Tensor[_, {dtype}]"
        )
        return F(run, dtype), f"{head} {{ {use} }}"

    def higher(self, depth: int) -> list[str]:
        """Return a function that is passed to another one, which calls it twice."""
        function, literal = self.function_literal()
        name = self.fresh("twice")
        kind = f"Tensor[_, {function.dtype}]"
        arg, value = self.tensor_of(function.dtype)
        try:
            value = function.compute(function.compute(value))
        except NotTamed:  # too large
            return []
        self.items.append(f"def @{name}(g: fn({kind}) -> {kind}, a: {kind}) -> {kind} {{ g(g(a)) }}")
        return self.known(f"@{name}({literal}, {arg})", value)

    def function(self, depth: int) -> list[str]:
        """Return a call of a function that binds sizes of its own."""
        text, value = self.typed(1)
        name = self.fresh("g")
        dims = [self.fresh("q") for _ in value.shape]
        saved = self.names, self.sizes
        self.names, self.sizes = {"p": value}, dict(zip(dims, value.shape, strict=True)) or {"one": 1}
        if not dims:
            self.sizes = {}
        listed = f"Tensor[({', '.join(dims)}{',' * (len(dims) == 1)}), {value.dtype}]"
        if self.sizes:
            lines, made = self.block(2, self.pick(0, 1, 2))
        else:
            lines, made = ["(p, p)"], (value, value)
        self.names, self.sizes = saved
        self.items.append("\n".join([f"def @{name}(p: {listed}) -> Object {{", *lines, "}"]))
        got = self.fresh("r")
        info = info_of(made)
        lines = [f"let {got} = @{name}({text});"]
        if info is not None:
            lines.append(f"let {self.bind(made)} = match_cast({got}, {info});")
        return lines

    def recursion(self, depth: int) -> list[str]:
        """Return a local function that calls itself as often as a number says."""
        name, start = self.fresh("rec"), self.pick(0, 1, 3, 5)
        text, value = self.tensor_of("int32")
        step = self.pick(("+", 2), ("*", 2), ("-", 1))
        result = value
        for i in range(start, 0, -1):
            other = T("int32", (), [i if step[0] == "-" else step[1]])
            result = elementwise(
                "int32",
                {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b: a - b}[step[0]],
                result,
                other,
            )
        by = "i" if step[0] == "-" else str(step[1])
        body = f"if i > 0 {{ {name}(i - 1, a {step[0]} {by}) }} else {{ a }}"
        head = f"fn (i: Tensor[(), int32], a: Tensor[_, int32]) -> Tensor[_, int32] {{ {body} }}"
        return [f"let {name} = {head};", *self.known(f"{name}({start}, {text})", result)]

    # -- values

    def any_value(self, depth: int) -> tuple[str, Any]:
        if self.chance(0.2):
            known = [(name, value) for name, value in self.names.items() if not isinstance(value, F)]
            if known:
                return self.pick(*known)
        if self.chance(0.15):
            parts = [self.dim(2) for _ in range(self.pick(0, 1, 2, 3))]
            return f"shape({', '.join([text for text, _ in parts])})", S([size for _, size in parts])
        return self.typed(depth)

    def dim(self, depth: int) -> tuple[str, int]:
        """Return a dimension expression that is not negative, and its value."""
        for _ in range(20):
            text, value = self.raw_dim(depth)
            if 0 <= value < 30:
                return text, value
        return "2", 2

    def raw_dim(self, depth: int) -> tuple[str, int]:
        if depth <= 0 or self.chance(0.3):
            if self.chance(0.3) or not self.sizes:
                value = self.pick(0, 1, 2, 3)
                return str(value), value
            name = self.pick(*self.sizes)
            return name, self.sizes[name]
        (a, left), (b, right) = self.raw_dim(depth - 1), self.raw_dim(depth - 1)
        op = self.pick("+", "-", "*", "//", "%", "min", "max", "select")
        if op in ("min", "max"):
            return f"{op}({a}, {b})", (min if op == "min" else max)(left, right)
        if op == "select":
            return f"select({a} < {b}, {b}, {a} + 1)", right if left < right else left + 1
        if op in ("//", "%"):
            by = self.pick(1, 2, 3)
            return f"({a}) {op} {by}", left // by if op == "//" else left % by
        value = {"+": left + right, "-": left - right, "*": left * right}[op]
        return f"(({a}) {op} ({b}))", value

    def scalar_bool(self) -> tuple[str, bool]:
        for _ in range(10):
            text, value = self.typed(2)
            if value.shape == () and value.dtype == "bool":
                return text, value.items[0]
            if value.shape == () and value.dtype != "bool":
                op = self.pick("<", ">=", "==")
                zero = "0.0" if value.dtype == "float32" else f"const(0, {value.dtype})"
                return f"{text} {op} {zero}", eval(f"{value.items[0]} {op} 0")
        return "true", True

    def tensor_of(self, dtype: str) -> tuple[str, T]:
        known = [
            (name, value)
            for name, value in self.names.items()
            if isinstance(value, T) and value.dtype == dtype
        ]
        if known and self.chance(0.8):
            return self.pick(*known)
        value = self.number(dtype)
        shown = str(value).lower()
        return f"const({shown}, {dtype})", T(dtype, (), [value])

    def typed(self, depth: int) -> tuple[str, T]:
        """Return an expression for a tensor, and its value."""
        for _ in range(30):
            try:
                found = self.raw(depth)
            except NotTamed:
                continue
            if found is not None and len(found[1].items) <= 60:
                return found
        return "k2".replace("k2", "const(3, int32)"), T("int32", (), [3])

    def raw(self, depth: int) -> tuple[str, T] | None:
        if depth <= 0:
            return self.tensor_of(self.pick(*DTYPES))
        text, x = self.typed(depth - 1)
        kind = self.pick("binary", "binary", "compare", "unary", "reduce", "permute", "reshape", "concat", "expand",
                         "slice", "take", "where", "size", "convert", "flip", "tile", "repeat", "stack", "squeeze",
                         "cumsum")  # fmt: skip
        return getattr(self, f"make_{kind}")(text, x, depth)
