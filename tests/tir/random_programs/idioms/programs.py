"""Random PrimFuncs of things that people write: scans, histograms, swaps, searches, tiles, triangles, stencils.

A program is a few of them one after the other, or inside each other, on the same buffers, so that what one stores the
next one reads. Indices are often outside where a guard is missing. Expressions are trees: the same program is
written with all parentheses and with only those that it needs.
"""

from __future__ import annotations

import random

from tests.tir.random_programs.idioms.expressions import DTYPES, written
from tests.tir.random_programs.idioms.loops import Nests


class Idioms(Nests):
    """One random program: `text()`, and `arguments()` for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"idioms {seed}")
        self.sizes = {"n": self.pick(0, 1, 2, 3, 4, 5, 7), "m": self.pick(0, 1, 2, 3, 4)}
        self.careless = self.chance(0.25)
        self.counter = 0
        main = self.pick(*DTYPES)
        other = self.pick(*DTYPES)
        self.buffers = {
            "A": (["n"], main),
            "X": (["n", "m"], main),
            "I": (["n"], "int64"),
            "B": (["n"], main),
            "Y": (["n", "m"], main),
            "Q": (["n", "n"], other),
            "C": (["m"], other),
            "S": ([], main),
            "H": (["4"], "int64"),
            "Z": (["m", "2", "n"], other),
        }
        self.params = dict(self.buffers)
        self.scalars = {"k": "int64", "f": main}
        self.loops: dict[str, str] = {}  # name to the size whose indices it takes, "" if unknown
        self.lets: dict[str, str] = {}
        self.stored = ["B", "Y", "Q", "C", "S", "H", "Z"]
        self.body = [line for _ in range(self.pick(1, 2, 2, 3)) for line in self.statement(0)]

    def text(self, *, full: bool = False) -> str:
        """Return the program, with all parentheses or only those that it needs."""
        params = [
            f"{name}: Buffer[({', '.join(shape)}{',' if len(shape) == 1 else ''}), {dtype}]"
            for name, (shape, dtype) in self.params.items()
        ]
        params += [f"{name}: {dtype}" for name, dtype in self.scalars.items()]
        lines = [
            "".join([part if isinstance(part, str) else written(part[0], full=full) for part in line])
            for line in self.body
        ]
        return f"prim_func @f({', '.join(params)}) {{\n" + "\n".join(lines) + "\n}\n"

    def statement(self, depth: int) -> list[list]:
        kinds = [
            "pointwise",
            "reduction",
            "recurrence",
            "scatter",
            "compaction",
            "search",
            "swap",
            "stencil",
            "tiles",
            "argument",
            "triangle",
            "nested",
            "histogram",
            "block",
            "transposed",
            "checked",
            "kept_lets",
            "strided",
            "own_memory",
            "converging",
            "blocks_in_blocks",
        ]
        if depth < 2:
            kinds += ["around", "around", "branches"]
        saved = dict(self.loops), dict(self.lets)
        lines = getattr(self, self.pick(*kinds))(depth)
        self.loops, self.lets = saved
        return lines

    def around(self, depth: int) -> list[list]:
        """Return any statements in a loop."""
        loop = self.fresh("o")
        size = self.pick("n", "m", "2", "n")
        head = [f"for {self.kind()}{loop} in 0..{size} {{"]
        self.loops[loop] = size
        return [head, *self.several(depth + 1), ["}"]]

    def several(self, depth: int) -> list[list]:
        return [line for _ in range(self.pick(1, 1, 2)) for line in self.statement(depth)]

    def branches(self, depth: int) -> list[list]:
        lines = [["if ", (self.condition(2),), " {"], *self.several(depth + 1)]
        if self.chance(0.4):
            lines += [["} else if ", (self.condition(2),), " {"], *self.several(depth + 1)]
        if self.chance(0.5):
            lines += [["} else {"], *self.several(depth + 1)]
        return [*lines, ["}"]]

    def scatter(self, depth: int) -> list[list]:
        loop = self.fresh("p")
        self.loops[loop] = "n"
        name = self.pick("B", "Q", "H", "Y")
        shape, dtype = self.buffers[name]
        at = [self.chosen(size) for size in shape]
        step = [self.store(("load", name, *at), self.op_of(dtype), self.value(dtype, 2))]
        if self.chance(0.3):
            step = [["if ", (self.condition(1),), " {"], *step, ["}"]]
        return [[f"for {loop} in 0..n {{"], *step, ["}"]]

    def compaction(self, depth: int) -> list[list]:
        count, loop = self.fresh("N"), self.fresh("q")
        name = self.pick("B", "A", "I") if self.chance(0.2) else "B"
        dtype = self.buffers[name][1]
        self.loops[loop] = "n"
        kept = [
            self.store(("load", name, ("load", count)), "=", self.value(dtype, 1)),
            self.store(("load", count), "+=", "1"),
        ]
        if self.chance(0.2):
            kept.reverse()
        lines = [
            [f"alloc {count}: Buffer[(), int64];"],
            self.store(("load", count), "=", "0"),
            [f"for {loop} in 0..n {{"],
            ["if ", (self.condition(2),), " {"],
            *kept,
            ["}"],
            ["}"],
        ]
        return [*lines, self.store(("load", "H", self.pick("0", "3")), "+=", ("load", count))]

    def search(self, depth: int) -> list[list]:
        low, high = self.fresh("L"), self.fresh("L")
        lines = [
            [f"alloc {low}: Buffer[(2,), int64];"],
            [f"{low}[0] = 0;"],
            [f"{low}[1] = n;"],
            [f"while {low}[0] < {low}[1] {{"],
            [f"let {high} = ({low}[0] + {low}[1]) // 2;"],
        ]
        self.loops[high] = "n"
        lines += [
            ["if ", (self.condition(1),), f" {{ {low}[0] = {high} + 1; }} else {{ {low}[1] = {high}; }}"],
            ["}"],
        ]
        del self.loops[high]
        return [*lines, [f"H[{self.pick('0', '1', '2')}] = {low}[0];"]]

    def converging(self, depth: int) -> list[list]:
        """Return a `while` inside of a loop, whose lengths differ."""
        state, loop, rounds = self.fresh("V"), self.fresh("w"), self.fresh("R")
        self.loops[loop] = "n"
        start = ("%", ("+", ("load", "I", loop), self.pick("3", "9")), self.pick("7", "11"))
        step = self.pick(
            f"{state}[()] = {state}[()] // 2;",
            f"{state}[()] -= 1;",
            f"if {state}[()] % 2 == 0 {{ {state}[()] = {state}[()] / 2; }} else {{ {state}[()] -= 1; }}",
        )
        name = self.pick("B", "C", "Q", "S")
        shape, dtype = self.buffers[name]
        at = [loop if size == "n" and self.chance(0.7) else self.inside(size) for size in shape]
        return [
            [f"for {loop} in 0..n {{"],
            [f"alloc {state}: Buffer[(), int64];"],
            [f"alloc {rounds}: Buffer[(), int64];"],
            [f"{rounds}[()] = 0;"],
            [f"{state}[()] = ", (start,), ";"],
            [f"while {state}[()] > 0 {{"],
            [step],
            [f"{rounds}[()] += 1;"],
            *self.combined(("load", name, *at), dtype),
            ["}"],
            [f"H[{rounds}[()] % 4] += {rounds}[()];"],
            ["}"],
        ]

    def swap(self, depth: int) -> list[list]:
        loop, kept = self.fresh("i"), self.fresh("t")
        name = self.pick("B", "C")
        size = self.buffers[name][0][0]
        self.loops[loop] = size
        there = self.pick(("-", ("-", size, "1"), loop), ("%", ("+", loop, "1"), size), ("//", loop, "2"))
        extent = self.pick(size, f"{size} // 2", f"({size} + 1) // 2")
        lines = [
            [f"for {loop} in 0..{extent} {{"],
            [f"let {kept} = {name}[{loop}];"],
            self.store(("load", name, loop), "=", ("load", name, there)),
            self.store(("load", name, there), "=", kept),
        ]
        if self.chance(0.3):
            lines[2:4] = [["if ", (self.condition(1),), " {"], *lines[2:4], ["}"]]
        return [*lines, ["}"]]

    def argument(self, depth: int) -> list[list]:
        best, loop, at = self.fresh("M"), self.fresh("a"), self.fresh("W")
        dtype = self.buffers["A"][1]
        self.loops[loop] = "n"
        value = self.value(dtype, 1)
        better = (
            ("&&", value, ("!", ("load", best)))
            if dtype == "bool"
            else (self.pick(">", ">=", "<"), value, ("load", best))
        )
        return [
            [f"alloc {best}: Buffer[(), {dtype}];"],
            [f"alloc {at}: Buffer[(1,), int64];"],
            self.store(("load", best), "=", self.literal(dtype)),
            [f"{at}[0] = -1;"],
            [f"for {loop} in 0..n {{"],
            ["if ", (better,), " {"],
            self.store(("load", best), "=", value),
            [f"{at}[0] = {loop};"],
            ["}"],
            ["}"],
            [f"H[1] += {at}[0];"],
            self.store(("load", "S"), "=", ("load", best)),
        ]

    def histogram(self, depth: int) -> list[list]:
        loop, other = self.fresh("h"), self.fresh("h")
        self.loops |= {loop: "n", other: "m"}
        at = ("%", self.index(2), "4")
        return [
            [f"for {loop}, {other} in grid(n, m) {{"],
            self.store(("load", "H", at), self.pick("+=", "-="), self.index(1)),
            ["}"],
        ]

    def checked(self, depth: int) -> list[list]:
        loop = self.fresh("i")
        self.loops[loop] = "n"
        claim = ("||", self.condition(2), self.pick(("<", loop, "3"), "true", self.condition(1)))
        return [
            [f"for {loop} in 0..n {{"],
            *self.combined(("load", "B", loop), self.buffers["B"][1]),
            ["assert ", (claim,), ', "no";'],
            ["}"],
        ]

    def kept_lets(self, depth: int) -> list[list]:
        loop = self.fresh("i")
        self.loops[loop] = "n"
        lines: list[list] = []
        for _ in range(self.pick(2, 3, 5)):
            name, dtype = self.fresh("t"), self.pick("int64", self.buffers["B"][1], self.buffers["Q"][1])
            lines.append([f"let {name}: {dtype} = ", (self.value(dtype, 2),), ";"])
            self.lets[name] = dtype
            if self.chance(0.4):
                lines += self.combined(("load", "B", loop), self.buffers["B"][1])
        return [
            [f"for {loop} in 0..n {{"],
            *lines,
            *self.combined(("load", "B", loop), self.buffers["B"][1]),
            ["}"],
        ]
