"""Random Relax programs: closures, branches, recursion, casts, tuples, shapes, destination passing, packed functions.

Most operations fit, so that programs get somewhere; about every third program fails at some point: shapes that do not
go together, casts that do not hold, packed functions that raise, too many open calls. Packed functions write down
what they are given, change it in place, and hand out what they were given before.
"""

from __future__ import annotations

import random

import numpy as np

from tests.runtime.compiler.random_expressions import (
    COUNT,
    FLAG,
    KINDS,
    MATRIX,
    NUMBER,
    ROW,
    SHAPE,
    TYPES,
    RandomExpressions,
)

HEAD = """
prim_func @double(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] * 2.0; }
}
prim_func @plus(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32], k: int64) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] + cast(k, float32); }
}
prim_func @split(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32], Z: Buffer[(a,), float32]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j]; }
  for i in 0..a { Z[i] = 1.0; }
}
"""

LOOSE = {
    MATRIX: ("Tensor", "Tensor[ndim=2]", "Tensor[_, float32]", "Object"),
    ROW: ("Tensor[ndim=1, float32]", "Object"),
    NUMBER: ("Tensor[_, float32]", "Object"),
    FLAG: ("Tensor[(), bool]",),
    COUNT: ("Tensor[(), int32]",),
    SHAPE: ("Shape", "Shape[ndim=2]"),
}


class Program(RandomExpressions):
    """One random program, its arguments, and the packed functions that it calls."""

    HELPERS: tuple[int, ...] = (0, 1, 2, 3)
    STATEMENTS: tuple[int, ...] = (4, 8, 14)
    CHAIN: tuple[int, ...] = (3, 5, 8)
    """How many other functions there are, statements of `@main`, and operators in a row."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.counter = 0
        self.pure = False
        self.risk = self.pick(0.0, 0.02, 0.05)
        self.scope: list[tuple[str, str]] = []
        self.dims = ["n", "m"]
        self.helpers: list[tuple[str, list[str], str, bool]] = []
        self.closures: list[tuple[str, list[str], str]] = []
        self.max_calls = self.pick(200_000, 200_000, 200_000, 3, 8, 20)
        parts = [HEAD]
        parts += [self.helper() for _ in range(self.pick(*self.HELPERS))]
        if self.chance(0.5):
            parts.append(self.recursive())
        parts.append(self.main())
        self.text = "\n".join(parts)

    # Functions.

    def function(self, kinds: list[str], result: str, statements: int) -> tuple[str, str]:
        params = self.params([MATRIX, *kinds])
        lines: list[str] = []
        self.dims, self.closures = ["n", "m"], []
        self.statements(lines, statements, 0)
        arrow = self.pick("", f" -> {TYPES[result]}", f" -> {self.pick(*LOOSE[result])}")
        return f"({', '.join(params)}){arrow}", "{\n" + "\n".join([*lines, self.use(result)]) + "\n}"

    def helper(self) -> str:
        name = self.fresh("helper")
        kinds = [self.pick(*KINDS) for _ in range(self.pick(0, 1, 2))]
        result = self.pick(*KINDS)
        self.pure = self.chance(0.4)
        signature, body = self.function(kinds, result, self.pick(1, 2, 4))
        self.helpers.append((f"@{name}", [MATRIX, *kinds], result, self.pure))
        self.pure = False
        return f"{self.pick('', 'private ')}def @{name}{signature} {body}"

    def recursive(self) -> str:
        name = self.fresh("loop")
        params = self.params([MATRIX, COUNT])
        lines: list[str] = []
        self.dims, self.closures = ["n", "m"], []
        self.statements(lines, 2, 1)
        matrix, count = self.scope[0][0], self.scope[1][0]
        deeper = f"@{name}({self.use(MATRIX)}, {count} - 1)"
        extra = self.pick("", 'extern "log"(x);') if not self.pure else ""
        ends = f"if {count} <= 0 {{ {matrix} }} else {{ {extra} let d = {deeper}; d + {self.use(MATRIX)} }}"
        ends = ends.replace("(x)", f"({matrix})")
        self.helpers.append((f"@{name}", [MATRIX, COUNT], MATRIX, False))
        head = f"def @{name}({', '.join(params)}) -> {TYPES[MATRIX]}"
        return f"{head} {{\n" + "\n".join([*lines, ends]) + "\n}"

    def main(self) -> str:
        params = ["x: Tensor[(n, m), float32]", "y: Tensor[(n, m), float32]", "r: Tensor[(m,), float32]"]
        params += ["c: Tensor[(), bool]", "k: Tensor[(), int32]", "t: (Tensor[(n, m), float32], Object)"]
        self.scope = [("x", MATRIX), ("y", MATRIX), ("r", ROW), ("c", FLAG), ("k", COUNT), ("t[0]", MATRIX)]
        lines: list[str] = []
        self.dims, self.closures = ["n", "m"], []
        self.statements(lines, self.pick(*self.STATEMENTS), 0)
        result = self.pick(*KINDS)
        tail = self.pick(self.use(result), *[f"({self.everything()}{self.use(result)}, x)" for _ in range(3)])
        return f"def @main({', '.join(params)}) {{\n" + "\n".join([*lines, tail]) + "\n}"

    # Statements.

    def statements(self, lines: list[str], count: int, depth: int) -> None:
        for _ in range(count):
            write = self.pick(*([self.compute] * 6), *_STATEMENTS)
            if depth > 2 and write in (Program.branch, Program.closure, Program.dataflow):
                write = Program.compute
            if write is Program.compute or write == self.compute:
                self.compute(lines, depth)
            else:
                write(self, lines, depth)

    def bind(self, lines: list[str], kind: str, text: str) -> str:
        name = self.fresh("v")
        annotation = ""
        if self.chance(0.15):
            annotation = f": {self.pick(TYPES[kind], *LOOSE[kind])}"
        lines.append(f"let {name}{annotation} = {text};")
        self.scope.append((name, kind))
        return name

    def compute(self, lines: list[str], depth: int) -> None:
        kind = self.pick(MATRIX, MATRIX, MATRIX, ROW, NUMBER, FLAG, COUNT)
        self.bind(lines, kind, self.expression(kind))

    def tuples(self, lines: list[str], depth: int) -> None:
        kinds = [self.pick(*KINDS) for _ in range(self.pick(1, 2, 3))]
        name = self.fresh("t")
        fields = ", ".join([self.use(kind) for kind in kinds])
        lines.append(f"let {name} = ({fields},);")
        at = self.pick(*range(len(kinds)))
        if self.chance(0.3):
            lines.append(f"let {name}_n = ({name}, ({name}[{at}], ()));")
            self.scope.append((f"{name}_n[1][0]", kinds[at]))
        if self.wrong():
            lines.append(
                f'let {name}_o: Object = extern "same"({name}); let {name}_i = {name}_o[{len(kinds)}];'
            )
        self.scope.append((f"{name}[{at}]", kinds[at]))

    def branch(self, lines: list[str], depth: int) -> None:
        kind = self.pick(*KINDS)
        name = self.fresh("v")
        before, dims, closures = list(self.scope), list(self.dims), list(self.closures)
        arms: list[str] = []
        for _ in range(2):
            self.scope, self.dims, self.closures = list(before), list(dims), list(closures)
            inner: list[str] = []
            self.statements(inner, self.pick(0, 1, 2), depth + 1)
            arms.append("{ " + " ".join(inner) + f" {self.use(kind)} }}")
        self.scope, self.dims, self.closures = before, dims, closures
        annotation = f": {TYPES[kind]}" if self.chance(0.2) else ""
        condition = self.use(FLAG) if not self.wrong() else self.use(NUMBER)
        lines.append(f"let {name}{annotation} = if {condition} {arms[0]} else {arms[1]};")
        self.scope.append((name, kind))

    def closure(self, lines: list[str], depth: int) -> None:
        name, param = self.fresh("f"), self.fresh("a")
        before, dims, closures = list(self.scope), list(self.dims), list(self.closures)
        inner: list[str] = []
        kind = self.pick(MATRIX, ROW, COUNT)
        if kind == COUNT:
            deeper = f"if {param} <= 0 {{ 0 }} else {{ {name}({param} - 1) + {param} }}"
            lines.append(f"let {name} = fn({param}: {TYPES[COUNT]}) -> {TYPES[COUNT]} {{ {deeper} }};")
            self.closures.append((name, [COUNT], COUNT))
            self.bind(lines, COUNT, f"{name}({self.pick('1', '3', self.use(COUNT))})")
            return
        self.scope.append((param, kind))
        self.statements(inner, self.pick(0, 1, 3), depth + 1)
        result = self.use(kind)
        self.scope, self.dims, self.closures = before, dims, closures
        arrow = self.pick("", f" -> {TYPES[kind]}")
        given = self.pick(TYPES[kind], TYPES[kind], *LOOSE[kind])
        lines.append(f"let {name} = fn({param}: {given}){arrow} {{ {' '.join(inner)} {result} }};")
        self.closures.append((name, [kind], kind))

    def call(self, lines: list[str], depth: int) -> None:
        if self.closures and self.chance(0.6):
            name, kinds, result = self.pick(*self.closures)
            if self.chance(0.15):  # what is called is not known
                other = self.fresh("g")
                lines.append(
                    f'let {other} = extern "same"({name});'
                    if not self.pure
                    else f"let {other} = ({name}, 1)[0];"
                )
                name = other
            elif self.chance(0.1) and not self.pure:
                args = ", ".join([self.use(kind) for kind in kinds])
                self.bind(lines, result, f"invoke_closure(make_closure({name}, ({args},)), ())")
                return
        elif self.helpers:
            name, kinds, result, pure = self.pick(*self.helpers)
            if self.pure and not pure:
                return
            if "loop" in name:
                kinds = list(kinds)
        else:
            return
        args = [self.use(kind) for kind in kinds]
        if "loop" in name:
            args[-1] = self.pick("0", "1", "4", "9")
        if self.chance(0.02 if self.risk else 0.0):
            args.pop()
        self.bind(lines, result, f"{name}({', '.join(args)})")

    def packed(self, lines: list[str], depth: int) -> None:
        if self.pure:
            self.compute(lines, depth)
            return
        kind = self.pick(*KINDS, SHAPE)
        names = (
            "log",
            "log",
            "mutate",
            "keep",
            "kept",
            "same",
            "fails" if self.wrong() else "log",
            "odd" if self.wrong() else "same",
        )
        names += ("turn" if self.wrong() else "log",)
        function = self.pick(*names)
        if function in ("mutate", "keep", "kept", "odd", "turn"):
            kind = MATRIX
        claim = self.pick("", f" -> {TYPES[kind]}") if function != "log" else ""
        call = f'extern "{function}"({self.use(kind)}){claim}'
        if function == "log":
            lines.append(
                f"{call};" if self.chance(0.8) else f'call_pure_packed(extern "log", {self.use(kind)});'
            )
        elif self.chance(0.5):
            name = self.fresh("v")
            lines.append(f"let {name} = match_cast({call}, {self.pick(TYPES[kind], LOOSE[kind][0])});")
            self.scope.append((name, kind))
        else:
            self.bind(lines, kind, call)

    def effects(self, lines: list[str], depth: int) -> None:
        if self.pure:
            return
        lines.append(
            self.pick(
                f"print({self.use(self.pick(*KINDS))});",
                f'assert_op({self.use(FLAG) if self.wrong() else "true"}, format="no");',
                f'let {self.fresh("w")} = call_dps_packed(extern "fill", ({self.use(MATRIX)},)) -> {TYPES[MATRIX]};',
                f"let _ = {self.expression(MATRIX)};",
            )
        )

    def results(self, lines: list[str], depth: int) -> None:
        name = self.fresh("q")
        lines.append(
            f"let {name} = call_tir(@split, ({self.use(MATRIX)},)) -> ({TYPES[MATRIX]}, Tensor[(n,), float32]);"
        )
        self.scope.append((f"{name}[0]", MATRIX))

    def dataflow(self, lines: list[str], depth: int) -> None:
        before, dims, closures, pure = list(self.scope), list(self.dims), list(self.closures), self.pure
        self.pure = True
        inner: list[str] = []
        self.closures = []  # what they do is not known here
        self.statements(inner, self.pick(1, 3), 3)
        made = [
            name
            for name, _ in self.scope[len(before) :]
            if "[" not in name and f"let {name}" in " ".join(inner)
        ]
        kinds = dict(self.scope[len(before) :])
        self.scope, self.closures, self.pure = before, closures, pure
        if not made:  # nothing is written; else shape variables stay in scope after their block
            self.dims = dims
            return
        out = self.fresh("o")
        # Everything is used: what is not needed may vanish together with its failure.
        lines.append(f"dataflow {{ {' '.join(inner)} let {out} = ({', '.join(made)},); output {out}; }}")
        self.scope.append((f"{out}[0]", kinds[made[0]]))

    def chain(self, lines: list[str], depth: int) -> None:
        """Write elementwise operators that could take over each other's memory, were it not for what sees it."""
        pool = [
            self.bind(
                lines, MATRIX, f"{self.pick('add', 'multiply')}({self.use(MATRIX)}, {self.use(MATRIX)})"
            )
        ]
        for _ in range(self.pick(*self.CHAIN)):
            one, other = self.pick(*pool[-2:]), self.pick(*pool)
            text = self.pick(
                f"{self.pick('add', 'subtract', 'multiply')}({one}, {other})",
                f"{self.pick('add', 'maximum')}({self.use(self.pick(ROW, MATRIX))}, {one})",
                f"{self.pick('negative', 'nn.relu', 'abs', 'square')}({one})",
                one,
                f"({other}, {one})[{self.pick(0, 1)}]",
                f"if {self.use(FLAG)} {{ {one} * {other} }} "
                f"else {{ let u = negative({one}); {self.pick('u + u', one)} }}"
                if depth < 3
                else f"abs({one})",
                f"reshape({one}, shape(n, m))",
            )
            name = self.fresh("e")
            lines.append(
                f"let {name} = {text};".replace("let u ", f"let u{name} ").replace(
                    "u + u", f"u{name} + u{name}"
                )
            )
            pool.append(name)
            self.scope.append((name, MATRIX))
            if self.chance(0.15) and depth < 3:
                keep = self.fresh("h")
                lines.append(f"let {keep} = fn(z{keep}: Object) {{ {one} - {name} }};")
                self.closures.append((keep, [MATRIX], MATRIX))
            if self.chance(0.15) and not self.pure:
                lines.append(f'extern "{self.pick("log", "keep")}"({self.pick(*pool)});')

    def everything(self) -> str:
        """Return a tuple of many of the variables in scope: whatever went wrong with them is seen."""
        seen = [name for name, _ in self.scope if self.chance(0.4)]
        return "".join([f"{name}, " for name in seen])

    def alias(self, lines: list[str], depth: int) -> None:
        self.bind(lines, MATRIX, self.use(MATRIX))

    # What the program is run with.

    def arguments(self) -> list[object]:
        numbers = np.random.default_rng(len(self.text))
        n, m = [(2, 3), (2, 3), (1, 1), (3, 3), (4, 1), (0, 2)][len(self.text) % 6]

        def tensor(*shape: int) -> object:
            return (numbers.integers(-4, 5, shape) / 2).astype(np.float32)

        flag, count = np.array(bool(numbers.integers(2))), np.array(3, np.int32)
        return [tensor(n, m), tensor(n, m), tensor(m), flag, count, (tensor(n, m), 7)]


class SmallProgram(Program):
    """A random program of a few statements: several times as many of them can be tried."""

    HELPERS = (0, 0, 1)
    STATEMENTS = (1, 2, 3, 4)
    CHAIN = (2, 3)


_STATEMENTS = (
    Program.cast, Program.cast, Program.shapes, Program.tuples, Program.branch, Program.branch, Program.closure,
    Program.closure, Program.call, Program.call, Program.call, Program.packed, Program.packed, Program.packed,
    Program.effects, Program.results, Program.dataflow, Program.alias, *[Program.chain] * 5,
)  # fmt: skip
