"""Nodes of the array IR: their fields, equality, and what is in them; names and literals."""

from __future__ import annotations

from inspect import get_annotations

from relax_lang.arith.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import ClassVar, TypeAlias, dataclass_transform

    Field: TypeAlias = "Node | Polynomial | str | float | bool | tuple[Field, ...] | list[Field] | None"
else:

    def dataclass_transform(**_: object) -> object:
        """Return what leaves a class as it is: only type checkers look at this."""
        return lambda cls: cls


_DOMAIN = "domain"
"""The field that says over which sizes an operation runs: names in it are not used by the operation."""


@dataclass_transform(frozen_default=True)
class Node:
    """A node of the array IR: its fields are its annotations, in order. Equal nodes have equal fields."""

    fields_of: ClassVar[tuple[str, ...]] = ()
    part_fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.fields_of = (*cls.fields_of, *get_annotations(cls))
        cls.part_fields = tuple([name for name in cls.fields_of if name != _DOMAIN])
        cls.__match_args__ = cls.fields_of

    def __init__(self, *args: object, **keywords: object) -> None:
        self.__dict__.update(zip(self.fields_of, args, strict=False), **keywords)

    def fields(self) -> tuple[Field, ...]:
        """Return the values of the fields, in order."""
        return tuple([getattr(self, name) for name in self.fields_of])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Node) and self.fields() == other.fields()

    def __hash__(self) -> int:
        known = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash((type(self), self.fields()))
        return known

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(field) for field in self.fields()])})"


class Ref(Node):
    """A name: of a number, or of an array of a dtype and a shape, if these are known."""

    name: str
    dtype: str = ""
    shape: tuple[Polynomial, ...] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Literal(Node):
    """A literal. `dtype` is the type that it takes beside an array, if it is part of an array operation."""

    value: float | bool | str | None
    dtype: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return type(self.value), repr(self.value), self.dtype  # 1, 1.0, True; 0.0, -0.0 are different ones


_PART = (Node, Polynomial)
_ROW = (tuple, list)


def parts_of(node: Node) -> list[Node | Polynomial]:
    """Return the direct parts of a node, in order."""
    found: list[Node | Polynomial] = []
    _add_parts([getattr(node, name) for name in node.part_fields], found)
    return found


def _add_parts(values: Iterable[Field], found: list[Node | Polynomial]) -> None:
    for value in values:
        if isinstance(value, _PART):
            found.append(value)
        elif isinstance(value, _ROW):
            _add_parts(value, found)


def names_in(node: Node | Polynomial) -> set[str]:
    """Return the names that a node uses."""
    found: set[str] = set()
    pending: list[Node | Polynomial] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Polynomial):
            found |= part.names()
            continue
        if isinstance(part, Ref):
            found.add(part.name)
        else:
            pending.extend(parts_of(part))
    return found


def with_parts(node: Node, replaced: Callable[[Node | Polynomial], Node | Polynomial]) -> Node:
    """Return a node with its direct parts replaced; the node itself if that changes none. Statements in it stay."""
    if isinstance(node, Ref):
        return node
    values = node.fields()
    changed = False
    made: list[Field] = []
    for name, value in zip(node.fields_of, values, strict=True):
        new = _replaced(value, replaced) if name != _DOMAIN else value
        changed |= new is not value
        made.append(new)
    return type(node)(*made) if changed else node


def _replaced(value: Field, replaced: Callable[[Node | Polynomial], Node | Polynomial]) -> Field:
    if isinstance(value, _PART):
        return replaced(value)
    if not isinstance(value, tuple):
        return value
    items = tuple([_replaced(item, replaced) for item in value])
    return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
