"""Nodes of the array IR: their fields, equality, and what is in them; names and literals."""

from __future__ import annotations

from inspect import get_annotations

from relax_lang.arith.polynomials.polynomial import Polynomial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import ClassVar, TypeAlias, TypeVar, dataclass_transform

    Field: TypeAlias = "Node | Polynomial | str | float | bool | tuple[Field, ...] | list[Field] | None"
    AnyNode = TypeVar("AnyNode", bound="Node")
else:

    def dataclass_transform(**_: object) -> object:
        """Return what leaves a class as it is: only type checkers look at this."""
        return lambda cls: cls


_PLAIN = frozenset({
    "str", "int", "bool", "float | bool | str | None", "tuple[str, ...]", "tuple[int, ...]", "Domain",
})  # fmt: skip
"""The types of fields with no part of a node in them: what a domain names is not used by the operation itself."""


@dataclass_transform(frozen_default=True)
class Node:
    """A node of the array IR: its fields are its annotations, in order. Equal nodes have equal fields."""

    fields_of: ClassVar[tuple[str, ...]] = ()
    part_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that parts may be in."""
    is_fixed: ClassVar[bool] = True
    """Whether nothing in a node can change: it has no statements in it."""

    def __init_subclass__(cls) -> None:
        cls.fields_of = (*cls.fields_of, *get_annotations(cls))
        plain = {name for name, annotation in get_annotations(cls).items() if annotation in _PLAIN}
        cls.part_fields = tuple([name for name in cls.fields_of if name not in plain])
        cls.is_fixed = "body" not in cls.fields_of
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
    """Return the direct parts of a node, in order; the list is not to be changed."""
    known = node.__dict__.get("_parts")
    if known is not None:
        return known
    found: list[Node | Polynomial] = []
    _add_parts([getattr(node, name) for name in node.part_fields], found)
    if node.is_fixed:
        node.__dict__["_parts"] = found
    return found


def _add_parts(values: Iterable[Field], found: list[Node | Polynomial]) -> None:
    for value in values:
        if isinstance(value, _PART):
            found.append(value)
        elif isinstance(value, _ROW):
            _add_parts(value, found)


def names_in(node: Node | Polynomial) -> frozenset[str]:
    """Return the names that a node uses."""
    if isinstance(node, Polynomial):
        return node.names()
    known = node.__dict__.get("_names")
    if known is not None:
        return known
    if isinstance(node, Ref):
        found = frozenset((node.name,))
    else:
        found = _NONE
        for part in parts_of(node):
            names = part.names() if isinstance(part, Polynomial) else names_in(part)
            if names:
                found = names | found if found else names
    if node.is_fixed:
        node.__dict__["_names"] = found
    return found


_NONE: frozenset[str] = frozenset()


def with_parts(node: AnyNode, replaced: Callable[[Node | Polynomial], Node | Polynomial]) -> AnyNode:
    """Return a node with its direct parts replaced; the node itself if that changes none. Statements in it stay."""
    if isinstance(node, Ref):
        return node
    changed: dict[str, Field] = {}
    for name in node.part_fields:
        value: Field = getattr(node, name)
        if value:
            new = replaced(value) if isinstance(value, _PART) else _replaced(value, replaced)
            if new is not value:
                changed[name] = new
    return with_fields(node, changed) if changed else node


class Canonical:
    """One object for all equal nodes: comparing two of them is comparing objects, however deep they are."""

    __slots__ = ("_known", "_nodes")

    def __init__(self) -> None:
        self._nodes: dict[Node, Node] = {}
        self._known: dict[int, tuple[Node, Node]] = {}
        """By identity: a node, which has to stay alive, and the object that stands for it."""

    def of(self, node: Node | Polynomial) -> Node | Polynomial:
        """Return the object that stands for a node; names and polynomials stand for themselves."""
        if isinstance(node, Polynomial | Ref):
            return node
        known = self._known.get(id(node))
        if known is None:
            made = with_parts(node, self.of)  # its parts are objects that are compared at once
            known = self._known[id(node)] = node, self._nodes.setdefault(made, made)
        return known[1]


def with_fields(node: AnyNode, changed: Mapping[str, Field]) -> AnyNode:
    """Return a node with other values of some fields."""
    return type(node)(*[changed.get(name, getattr(node, name)) for name in node.fields_of])


def _replaced(value: Field, replaced: Callable[[Node | Polynomial], Node | Polynomial]) -> Field:
    """Return a row with the parts in it replaced; the row itself if that changes none."""
    if not isinstance(value, tuple):
        return value
    changed = False
    items: list[Field] = []
    for item in value:
        new = replaced(item) if isinstance(item, _PART) else _replaced(item, replaced)
        changed |= new is not item
        items.append(new)
    return tuple(items) if changed else value
