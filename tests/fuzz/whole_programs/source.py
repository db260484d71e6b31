"""What expressions of whole programs are drawn from: the names of a run, and what an expression is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.fuzz.whole_programs.values import Dim, Fails, Frame, Value, guarded

Mark = tuple[int, list[int]]
"""A branch: at which line of the expression it is, and the number of that line in the program, once it is known."""


@dataclass
class Drawn:
    """An expression: its text, its meaning, its value in the run that leads, its branches."""

    text: str
    run: Callable[[Frame], Value]
    value: Value = None
    marks: Sequence[Mark] = ()

    def __post_init__(self) -> None:
        run = self.run
        self.run = lambda frame: guarded(lambda: run(frame))


@dataclass
class Source:
    """What expressions are drawn from."""

    random: random.Random
    frame: Frame
    dim: Callable[[int], Dim]
    dim_near: Callable[[int], Dim]

    def tensor(self, wanted: Callable[[np.ndarray], bool]) -> str | None:
        """Draw the name of a tensor."""
        fitting = [
            name
            for name, value in self.frame.values.items()
            if isinstance(value, np.ndarray) and wanted(value)
        ]
        return self.random.choice(fitting) if fitting else None

    def value(self, name: str) -> np.ndarray:
        """Return the tensor of a name in the run that leads."""
        return self.frame.values[name]

    def like(self, name: str) -> str:
        """Draw a second operand: of the same dtype, mostly of a shape that can be broadcast."""
        first = self.value(name)

        def fits(other: np.ndarray) -> bool:
            if other.dtype != first.dtype:
                return False
            try:
                np.broadcast_shapes(first.shape, other.shape)
            except ValueError:
                return False
            return True

        return self.tensor(fits) or name


Rule = Callable[[Source], Drawn | None]


def tensor_at(frame: Frame, name: str) -> np.ndarray:
    """Return a tensor of a frame."""
    value = frame.values[name]
    if not isinstance(value, np.ndarray):
        raise Fails("kind")
    return value


def axis_of(source: Source, rank: int) -> int:
    """Draw an axis, counted from either end."""
    axis = source.random.randrange(rank) if rank else 0
    return axis - rank if source.random.random() < 0.4 else axis
