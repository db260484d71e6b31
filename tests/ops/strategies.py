"""Random arguments for calls of operators; everything follows from a seed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from relax_lang.ops.core.dtypes import CLASSES, name_of, numpy_dtype
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.core.signature import DTypeName, split_top
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import ShapeValue, Storage

Call = tuple[list[Any], dict[str, Any]]

EXTENTS = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6]


class Draw:
    """A source of extents, shapes, axes, dtypes and tensors."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def extent(self, least: int = 0) -> int:
        return self.random.choice([extent for extent in EXTENTS if extent >= least])

    def shape(self, least: int = 0, most: int = 4, extent: int = 0) -> tuple[int, ...]:
        """Return a shape of `least` to `most` axes, no extent below `extent`."""
        rank = self.random.randint(least, most)
        return tuple([self.extent(extent) for _ in range(rank)])

    def partner(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return a shape that broadcasts with another: ones here and there, fewer or more axes."""
        extents = [1 if self.chance(0.3) else extent for extent in shape]
        if self.chance(0.3):
            return tuple(extents[self.random.randint(0, len(extents)) :])
        return (*self.shape(1, 2), *extents) if self.chance(0.15) else tuple(extents)

    def axis(self, rank: int) -> int:
        """Return an axis, from the front or from the back; 0 if there is none."""
        return self.random.randrange(-rank, rank) if rank else 0

    def axes(self, rank: int, least: int = 0, most: int | None = None) -> list[int]:
        """Return some axes in any order, each once."""
        count = self.random.randint(min(least, rank), rank if most is None else min(most, rank))
        chosen = self.random.sample(range(rank), count)
        return [axis - rank if self.chance(0.4) else axis for axis in chosen]

    def dtype(self, kind: str = "") -> DTypeName:
        """Return a dtype of a class of signatures."""
        common = [
            name for name in ("float32", "int32", "int64", "bool", "float16") if name in CLASSES[kind][0]
        ]
        return DTypeName(
            self.random.choice(common if common and self.chance(0.7) else sorted(CLASSES[kind][0]))
        )

    def tensor(self, shape: tuple[int, ...], dtype: str = "float32") -> Any:
        """Return a tensor of small numbers of either sign, if there are any, or of bools."""
        wanted = numpy_dtype(dtype)
        low = 0 if wanted.kind in "ub" else -4
        return self.numbers.integers(low, 2 if wanted.kind == "b" else 5, size=shape).astype(wanted)

    def whole(self, shape: tuple[int, ...], low: int, high: int, dtype: str = "int64") -> Any:
        """Return a tensor of integers from `low` to `high`."""
        return self.numbers.integers(low, max(low, high) + 1, size=shape).astype(numpy_dtype(dtype))

    def some(self, **attrs: Any) -> dict[str, Any]:
        """Return some of the attributes: each of them or not."""
        return {name: value for name, value in attrs.items() if self.chance(0.6)}


def spoil(draw: Draw, operator: Operator, args: list[Any], attrs: dict[str, Any]) -> Call:
    """Change one thing of a call: an extent, a rank, a dtype, a number, an attribute. It may still be right."""
    args, attrs = list(args), dict(attrs)
    numbered = [name for name, value in attrs.items() if value is not None]
    places = [at for at, arg in enumerate(args) if arg is not None]
    if numbered and (not places or draw.chance(0.35)):
        name = draw.one_of(*numbered)
        attrs[name] = _other(draw, attrs[name])
    elif draw.chance(0.15) and operator.attrs:
        spec = draw.one_of(*operator.attrs)
        attrs[spec.name] = attribute(draw, spec.type)
    elif places:
        at = draw.one_of(*places)
        args[at] = _spoiled(draw, args[at])
    return args, attrs


def attribute(draw: Draw, type_: str) -> Any:
    """Return any value of an attribute's type, as signatures write it."""
    choice = draw.one_of(*split_top(type_, "|")).strip()
    if choice.startswith("list["):
        return [attribute(draw, choice[5:-1]) for _ in range(draw.random.randint(0, 4))]
    if choice.startswith("dtype"):
        return draw.dtype(choice[6:-1])
    if choice[0] == '"':
        return choice[1:-1]
    pools: dict[str, list[Any]] = {
        "int": [-3, -2, -1, 0, 1, 2, 3, 4],
        "int>0": [1, 2, 3, 4],
        "int>=0": [0, 1, 2, 3],
        "float": [0.0, 0.5, 1.0, 2.0],
        "bool": [True, False],
        "none": [None],
        "str": ["", "NCHW", "NHWC", "ij,jk->ik", "ij->ji", "i", "NCW"],
    }
    return draw.random.choice(pools[choice])


def _other(draw: Draw, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.one_of(-2, -1, 1, 2)
    if isinstance(value, DTypeName):
        return draw.dtype()
    if isinstance(value, str) and len(value) > 1:
        letters = list(value)
        at = draw.random.randrange(len(letters) - 1)
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
        return "".join(letters)
    if isinstance(value, list):
        items: list[Any] = list(value)
        if items and draw.chance(0.7):
            at = draw.random.randrange(len(items))
            items[at] = draw.one_of(_other(draw, items[at]), draw.one_of(*items))
        elif items and draw.chance(0.5):
            items.pop()
        else:
            items.append(items[0] if items else 0)
        return items
    return value


def _spoiled(draw: Draw, value: Any) -> Any:
    if isinstance(value, tuple):
        fields = list(value)
        if not fields:
            return (draw.tensor((2,)),)
        at = draw.random.randrange(len(fields))
        if draw.chance(0.1):
            return tuple(fields[:at] + fields[at + 1 :])
        fields[at] = _spoiled(draw, fields[at])
        return tuple(fields)
    if isinstance(value, ShapeValue):
        return ShapeValue(_shape(draw, value.values))
    if isinstance(value, bool | int | float):
        return _other(draw, value)
    if isinstance(value, Storage):
        return draw.tensor((value.size,), "uint8")
    if draw.chance(0.2):
        other = draw.one_of(*DTYPES)
        return value.astype(numpy_dtype(other))
    return draw.tensor(_shape(draw, value.shape), name_of(value.dtype))


def _shape(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    extents = list(shape)
    if extents and draw.chance(0.7):
        at = draw.random.randrange(len(extents))
        extents[at] = draw.one_of(draw.extent(), extents[at] + 1, draw.one_of(*extents))
        return tuple(extents)
    if extents and draw.chance(0.5):
        extents.pop(draw.random.randrange(len(extents)))
        return tuple(extents)
    return (*extents[:1], draw.extent(), *extents[1:])
