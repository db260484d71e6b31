"""Trees as plain data, in columns, and back: nodes of one class and height are made together.

Knows nothing of Relax. Iterative, as all that goes over trees: what is deep has many heights. A node in several places
of a tree is one node afterwards as well.
"""

from __future__ import annotations

from relax_lang.base.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    Group = tuple[str, int, tuple[tuple[int, list[Any]], ...]]
    """The name of a class, how many nodes of it, and their arguments: of each, what it has in it and the values."""
    Columns = tuple[list[Group], list[int]]

_PLAIN, _NODE, _PERHAPS, _SEVERAL = range(4)
"""A column has values as they are; numbers of nodes; those or None; tuples of numbers or None."""


def columns(root: Node, marked: Collection[Node] = ()) -> Columns:
    """Return a tree as data that `marshal` can write if the plain fields are such; the root is the last node.

    With it come the numbers of the nodes that are `marked`; those that are not in the tree are left out.
    """
    groups: dict[tuple[int, type[Node]], list[Node]] = {}
    for node, height in _heights(root).items():
        groups.setdefault((height, type(node)), []).append(node)
    number: dict[Node, int] = {}
    found: list[Group] = []
    for (_, kind), nodes in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1].__name__)):
        number.update(zip(nodes, range(len(number), len(number) + len(nodes)), strict=True))
        held = tuple([_column([getattr(one, name) for one in nodes], number) for name in _arguments(kind)])
        found.append((kind.__name__, len(nodes), held))
    return found, sorted([number[node] for node in marked if node in number])


def from_columns(data: Columns, kinds: Mapping[str, type[Node]]) -> tuple[Node, list[Node]]:
    """Return a tree and its marked nodes. Raises KeyError, TypeError or IndexError for what `columns` never made."""
    groups, marked = data
    made: list[Node] = []
    for name, _, held in groups:
        kind: Any = kinds[name]
        if not issubclass(kind, Node):
            raise TypeError(f"{name} is not a class of nodes")
        # What a node refers to is lower, so it is made already.
        made += map(kind, *[_values(how, values, made) for how, values in held])
    return made[-1], [made[at] for at in marked]


def _arguments(kind: type[Node]) -> tuple[str, ...]:
    """Return the parameters of a class, which are the names of what its nodes hold."""
    code = kind.__init__.__code__
    return code.co_varnames[1 : code.co_argcount]


def _heights(root: Node) -> dict[Node, int]:
    """Return how many levels are below each node of a tree."""
    found: dict[Node, int] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in found:
            stack.pop()
            continue
        below = [one for name in _arguments(type(node)) for one in _nodes(getattr(node, name))]
        left = [one for one in below if one not in found]
        if left:
            stack += left
        else:
            found[node] = 1 + max([found[one] for one in below], default=0)
            stack.pop()
    return found


def _nodes(value: Any) -> Iterable[Node]:
    if isinstance(value, Node):
        return (value,)
    return [one for one in _parts(value) if isinstance(one, Node)]


def _parts(value: Any) -> tuple[Any, ...]:

    return value if value.__class__ is tuple else ()


def _column(values: list[Any], number: Mapping[Node, int]) -> tuple[int, list[Any]]:
    there = [one for one in values if one is not None]
    if not there:
        return _PLAIN, values
    if isinstance(there[0], Node):
        how = _NODE if len(there) == len(values) else _PERHAPS
        return how, [None if one is None else number[one] for one in values]
    parts = [part for one in there for part in _parts(one)]
    if {type(one) for one in there} == {tuple} and not [one for one in parts if not isinstance(one, Node)]:
        return _SEVERAL, [None if one is None else tuple([number[part] for part in one]) for one in values]
    return _PLAIN, values


def _values(how: int, values: list[Any], made: list[Node]) -> Iterable[Any]:
    if how == _PLAIN:
        return values
    if how == _NODE:
        return map(made.__getitem__, values)
    if how == _PERHAPS:
        return [None if one is None else made[one] for one in values]
    several = made.__getitem__
    return [None if one is None else tuple(map(several, one)) for one in values]
