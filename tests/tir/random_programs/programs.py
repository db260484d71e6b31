"""Random PrimFuncs from the language reference alone, chapters 15 to 17 of docs/language.md.

Wider than the nests of `random_nests`, and less likely to look like what anybody writes: all forms of expressions on
sizes and loop variables, choices inside of unary and compound operations, loops without a step, `while`, chains of
`let`, several blocks, all dtypes. Floats are small and have few bits, so that most sums are exact in any order.
"""

from __future__ import annotations

import random

import numpy as np

from tests.tir.reference.interpreter import Array
from tests.tir.reference.numbers import FLOATS, WIDTHS

DTYPES = (*WIDTHS, "int64", "int32", "float32", "float32", *FLOATS, "bool")
SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5)
HUGE = (
    "9223372036854775807",
    "6364136223846793005",
    "4611686018427387904",
    "1442695040888963407",
    "2147483648",
)


class Program:
    """One random program, its text and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dims = {name: self.pick(*SIZES) for name in ("n", "m")[: self.pick(1, 2, 2)]}
        self.wild = self.random.random() < 0.35  # indices that may be outside, divisors that may be zero
        self.huge = self.random.random() < 0.15
        self.counter = 0
        self.indices = list(self.dims)
        self.lets: dict[str, str] = {}
        self.scalars = {"k": "int64"} | ({"s": self.pick(*DTYPES)} if self.chance(0.5) else {})
        self.buffers: dict[str, tuple[list[str], str]] = {}
        self.loops: dict[str, str] = {}  # extents of the loops around
        main = self.pick(*DTYPES)
        for name in ("A", "B", "Y", "Z"):
            rank = self.pick(0, 1, 1, 2, 2, 3)
            dtype = main if self.chance(0.7) else self.pick(*DTYPES)
            shape = list(self.dims) if name == "A" else [self.size() for _ in range(rank)]
            self.buffers[name] = (shape, dtype)
        self.buffers["I"] = ([self.pick(*self.dims)], "int64")
        self.params = list(self.buffers)
        self.text = self.program()

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def size(self) -> str:
        dim = self.pick(*self.dims)
        return self.pick(*self.dims, *self.dims, *self.dims, "2", "3", f"{dim} + 1", f"{dim} * 2")

    def program(self) -> str:
        params = [
            f"{name}: Buffer[({', '.join(shape)}{',' if len(shape) == 1 else ''}), {dtype}]"
            for name, (shape, dtype) in self.buffers.items()
        ]
        params += [f"{name}: {dtype}" for name, dtype in self.scalars.items()]
        body = [line for _ in range(self.pick(1, 1, 2, 3)) for line in self.statement(0)]
        return "\n".join([f"prim_func @f({', '.join(params)}) {{", *[f"  {line}" for line in body], "}", ""])

    # -- statements

    def statement(self, depth: int) -> list[str]:
        weights = {"store": 2 + 4 * depth, "loop": 8 - 3 * depth, "block_nest": 4 - 2 * depth, "branch": 2, "let": 1,
                   "allocation": 1.5 - 0.5 * depth, "repeat": 1, "assertion": 0.4}  # fmt: skip
        kinds = [kind for kind in weights if weights[kind] > 0]
        kind = self.random.choices(kinds, [weights[kind] for kind in kinds])[0]
        return getattr(self, kind)(depth)

    def body(self, depth: int, *, at_least: int = 1) -> list[str]:
        """Return statements in braces of their own."""
        saved = list(self.indices), dict(self.lets), dict(self.buffers), dict(self.loops)
        count = self.pick(at_least, at_least, 2) if depth < 3 else at_least
        lines = [f"  {line}" for _ in range(max(count, 1)) for line in self.statement(depth)]
        self.indices, self.lets, self.buffers, self.loops = saved
        return lines

    def loop(self, depth: int) -> list[str]:
        saved = list(self.indices), dict(self.loops)
        names = [self.fresh("i") for _ in range(self.pick(1, 1, 2))]
        sizes = [self.extent() for _ in names]
        if self.chance(0.4):
            head = f"for {', '.join(names)} in grid({', '.join(sizes)}) {{"
        else:
            names, sizes = names[:1], sizes[:1]
            start = self.pick("0", "0", "0", "1", "-1", *([self.index(1)] if self.wild else []))
            # A loop that starts at a huge negative number would never end in the interpreter.
            start = f"max({start}, -9)" if self.huge and start not in ("0", "1", "-1") else start
            kind = self.pick("", "", "parallel ", "vectorized ", "unrolled ")
            head = f"for {kind}{names[0]} in {start}..{sizes[0]} {{"
        self.indices += names
        self.loops |= dict(zip(names, sizes, strict=True))
        lines = [head, *self.body(depth + 1), "}"]
        self.indices, self.loops = saved
        return lines

    def extent(self) -> str:
        options = [self.size(), self.size(), self.size(), self.size(), "0", "3"]
        inner = list(self.loops)
        if inner:
            options += [self.pick(*inner), f"{self.pick(*inner)} + 1"]
        options.append(f"min({self.size()}, {self.bounded(1)})")
        return self.pick(*options)

    def block_nest(self, depth: int) -> list[str]:
        """Return loops perfectly nested around a block with axes."""
        saved = list(self.indices), dict(self.lets), dict(self.loops)
        names = [self.fresh("j") for _ in range(self.pick(1, 2, 2, 3))]
        sizes: list[str] = []
        for name in names:
            size = self.extent() if self.chance(0.25) else self.size()
            sizes.append(size)
            self.indices.append(name)
            self.loops[name] = size
        if self.chance(0.5) and not any(name in size for size in sizes for name in names):
            heads = [f"for {', '.join(names)} in grid({', '.join(sizes)}) {{"]
        else:
            heads = [f"for {name} in 0..{size} {{" for name, size in zip(names, sizes, strict=True)]
        axes: list[str] = []
        kinds: dict[str, str] = {}
        for name, size in zip(names, sizes, strict=True):
            axis, kind = self.fresh("v"), self.pick("spatial", "spatial", "reduce", "scan", "opaque")
            axes.append(f"{axis} = {kind}({name})")
            kinds[axis] = kind
            self.loops[axis] = size
        if self.chance(0.2):
            axis = self.fresh("v")
            axes.append(f"{axis} = spatial({self.index(1)})")
            self.loops[axis] = "n"
            kinds[axis] = "unused"
        self.indices += list(kinds)
        kept = [axis for axis, kind in kinds.items() if kind not in ("reduce", "unused")]
        where = f" where {self.condition(1)}" if self.chance(0.35) else ""
        target = self.target(kept)
        dtype = self.buffers[target.partition("[")[0]][1]
        lines = [*heads, f"block {self.fresh('b')} ({', '.join(axes)}){where} {{"]
        if "reduce" in kinds.values() and self.chance(0.8):
            lines.append(f"  init {{ {target} = {self.literal(dtype)}; }}")
        if self.chance(0.7):
            lines.append(f"  {self.update(target, dtype)}")
        else:
            lines += self.body(3)
        self.indices, self.lets, self.loops = saved
        return [*lines, *["}"] * (len(heads) + 1)]

    def target(self, axes: list[str]) -> str:
        """Return an element of a result that some axes choose, as far as it has dimensions for them."""
        name = self.pick("Y", "Y", "Z")
        shape, _ = self.buffers[name]
        parts = [axes[at] if at < len(axes) else self.within(size, 1) for at, size in enumerate(shape)]
        parts = [part if self.loops.get(part) == size or self.chance(0.1) else self.within(size, 1)
                 for part, size in zip(parts, shape, strict=True)]  # fmt: skip
        return f"{name}[{', '.join(parts) or '()'}]"

    def update(self, target: str, dtype: str) -> str:
        value = self.value(dtype, 2)
        if dtype == "bool":
            return (
                f"{target} = {target} {self.pick('&&', '||')} {value};"
                if self.chance(0.5)
                else f"{target} = {value};"
            )
        if self.chance(0.25):
            return f"{target} = {self.pick('min', 'max')}({target}, {value});"
        return f"{target} {self.pick('+=', '+=', '+=', '-=', '*=', '=')} {value};"

    def store(self, depth: int) -> list[str]:
        name = self.pick(*[name for name in self.buffers if name not in ("A", "B", "I")])
        shape, dtype = self.buffers[name]
        target = f"{name}[{', '.join([self.within(size, 2) for size in shape]) or '()'}]"
        if dtype == "bool" or self.chance(0.5):
            return [f"{target} = {self.value(dtype, 3)};"]
        if self.chance(0.2) and dtype in WIDTHS:
            return [f"{target} += ~{self.paren(self.value(dtype, 2))};"]
        return [f"{target} {self.pick('+=', '-=', '*=')} {self.value(dtype, 2)};"]

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition(2)} {{", *self.body(depth + 1)]
        return [*lines, "} else {", *self.body(depth + 1), "}"] if self.chance(0.4) else [*lines, "}"]

    def let(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.pick(1, 1, 2, 4)):
            name, dtype = self.fresh("t"), self.pick("int64", *DTYPES)
            value = self.index(2) if dtype == "int64" and self.chance(0.6) else self.value(dtype, 2)
            lines.append(f"let {name}: {dtype} = {value};")
            self.lets[name] = dtype
            if dtype == "int64" and self.chance(0.5):
                self.indices.append(name)
        return lines

    def allocation(self, depth: int) -> list[str]:
        name, dtype = self.fresh("T"), self.pick(*DTYPES)
        shape = [self.size() for _ in range(self.pick(0, 1, 1, 2))]
        lines = [f"alloc {name}: Buffer[({', '.join(shape)}{',' if len(shape) == 1 else ''}), {dtype}];"]
        loops = [self.fresh("f") for _ in shape]
        saved = list(self.indices), dict(self.loops)
        self.indices += loops
        self.loops |= dict(zip(loops, shape, strict=True))
        fill = f"{name}[{', '.join(loops) or '()'}] = {self.value(dtype, 2)};"
        self.indices, self.loops = saved
        lines += [f"for {', '.join(loops)} in grid({', '.join(shape)}) {{ {fill} }}"] if loops else [fill]
        self.buffers[name] = (shape, dtype)
        return lines

    def repeat(self, depth: int) -> list[str]:
        """Return a `while` with a counter."""
        name = self.fresh("K")
        more = f" && ({self.condition(1)})" if self.chance(0.4) else ""  # the counter ends it, whatever holds
        return [
            f"alloc {name}: Buffer[(), int64];",
            f"{name}[()] = 0;",
            f"while {name}[()] < {self.pick('2', '3', self.size())}{more} {{",
            *self.body(max(depth + 1, 2)),
            f"  {name}[()] += 1;",
            "}",
        ]

    def assertion(self, depth: int) -> list[str]:
        return [f'assert {self.condition(1)} || {self.pick("true", "true", "n < 4")}, "it does not hold";']

    # -- indices

    def within(self, size: str, depth: int) -> str:
        """Return an index that is mostly inside of a dimension."""
        loops = [name for name, extent in self.loops.items() if extent == size]
        options = [*loops, *loops, *loops, *[f"{size} - 1 - {name}" for name in loops]]
        options += [f"({name} + {self.pick('1', '2', 'k')}) % {self.paren(size)}" for name in loops]
        if self.loops:
            name = self.pick(*self.loops)
            options += [f"{name} // 2", f"min({name}, {size} - 1)", f"max({name} - 1, 0)"]
        if not options or self.chance(0.15):
            options.append(f"({self.index(depth)}) % {self.paren(size)}")
            options.append(f"I[{self.bounded(1)}] % {self.paren(size)}")
        if self.wild and self.chance(0.2):
            options = [self.index(depth)]
        return self.pick(*options)

    def bounded(self, depth: int) -> str:
        """Return a small number of which a part depends on a loop."""
        return self.pick("0", "1", "n - 1", *(self.loops or ["0"]))

    def index(self, depth: int) -> str:
        """Return an int64 expression on sizes, loop variables and scalars."""
        if depth <= 0 or self.chance(0.2):
            leaves = [*self.indices, *self.indices, "k", "0", "1", "2", "3", "n"]
            return self.pick(*leaves, *(HUGE if self.huge else ()))
        template = self.pick(
            "{a} + {b}", "{a} - {b}", "{a} * {c}", "{a} // {d}", "{a} % {d}", "{a} / {d}", "{a} // ({e} * {e} + 1)",
            "min({a}, {b})", "max({a}, {b})", "select({p}, {a}, {b})", "if_then_else({p}, {a}, {b})", "-{a}", "~{a}",
            "abs({a})", "{a} & {c}", "{a} | {c}", "{a} ^ {c}", "{a} << {s}", "{a} >> {s}",
            "cast(cast({a}, int32), int64)", "popcount({a})",
        )  # fmt: skip
        return self.filled(
            template,
            a=lambda: self.paren(self.index(depth - 1)),
            b=lambda: self.paren(self.index(depth - 1)),
            c=lambda: self.paren(self.index(depth - 2)),
            d=lambda: self.divisor(depth),
            e=lambda: self.pick("n", "2", "3"),
            p=lambda: self.condition(depth - 1),
            s=lambda: self.pick("0", "1", "2"),
        )

    def divisor(self, depth: int) -> str:
        options = ["2", "3", "4", "(n + 1)", f"max({self.index(depth - 2)}, 1)"]
        return self.pick(*options, *([self.paren(self.index(depth - 1))] if self.wild else []))

    @staticmethod
    def filled(template: str, **makers) -> str:
        """Return a template with each of its holes filled anew."""
        parts = template.split("{")
        return parts[0] + "".join([makers[part[0]]() + part[2:] for part in parts[1:]])

    @staticmethod
    def paren(text: str) -> str:
        return text if text.isalnum() else f"({text})"

    # -- values

    def literal(self, dtype: str) -> str:
        if dtype == "bool":
            return self.pick("true", "false")
        if dtype in FLOATS:
            return self.pick("0.0", "1.0", "2.0", "0.5", f"{dtype}(2.0)", "-1.0")
        small = self.pick("0", "1", "2", "3", "5")
        return self.pick(small, f"{dtype}({small})", f"{self.pick('min', 'max')}_value({dtype})")

    def element(self, dtype: str, depth: int) -> str | None:
        names = [name for name, (_, found) in self.buffers.items() if found == dtype]
        if not names:
            return None
        name = self.pick(*names)
        shape, _ = self.buffers[name]
        return f"{name}[{', '.join([self.within(size, depth) for size in shape]) or '()'}]"

    def leaf(self, dtype: str) -> str:
        options = [self.literal(dtype)]
        element = self.element(dtype, 0)
        options += [element] * 4 if element is not None else []
        options += [name for name, found in (*self.lets.items(), *self.scalars.items()) if found == dtype] * 2
        if dtype != "bool" and self.indices:
            options.append(f"cast({self.pick(*self.indices)}, {dtype})")
        if dtype == "int64":
            options += self.indices
        return self.pick(*options)

    def value(self, dtype: str, depth: int) -> str:
        """Return an expression of a dtype."""
        if depth <= 0 or self.chance(0.25):
            return self.leaf(dtype)
        if dtype == "bool":
            return self.condition(depth)
        options = ["{a} + {b}", "{a} - {b}", "{a} * {l}", "min({a}, {b})", "max({a}, {b})", "select({p}, {a}, {b})",
                   "if_then_else({p}, {a}, {b})", "cast({o}, {t})", "abs({a})", "-{a}"]  # fmt: skip
        if dtype in WIDTHS:
            options += ["{a} // {d}", "{a} % {d}", "{a} / {d}", "~{a}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}",
                        "{a} << {s}", "popcount({a})", "clz({a})", "{a} >> {s}"]  # fmt: skip
        else:
            options += ["floor({a})", "ceil({a})", "trunc({a})", "round({a})", "{a} / {d}"]
        numbers = ("2", "3", "4") if dtype in WIDTHS else ("2.0", "4.0")
        risky = dtype in WIDTHS and self.wild and self.chance(0.3)
        return self.filled(
            self.pick(*options),
            a=lambda: self.paren(self.value(dtype, depth - 1)),
            b=lambda: self.paren(self.value(dtype, depth - 1)),
            l=lambda: self.leaf(dtype),
            p=lambda: self.condition(depth - 1),
            o=lambda: self.value(self.pick(*DTYPES), depth - 1),
            t=lambda: dtype,
            d=lambda: self.paren(self.leaf(dtype)) if risky else f"{dtype}({self.pick(*numbers)})",
            s=lambda: self.pick("1", "2"),
        )

    def condition(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.5):
            kind = self.pick("index", "index", "value", "value", "literal", "leaf")
            if kind == "literal":
                return self.pick("true", "false", "1 < 0")
            if kind == "leaf":
                return self.leaf("bool")
            dtype = "int64" if kind == "index" else self.pick(*[found for _, found in self.buffers.values()])
            if dtype == "bool":
                return self.leaf("bool")
            make = (lambda: self.index(depth - 1)) if kind == "index" else (lambda: self.leaf(dtype))
            return f"{self.paren(make())} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.paren(make())}"
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        choice = self.pick("select", "if_then_else")
        return self.pick(
            f"({a}) && ({b})", f"({a}) || ({b})", f"!({a})", f"{choice}({self.condition(0)}, {a}, {b})"
        )

    # -- arguments

    def value_of(self, size: str) -> int:
        return eval(size, {}, dict(self.dims))

    def arguments(self) -> dict[str, Array | float]:
        """Return arguments by name; arrays hold small numbers."""
        found: dict[str, Array | float] = {}
        for name in self.params:
            shape, dtype = self.buffers[name]
            sizes = [self.value_of(size) for size in shape]
            count = int(np.prod(sizes, dtype=np.int64))
            found[name] = Array(sizes, dtype, [self.number(dtype) for _ in range(count)])
        for name, dtype in self.scalars.items():
            found[name] = self.number(dtype)
        return found

    def number(self, dtype: str):
        if dtype == "bool":
            return self.chance(0.5)
        if dtype in FLOATS:
            return float(self.pick(0, 1, 2, 3, -1, -2, 0.5))
        least = -3 if WIDTHS[dtype][1] else 0
        bits, signed = WIDTHS[dtype]
        if self.chance(0.05) and dtype != "int64":
            return (1 << bits - 1) - 1 if signed else (1 << bits) - 1
        return self.random.randint(least, 5)
