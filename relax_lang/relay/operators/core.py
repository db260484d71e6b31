"""Operators of Relay and how they are declared: attributes, type relation, and the Relax calls that they are.

    declare("nn.leaky_relu", "data", "alpha: float = 0.25", relation=identity, lower=renamed("nn.leakyrelu"))

An attribute without a value after `=` has to be written; one with `?` after its kind may be `None`. What
`lower` makes is asked for three things: the type of the result where the relation leaves it to Relax's own rules, the
value when the program is interpreted, and the calls of the translated program. So the three cannot differ. [R.9] [R.33]
"""

from __future__ import annotations

import ast

from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from relax_lang.relay.unification.model import Type

    Value = Any
    """What an emitter hands around: known to itself alone."""
    Dim = Any
    """An extent: an int, or an expression of Relax."""

    class Emitter(Protocol):
        """Where the Relax calls of an operator go."""

        def call(self, operator: str, *args: Value, **attrs: object) -> Value:
            """Call a Relax operator."""
            ...

        def const(self, value: object, dtype: str) -> Value:
            """Return a tensor that is written out: a number, or lists of numbers."""
            ...

        def shape(self, dims: Sequence[Dim]) -> Value:
            """Return a shape as an argument."""
            ...

        def prim(self, value: float | Dim) -> Value:
            """Return a scalar that is not a tensor, as an argument."""
            ...

        def prims(self, values: Sequence[float | Dim]) -> Value:
            """Return a tuple of scalars as an argument."""
            ...

        def prim_func(
            self, text: str, args: Sequence[Value], results: Sequence[tuple[Sequence[Dim], str]]
        ) -> Value:
            """Call a PrimFunc, which is given as text; `results` are the extents and dtypes that it writes.

            More than one result is a tuple.
            """
            ...

        def extents(self, value: Value, count: int) -> list[Dim]:
            """Return the elements of an integer tensor of rank 1 as extents; there are `count`."""
            ...

        def fields(self, values: Sequence[Value]) -> Value:
            """Return a tuple."""
            ...

        def field(self, value: Value, index: int) -> Value:
            """Return a field of a tuple."""
            ...

        def count(self, value: Value) -> int:
            """Return the number of fields of a tuple."""
            ...

        def dims(self, value: Value) -> list[Dim]:
            """Return the extents of a tensor."""
            ...

        def dtype(self, value: Value) -> str:
            """Return the dtype of a tensor."""
            ...

        def literal(self, value: Value) -> float | None:
            """Return the number that an argument is, if it is known."""
            ...

    Lower = Callable[["Emitter", Sequence[Value], dict[str, Any]], Value]


class NotLowered(Exception):  # noqa: N818 - it is not an error of the program
    """What an operator is given has no counterpart in Relax, for a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Refused(Exception):  # noqa: N818 - it is not an error of this program
    """The arguments of a call do not fit: the message, and the argument or attribute that it is about."""

    def __init__(
        self,
        message: str,
        *,
        argument: int | None = None,
        attribute: str | None = None,
        rule: str = "operator_shape",
        note: str = "",
        types: tuple[Type, Type] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.argument = argument
        self.attribute = attribute
        self.rule = rule
        self.note = note
        self.types = types


REQUIRED = object()


class Field:
    """An attribute: its name, kind (`int`, `ints`, `float`, `str`, …), whether it may be None, default."""

    __slots__ = ("default", "kind", "name", "optional", "written")

    def __init__(self, text: str) -> None:
        head, _, default = text.partition("=")
        name, _, kind = head.partition(":")
        self.name = name.strip()
        self.kind = kind.strip().rstrip("?")
        if self.kind == "str" and self.name in ("dtype", "out_dtype"):
            self.kind = "dtype"
        self.optional = kind.strip().endswith("?")
        self.written = not default
        """Whether the text format always writes it."""
        self.default: Any = ast.literal_eval(default.strip()) if default else None

    def accepts(self, value: object) -> bool:
        """Return whether a value of a text is one of this attribute."""
        if value is None:
            return self.optional
        if self.kind == "ints":
            return _is_int(value) or _are_ints(value)
        if self.kind == "int":
            return _is_int(value)
        if self.kind == "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind == "bool":
            return isinstance(value, int)
        if self.kind == "dtype":
            return value in DTYPES or (value == "" and not self.written)
        return isinstance(value, str) if self.kind == "str" else True

    @property
    def words(self) -> str:
        """What a message calls the kind."""
        words = {
            "int": "a whole number",
            "ints": "a whole number or a list of them",
            "float": "a number",
            "bool": "`True` or `False`",
            "str": "a string",
            "dtype": "a dtype in quotes",
        }.get(self.kind, "a value")
        return f"{words} or `None`" if self.optional else words


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_ints(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
    return all(_is_int(one) for one in items)


class Operator:
    """An operator of Relay."""

    __slots__ = ("fields", "lower", "name", "params", "relation")

    def __init__(
        self, name: str, params: tuple[str, ...], fields: tuple[Field, ...], relation: Any, lower: Lower
    ) -> None:
        self.name = name
        self.params = params
        self.fields = fields
        self.relation = relation
        self.lower = lower


OPERATORS: dict[str, Operator] = {}
"""The operators that are declared so far, by name."""


def declare(names: str, params: str, attrs: str = "", *, relation: Any, lower: Lower | None = None) -> None:
    """Declare operators that differ in nothing but the name; without `lower` they have that name in Relax, too."""
    fields = tuple([Field(one) for one in _split(attrs)])
    for name in names.split():
        OPERATORS[name] = Operator(name, tuple(params.split()), fields, relation, lower or renamed(name))


def _split(text: str) -> list[str]:
    """Split at the commas that are in no brackets."""
    parts: list[str] = []
    depth = 0
    for piece in text.split(","):
        if depth:
            parts[-1] += "," + piece
        elif piece.strip():
            parts.append(piece)
        depth += piece.count("[") - piece.count("]")
    return parts


def renamed(operator: str, **names: str) -> Lower:
    """Return the lowering to one Relax operator with the same arguments; `names` are of attributes that differ."""

    def lower(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
        given = {names.get(key, key): value for key, value in attrs.items()}
        return to.call(operator, *args, **given)

    return lower


def itself(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> Value:
    """Be the argument: operators that only say something about it."""
    return args[0]
