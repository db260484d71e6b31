"""What whole programs mean, written from the language reference alone: values, dimensions, checks, operators.

`whole_programs` draws programs of these parts; nothing here asks the product. A part has a text and a function from a
`Frame` to its value. What the reference says ends a program raises `Fails`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

Value = Any
"""An array, a `Sizes`, a `Scalar`, a tuple of values or a Python function."""


class Fails(Exception):  # noqa: N818 - says what the run does
    """The program ends here; `kind` says by which rule."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.line = 0
        """The line of the statement that failed, in the function where it did."""
        super().__init__(kind)


class Sizes(tuple[int, ...]):
    """A value of `Shape`."""

    __slots__ = ()


@dataclass(frozen=True)
class Scalar:
    """A value of `Prim[…]`."""

    value: Any


@dataclass
class Frame:
    """The names of a function that runs. `done` has the lines of what ended without a failure, in all calls."""

    values: dict[str, Value] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)

    def inner(self) -> Frame:
        """Return the names that a scope inside begins with."""
        return Frame(dict(self.values), dict(self.sizes), self.done)


@dataclass(frozen=True)
class Dim:
    """A dimension expression, written with all its parentheses."""

    text: str
    of: Callable[[Mapping[str, int]], int]

    def size(self, sizes: Mapping[str, int]) -> int:
        """Return its value where a size is wanted."""
        found = self.of(sizes)
        if found < 0:
            raise Fails("negative size")
        return found


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise Fails("division by zero")
    return a // b


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise Fails("division by zero")
    return a % b


SIGNS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": _divided,
    "%": _remainder,
}
CHOICES: dict[str, Callable[[int, int], int]] = {"min": min, "max": max}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Info:
    """Struct info: its kind (`Tensor`, `Shape`, `Prim`, `Tuple`, `Object`) and what it states."""

    kind: str
    dims: tuple[Dim, ...] | None = None
    ndim: int | None = None
    dtype: str | None = None
    fields: tuple[Info, ...] = ()
    of_shape: str = ""

    def text(self) -> str:
        """Return it as written."""
        if self.kind == "Tuple":
            return (
                "(" + ", ".join(one.text() for one in self.fields) + (",)" if len(self.fields) == 1 else ")")
            )
        if self.kind == "Prim":
            return f"Prim[{self.dtype}]"
        where = self.of_shape
        if self.dims is not None:
            where = "(" + ", ".join(dim.text for dim in self.dims) + (",)" if len(self.dims) == 1 else ")")
        elif self.ndim is not None:
            where = f"ndim={self.ndim}"
        if self.kind == "Tensor" and self.dtype:
            where = f"{where or '_'}, {self.dtype}"
        return f"{self.kind}[{where}]" if where else self.kind

    def binds(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the names that are whole dimensions, each with the path to it."""
        found: list[tuple[str, tuple[int, ...]]] = []
        for at, dim in enumerate(self.dims or ()):
            if dim.text.isidentifier():
                found.append((dim.text, (at,)))
        for at, one in enumerate(self.fields):
            found += [(name, (at, *path)) for name, path in one.binds()]
        return found


def has_kind(info: Info, value: Value) -> bool:
    """Return whether kinds, ranks and dtypes are as stated."""
    if info.kind == "Object":
        return True
    if info.kind == "Tuple":
        return (
            type(value) is tuple and len(value) == len(info.fields) and all(map(has_kind, info.fields, value))
        )
    if info.kind == "Prim":
        return isinstance(value, Scalar) and value.value.dtype == info.dtype
    extents = sizes_of(value, info.kind)
    if extents is None:
        return False
    ndim = info.ndim if info.dims is None else len(info.dims)
    if ndim is not None and ndim != len(extents):
        return False
    return info.kind == "Shape" or info.dtype is None or _dtype(value) == info.dtype


def sizes_of(value: Value, kind: str) -> tuple[int, ...] | None:
    """Return the sizes of a tensor or a shape, None of anything else."""
    if kind == "Tensor":
        if isinstance(value, Scalar):
            return ()  # a tensor of rank 0, where one is expected
        return value.shape if isinstance(value, np.ndarray) else None
    return value if isinstance(value, Sizes) else None


def _dtype(value: Value) -> object:
    return value.value.dtype if isinstance(value, Scalar) else value.dtype


def bind(info: Info, value: Value, sizes: dict[str, int]) -> None:
    """Give names that are whole dimensions, and have no value yet, the sizes of a value of the right kind."""
    if info.kind == "Tuple":
        for one, part in zip(info.fields, value, strict=True):
            bind(one, part, sizes)
    for dim, size in zip(info.dims or (), sizes_of(value, info.kind) or (), strict=False):
        if dim.text.isidentifier():
            sizes.setdefault(dim.text, size)


def holds(info: Info, value: Value, frame: Frame) -> bool:
    """Return whether the sizes are as stated, all names being bound."""
    if info.kind == "Tuple":
        return all(holds(one, part, frame) for one, part in zip(info.fields, value, strict=True))
    if info.of_shape:
        return tuple(frame.values[info.of_shape]) == sizes_of(value, info.kind)
    if info.dims is None:
        return True
    return all(
        dim.of(frame.sizes) == size
        for dim, size in zip(info.dims, sizes_of(value, info.kind) or (), strict=True)
    )


def check(info: Info, value: Value, frame: Frame, kind: str, *, binding: bool = False) -> None:
    """Check a value; with `binding`, names that are whole dimensions get their sizes first."""
    if not has_kind(info, value):
        raise Fails(kind)
    if binding:
        bind(info, value, frame.sizes)
    if not holds(info, value, frame):
        raise Fails(kind)


def together(*arrays: np.ndarray) -> None:
    """Raise unless arrays have one dtype and broadcast."""
    if len({one.dtype for one in arrays}) != 1:
        raise Fails("dtype")
    try:
        np.broadcast_shapes(*[one.shape for one in arrays])
    except ValueError:
        raise Fails("shape") from None


def guarded(compute: Callable[[], Value]) -> Value:
    """Compute with NumPy, whose refusals are failures of shapes."""
    try:
        with np.errstate(all="ignore"):
            return compute()
    except (ValueError, IndexError):
        raise Fails("shape") from None


def reshaped(x: np.ndarray, extents: tuple[int, ...]) -> np.ndarray:
    """Give a tensor another shape, in which one extent may be -1 and 0 is 0."""
    if -1 in extents:
        rest = int(np.prod([one for one in extents if one != -1]))
        if rest == 0 and x.size == 0:
            raise Fails("division by zero")  # nothing says how many there are
        if rest == 0 or x.size % rest:
            raise Fails("shape")
        extents = tuple(x.size // rest if one == -1 else one for one in extents)
    if int(np.prod(extents)) != x.size:
        raise Fails("shape")
    return x.reshape(extents)


def multiplied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Multiply matrices; rank 0 is refused, sizes are compared."""
    if a.dtype != b.dtype or a.dtype == bool:
        raise Fails("dtype")
    if a.ndim == 0 or b.ndim == 0:
        raise Fails("shape")
    return guarded(lambda: np.asarray(np.matmul(a, b)))


def pieces(x: np.ndarray, count: int, axis: int) -> tuple[np.ndarray, ...]:
    """Cut into pieces of ceil(L / n), of which the last have what is left."""
    length = x.shape[axis]
    step = -(-length // count)
    cuts = [min(step * one, length) for one in range(count + 1)]
    return tuple(np.take(x, range(a, b), axis) for a, b in pairwise(cuts))


def equal(a: Value, b: Value) -> bool:
    """Return whether two values are the same, floats up to rounding; what the product returns may be on the right."""
    if isinstance(a, tuple) and not isinstance(a, Sizes):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, Sizes):
        return tuple(a) == tuple(getattr(b, "values", b))
    if isinstance(a, Scalar):
        a = np.asarray(a.value)
        return np.asarray(b).dtype == a.dtype and np.allclose(a, b, equal_nan=True)
    if callable(a):
        return not isinstance(b, np.ndarray | tuple)
    if not isinstance(b, np.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool(np.allclose(a, b, rtol=1e-4, atol=1e-4, equal_nan=True))
    return bool(np.array_equal(a, b))
