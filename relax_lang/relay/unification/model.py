"""The forms of types. All but `Unknown` never change; unknowns are joined by union-find. [R.23-R.28]"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

TYPE, SHAPE, BASE_TYPE, SHAPE_VAR = "Type", "Shape", "BaseType", "ShapeVar"
"""The kinds of what parameters and unknowns range over."""


class Any_:  # noqa: N801 - `Any` is a word of `typing`
    """The extent `?`: there is one, and nothing is known of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show it as the text format does."""
        return "?"


ANY = Any_()


class Unknown:
    """A type, shape, dtype or extent that is not known yet.

    Joined unknowns point to one of them (`target`), which may point to what they all are. `waiting` are the relations
    that go on when it becomes known; `level` is the depth of `let`s around it, which decides what is generalized.
    """

    __slots__ = ("kind", "level", "origin", "target", "waiting")

    def __init__(self, level: int, kind: str = TYPE, origin: object = None) -> None:
        self.target: object = None
        self.waiting: list[Any] = []
        self.level = level
        self.kind = kind
        self.origin = origin


class Param:
    """A parameter of a polymorphic function or type: equal only to itself."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: str = TYPE) -> None:
        self.name = name
        self.kind = kind


class Tensor:
    """`Tensor[(2, ?), float32]`."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Shape, dtype: Dtype) -> None:
        self.shape = shape
        self.dtype = dtype


class Tuple:
    """`(T, U)`."""

    __slots__ = ("fields",)

    def __init__(self, fields: tuple[Type, ...]) -> None:
        self.fields = fields


class Func:
    """`fn (T) -> U`; with `quantified` parameters it is instantiated wherever it is used."""

    __slots__ = ("params", "quantified", "result")

    def __init__(self, params: tuple[Type, ...], result: Type, quantified: tuple[Param, ...] = ()) -> None:
        self.params = params
        self.result = result
        self.quantified = quantified


class Adt:
    """`List[int32]`."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, args: tuple[Type, ...]) -> None:
        self.name = name
        self.args = args


class Ref:
    """`ref(T)`."""

    __slots__ = ("value",)

    def __init__(self, value: Type) -> None:
        self.value = value


class Rejected:
    """The type of what is wrong and was reported: it fits everywhere."""

    __slots__ = ()


REJECTED = Rejected()
UNIT = Tuple(())

if TYPE_CHECKING:
    Type: TypeAlias = Tensor | Tuple | Func | Adt | Ref | Unknown | Param | Rejected
    Dim: TypeAlias = int | Any_ | Unknown | Param
    Shape: TypeAlias = tuple[Dim, ...] | Unknown | Param
    Dtype: TypeAlias = str | Unknown | Param


def scalar(dtype: str) -> Tensor:
    """Return the type of tensors of rank 0."""
    return Tensor((), dtype)


BOOL = scalar("bool")


def find(value: object) -> object:
    """Return what something is, as far as that is known: the last of a chain of joined unknowns."""
    if type(value) is not Unknown or value.target is None:
        return value
    path = [value]
    at = value.target
    while type(at) is Unknown and at.target is not None:
        path.append(at)
        at = at.target
    for one in path:  # path compression
        one.target = at
    return at


def find_type(value: Type) -> Type:
    """Return what a type is, as far as that is known."""
    found: Any = find(value)
    return found


def find_shape(value: Shape) -> Shape:
    """Return the extents of a shape as far as they are known."""
    shape: Any = find(value)
    if type(shape) is tuple:
        dims: tuple[Any, ...] = shape  # pyright: ignore[reportUnknownVariableType]
        shape = tuple([find(dim) for dim in dims])
    return shape


def resolved(value: Type) -> Type:
    """Return a type in which every known part is written out."""
    value = find_type(value)
    if isinstance(value, Tensor):
        return Tensor(find_shape(value.shape), find(value.dtype))  # type: ignore[arg-type]
    if isinstance(value, Tuple):
        return Tuple(tuple([resolved(one) for one in value.fields])) if value.fields else value
    if isinstance(value, Func):
        params = tuple([resolved(one) for one in value.params])
        return Func(params, resolved(value.result), value.quantified)
    if isinstance(value, Adt):
        return Adt(value.name, tuple([resolved(one) for one in value.args])) if value.args else value
    return Ref(resolved(value.value)) if isinstance(value, Ref) else value


def unknowns(value: Type) -> list[Unknown]:
    """Return what is unknown in a type, in order of appearance."""
    found: dict[Unknown, None] = {}
    _collect(value, found)
    return list(found)


def _collect(value: object, found: dict[Unknown, None]) -> None:
    value = find(value)
    if isinstance(value, Unknown):
        found[value] = None
    elif isinstance(value, Tensor):
        shape = find_shape(value.shape)
        for part in shape if isinstance(shape, tuple) else (shape,):
            _collect(part, found)
        _collect(value.dtype, found)
    elif isinstance(value, Tuple):
        for one in value.fields:
            _collect(one, found)
    elif isinstance(value, Func):
        for one in (*value.params, value.result):
            _collect(one, found)
    elif isinstance(value, Adt):
        for one in value.args:
            _collect(one, found)
    elif isinstance(value, Ref):
        _collect(value.value, found)


def substitute(value: Type, known: dict[Param, object]) -> Type:
    """Return a type with parameters replaced."""
    value = find_type(value)
    if isinstance(value, Param):
        return known.get(value, value)  # type: ignore[return-value]
    if isinstance(value, Tensor):
        shape = find_shape(value.shape)
        made: Any = shape
        if isinstance(shape, tuple):
            made = tuple([known.get(one, one) if isinstance(one, Param) else one for one in shape])
        elif isinstance(shape, Param):
            made = known.get(shape, shape)
        dtype = find(value.dtype)
        return Tensor(made, known.get(dtype, dtype) if isinstance(dtype, Param) else dtype)  # type: ignore[arg-type]
    if isinstance(value, Tuple):
        return Tuple(tuple([substitute(one, known) for one in value.fields])) if value.fields else value
    if isinstance(value, Func):
        params = tuple([substitute(one, known) for one in value.params])
        return Func(params, substitute(value.result, known), value.quantified)
    if isinstance(value, Adt):
        return Adt(value.name, tuple([substitute(one, known) for one in value.args])) if value.args else value
    return Ref(substitute(value.value, known)) if isinstance(value, Ref) else value
