"""Whole programs at random, each with its meaning: functions that call each other, branches, recursion, all checks.

A program is drawn along one run of it: each statement is evaluated as it is written, for one choice of sizes, and what
fails there is mostly written again. So dimensions and annotations hold by accident of these sizes, for all sizes, or
never: whether the checker knows which is the question.
"""

from __future__ import annotations

import random

import numpy as np

from tests.fuzz.whole_programs.expressions import DTYPES, NAMES, Draws, Function, at_line
from tests.fuzz.whole_programs.statements import Statements
from tests.fuzz.whole_programs.values import (
    Dim,
    Fails,
    Frame,
    Info,
    Scalar,
    Sizes,
    Value,
    bind,
    check,
    has_kind,
)

PRIM_FUNCS = """\
prim_func @twice(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i, j] * 2.0; }
}

prim_func @pairs(X: Buffer[(n,), float32], Y: Buffer[(m,), float32], Z: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Z[i, j] = X[i] + Y[j]; }
}

prim_func @doubled(X: Buffer[(n,), float32], Y: Buffer[(n * 2,), float32], by: int64) {
  for i in 0..n * 2 { Y[i] = X[i // 2] + cast(by, float32); }
}

prim_func @raised(X: Buffer[(n,), float32]) {
  for i in 0..n { X[i] = X[i] + 1.0; }
}
"""


class WholeProgram(Draws):
    """A program: its text, and `run`, which evaluates it and says which lines ended without a failure."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.witness: dict[str, int] = {}
        names = [f"f{at}" for at in range(self.random.choice((0, 1, 2, 2, 3)))] + ["main"]
        for name in names:
            self.functions.append(self.function(name))
        lines = PRIM_FUNCS.splitlines()
        for function in self.functions:
            lines.append("")
            for of, index, mark in self.places:
                if of is function.lines:
                    mark[0] = len(lines) + index + 1
            lines += function.lines
        self.text = "\n".join(lines) + "\n"
        self.main = self.functions[-1]

    def function(self, name: str) -> Function:
        """Draw a function."""
        draw = self.random
        sizes = {one: draw.choice((1, 2, 2, 3, 4, 5)) for one in NAMES[: draw.randrange(1, 4)]}
        self.witness = sizes
        frame = Frame(sizes=dict(sizes))
        lines: list[str] = []
        body = Statements(self, frame, "  ", lines, 1)
        params = self.parameters(body, sizes)
        lines.append("")
        for _ in range(draw.randrange(2, 8)):
            try:
                body.statement()
            except Fails:
                break
        names = sorted(one for one, value in frame.values.items() if not callable(value))
        result = draw.choice(names[-3:])
        frame.sizes = {one: size for one, size in frame.sizes.items() if one in sizes}
        returns = body.info_of(frame.values[result], loose=0.3) if draw.random() < 0.6 else None
        arrow = f" -> {returns.text()}" if returns else ""
        head = ", ".join(f"{one}: {info.text()}" for one, info in params)
        lines[0] = (
            f"{draw.choice(('', '', 'private ')) if name != 'main' else ''}def @{name}({head}){arrow} {{"
        )
        mark = [-1]  # until all lines are known
        self.places.append((lines, len(lines), mark))
        lines += [f"  {result}", "}"]

        def run(args: list[Value], done: set[int]) -> Value:
            inside = Frame(done=done)
            for (_, info), value in zip(params, args, strict=True):
                if not has_kind(info, value):
                    raise Fails("argument")
            for (one, info), value in zip(params, args, strict=True):
                inside.values[one] = value
                bind(info, value, inside.sizes)
            for (_, info), value in zip(params, args, strict=True):
                check(info, value, inside, "argument")
            for step in body.steps:
                step(inside)
            value = inside.values[result]
            if returns:
                with at_line(mark):
                    check(returns, value, inside, "result")
            done.add(mark[0])
            return value

        return Function(name, params, lines, run, [])

    def parameters(self, body: Statements, sizes: dict[str, int]) -> list[tuple[str, Info]]:
        """Draw parameters; each name is a whole dimension of one of them."""
        draw, frame = self.random, body.frame
        infos: list[Info] = []
        waiting = [Dim(name, lambda s, name=name: s[name]) for name in sizes]
        while waiting or draw.random() < 0.3:
            dims: list[Dim] = []
            for _ in range(draw.choice((0, 1, 1, 2, 2, 3))):
                if waiting and draw.random() < 0.7:
                    dims.append(waiting.pop())
                else:
                    wanted = body.dim(draw.randrange(2))
                    try:
                        dims.append(wanted if 0 <= wanted.of(sizes) <= 6 else Dim("1", lambda _: 1))
                    except Fails:
                        dims.append(Dim("2", lambda _: 2))
            kind = draw.choice(("Tensor", "Tensor", "Tensor", "Shape"))
            infos.append(
                Info(kind, dims=tuple(dims), dtype=draw.choice(DTYPES) if kind == "Tensor" else None)
            )
            if draw.random() < 0.1:
                infos.append(Info("Prim", dtype="int64"))
        params: list[tuple[str, Info]] = []
        for info in infos:
            self.count += 1
            name = f"x{self.count}"
            params.append((name, info))
            value = argument(info, sizes, draw)
            assert value is not None
            frame.values[name] = value
        return params


def argument(info: Info, sizes: dict[str, int], draw: random.Random) -> Value | None:
    """Draw a value that struct info describes, None where a size would be negative or nothing."""
    if info.kind == "Prim":
        return Scalar(np.int64(draw.randrange(4)))
    try:
        extents = tuple(dim.size(sizes) for dim in info.dims or ())
    except Fails:
        return None
    if info.kind == "Shape":
        return Sizes(extents)
    if np.prod(extents) > 2_000:
        return None
    whole = np.array([draw.randrange(-2, 4) for _ in range(int(np.prod(extents)))]).reshape(extents)
    return whole.astype(info.dtype)
