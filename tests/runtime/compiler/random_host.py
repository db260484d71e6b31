"""The Python side of random programs: packed functions with effects, and values as plain data."""

from __future__ import annotations

import re
import warnings

import numpy as np

from relax_lang.values import ShapeValue

_NEGATIVE_ZERO = re.compile(r"-0\.0(?!\d)")


class Host:
    """The packed functions of one run of a program, and what they were told."""

    def __init__(self, text: str = "") -> None:
        self.signed = "nn.relu(" not in text
        """Whether zeros have a certain sign: of 0.0 and -0.0, the larger may be either."""
        self.told: list[str] = []
        self.memory: list[object] = []
        self.functions = {
            "log": lambda *values: self.tell("log", *values),
            "mutate": self.mutate,
            "keep": self.keep,
            "kept": self.kept,
            "same": self.same,
            "fails": self.fails,
            "odd": self.odd,
            "turn": self.turn,
            "fill": self.fill,
        }

    def write(self, text: str) -> None:
        self.told.append(text if self.signed else _NEGATIVE_ZERO.sub("0.0", text))

    def tell(self, what: str, *values: object) -> None:
        self.told.append(f"{what} {[self.plain(value) for value in values]}")

    def mutate(self, value: object) -> object:
        self.tell("mutate", value)
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value += np.asarray(1, value.dtype)
        return value

    def plain(self, value: object) -> object:
        """Return what can be compared of a value."""
        return plain(value, signed=self.signed)

    def keep(self, value: object) -> object:
        self.memory.append(value)
        self.tell("keep", *self.memory)
        return value

    def kept(self, value: object) -> object:
        """Hand out what was given long ago: another name for it."""
        return self.memory[0] if self.memory else value

    def same(self, value: object) -> object:
        self.tell("same", value)
        return value

    def fails(self, value: object) -> object:
        raise ValueError(f"no {self.plain(value)}")

    def odd(self, _value: object) -> object:
        return np.zeros((2, 2), np.float32)

    def turn(self, value: object) -> object:
        """Give an array another shape, in place: also under its other names."""
        if isinstance(value, np.ndarray):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value.shape = value.shape[::-1]
        self.tell("turn", value)
        return value

    def fill(self, value: object, out: object) -> None:
        assert isinstance(out, np.ndarray)
        out[...] = np.sum(value) if isinstance(value, np.ndarray) else 0
        self.tell("fill", value)


def plain(value: object, *, signed: bool = True) -> object:
    """Return what can be compared of a value; without the signs of zeros unless it is `signed`."""
    if isinstance(value, np.ndarray):
        if not signed and value.dtype.kind == "f":
            value = value + np.zeros((), value.dtype)  # -0.0 + 0.0 is 0.0
        return (
            value.dtype.name,
            value.shape,
            value.tobytes() if not np.isnan(value).any() else repr(value.tolist()),
        )
    if isinstance(value, tuple):
        return tuple([plain(field, signed=signed) for field in value])
    if isinstance(value, ShapeValue):
        return ("shape", value.values)
    return type(value).__name__ if not isinstance(value, int | str) else value
