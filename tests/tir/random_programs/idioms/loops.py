"""Loop nests of the random programs of `random_idioms`."""

from __future__ import annotations

from tests.tir.random_programs.idioms.expressions import Expressions


class Nests(Expressions):
    """Loop nests; each method returns the lines of one, which are strings and expressions in tuples of one."""

    def pointwise(self, depth: int) -> list[list]:
        name = self.target()
        shape, dtype = self.buffers[name]
        heads, names, braces = self.nest(shape)
        inner = [self.store(("load", name, *names), self.op_of(dtype), self.value(dtype, 3))]
        if self.chance(0.3):
            inner = [["if ", (self.condition(2),), " {"], *inner, ["}"]]
        return [*heads, *inner, *[["}"]] * braces]

    def reduction(self, depth: int) -> list[list]:
        name = self.pick("B", "C", "S", "Y", "Q")
        shape, dtype = self.buffers[name]
        heads, names, braces = self.nest(shape)
        start = [self.store(("load", name, *names), "=", self.literal(dtype))] if self.chance(0.7) else []
        loop, size = self.fresh("r"), self.pick("n", "m", "3")
        self.loops[loop] = size
        bounds = self.pick(f"0..{size}", f"0..{size}", f"1..{size}", f"0..{size} - 1", f"k..{size}")
        step = self.combined(("load", name, *names), dtype)
        if self.chance(0.3):
            step = [["if ", (self.condition(2),), " {"], *step, ["}"]]
        return [*heads, *start, [f"for {loop} in {bounds} {{"], *step, ["}"], *[["}"]] * braces]

    def recurrence(self, depth: int) -> list[list]:
        name = self.pick("B", "Y", "Q")
        shape, dtype = self.buffers[name]
        loop, by = self.fresh("s"), self.pick("1", "1", "2", "3")
        size = shape[0]
        self.loops[loop] = size
        rest = [self.inside(extent) for extent in shape[1:]]
        back = self.chance(0.2)
        here = ("-", ("-", size, "1"), loop) if back else loop
        before = ("+", here, by) if back else ("-", loop, by)
        value = self.value(dtype, 2)
        past = ("load", name, before, *rest)
        value = (
            ("select", past, value, past)
            if dtype == "bool"
            else (self.pick("+", "-", "min", "max"), past, value)
        )
        lines = [
            [f"for {loop} in {by}..{size} {{"],
            self.store(("load", name, here, *rest), "=", value),
            ["}"],
        ]
        if self.chance(0.3) and len(shape) > 1:
            other = self.fresh("s")
            lines = [[f"for {other} in 0..{shape[1]} {{"], *lines, ["}"]]
        return lines

    def tiles(self, depth: int) -> list[list]:
        name = self.pick("B", "Y", "C")
        shape, dtype = self.buffers[name]
        outer, inner, by = self.fresh("i"), self.fresh("i"), self.pick("2", "3", "4")
        at = ("+", ("*", outer, by), inner)
        whole = f"({shape[0]} + {int(by) - 1}) // {by}" if self.chance(0.7) else f"{shape[0]} // {by}"
        rest = [self.fresh("i") for _ in shape[1:]]
        self.loops |= {outer: "", inner: by} | dict(zip(rest, shape[1:], strict=True))
        heads = f"for {', '.join([outer, inner, *rest])} in grid({', '.join([whole, by, *shape[1:]])}) {{"
        step = self.combined(("load", name, at, *rest), dtype)
        if self.chance(0.7):
            step = [["if ", (("<", at, shape[0]),), " {"], *step, ["}"]]
        return [[heads], *step, ["}"]]

    def triangle(self, depth: int) -> list[list]:
        a, b = self.fresh("i"), self.fresh("i")
        bounds = self.pick(
            f"0..{a} + 1", f"{a}..n", f"{a} + 1..n", f"0..{a}", f"0..n - {a}", f"{a} // 2..{a} + 1"
        )
        self.loops |= {a: "n", b: "n"}
        dtype = self.buffers["Q"][1]
        target = self.pick(("load", "Q", a, b), ("load", "Q", b, a))
        steps = (
            self.combined(target, dtype)
            if self.chance(0.6)
            else [self.store(target, "=", ("load", "Q", *reversed(target[2:])))]
        )
        return [[f"for {a} in 0..n {{"], [f"for {b} in {bounds} {{"], *steps, ["}"], ["}"]]

    def nested(self, depth: int) -> list[list]:
        """Return a loop with statements before and after an inner loop."""
        row, column = self.fresh("i"), self.fresh("j")
        kind = self.buffers["Y"][1]
        self.loops[row] = "n"
        before = self.store(("load", "B", row), self.op_of(kind), self.value(kind, 2))
        after = self.store(("load", "B", row), "=", self.value(kind, 2))
        self.loops[column] = "m"
        steps = (
            [*self.combined(("load", self.pick("B", "B", "S"), row)[:3], kind)] if self.chance(0.5) else []
        )
        steps = [
            [part if part != (("load", "S", row),) else (("load", "S"),) for part in line] for line in steps
        ]
        steps = [line for line in steps if "S" not in str(line)] or self.combined(
            ("load", "Y", row, column), kind
        )
        steps.append(self.store(("load", "Y", row, column), "=", self.value(kind, 2)))
        return [[f"for {row} in 0..n {{"], before, [f"for {column} in 0..m {{"], *steps, ["}"], after, ["}"]]

    def stencil(self, depth: int) -> list[list]:
        name = self.pick("B", "Y", "Q")
        shape, dtype = self.buffers[name]
        source = self.pick(
            *[one for one, (other, kind) in self.buffers.items() if other == shape and kind == dtype]
        )
        names = [self.fresh("i") for _ in shape]
        self.loops |= dict(zip(names, shape, strict=True))
        heads = [
            [f"for {loop} in {self.pick('1', '0', '1')}..{size}{self.pick(' - 1', ' - 1', '')} {{"]
            for loop, size in zip(names, shape, strict=True)
        ]
        near = [
            ("load", source, *[self.pick(("-", loop, "1"), loop, ("+", loop, "1")) for loop in names])
            for _ in range(3)
        ]
        if self.chance(0.4):
            near = [("if_then_else", self.within(one[2], shape[0]), one, self.literal(dtype)) for one in near]
        value = (
            ("&&", ("||", near[0], near[1]), near[2])
            if dtype == "bool"
            else (self.pick("+", "-"), ("+", near[0], near[1]), near[2])
        )
        return [*heads, self.store(("load", name, *names), self.op_of(dtype), value), *[["}"]] * len(shape)]

    def block(self, depth: int) -> list[list]:
        name = self.pick("B", "Y", "Q", "C", "Z")
        shape, dtype = self.buffers[name]
        loops = [self.fresh("i") for _ in shape]
        axes = [self.fresh("v") for _ in shape]
        listed = [
            f"{axis} = spatial({loop}{f', 0..{size}' if self.chance(0.3) else ''})"
            for axis, loop, size in zip(axes, loops, shape, strict=True)
        ]
        sizes = list(shape)
        if self.chance(0.6):
            loop, axis = self.fresh("r"), self.fresh("v")
            size = self.pick("n", "m", "3", "0", *[f"{one} + 1" for one in loops[:1]])
            sizes.append(size)
            listed.append(f"{axis} = reduce({loop})")
            loops.append(loop)
            self.loops[axis] = size if size in ("n", "m", "3") else ""
        outside = {one: size for one, size in self.loops.items() if not one.startswith("v")} | dict(
            zip(loops, shape, strict=False)
        )
        self.loops |= dict(zip(axes, shape, strict=True))
        target = ("load", name, *axes)
        init = (
            [["init { ", *self.store(target, "=", self.literal(dtype)), " }"]]
            if len(loops) > len(axes)
            else []
        )
        step = self.combined(target, dtype)
        self.loops = {one: size for one, size in outside.items() if one not in axes}
        where = [" where ", (self.condition(1),)] if self.chance(0.35) else []
        heads = [[f"for {loop} in 0..{size} {{"] for loop, size in zip(loops, sizes, strict=True)]
        head = [f"block {self.fresh('b')} ({', '.join(listed)})", *where, " {"]
        return [*heads, head, *init, *step, ["}"], *[["}"]] * len(heads)]

    def blocks_in_blocks(self, depth: int) -> list[list]:
        row, axis, column, inner = self.fresh("i"), self.fresh("v"), self.fresh("j"), self.fresh("v")
        dtype = self.buffers["B"][1]
        self.loops |= {axis: "n", inner: "m"}
        step = self.combined(("load", "B", axis), dtype)
        start = self.store(("load", "B", axis), "=", self.literal(dtype))
        return [
            [f"for {row} in 0..n {{"],
            [f"block {self.fresh('b')} ({axis} = spatial({row})) {{"],
            [f"for {column} in 0..m {{"],
            [f"block {self.fresh('b')} ({inner} = reduce({column})) {{"],
            ["init { ", *start, " }"],
            *step,
            ["}"],
            ["}"],
            *self.combined(("load", "B", axis), dtype),
            ["}"],
            ["}"],
        ]

    def transposed(self, depth: int) -> list[list]:
        a, b = self.fresh("i"), self.fresh("i")
        self.loops |= {a: "n", b: "n"}
        dtype = self.buffers["Q"][1]
        return [
            [f"for {a}, {b} in grid(n, n) {{"],
            self.store(("load", "Q", a, b), self.op_of(dtype), ("load", "Q", b, a)),
            *([self.store(("load", "Q", b, b), "=", ("load", "Q", a, b))] if self.chance(0.3) else []),
            ["}"],
        ]

    def strided(self, depth: int) -> list[list]:
        loop, by = self.fresh("i"), self.pick("2", "3")
        self.loops[loop] = ""
        at = self.pick(("*", by, loop), ("+", ("*", loop, by), "1"))
        extent = self.pick(f"n // {by}", f"(n + {by} - 1) // {by}", "n")
        step = self.combined(("load", "B", at), self.buffers["B"][1])
        if extent == "n" or self.chance(0.3):
            step = [["if ", (("<", at, "n"),), " {"], *step, ["}"]]
        return [[f"for {loop} in 0..{extent} {{"], *step, ["}"]]

    def own_memory(self, depth: int) -> list[list]:
        name, dtype = self.fresh("T"), self.buffers["B"][1]
        shape = self.pick(["n"], ["m", "n"], ["n", "2"])
        heads, names, braces = self.nest(shape)
        fill = [*heads, self.store(("load", name, *names), "=", self.value(dtype, 2)), *[["}"]] * braces]
        loop, other = self.fresh("i"), self.fresh("j")
        self.loops |= {loop: "n", other: "m"}
        self.buffers[name] = (shape, dtype)
        at = {"n": loop, "m": other, "2": f"{loop} % 2"}
        value = ("load", name, *[at[size] for size in shape])
        use = self.store(("load", "B", loop), self.op_of(dtype), value)
        del self.buffers[name]
        comma = "," if len(shape) == 1 else ""
        return [
            [f"alloc {name}: Buffer[({', '.join(shape)}{comma}), {dtype}];"],
            *fill,
            [f"for {loop}, {other} in grid(n, m) {{"],
            use,
            ["}"],
        ]

    def nest(self, shape: list[str]) -> tuple[list[list], list[str], int]:
        """Return loops over a shape in some order, their variables, and how many braces they open."""
        names = [self.fresh("i") for _ in shape]
        order = list(range(len(shape)))
        if self.chance(0.4):
            self.random.shuffle(order)
        if not names:
            return [], [], 0
        self.loops |= dict(zip(names, shape, strict=True))
        if self.chance(0.5):
            listed = ", ".join([names[at] for at in order])
            return [[f"for {listed} in grid({', '.join([shape[at] for at in order])}) {{"]], names, 1
        return [[f"for {self.kind()}{names[at]} in 0..{shape[at]} {{"] for at in order], names, len(shape)

    def kind(self) -> str:
        return self.pick("", "", "", "", "vectorized ", "unrolled ", 'thread("blockIdx.x") ')

    def target(self) -> str:
        return self.pick(*self.stored)
