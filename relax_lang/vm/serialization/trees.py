"""Trees as rows of plain data, and back: how signatures, sites, struct infos and dimensions are kept in a file.

A row is the name of a class, the place in the text, and the fields as `grammar/tree.asdl` declares them; nodes are
given by the numbers of earlier rows. So there are no circles, and a part that many trees share is there once. Reading
checks every field, the depth, and how large the trees would be if nothing were shared.
"""

from __future__ import annotations

from typing import cast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.vm.serialization.node_fields import GROUPS, SPECS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.node import Node

    Row = list[Any]

MAX_DEPTH = 1000
MAX_SIZE = 50_000_000
"""Trees of a file are no deeper than this, and together no larger."""

_PLAIN: dict[str, type] = {"string": str, "int": int, "float": float, "bool": bool, "place": int}
_MARKS = "?*"


def _fields(spec: str) -> tuple[tuple[str, str, str], ...]:
    """Return name, type and mark of each field."""
    found: list[tuple[str, str, str]] = []
    for word in spec.split():
        name, _, kind = word.partition(":")
        plain = kind.rstrip(_MARKS)
        found.append((name, plain, kind[len(plain) :]))
    return tuple(found)


FIELDS = {name: _fields(spec) for name, spec in SPECS.items()}
_ALLOWED = {name: frozenset(words.split()) for name, words in GROUPS.items()}
_CLASSES = {node.__name__: node for node in tree.NODES}


def as_list(value: object) -> list[Any] | None:
    """Return a list of data that was read; None for anything else."""
    return cast("list[Any]", value) if type(value) is list else None


class BadTree(ValueError):  # noqa: N818 - named after what the rows are
    """Rows that are not trees."""


class TreeWriter:
    """Collects trees; `rows` are those of all of them, each node once."""

    __slots__ = ("_known", "rows")

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._known: dict[Any, int] = {}

    def add(self, root: Node) -> int:
        """Return the number of a tree's row."""
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, done = stack.pop()
            if node in self._known:
                continue
            if not done:
                stack.append((node, True))
                stack += [(child, False) for child in reversed(_nodes_of(node))]
                continue
            self._known[node] = self._row(node)
        return self._known[root]

    def _row(self, node: Node) -> int:
        name = type(node).__name__
        row: Row = [name, node.pos, node.end]
        for field, kind, _ in FIELDS[name]:
            value: Any = getattr(node, field)
            if kind not in _PLAIN and value is not None:
                parts = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else None
                value = self._known[value] if parts is None else [self._known[one] for one in parts]
            row.append(value)
        key = repr(row)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.rows)
            self.rows.append(row)
        return found


def _nodes_of(node: Any) -> list[Any]:
    found: list[Any] = []
    for field, kind, _ in FIELDS[type(node).__name__]:
        value = getattr(node, field)
        if kind in _PLAIN or value is None:
            continue
        found += cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
    return found


def read_trees(rows: Sequence[object]) -> list[Node]:
    """Return the nodes of rows. Raises BadTree for what no tree can be."""
    nodes: list[Node] = []
    names: list[str] = []
    depths: list[int] = []
    sizes: list[int] = []
    for index, row in enumerate(rows):
        try:
            node, parts = _node(row, nodes, names)
        except BadTree as error:
            raise BadTree(f"row {index} of the trees: {error}") from None
        depth = 1 + max([depths[part] for part in parts], default=0)
        size = 1 + sum([sizes[part] for part in parts])
        if depth > MAX_DEPTH or size > MAX_SIZE:
            raise BadTree(f"row {index} of the trees: it is nested too deeply, or too large")
        nodes.append(node)
        names.append(type(node).__name__)
        depths.append(depth)
        sizes.append(size)
    return nodes


def _node(row: object, nodes: list[Node], names: list[str]) -> tuple[Node, list[int]]:
    entries = as_list(row)
    if entries is None or len(entries) < 3 or type(entries[0]) is not str or entries[0] not in FIELDS:
        raise BadTree("it names no class of nodes")
    name, pos, end, *given = entries
    fields = FIELDS[name]
    if type(pos) is not int or type(end) is not int or len(given) != len(fields):
        raise BadTree(f"{name} has {len(fields)} fields and a place")
    values: dict[str, Any] = {"pos": pos, "end": end}
    parts: list[int] = []
    for (field, kind, mark), value in zip(fields, given, strict=True):
        values[field] = _field(kind, mark, value, nodes, names, parts)
    if name == "DType" and values["name"] not in DTYPES:
        raise BadTree(f"`{values['name']}` is not a dtype")
    return _CLASSES[name](**values), parts


def _field(kind: str, mark: str, value: Any, nodes: list[Node], names: list[str], parts: list[int]) -> Any:
    if value is None and mark in ("?", "*?"):
        return None
    if kind in _PLAIN:
        if type(value) is not _PLAIN[kind]:
            raise BadTree(f"a field that holds a {kind} holds something else")
        return value
    allowed = _ALLOWED.get(kind, (kind,))
    if mark in ("*", "*?"):
        given = as_list(value)
        if given is None:
            raise BadTree(f"a field of several {kind} holds something else")
        return tuple([_part(one, allowed, nodes, names, parts) for one in given])
    return _part(value, allowed, nodes, names, parts)


def _part(value: Any, allowed: Any, nodes: list[Node], names: list[str], parts: list[int]) -> Node:
    if type(value) is not int or not 0 <= value < len(nodes) or names[value] not in allowed:
        raise BadTree("a part is of the wrong class, or comes later")
    parts.append(value)
    return nodes[value]


def known_trees(rows: Sequence[Row]) -> list[Node]:
    """Return the nodes of rows that a `TreeWriter` of this installation made, which need no checks."""
    nodes: list[Node] = []
    for name, pos, end, *values in rows:
        made, references, places = _CONSTRUCTION[name]
        for at, several in references:
            value: Any = values[at]
            if several and value is not None:
                parts: list[int] = value
                values[at] = tuple([nodes[one] for one in parts])
            elif value is not None:
                values[at] = nodes[value]
        values[places:places] = pos, end
        nodes.append(made(*values))
    return nodes


def _construction(name: str) -> tuple[type[Node], list[tuple[int, bool]], int]:
    """Return a class, which of its fields are nodes, and whether several, and how many fields are not places.

    Constructors take the other fields, the place of the node, and the places among the fields, in this order.
    """
    fields = FIELDS[name]
    references = [(at, "*" in mark) for at, (_, kind, mark) in enumerate(fields) if kind not in _PLAIN]
    return _CLASSES[name], references, len([kind for _, kind, _ in fields if kind != "place"])


_CONSTRUCTION = {name: _construction(name) for name in FIELDS}
