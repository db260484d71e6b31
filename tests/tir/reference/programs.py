"""Random PrimFuncs with all that chapters 15 to 17 of docs/language.md describe, written from those chapters alone.

Texts are made with the precedences of the page, so that operators meet with few parentheses. Loops are short and
sizes small, zero among them; most indices are within their buffers, some are not.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.tir.reference.expressions import FLOATS, INTEGERS, Expressions, Store, Text, bracket, dims, indices
from tests.tir.reference.interpreter import Array
from tests.tir.reference.numbers import is_integer, wrapped

_LOOPS = ("", "", "", "", "", "parallel ", "vectorized ", "unrolled ", 'thread("threadIdx.x") ')


class Program(Expressions):
    """A random PrimFunc: its text, and arguments for it."""

    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(f"written from the page {seed}"))
        self.budget = self.random.randint(3, 9)
        self.jumps = self.random.random() < 0.25
        """Whether the innermost loop may be left."""
        self.exits: tuple[str, ...] = ()
        """The jumps that the innermost loop allows."""
        self.dtypes = self.random.choices((*INTEGERS, *FLOATS, "int64", "int32", "float32", "bool"), k=2)
        self.text = self.prim_func()

    # -- the signature

    def prim_func(self) -> str:
        sizes = self.random.sample(("n", "m", "k"), self.random.randint(1, 3))
        self.sizes = {size: self.random.choice((0, 1, 1, 2, 2, 3, 3, 4)) for size in sizes}
        self.numbers += [(size, "int64") for size in sizes]
        for size in sizes:
            self.parameter(size)
        for _ in range(self.random.randint(0, 2)):
            self.parameter()
        self.output = self.parameter(self.random.choice(sizes))
        self.scalars = [
            (self.name("s"), self.random.choice((*INTEGERS, "int64", "bool", "float32")))
            for _ in range(self.random.choice((0, 0, 1, 2)))
        ]
        params = [f"{one.name}: Buffer[{dims(one.shape)}, {one.dtype}]" for one in self.buffers]
        params += [f"{name}: {dtype}" for name, dtype in self.scalars]
        self.parameters = list(self.buffers)
        self.numbers += self.scalars
        body = self.steps(0)
        return f"prim_func @f({', '.join(params)}) {{\n{body}}}\n"

    def parameter(self, whole: str = "") -> Store:
        shape = [self.extent() for _ in range(self.random.choice((0, 1, 1, 2, 2, 3)))]
        if whole:
            shape.insert(self.random.randint(0, len(shape)), whole)
        store = Store(self.name("B"), tuple(shape[:3] if not whole else shape), self.dtype())
        self.buffers.append(store)
        return store

    def extent(self) -> str:
        a, b = self.random.choices(list(self.sizes), k=2)
        forms = (a, a, a, f"{a} + 1", f"{a} * 2", f"{a} // 2", f"max({a}, {b})", f"{a} + {b}", "2", "3", "1")
        return self.random.choice((*forms, f"({a} + 1) // 2", f"{a} % 3", f"select({a} > {b}, {a}, {b})"))

    def arguments(self) -> dict:
        """Return arrays and numbers by the names of the parameters."""
        found: dict = {}
        for store in self.parameters:
            shape = [evaluated(extent, self.sizes) for extent in store.shape]
            count = 1
            for size in shape:
                count *= size
            found[store.name] = Array(shape, store.dtype, [self.value(store.dtype) for _ in range(count)])
        return found | {name: self.value(dtype) for name, dtype in self.scalars}

    def value(self, dtype: str) -> int | float | bool:
        if dtype == "bool":
            return self.random.random() < 0.5
        if not is_integer(dtype):
            return self.random.choice((0.0, 0.5, 1.0, -1.0, 1.5, 2.0, -3.0, 0.25))
        extremes = (2**63 - 1, 2**62 + 5, -(2**63), 127, 128, 255, -1)
        number = self.random.choice(extremes) if self.random.random() < 0.15 else self.random.randint(-4, 7)
        return wrapped(number, dtype)

    # -- statements

    def steps(self, depth: int, *, least: int = 1) -> str:
        before = (list(self.numbers), dict(self.within), list(self.buffers))
        written = "".join([self.step(depth + 1) for _ in range(self.random.randint(least, 3))])
        self.numbers, self.within, self.buffers = before
        return written

    def step(self, depth: int) -> str:
        self.budget -= 1
        kinds = [self.store, self.store, self.let]
        if self.budget > 0 and depth < 5:
            kinds += [self.loop, self.loop, self.loop, self.block, self.block, self.alloc, self.counted]
            kinds += [self.unless] * 3
        if self.random.random() < 0.05:
            kinds = [self.asserted]
        elif self.jumps and self.exits and self.random.random() < 0.3:
            kinds = [self.jump]
        return self.random.choice(kinds)("  " * depth, depth)

    def store(self, pad: str, depth: int) -> str:
        store = self.output if self.random.random() < 0.5 else self.random.choice(self.buffers)
        return f"{pad}{self.stored(store)}\n"

    def stored(self, store: Store, operators: tuple[str, ...] = ("=", "=", "+=", "-=", "*=")) -> str:
        at = indices([self.index(extent) for extent in store.shape])
        operator = self.random.choice(operators) if store.dtype != "bool" else "="
        value = self.literal(store.dtype) if self.random.random() < 0.06 else self.expr(store.dtype, 3)
        if self.random.random() < 0.2 and store.dtype != "bool":  # the element itself, in a choice
            own = Text(f"{store.name}[{at}]")
            choice = self.choice(store.dtype, 1, own)
            value = self.join("+", choice, value) if self.random.random() < 0.5 else choice
        return f"{store.name}[{at}] {operator} {value.text};"

    def let(self, pad: str, depth: int) -> str:
        lets = ""
        for _ in range(self.random.choice((1, 1, 2, 3))):
            dtype = self.random.choice((self.dtype(), "int64", "int64", "bool"))
            name = self.name("v")
            typed = f": {dtype}" if self.random.random() < 0.3 else ""
            lets += f"{pad}let {name}{typed} = {self.expr(dtype, 3).text};\n"
            self.numbers.append((name, dtype))
        return lets

    def unless(self, pad: str, depth: int) -> str:
        text = f"{pad}if {self.expr('bool', 2).text} {{\n{self.steps(depth)}{pad}}}"
        while self.random.random() < 0.2:
            text += f" else if {self.expr('bool', 2).text} {{\n{self.steps(depth)}{pad}}}"
        if self.random.random() < 0.4:
            text += f" else {{\n{self.steps(depth)}{pad}}}"
        return text + "\n"

    def asserted(self, pad: str, depth: int) -> str:
        condition = (
            self.expr("bool", 2).text if self.random.random() < 0.5 else f"{self.whole(1).text} != 12345"
        )
        return f'{pad}assert {condition}, "not so";\n'

    def jump(self, pad: str, depth: int) -> str:
        return f"{pad}if {self.expr('bool', 2).text} {{ {self.random.choice(self.exits)}; }}\n"

    def alloc(self, pad: str, depth: int) -> str:
        shape = tuple(self.extent() for _ in range(self.random.choice((0, 1, 1, 2))))
        store = Store(self.name("T"), shape, self.dtype())
        where = self.random.choice(("", "", ' in "local"'))
        text = f"{pad}alloc {store.name}: Buffer[{dims(shape)}, {store.dtype}]{where};\n"
        names = [self.name("i") for _ in shape]
        before = (list(self.numbers), dict(self.within))
        self.numbers += [(name, "int64") for name in names]
        first = self.expr(store.dtype, 2).text
        filled = f"{store.name}[{indices([Text(one) for one in names])}] = {first};"
        self.numbers, self.within = before
        if shape:
            ranges = f"0..{shape[0]}" if len(shape) == 1 else f"grid({', '.join(shape)})"
            filled = f"for {', '.join(names)} in {ranges} {{ {filled} }}"
        self.buffers.append(store)
        return f"{text}{pad}{filled}\n" if self.random.random() < 0.97 else text

    def counted(self, pad: str, depth: int) -> str:
        """Write a `while` with its counter."""
        name = self.name("W")
        dtype = self.random.choice(("int64", "int32", "uint8"))
        text = f"{pad}alloc {name}: Buffer[(), {dtype}];\n{pad}{name}[()] = 0;\n"
        limit = self.random.choice(("3", "2", "4", "0"))
        more = f" && {bracket(self.expr('bool', 1), 1)}" if self.random.random() < 0.3 else ""
        begins = (self.exits, list(self.numbers))
        counts_first = self.random.random() < 0.5
        self.exits = ("break", "continue") if counts_first else ("break",)  # else it would not end
        self.numbers.append((f"{name}[()]", dtype))
        step = f"{pad}  {name}[()] += 1;\n"
        body = self.steps(depth)
        text += f"{pad}while {name}[()] < {limit}{more} {{\n"
        text += f"{step}{body}{pad}}}\n" if counts_first else f"{body}{step}{pad}}}\n"
        self.exits, self.numbers = begins
        return text

    # -- loops and blocks

    def bounds(self) -> tuple[str, str]:
        """Return a range, and the extent that its variable is below, "" if there is none."""
        extent = self.random.choice([e for one in self.buffers for e in one.shape] or ["2"])
        inner = self.random.choice(list(self.within) or ["1"])
        whole = self.whole(1)
        forms: list[tuple[str, str]] = [(f"0..{extent}", extent)] * 6
        forms += [(f"0..{inner} + 1", self.within.get(inner, "")), (f"{inner}..{extent}", extent)]
        forms += [(f"0..{bracket(whole, 9)} % 4", ""), (f"{bracket(whole, 9)} % 3..{extent}", extent)]
        forms += [
            (f"0..3 // ({inner} + 1)", ""),
            (f"1..{extent}", extent),
            (f"0..{extent} - 1", extent),
            ("0..0", ""),
        ]
        return self.random.choice(forms)

    def loop(self, pad: str, depth: int) -> str:
        before = (list(self.numbers), dict(self.within), self.exits)
        kind = self.random.choice(_LOOPS)
        self.exits = () if kind else ("break", "continue")
        heads = self.heads(kind)
        body = self.steps(depth)
        self.numbers, self.within, self.exits = before
        return f"{pad}for {heads} {{\n{body}{pad}}}\n"

    def heads(self, kind: str = "") -> str:
        """Write the head of a loop; its variables are in scope afterwards."""
        if self.random.random() < 0.3:
            extents = [self.random.choice((self.extent(), "2")) for _ in range(self.random.choice((2, 2, 3)))]
            names = [self.variable(extent) for extent in extents]
            return f"{kind}{', '.join(names)} in grid({', '.join(extents)})"
        bounds, extent = self.bounds()
        return f"{kind}{self.variable(extent)} in {bounds}"

    def variable(self, extent: str) -> str:
        name = self.name("i")
        self.numbers.append((name, "int64"))
        if extent:
            self.within[name] = extent
        return name

    def block(self, pad: str, depth: int) -> str:
        """Write loops around a block, most of them for its axes alone."""
        before = (list(self.numbers), dict(self.within), self.exits)
        loops = [f"for {self.heads()} {{" for _ in range(self.random.choice((0, 1, 1, 2)))]
        self.exits = ()
        loop_variables = [name for name, _ in self.numbers if name.startswith("i")]
        axes: list[str] = []
        bound: list[tuple[str, str]] = []
        reduces = self.random.random() < 0.5
        for at, source in enumerate(self.random.sample(loop_variables, min(len(loop_variables), 3))):
            extent = self.within.get(source, "")
            kind = self.random.choice(("spatial", "spatial", "opaque", "scan"))
            kind = "reduce" if reduces and at == 0 else kind
            value = Text(source)
            if self.random.random() < 0.15:
                value, extent = self.whole(2), ""
            domain = f", 0..{extent}" if extent and self.random.random() < 0.3 else ""
            name = self.name("a")
            axes.append(f"{name} = {kind}({value.text}{domain})")
            bound.append((name, extent))
        self.numbers += [(name, "int64") for name, _ in bound]
        self.within |= {name: extent for name, extent in bound if extent}
        text = f"{pad}{' '.join(loops)}{' ' if loops else ''}block {self.name('b')}"
        text += f" ({', '.join(axes)})" if axes else ""
        if self.random.random() < 0.25:
            text += f" where {self.expr('bool', 2).text}"
        text += " {\n"
        if reduces and any("reduce(" in axis for axis in axes):
            text += self.reduction(pad, axes)
        else:
            text += self.steps(depth)
        self.numbers, self.within, self.exits = before
        return f"{text}{pad}}}{' }' * len(loops)}\n"

    def reduction(self, pad: str, axes: list[str]) -> str:
        """Write an `init`, and what is combined into the element that it starts."""
        store = self.random.choice([one for one in self.buffers if one.dtype != "bool"] or self.buffers)
        reduced = {axis.split()[0] for axis in axes if "reduce(" in axis}
        kept = [axis.split()[0] for axis in axes if axis.split()[0] not in reduced]
        at = []
        for extent in store.shape:
            fits = [name for name in kept if self.within.get(name) == extent]
            at.append(Text(self.random.choice(fits)) if fits else Text("0"))
        element = Text(f"{store.name}[{indices(at)}]")
        before = (list(self.numbers), dict(self.within))
        within_init = [one for one in self.numbers if one[0] in kept or one[0] in self.sizes]
        self.numbers, self.within = within_init, {name: e for name, e in self.within.items() if name in kept}
        start = self.literal(store.dtype) if self.random.random() < 0.6 else self.expr(store.dtype, 1)
        self.numbers, self.within = before
        value = self.expr(store.dtype, 2)
        term = value
        if store.dtype == "bool":
            term = self.join(self.random.choice(("||", "&&")), element, value)
        elif self.random.random() < 0.3:
            term = Text(f"{self.random.choice(('min', 'max'))}({element.text}, {value.text})")
        elif self.random.random() < 0.3:
            term = self.join("+", element, value)
        operator = "+=" if term is value else "="
        return f"{pad}  init {{ {element.text} = {start.text}; }}\n{pad}  {element.text} {operator} {term.text};\n"


_FUNCTIONS: dict[str, Callable[..., int]] = {"max": max, "select": lambda c, a, b: a if c else b}


def evaluated(extent: str, sizes: dict[str, int]) -> int:
    """Return the size of an extent; those that this page makes are Python, too."""
    return eval(extent, {"__builtins__": {}}, {**_FUNCTIONS, **sizes})
