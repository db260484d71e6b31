"""Expressions of whole programs: dimensions, struct infos, calls, branches."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.fuzz.whole_programs.operators import OPERATORS
from tests.fuzz.whole_programs.source import Drawn, Source, tensor_at
from tests.fuzz.whole_programs.values import (
    CHOICES,
    COMPARISONS,
    SIGNS,
    Dim,
    Fails,
    Frame,
    Info,
    Scalar,
    Sizes,
    Value,
    check,
)

NAMES = ("n", "m", "k", "j")
DTYPES = ("float32", "float32", "int64", "int32", "bool")


@dataclass
class Function:
    """A function that was drawn: how it is called, its lines, what it computes."""

    name: str
    params: list[tuple[str, Info]]
    lines: list[str]
    run: Callable[[list[Value], set[int]], Value]
    args: list[Value]


class Draws:
    """What the statements of a program share: the generator, the functions so far, the lines whose numbers wait."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions: list[Function] = []
        self.places: list[tuple[list[str], int, list[int]]] = []
        self.count = 0

    def moved(self, lines: list[str], to: list[str], by: int) -> None:
        """Note that lines became part of others."""
        for at, (of, index, mark) in enumerate(self.places):
            if of is lines:
                self.places[at] = (to, index + by, mark)


class Expressions:
    """Draws dimensions, struct infos and expressions that the run that leads can evaluate."""

    def __init__(self, program: Draws, frame: Frame, indent: str, lines: list[str], depth: int) -> None:
        self.program, self.frame, self.indent, self.lines, self.depth = program, frame, indent, lines, depth
        self.random = program.random
        self.steps: list[Callable[[Frame], None]] = []
        self.source = Source(self.random, frame, self.dim, self.dim_near)

    # -- dimensions ------------------------------------------------------------------------------------------------

    def dim(self, depth: int = 2) -> Dim:
        """Draw any dimension expression over what is bound."""
        draw = self.random
        names = sorted(self.frame.sizes)
        if depth == 0 or not names or draw.random() < 0.35:
            if names and draw.random() < 0.75:
                name = draw.choice(names)
                return Dim(name, lambda sizes: sizes[name])
            number = draw.choice((0, 1, 1, 2, 2, 3, 4))
            return Dim(str(number), lambda _: number)
        a, b = self.dim(depth - 1), self.dim(depth - 1)
        if draw.random() < 0.2:
            word = draw.choice(sorted(CHOICES))
            return Dim(f"{word}({a.text}, {b.text})", lambda sizes: CHOICES[word](a.of(sizes), b.of(sizes)))
        if draw.random() < 0.1:
            c, other, sign = self.dim(0), self.dim(0), draw.choice(sorted(COMPARISONS))
            return Dim(
                f"select({c.text} {sign} {other.text}, {a.text}, {b.text})",
                lambda s: (b.of(s), a.of(s))[COMPARISONS[sign](c.of(s), other.of(s))],
            )
        sign = draw.choice(("+", "+", "-", "*", "//", "%") if b.text != "0" else ("+", "-", "*"))
        return Dim(f"({a.text} {sign} {b.text})", lambda s: SIGNS[sign](a.of(s), b.of(s)))

    def dim_near(self, size: int) -> Dim:
        """Draw an expression that has a size in this run."""
        for _ in range(12):
            found = self.dim(self.random.randrange(3))
            try:
                if found.of(self.frame.sizes) == size:
                    return found
            except Fails:
                continue
        return Dim(str(size), lambda _: size)

    def info_of(self, value: Value, *, fresh: bool = False, loose: float = 0.3) -> Info:
        """Draw struct info that a value has in this run; with `fresh`, names that it binds are among the sizes."""
        draw = self.random
        if isinstance(value, Scalar):
            return Info("Prim", dtype=str(value.value.dtype))
        if callable(value):
            return Info("Object")
        if type(value) is tuple:
            return Info("Tuple", fields=tuple(self.info_of(one, fresh=fresh, loose=loose) for one in value))
        kind = "Tensor" if isinstance(value, np.ndarray) else "Shape"
        extents = value.shape if isinstance(value, np.ndarray) else tuple(value)
        dtype = str(value.dtype) if kind == "Tensor" and draw.random() > loose / 2 else None
        if draw.random() < loose:
            return Info(kind, ndim=len(extents) if draw.random() < 0.6 else None, dtype=dtype)
        dims: list[Dim] = []
        for size in extents:
            unbound = [name for name in NAMES if name not in self.frame.sizes]
            if fresh and unbound and draw.random() < 0.6:
                name = draw.choice(unbound)
                self.frame.sizes[name] = size
                dims.append(Dim(name, lambda sizes, name=name: sizes[name]))
            else:
                dims.append(self.dim_near(size))
        return Info(kind, dims=tuple(dims), dtype=dtype)

    # -- expressions -----------------------------------------------------------------------------------------------

    def expression(self, depth: int = 2) -> Drawn:
        """Draw an expression that this run can evaluate, or now and then one that it cannot."""
        for _ in range(30):
            drawn = self.any_expression(depth)
            if drawn is None:
                continue
            try:
                drawn.value = drawn.run(self.frame.inner())
            except Fails as failure:
                if failure.kind != "kind" and self.random.random() < 0.004:
                    raise
                continue
            if not self.too_large(drawn.value):
                return drawn
        return Drawn(
            "const([1.0, 2.0])", lambda _: np.array([1, 2], np.float32), np.array([1, 2], np.float32)
        )

    def too_large(self, value: Value) -> bool:
        """Return whether values grow out of hand."""
        if type(value) is tuple:
            return len(value) > 4 or any(map(self.too_large, value))
        return isinstance(value, np.ndarray) and (value.size > 400 or value.ndim > 4)

    def any_expression(self, depth: int) -> Drawn | None:
        """Draw one expression without a look at its value."""
        draw = self.random
        chance = draw.random()
        if chance < 0.12:
            return self.tuple_or_field(depth)
        if chance < 0.24 and self.program.functions:
            return self.call()
        if chance < 0.30:
            return self.prim_func_call()
        if chance < 0.36 and depth:
            return self.choice(depth)
        return draw.choice(OPERATORS)(self.source)

    def tuple_or_field(self, depth: int) -> Drawn | None:
        tuples = [name for name, value in self.frame.values.items() if type(value) is tuple and value]
        if tuples and self.random.random() < 0.6:
            name = self.random.choice(tuples)
            at = self.random.randrange(len(self.frame.values[name]))
            return Drawn(f"{name}[{at}]", lambda frame: frame.values[name][at])
        if not self.frame.values:
            return None
        names = [
            self.random.choice(sorted(self.frame.values)) for _ in range(self.random.choice((1, 2, 2, 3)))
        ]
        text = "(" + ", ".join(names) + (",)" if len(names) == 1 else ")")
        return Drawn(text, lambda frame: tuple(frame.values[name] for name in names))

    def call(self) -> Drawn | None:
        """Call a function that was drawn before, with values that may have the right kinds."""
        function = self.random.choice(self.program.functions)
        texts: list[str] = []
        parts: list[Callable[[Frame], Value]] = []
        for _, info in function.params:
            fitting = []
            for name, value in self.frame.values.items():
                if type(value) is tuple or callable(value):
                    continue
                try:
                    check(info, value, Frame(sizes={}), "kind", binding=True)
                except (Fails, KeyError):
                    if self.random.random() > 0.05:
                        continue
                fitting.append(name)
            if info.kind == "Shape" and info.dims is not None:
                dims = [self.dim_near(self.random.choice((1, 2, 3, 4))) for _ in info.dims]
                texts.append(f"shape({', '.join(dim.text for dim in dims)})")
                parts.append(lambda frame, dims=dims: Sizes(dim.size(frame.sizes) for dim in dims))
            elif info.kind == "Prim" and not fitting:
                dim = self.dim(1)
                texts.append(f"prim_value({dim.text})")
                parts.append(lambda frame, dim=dim: Scalar(np.int64(dim.of(frame.sizes))))
            elif fitting:
                name = self.random.choice(fitting)
                texts.append(name)
                parts.append(lambda frame, name=name: frame.values[name])
            else:
                return None
        return Drawn(
            f"@{function.name}({', '.join(texts)})",
            lambda frame: function.run([part(frame) for part in parts], frame.done),
        )

    def prim_func_call(self) -> Drawn | None:
        """Call a PrimFunc; the declared result may have sizes that fit in this run only."""
        source, which = self.source, self.random.choice(("twice", "pairs", "doubled", "raised"))
        rank = 2 if which == "twice" else 1
        x = source.tensor(lambda value: value.dtype == np.float32 and value.ndim == rank)
        y = (
            source.tensor(lambda value: value.dtype == np.float32 and value.ndim == 1)
            if which == "pairs"
            else x
        )
        if x is None or y is None:
            return None
        a, b = source.value(x), source.value(y)
        by = self.dim(1)
        expected = {
            "twice": a.shape,
            "pairs": a.shape + b.shape,
            "doubled": (2 * len(a),),
            "raised": a.shape,
        }[which]
        if a.ndim == 1 and which in ("doubled", "raised") and not len(a):
            return None
        out = Info("Tensor", dims=tuple(self.dim_near(size) for size in expected), dtype="float32")

        def run(frame: Frame) -> Value:
            a, b = tensor_at(frame, x), tensor_at(frame, y)
            if a.ndim != rank or a.dtype != np.float32 or b.dtype != np.float32:
                raise Fails("kind")
            assert out.dims is not None
            sizes = tuple(dim.size(frame.sizes) for dim in out.dims)
            results = {
                "twice": lambda: a * np.float32(2),
                "pairs": lambda: a[:, None] + b[None, :],
                "doubled": lambda: np.repeat(a, 2) + np.float32(by.of(frame.sizes)),
                "raised": lambda: a + np.float32(1),
            }
            if which == "doubled":
                by.size(frame.sizes)
            if sizes != results[which]().shape:
                raise Fails("shape")
            return results[which]()

        if which == "raised":
            text = f"call_tir_inplace(@raised, (x_of({x}),), inplace_indices=[0]) -> {out.text()}"
            return Drawn(text.replace(f"x_of({x})", f"add({x}, 0.0)"), run)
        args = f"({x}, {y})" if which == "pairs" else f"({x},)"
        last = f", shape({by.text})" if which == "doubled" else ""
        return Drawn(f"call_tir(@{which}, {args}{last}) -> {out.text()}", run)

    def condition(self) -> Drawn:
        """Draw what an `if` asks: sizes, or a bool of the program."""
        draw = self.random
        bools = [name for name, value in self.frame.values.items() if _is_flag(value)]
        if bools and draw.random() < 0.4:
            name = draw.choice(bools)
            return Drawn(name, lambda frame: bool(frame.values[name]))
        a, b, sign = self.dim(1), self.dim(1), draw.choice(sorted(COMPARISONS))
        if not any(name in f" {a.text} {b.text} ".replace("(", " ").replace(")", " ") for name in NAMES):
            return Drawn("true", lambda _: True)
        return Drawn(
            f"{a.text} {sign} {b.text}", lambda frame: COMPARISONS[sign](a.of(frame.sizes), b.of(frame.sizes))
        )

    def choice(self, depth: int) -> Drawn | None:
        """Draw an `if` of two expressions."""
        if not self.frame.sizes:
            return None
        asked = self.condition()
        then, other = self.any_expression(depth - 1), self.any_expression(depth - 1)
        if then is None or other is None:
            return None
        marks = ([-1], [-1])
        lines = then.text.count("\n") + 1
        return Drawn(
            f"if {asked.text} {{\n{then.text}\n}} else {{\n{other.text}\n}}",
            lambda frame: (
                _marked(then, marks[0], frame) if asked.run(frame) else _marked(other, marks[1], frame)
            ),
            marks=[
                *((at + 1, mark) for at, mark in [(0, marks[0]), *then.marks]),
                *((at + lines + 2, mark) for at, mark in [(0, marks[1]), *other.marks]),
            ],
        )


class at_line:  # noqa: N801 - reads as a word of the language
    """Notes the line of what fails inside, unless it failed in something further inside."""

    def __init__(self, mark: list[int]) -> None:
        self._mark = mark

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, failure: BaseException | None, _trace: object) -> None:
        if isinstance(failure, Fails):
            failure.line = failure.line or self._mark[0]


def _marked(branch: Drawn, mark: list[int], frame: Frame) -> Value:
    with at_line(mark):
        value = branch.run(frame)
    frame.done.add(mark[0])
    return value


def _is_flag(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype == np.bool_
