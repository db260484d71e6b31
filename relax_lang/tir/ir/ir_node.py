"""Nodes of the array IR: their fields, equality, and what is in them."""

from __future__ import annotations

from inspect import get_annotations

from relax_lang.arith.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        """Return what leaves a class as it is: only type checkers look at this."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class Node:
    """A node of the array IR: its fields are its annotations, in order. Equal nodes have equal fields."""

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *get_annotations(cls))
        cls.__match_args__ = cls._fields

    def __init__(self, *args: object, **keywords: object) -> None:
        self.__dict__.update(zip(self._fields, args, strict=False), **keywords)

    def fields(self) -> tuple[object, ...]:
        """Return the values of the fields, in order."""
        return tuple([getattr(self, name) for name in self._fields])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Node) and self.fields() == other.fields()

    def __hash__(self) -> int:
        return hash((type(self), self.fields()))

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


_PART = (Node, Polynomial)
_ROW = (tuple, list)


def parts_of(node: Node) -> list[Node | Polynomial]:
    """Return the direct parts of a node, in order."""
    found: list[Node | Polynomial] = []
    _add_parts(node.fields(), found)
    return found


def _add_parts(values: Iterable[object], found: list[Node | Polynomial]) -> None:
    for value in values:
        if isinstance(value, _PART):
            found.append(value)
        elif isinstance(value, _ROW):
            _add_parts(value, found)  # pyright: ignore[reportUnknownArgumentType]


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
