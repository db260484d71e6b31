"""Random Relax modules with what docs/language.md describes in chapters 1 to 14 and 18, written from that page alone.

They are right: no check may fail, for any sizes. Unlike those of `written_and_evaluated`, the tensors have shapes that
are expressions, and there are PrimFuncs, scalars, modifiers, older forms, comments and names of all kinds.
"""

from __future__ import annotations

import random
import re
from typing import NamedTuple

DTYPES = ("float32", "float32", "int32", "int64", "bool")
OWN_SIZES = re.compile(r"\b[sd]\d")
"""Sizes that a function binds inside of its body."""
_SIGNS = {
    "float32": ("+", "-", "*"),
    "int32": ("+", "-", "*"),
    "int64": ("+", "-", "*"),
    "bool": ("&&", "||"),
}
_UNARY = {"float32": ("nn.relu", "floor", "negative", "abs"), "int32": ("abs", "negative"), "int64": ("abs",)}


class Info(NamedTuple):
    """What is known of a tensor: its dimensions as they are written, and its dtype."""

    dims: tuple[str, ...]
    dtype: str

    def __str__(self) -> str:
        return f"Tensor[{self.shape}, {self.dtype}]"

    @property
    def shape(self) -> str:
        return f"({self.dims[0]},)" if len(self.dims) == 1 else f"({', '.join(self.dims)})"

    @property
    def value(self) -> str:
        return f"shape({', '.join(self.dims)})"


class Module:
    """A random module: its text, and the sizes of the arguments of `@main(x, y, k)`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"a module of the page {seed}")
        self.counter = 0
        self.items: list[str] = []
        self.names: list[tuple[str, Info]] = []
        self.sizes = ["n", "m"]
        self.pure = 0
        """In how many dataflow blocks and pure functions the next statement is."""
        self.dataflows = 0
        """In how many dataflow blocks it is: function literals cannot use their variables."""
        x, y = Info(("n", "m"), "float32"), Info(("m",), self.pick("int32", "int64"))
        self.params = (x, y)
        self.names = [("x", x), ("y", y)]
        result = Info(self.dims(), self.pick(*DTYPES))
        body = self.block(result, 1, 6)
        head = f"def @main(x: {x}, y: {y}, k: Prim[int64]) -> {result}"
        attributes = self.pick("", "", " attrs { note: 1, tags: [1, 2.5] }")
        self.items.insert(self.random.randint(0, len(self.items)), f"{head}{attributes} {body}\n")
        self.text = self.pick("", "", 'module attrs { author: "me" }\n\n') + "\n".join(self.items)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self, stem: str = "v") -> str:
        self.counter += 1
        return self.pick(f"{stem}{self.counter}", f"{stem}{self.counter}", f"`{stem}.{self.counter}`")

    def dim(self) -> str:
        a, b = self.random.choices(self.sizes, k=2)
        return self.pick(
            a, a, a, b, "1", "2", f"{a} + {b}", f"{a} * 2", f"max({a}, {b})", f"{a} // 2", f"{a} + 1"
        )

    def dims(self) -> tuple[str, ...]:
        return tuple([self.dim() for _ in range(self.random.choice((0, 1, 1, 2, 2)))])

    def info(self) -> Info:
        if self.chance(0.6):
            return self.random.choice(self.names)[1]
        return Info(self.dims(), self.pick(*DTYPES))

    # -- statements

    def block(self, result: Info, depth: int, most: int) -> str:
        """Write a block in braces whose value has an info."""
        before, sizes = list(self.names), list(self.sizes)
        pad = "  " * depth
        lines = [
            f"{pad}{line}" for _ in range(self.random.randint(0, most)) for line in self.statement(depth)
        ]
        lines.append(f"{pad}{self.expr(result, 3, depth)}")
        self.names, self.sizes = before, sizes
        text = "\n".join(lines)
        return f"{{\n{text}\n{pad[2:]}}}"

    def statement(self, depth: int) -> list[str]:
        kinds = [self.let] * 6 + [self.cast, self.scalar, self.pair, self.comment]
        if depth < 3:
            kinds += [self.older] if self.dataflows else [self.closure, self.older]
            kinds += (
                [] if self.pure else [self.dataflow, self.dataflow, self.bindings, self.shown, self.direct]
            )
        return self.random.choice(kinds)(depth)

    def let(self, depth: int) -> list[str]:
        info = self.info()
        value = self.expr(info, 3, depth)
        again = [name for name, _ in self.names if name not in ("x", "y") and "[" not in name]
        name = self.random.choice(again) if again and not self.pure and self.chance(0.15) else self.name()
        annotation = self.pick(
            "", "", f": {info}", f": Tensor[ndim={len(info.dims)}, {info.dtype}]", ": Tensor"
        )
        self.names = [one for one in self.names if one[0] != name]
        if annotation.startswith(": Tensor[nd") or annotation == ": Tensor":  # it forgets: cast again
            loose = self.name()
            self.names.append((name, info))
            return [f"let {loose}{annotation} = {value};", f"let {name} = match_cast({loose}, {info});"]
        self.names.append((name, info))
        comment = self.pick("", "", "", "  # what it is", "  #")
        return [f"let {name}{annotation} = {value};{comment}"]

    def cast(self, depth: int) -> list[str]:
        info = self.random.choice(self.names)[1]
        loose, name = self.name("u"), self.name()
        first = f"let {loose}: Object = {self.expr(info, 2, depth)};"
        if info.dims and self.chance(0.4):
            size = f"s{self.counter}"
            fresh = Info((size, *info.dims[1:]), info.dtype)
            self.sizes.append(size)
            self.names.append((name, fresh))
            return [first, f"let {name} = match_cast({loose}, {fresh});"]
        self.names.append((name, info))
        return [first, f"let {name} = match_cast({loose}, {info});"]

    def scalar(self, depth: int) -> list[str]:
        name = self.name("p")
        self.names.append((name, Info((), "int64")))
        return [f"let {name} = prim_value({self.pick('3', self.dim(), 'n * 2 - 1')});"]

    def pair(self, depth: int) -> list[str]:
        a, b, name = self.info(), self.info(), self.name("t")
        annotation = self.pick("", f": ({a}, ({b}, Shape[(n, 2)]))", f": ({a}, ({b}, Shape[ndim=2]))")
        value = f"({self.expr(a, 2, depth)}, ({self.expr(b, 2, depth)}, shape(n, 2)))"
        self.names += [(f"{name}[0]", a), (f"{name}[1][0]", b)]
        return [f"let {name}{annotation} = {value};"]

    def comment(self, depth: int) -> list[str]:
        return ["# a line of its own", *self.let(depth)]

    def dataflow(self, depth: int) -> list[str]:
        before = list(self.names)
        self.pure += 1
        self.dataflows += 1
        lines = [line for _ in range(self.random.randint(1, 4)) for line in self.let(depth)]
        self.pure -= 1
        self.dataflows -= 1
        made = [one for one in self.names if one not in before]
        kept = self.random.sample(made, self.random.randint(1, len(made)))
        self.names = [*before, *kept]
        outputs = ", ".join([name for name, _ in kept])
        return ["dataflow {", *[f"  {line}" for line in lines], f"  output {outputs};", "}"]

    def bindings(self, depth: int) -> list[str]:
        return ["bindings {", *[f"  {line}" for line in self.let(depth)], "}"]

    def shown(self, depth: int) -> list[str]:
        return [f"assert_op(true, {self.random.choice(self.names)[0]});"]

    def closure(self, depth: int) -> list[str]:
        """Write a function literal with a size of its own, and a call of it."""
        given, made, name = self.info(), self.info(), self.name("f")
        parameter, before, outer = self.name("a"), list(self.names), self.pure
        self.names.append((parameter, given))
        self.pure += 1
        body = self.block(made, depth + 1, 2)
        self.pure = outer
        self.names = before
        annotation = self.pick("", f": fn({given}) -> {made}", f": impure fn({given}) -> {made}")
        if annotation.startswith(": impure"):
            annotation = "" if self.pure else annotation
        modifier = self.pick("", "", "pure ")
        result = self.name()
        call = f"let {result} = {name}({self.expr(given, 1, depth)});"
        self.names.append((result, made))
        return [f"let {name}{annotation} = {modifier}fn ({parameter}: {given}) -> {made} {body};", call]

    def older(self, depth: int) -> list[str]:
        info, name, loose = self.random.choice(self.names)[1], self.name(), self.name("u")
        first = f"let {loose}: Object = {self.expr(info, 2, depth)};"
        second = f"let {name} = {self.expr(info, 1, depth)};"
        self.names.append((name, info))
        if self.pure or not info.dims or self.chance(0.5):  # a number may be a `Prim`, which has no shape
            return [first, f"let {name} = cast({loose}) -> {info};"]
        bound = [f"d{self.counter}_{at}" for at in range(len(info.dims))]
        self.sizes += bound
        shape = f"({bound[0]},)" if len(bound) == 1 else f"({', '.join(bound)})"
        return [second, f"match_shape({name}, {shape});"]

    def direct(self, depth: int) -> list[str]:
        """Write a direct call of a PrimFunc into a tensor made for it."""
        info, name = Info(self.dims(), self.pick("float32", "int32")), self.name("w")
        value = self.expr(info, 2, depth)
        made = f"let {name} = builtin.alloc_tensor({info.value}, 0, dtype={info.dtype});"
        self.names.append((name, info))
        return [made, f"{self.prim_func(info)}({value}, {name});"]

    # -- items

    def prim_func(self, info: Info) -> str:
        name = f"@p{len(self.items)}_{self.counter}"
        names = [f"d{at}" for at in range(len(info.dims))]
        shape = f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"
        at = ", ".join([f"i{one}" for one in names]) or "()"
        loop = f"for {at} in {'0..' + names[0] if len(names) == 1 else 'grid(' + ', '.join(names) + ')'} "
        step = f"B[{at}] = {self.pick(f'A[{at}] + A[{at}]', f'max(A[{at}], 1)', f'-A[{at}]', f'A[{at}]')};"
        body = f"{loop}{{ {step} }}" if names else step
        buffer = f"Buffer[{shape}, {info.dtype}]"
        self.items.append(f"private prim_func {name}(A: {buffer}, B: {buffer}) {{\n  {body}\n}}\n")
        return name

    def function(self, given: Info, made: Info) -> str:
        """Write a pure function that binds the sizes it is about by a shape."""
        name = self.pick(f"@g{self.counter}", f'@"g {self.counter}.{len(self.items)}"')
        self.counter += 1
        kept = self.names, self.sizes, self.pure, self.dataflows
        self.names, self.sizes, self.pure, self.dataflows = [("a", given)], ["n", "m"], 1, 0
        body = self.block(made, 1, 3)
        self.names, self.sizes, self.pure, self.dataflows = kept
        linkage = self.pick("", "private ", "private pure ", "force_pure ")
        doc = self.pick("", "", "## What it does.\n", "# Before it.\n")
        self.items.append(f"{doc}{linkage}def {name}(s: Shape[(n, m)], a: {given}) -> {made} {body}\n")
        return name

    # -- expressions

    def expr(self, info: Info, depth: int, level: int) -> str:
        fits = [name for name, found in self.names if found == info]
        if fits and (depth <= 0 or self.chance(0.25)):
            return self.random.choice(fits)
        if depth <= 0:
            return self.made(info)
        kinds = [self.binary] * 4 + [
            self.unary,
            self.where,
            self.astype,
            self.made_of,
            self.block_of,
            self.applied,
        ]
        if not self.pure:
            kinds += [self.branch]
        if info.dtype in ("float32", "int32"):
            kinds += [self.call_tir]
        return self.random.choice(kinds)(info, depth, level)

    def number(self, dtype: str) -> str:
        return {"float32": self.pick("1.0", "0.5", "-2.0"), "int32": self.pick("1", "3"), "bool": "true"}.get(
            dtype, f"const({self.pick('1', '2', '-3')}, {dtype})"
        )

    def made(self, info: Info) -> str:
        if not info.dims:
            return self.number(info.dtype)
        if info.dtype != "bool" and self.chance(0.4):
            return f"{self.pick('zeros', 'ones')}({info.value}, dtype={info.dtype})"
        return f"full({info.value}, {self.number(info.dtype)}, dtype={info.dtype})"

    def made_of(self, info: Info, depth: int, level: int) -> str:
        """Write an operator that changes shapes."""
        dims, dtype = info
        form = self.random.random()
        if dtype == "bool" and form < 0.5:
            other = Info(dims, self.pick("float32", "int32"))
            sign = self.pick("==", "<", ">=", "!=")
            return f"({self.expr(other, depth - 1, level)} {sign} {self.expr(other, depth - 1, level)})"
        if len(dims) == 2 and form < 0.5:
            return f"permute_dims({self.expr(Info(dims[::-1], dtype), depth - 1, level)})"
        if dtype == "float32" and len(dims) == 2 and form < 0.75:
            inner = self.dim()
            a, b = Info((dims[0], inner), dtype), Info((inner, dims[1]), dtype)
            return f"matmul({self.expr(a, depth - 1, level)}, {self.expr(b, depth - 1, level)})"
        if dtype != "bool" and len(dims) < 2 and form < 0.7:
            return f"sum({self.expr(Info((*dims, self.dim()), dtype), depth - 1, level)}, axis=[{len(dims)}])"
        if dims and form < 0.9:
            source = Info(dims[1:], dtype)
            return f"broadcast_to({self.expr(source, depth - 1, level)}, {info.value})"
        source = Info((*dims, "1"), dtype)
        return f"{self.pick('squeeze', 'squeeze')}({self.expr(source, depth - 1, level)}, axis=[{len(dims)}])"

    def binary(self, info: Info, depth: int, level: int) -> str:
        a = self.expr(info, depth - 1, level)
        b = self.expr(info if self.chance(0.6) else Info((), info.dtype), depth - 1, level)
        if info.dtype != "bool" and self.chance(0.15):
            a = f"abs({a})"  # a number and a size are one dimension expression
            b = self.pick("(n + 1)", "m", "(n * 2 - m)")
        a, b = (f"({one})" if self.chance(0.7) or one.startswith("if") else one for one in (a, b))
        return f"{a} {self.random.choice(_SIGNS[info.dtype])} {b}"

    def unary(self, info: Info, depth: int, level: int) -> str:
        value = self.expr(info, depth - 1, level)
        if info.dtype == "bool":
            return f"!({value})"
        return f"{self.random.choice(_UNARY[info.dtype])}({value})" if self.chance(0.7) else f"-({value})"

    def where(self, info: Info, depth: int, level: int) -> str:
        parts = [self.expr(Info(info.dims, "bool"), depth - 1, level)]
        parts += [self.expr(info, depth - 1, level) for _ in range(2)]
        return f"where({', '.join(parts)})"

    def astype(self, info: Info, depth: int, level: int) -> str:
        source = (
            self.pick("int32", "int64", "float32") if info.dtype != "int32" else self.pick("int64", "bool")
        )
        return f"astype({self.expr(Info(info.dims, source), depth - 1, level)}, dtype={info.dtype})"

    def block_of(self, info: Info, depth: int, level: int) -> str:
        return self.block(info, level + 1, 2) if level < 3 else self.made(info)

    def branch(self, info: Info, depth: int, level: int) -> str:
        if level > 2:
            return self.made(info)
        conditions = ["n > 1", "n < m || m % 2 == 0", "n == m", self.expr(Info((), "bool"), 1, level)]
        text = f"if {self.random.choice(conditions)} {self.block(info, level + 1, 2)} else "
        if self.chance(0.3):
            text += f"if {self.random.choice(conditions)} {self.block(info, level + 1, 1)} else "
        return text + self.block(info, level + 1, 1)

    def call_tir(self, info: Info, depth: int, level: int) -> str:
        return f"call_tir({self.prim_func(info)}, ({self.expr(info, depth - 1, level)},)) -> {info}"

    def applied(self, info: Info, depth: int, level: int) -> str:
        """Write a call of another function, for infos over the sizes that it binds itself."""
        given = self.random.choice(self.params)
        if level > 2 or len(self.items) > 6 or OWN_SIZES.search(" ".join(info.dims)):
            return self.made(info)
        return f"{self.function(given, info)}(shape(n, m), {self.expr(given, 1, level)})"
