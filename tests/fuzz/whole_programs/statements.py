"""Statements of whole programs: bindings, checks, dataflow blocks, local functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.fuzz.whole_programs.expressions import Expressions, at_line
from tests.fuzz.whole_programs.source import Mark
from tests.fuzz.whole_programs.values import (
    Fails,
    Frame,
    Info,
    Sizes,
    Value,
    check,
)


class Statements(Expressions):
    """Draws the statements of one body, evaluating each of them in the frame of the run that leads."""

    def write(self, text: str, step: Callable[[Frame], None], marks: Sequence[Mark] = ()) -> None:
        """Add a statement."""
        mark = [-1]  # until all lines are known
        for at, one in [(0, mark), *marks]:
            self.program.places.append((self.lines, len(self.lines) + at, one))
        self.lines += [self.indent + line for line in text.splitlines()]

        def run(frame: Frame) -> None:
            with at_line(mark):
                step(frame)
            frame.done.add(mark[0])

        self.steps.append(run)
        run_now = self.frame
        step(run_now)

    def name(self) -> str:
        """Draw a new name, or one that hides another."""
        self.program.count += 1
        if self.frame.values and self.random.random() < 0.08:
            return self.random.choice(sorted(self.frame.values))
        return f"v{self.program.count}"

    def statement(self, *, in_dataflow: bool = False) -> None:
        """Draw one statement."""
        draw, chance = self.random, self.random.random()
        if chance < 0.18 and self.frame.values:
            self.match_cast()
            return
        if chance < 0.26 and not in_dataflow and self.depth:
            self.dataflow()
            return
        if chance < 0.32 and not in_dataflow and self.depth:
            self.closure()
            return
        drawn = self.expression()
        if in_dataflow and drawn.marks:
            return
        name = self.name()
        if draw.random() < 0.35 and not callable(drawn.value):
            info = self.info_of(drawn.value)
            shapes = [one for one, value in self.frame.values.items() if isinstance(value, Sizes)]
            if isinstance(drawn.value, np.ndarray) and shapes and draw.random() < 0.3:
                of = [one for one in shapes if tuple(self.frame.values[one]) == drawn.value.shape]
                info = Info("Tensor", of_shape=draw.choice(of), dtype=str(drawn.value.dtype)) if of else info

            def annotated(frame: Frame) -> None:
                value = drawn.run(frame)
                check(info, value, frame, "annotation")
                frame.values[name] = value

            self.write(f"let {name}: {info.text()} = {drawn.text};", annotated, drawn.marks)
            return

        def plain(frame: Frame) -> None:
            frame.values[name] = drawn.run(frame)

        self.write(f"let {name} = {drawn.text};", plain, drawn.marks)

    def match_cast(self) -> None:
        """Draw a match_cast of a variable, with a name or without."""
        of = self.random.choice(sorted(self.frame.values))
        if callable(self.frame.values[of]):
            return
        name = self.name() if self.random.random() < 0.6 else ""
        before = set(self.frame.sizes)
        info = self.info_of(self.frame.values[of], fresh=True, loose=0.15)
        for one in set(self.frame.sizes) - before:
            del self.frame.sizes[one]

        def step(frame: Frame) -> None:
            check(info, frame.values[of], frame, "match_cast", binding=True)
            if name:
                frame.values[name] = frame.values[of]

        let = f"let {name} = " if name else ""
        self.write(f"{let}match_cast({of}, {info.text()});", step)

    def dataflow(self) -> None:
        """Draw a dataflow block, of which some names are seen outside."""
        before = dict(self.frame.values)
        inside = Statements(self.program, self.frame, self.indent + "  ", [], 0)
        for _ in range(self.random.randrange(1, 4)):
            inside.statement(in_dataflow=True)
        made = sorted(name for name, value in self.frame.values.items() if before.get(name) is not value)
        out = [name for name in made if self.random.random() < 0.7]
        hidden = set(made) - set(out)
        lines = [f"{self.indent}dataflow {{", *inside.lines]
        lines += [f"{self.indent}  output {', '.join(out)};"] if out else []
        lines += [self.indent + "}"]
        self.program.moved(inside.lines, self.lines, len(self.lines) + 1)
        self.lines += lines

        def step(frame: Frame) -> None:
            outside = dict(frame.values)
            for one in inside.steps:
                one(frame)
            for name in hidden:
                frame.values.pop(name, None)
                if name in outside:
                    frame.values[name] = outside[name]

        self.steps.append(step)
        for name in hidden:
            self.frame.values.pop(name, None)
            if name in before:
                self.frame.values[name] = before[name]

    def closure(self) -> None:
        """Draw a function literal that captures what is around it, and calls of it."""
        of = self.source.tensor(lambda _: True)
        if of is None:
            return
        value = self.frame.values[of]
        self.program.count += 1
        name, param = f"f{self.program.count}", f"p{self.program.count}"
        around = self.frame.inner()
        inner = Statements(self.program, around, "", [], 0)
        kept = dict(around.sizes)
        info = inner.info_of(value, fresh=True, loose=0.2)
        around.values[param] = value
        body = inner.expression()
        result = inner.info_of(body.value, loose=0.5)
        if callable(body.value) or body.marks:
            return
        del kept

        mark = [-1]

        def make(frame: Frame) -> None:
            captured = frame.inner()

            def run(argument: Value) -> Value:
                inside = captured.inner()
                check(info, argument, inside, "argument", binding=True)
                inside.values[param] = argument
                with at_line(mark):
                    value = body.run(inside)
                    check(result, value, inside, "result")
                return value

            frame.values[name] = run

        self.write(
            f"let {name} = fn ({param}: {info.text()}) -> {result.text()} {{ {body.text} }};",
            make,
            [(0, mark)],
        )
        for _ in range(self.random.randrange(1, 3)):
            given = (
                of if self.random.random() < 0.7 else self.source.tensor(lambda one: one.ndim == value.ndim)
            )
            self.program.count += 1
            target = f"v{self.program.count}"

            def call(frame: Frame, given: str | None = given, target: str = target) -> None:
                assert given is not None
                frame.values[target] = frame.values[name](frame.values[given])

            try:
                call(self.frame.inner())
            except Fails:
                continue
            self.write(f"let {target} = {name}({given});", call)
