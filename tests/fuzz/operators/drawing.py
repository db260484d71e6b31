"""Draws the pieces of calls: dimensions, tensors, scalars, shapes, attributes; and what a call comes to."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SIZES = ("n", "m", "k")
INTEGERS = ("int64", "int32", "int8", "int16", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64", "float16")
KINDS = {
    "any": (*FLOATS, *INTEGERS, "bool"),
    "number": (*FLOATS, *INTEGERS),
    "float": FLOATS,
    "integer": INTEGERS,
    "bits": (*INTEGERS, "bool"),
    "index": ("int32", "int64"),
    "bool": ("bool",),
    "int64": ("int64",),
}
Numbers = Mapping[str, int]


class RefusedError(Exception):
    """A call that must not succeed.

    `kind` is "static" where dtypes, ranks or attributes are wrong, "shape" where extents do not fit, and "data" where
    the run alone can tell.
    """

    def __init__(self, kind: str, why: str = "") -> None:
        super().__init__(f"{kind} {why}")
        self.kind = kind


@dataclass(frozen=True)
class T:
    """A tensor: its shape and dtype."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class S:
    """A shape as a value."""

    dims: tuple[int, ...]


@dataclass(frozen=True)
class P:
    """A scalar of `Prim[…]`."""

    dtype: str


UNKNOWN = None
"""A result of which the page says nothing before the run."""

Result = T | S | P | tuple[Any, ...] | None


@dataclass(frozen=True)
class Dim:
    """A dimension expression."""

    text: str
    of: Callable[[Numbers], int]

    @property
    def is_symbolic(self) -> bool:
        return any(one.isalpha() for one in self.text)


def number(value: int) -> Dim:
    return Dim(str(value), lambda _: value)


def _size(name: str) -> Dim:
    return Dim(name, lambda sizes: sizes[name])


N, M, K = map(_size, SIZES)
EXPRESSIONS = (
    Dim("n + 1", lambda at: at["n"] + 1),
    Dim("n * 2", lambda at: at["n"] * 2),
    Dim("n + m", lambda at: at["n"] + at["m"]),
    Dim("m * k", lambda at: at["m"] * at["k"]),
    Dim("n // 2", lambda at: at["n"] // 2),
    Dim("max(m, 1)", lambda at: max(at["m"], 1)),
    Dim("max(n - 1, 0)", lambda at: max(at["n"] - 1, 0)),
    Dim("min(n, 3)", lambda at: min(at["n"], 3)),
)


@dataclass(frozen=True)
class Arg:
    """An argument: its text, and what it is at some sizes (a `T`, an `S`, an int, a tuple of them)."""

    text: str
    at: Callable[[Numbers], Any]
    rank: int = 0


@dataclass(frozen=True)
class Param:
    """A tensor parameter of the program."""

    name: str
    dims: tuple[Dim, ...]
    dtype: str
    fill: str
    annotation: str


@dataclass
class Call:
    """A drawn call: its text, and what it comes to at some sizes."""

    text: str
    rule: Callable[[Numbers], Result]
    values: Callable[..., Any] | None = None
    """The same computed with NumPy from the arrays of the parameters; None where that is not tried."""
    may_fail: bool = False
    """Whether elements decide if it succeeds."""
    is_loose: bool = False
    """Whether the checker may know less of the result than the rule."""
    before: str = ""
    """Statements before it."""
    rounds: bool = True
    """Whether the last digits of values may differ."""


def literal(value: Any) -> str:
    """Write the value of an attribute."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word):
        return value
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join([literal(one) for one in value]) + "]"
    return repr(value)


class Word(str):
    """A dtype as the value of an attribute, which has no quotes."""

    __slots__ = ()


@dataclass
class Draw:
    """A source of random pieces for one program."""

    seed: int
    random: random.Random = field(init=False)
    params: list[Param] = field(default_factory=list)
    is_weak: bool = False
    """Whether some parameter is annotated with less than its dimensions and dtype."""
    may_broadcast: bool = False
    """Whether extents may be equal or 1, so that only the run knows the result."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.symbolic = self.chance(0.6)
        self.weakly = self.chance(0.15)
        self.careless = self.chance(0.35)
        """Whether mistakes are drawn."""

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def slip(self, part: float = 0.15) -> bool:
        """Return whether to make a mistake here."""
        return self.careless and self.chance(part)

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def int(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    # dimensions

    def dim(self, *, positive: bool = False) -> Dim:
        if self.symbolic and self.chance(0.75):
            if self.chance(0.6):
                return self.one(N, M, K)
            return self.one(*EXPRESSIONS)
        return number(self.one(1, 1, 2, 3, 4, 5) if positive or self.chance(0.9) else 0)

    def dims(self, low: int = 0, high: int = 4) -> tuple[Dim, ...]:
        return tuple([self.dim() for _ in range(self.int(low, high))])

    def other(self, dim: Dim) -> Dim:
        """Return an extent that may not fit."""
        return self.dim() if self.chance(0.5) else number(self.int(0, 6))

    def broadcastable(self, dims: Sequence[Dim]) -> tuple[Dim, ...]:
        """Return dimensions that broadcast with some, unless a mistake is made."""
        rank = len(dims)
        cut = 0 if self.chance(0.6) else self.int(0, rank)
        made = [number(1) if self.chance(0.25) else one for one in dims[cut:]]
        if made and (self.slip(0.4) or (self.symbolic and self.chance(0.2))):
            at = self.int(0, len(made) - 1)
            made[at] = self.other(made[at])
            self.may_broadcast = True
        if not cut and self.chance(0.2):
            made = [*self.dims(1, 2), *made]
        return tuple(made)

    # arguments

    def dtype(self, kind: str = "any") -> str:
        if self.slip(0.12):
            return self.one(*KINDS["any"])
        names = KINDS.get(kind, (kind,))
        return names[0] if self.chance(0.5) else self.one(*names)

    def tensor(
        self, dims: Sequence[Dim] | None = None, dtype: str | None = None, fill: str = "", kind: str = "any"
    ) -> Arg:
        """Add a tensor parameter; `fill` says what is in it: "" small numbers, "zeros", "ones", "rising"."""
        dims = tuple(self.dims() if dims is None else dims)
        if self.slip(0.08):
            dims = dims[1:] if self.chance(0.5) else (self.dim(), *dims)
        dtype = dtype or self.dtype(kind)
        name = f"x{len(self.params)}"
        shown = "(" + ", ".join([one.text for one in dims]) + ("," if len(dims) == 1 else "") + ")"
        annotation = f"Tensor[{shown}, {dtype}]"
        if self.weakly and self.chance(0.6):
            annotation = self.one(
                f"Tensor[ndim={len(dims)}, {dtype}]", f"Tensor[{shown}]", f"Tensor[_, {dtype}]", "Tensor"
            )
            self.is_weak = True
        self.params.append(Param(name, dims, dtype, fill, annotation))
        return Arg(name, lambda at: T(tuple([one.of(at) for one in dims]), dtype), len(dims))

    def scalar(self, low: int = -3, high: int = 6) -> Arg:
        """Draw a scalar operand that is an integer."""
        if self.symbolic and self.chance(0.4):
            dim = self.one(N, M, K, *EXPRESSIONS)
            return Arg(dim.text, dim.of)
        value = self.int(low, high)
        return Arg(str(value), lambda _: value)

    def shape(self, dims: Sequence[Dim]) -> Arg:
        made = tuple(dims)
        text = "shape(" + ", ".join([one.text for one in made]) + ")"
        return Arg(text, lambda at: S(tuple([one.of(at) for one in made])), len(made))

    def tuple(self, args: Sequence[Arg]) -> Arg:
        made = tuple(args)
        text = "(" + ", ".join([one.text for one in made]) + ("," if len(made) == 1 else "") + ")"
        return Arg(text, lambda at: tuple([one.at(at) for one in made]), len(made))

    # attributes

    def axis(self, rank: int) -> int:
        if self.slip():
            return self.one(rank, -rank - 1, rank + 3)
        if not rank:
            return self.one(0, -1)
        return self.int(-rank, rank - 1)

    def axes(self, rank: int, low: int = 0, high: int | None = None) -> list[int]:
        count = self.int(min(low, rank), min(rank, rank if high is None else high))
        made = [one - rank if self.chance(0.3) else one for one in self.random.sample(range(rank), count)]
        if made and self.slip():
            made[-1] = self.axis(rank) if self.chance(0.5) else made[0]
        if self.slip(0.05):
            made.append(self.axis(rank))
        return made

    def some(self, **attrs: Any) -> dict[str, Any]:
        """Return attributes, each of which may be left out."""
        return {name: value for name, value in attrs.items() if self.chance(0.6)}


def call(
    word: str,
    args: Sequence[Arg | None],
    attrs: Mapping[str, Any],
    rule: Callable[..., Result],
    *,
    values: Callable[..., Any] | None = None,
    info: str = "",
    **flags: Any,
) -> Call:
    """Write a call. `rule` gets what the arguments are (None for those left out)."""
    given = list(args)
    while given and given[-1] is None:
        given.pop()
    parts = ["()" if one is None else one.text for one in given]
    parts += [f"{name}={literal(value)}" for name, value in attrs.items()]
    text = f"{word}({', '.join(parts)})" + (f" -> {info}" if info else "")
    return Call(
        text,
        lambda at: rule(*[None if one is None else one.at(at) for one in args]),
        values,
        **flags,
    )


Drawer = Callable[[Draw], Call]

# rules that families share


def need(condition: bool, why: str = "") -> None:
    """Refuse what is known before any size is."""
    if not condition:
        raise RefusedError("static", why)


def fits(condition: bool, why: str = "") -> None:
    """Refuse extents that do not go together."""
    if not condition:
        raise RefusedError("shape", why)


def data(condition: bool, why: str = "") -> None:
    """Refuse what only the run can tell."""
    if not condition:
        raise RefusedError("data", why)


def is_kind(x: T, kind: str) -> None:
    need(x.dtype in KINDS[kind], f"{x.dtype} is not {kind}")


def same_dtype(*tensors: T) -> None:
    need(len({one.dtype for one in tensors}) == 1, "dtypes differ")


def axis_of(axis: int, rank: int) -> int:
    need(-rank <= axis < rank, f"axis {axis} of {rank}")
    return axis % rank


def axes_of(axes: int | Sequence[int] | None, rank: int) -> list[int]:
    if axes is None:
        return list(range(rank))
    made = [axis_of(one, rank) for one in ([axes] if isinstance(axes, int) else axes)]
    need(len(set(made)) == len(made), "an axis twice")
    return made


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(map(len, shapes), default=0)
    result: list[int] = []
    for at in range(rank):
        extents = {shape[at - rank] for shape in shapes if at - rank >= -len(shape)} - {1}
        fits(len(extents) < 2, f"{sorted(extents)}")
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def without(shape: Sequence[int], axes: Sequence[int], *, keepdims: bool = False) -> tuple[int, ...]:
    if keepdims:
        return tuple([1 if at in axes else one for at, one in enumerate(shape)])
    return tuple([one for at, one in enumerate(shape) if at not in axes])


def replaced(shape: Sequence[int], axis: int, extent: int) -> tuple[int, ...]:
    return (*shape[:axis], extent, *shape[axis + 1 :])


def product(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=object))
