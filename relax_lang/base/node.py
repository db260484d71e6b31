"""The base class of all tree nodes, and what can be done with any of them.

Knows nothing of Relax. Everything here is iterative: a tree may be tens of thousands of levels deep.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` costs milliseconds at start-up; type checkers know this name
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any, ClassVar, Never, NoReturn, Protocol, TypeVar

    N_contra = TypeVar("N_contra", contravariant=True)
    R_co = TypeVar("R_co", covariant=True)
    T = TypeVar("T")

    class Table(Protocol[N_contra, R_co]):
        """A dictionary with a row for every class of the union `N_contra`: an incomplete one is a type error."""

        def __getitem__(self, kind: type[N_contra], /) -> R_co: ...


class Node:
    """A node: fields in `FIELDS`, nodes among them in `CHILDREN`, and its place in the text.

    `pos` and `end` are code point offsets, end exclusive; -1 where the node never had a text.
    Nodes are compared with `same` and used as dictionary keys by identity.
    """

    __slots__ = ("end", "pos")
    FIELDS: ClassVar[tuple[str, ...]] = ()
    CHILDREN: ClassVar[tuple[str, ...]] = ()
    pos: int
    end: int

    def __repr__(self) -> str:
        """Show the class and its plain fields; children only by class, so that depth does not matter."""
        shown = (f"{name}={_brief(getattr(self, name))}" for name in self.FIELDS)
        return f"{type(self).__name__}({', '.join(shown)})"


def _brief(value: object) -> str:
    if isinstance(value, Node):
        return f"<{type(value).__name__}>"
    if isinstance(value, tuple):
        return f"<{len(value)} items>"  # pyright: ignore[reportUnknownArgumentType]
    return repr(value)


if os.environ.get("RELAX_FREEZE"):  # the test suite: assignment to a finished node is a bug

    def _set_once(self: Node, name: str, value: Any) -> None:
        if hasattr(self, name):
            raise AttributeError(f"{type(self).__name__}.{name} is set a second time; nodes are values")
        object.__setattr__(self, name, value)

    Node.__setattr__ = _set_once


def children(node: Node) -> Iterator[Node]:
    """Yield the direct child nodes in the order of their fields."""
    for name in node.CHILDREN:
        value: Any = getattr(node, name)
        if value is None:
            continue
        if type(value) is tuple:
            yield from value
        else:
            yield value


def slots(kind: type[object]) -> list[str]:
    """Return everything that the nodes of a class hold: fields, places, and what is not compared."""
    return [name for one in kind.__mro__ for name in getattr(one, "__slots__", ())]


def replaced(node: T, **fields: Any) -> T:
    """Return a copy of a node, or of anything with slots, with other values for some of what it holds; the rest stays,
    the place of a node as well.
    """
    made: Any = object.__new__(type(node))
    names = slots(type(node))
    assert fields.keys() <= set(names), fields.keys()
    for name in names:
        setattr(made, name, fields[name] if name in fields else getattr(node, name))
    return made


def with_children(node: T, change: Callable[[Any], Any]) -> T:
    """Return a node whose direct children are what a function makes of them: the node itself if all stay as they are.

    Its place stays, and so does its layout.
    """
    of_node: Any = node
    new: dict[str, Any] = {}
    for name in of_node.CHILDREN:
        value: Any = getattr(node, name)
        if value is None:
            continue
        made: Any = tuple([change(one) for one in value]) if value.__class__ is tuple else change(value)
        if made is not value and made != value:
            new[name] = made
    return replaced(node, **new) if new else node


def walk(root: Node) -> Iterator[Node]:
    """Yield `root` and everything below it, parents before children, left to right."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        for name in reversed(node.CHILDREN):
            below: Any = getattr(node, name)
            if type(below) is tuple:
                stack += below[::-1]
            elif below is not None:
                stack.append(below)


def same(left: Node | None, right: Node | None) -> bool:
    """Return whether two trees are structurally equal: same classes and fields, whatever their layout and spans.

    Floating point values are equal if they are written alike: nan equals nan, 0.0 does not equal -0.0.
    """
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        kind: Any = type(a)  # pyright: ignore[reportUnknownVariableType]
        if kind is not type(b):
            return False
        if isinstance(a, Node):
            stack += [(getattr(a, name), getattr(b, name)) for name in a.FIELDS]
        elif kind is tuple:
            if len(a) != len(b):
                return False
            if len(a) < _MANY or not _same_values(a, b):
                stack += zip(a, b, strict=True)
        elif repr(a) != repr(b) if kind is float else a != b:
            return False
    return True


_MANY = 64
"""Items of a tuple that are first compared together."""


def _same_values(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    """Return whether tuples of nodes with one number each surely have equal bits; False if they are to be compared."""
    kinds = set(map(type, left)) | set(map(type, right))
    if len(kinds) != 1 or getattr(kinds.pop(), "FIELDS", None) != ("value",):
        return False
    mine, theirs = [one.value for one in left], [one.value for one in right]
    types = set(map(type, mine)) | set(map(type, theirs))
    if types == {int}:
        return mine == theirs
    if types != {float}:
        return False
    from array import array  # only for constants with many elements

    return array("d", mine).tobytes() == array("d", theirs).tobytes()


def structure(root: Node) -> tuple[Hashable, ...]:
    """Return what is equal for trees that are the `same`, and only for them."""
    found: list[Hashable] = []
    stack: list[Any] = [root]
    while stack:
        value = stack.pop()
        kind = value.__class__
        found.append(kind)
        fields = _FIELD_VALUES.get(kind)
        if fields is not None:
            stack += fields(value)
        elif kind is tuple:
            found.append(len(value))
            stack += value
        elif isinstance(value, Node):
            fields = _FIELD_VALUES[kind] = _field_values(kind)
            stack += fields(value)
        else:
            found.append(repr(value) if kind is float else value)
    return tuple(found)


_FIELD_VALUES: dict[type[Node], Callable[[Node], tuple[Any, ...]]] = {}


def _field_values(kind: type[Node]) -> Callable[[Node], tuple[Any, ...]]:
    """Return what gives the values of all fields of a node of a class."""
    from relax_lang.base.python.plain_functions import attrgetter

    names = kind.FIELDS
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


def difference(left: object, right: object) -> str | None:
    """Return the path of the first difference of two trees, such as `items[0].body.blocks`, or None."""
    stack: list[tuple[Any, Any, str]] = [(left, right, "")]
    while stack:
        a, b, path = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return path or "."
        if isinstance(a, Node):
            stack += [(getattr(a, f), getattr(b, f), f"{path}.{f}") for f in reversed(a.FIELDS)]
        elif isinstance(a, tuple):
            if len(a) != len(b):  # pyright: ignore[reportUnknownArgumentType]
                return path
            pairs: list[tuple[Any, Any]] = list(zip(a, b, strict=True))  # pyright: ignore[reportUnknownArgumentType]
            stack += [(x, y, f"{path}[{i}]") for i, (x, y) in reversed(list(enumerate(pairs)))]
        elif repr(a) != repr(b) if isinstance(a, float) else a != b:
            return path
    return None


def to_json(root: Node) -> object:
    """Return a tree as JSON data: `{"node": "Call", "span": [pos, end], "op": …}`. Iterative."""
    result: list[Any] = [None]
    stack: list[tuple[Any, Any, Any]] = [(root, result, 0)]
    while stack:
        value, holder, key = stack.pop()
        if isinstance(value, Node):
            data: dict[str, Any] = {"node": type(value).__name__, "span": [value.pos, value.end]}
            holder[key] = data
            stack += [(getattr(value, name), data, name) for name in reversed(value.FIELDS)]
            data.update(dict.fromkeys(value.FIELDS))
        elif isinstance(value, tuple):
            items: list[Any] = [None] * len(value)  # pyright: ignore[reportUnknownArgumentType]
            holder[key] = items
            pairs: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
            stack += [(item, items, i) for i, item in reversed(list(enumerate(pairs)))]
        else:
            holder[key] = value if not isinstance(value, float) or value - value == 0 else repr(value)
    return result[0]


def assert_never(node: Never) -> NoReturn:
    """End a chain of tests that covers all classes of a union; one that does not is a type error at the call."""
    raise AssertionError(f"unexpected {type(node).__name__}")


def unreachable(*_: object) -> NoReturn:
    """Be the row of a table for classes that are dealt with before the table is asked."""
    raise AssertionError("this class of nodes never gets here")
