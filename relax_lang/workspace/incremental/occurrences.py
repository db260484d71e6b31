"""The names in one item: their places, and which definition each means. For navigation and renaming."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from relax_lang.base.node import walk
from relax_lang.scope.context import Resolved
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.workspace.incremental.analysis import Analysis

VARIABLE, PARAMETER, SHAPE_VARIABLE, GLOBAL, OPERATOR = (
    "variable",
    "parameter",
    "shape variable",
    "global",
    "operator",
)
BUFFER, AXIS, SCALAR, BUFFER_PARAMETER = "buffer", "axis", "scalar", "buffer parameter"

_NAME = re.compile(r"`(?:[^`\\\n]|\\.)*`|@\"(?:[^\"\\\n]|\\.)*\"|@?[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_KINDS = {"buffer": BUFFER, "alloc": BUFFER, "dim": SHAPE_VARIABLE, "axis": AXIS, "loop": AXIS}


class Occurrence:
    """A name in the text, by its addresses: its kind, the definition it means, and whether it is that definition.

    `key` is the node of the definition, for a function or prim_func and for an operator the name.
    """

    __slots__ = ("end", "is_definition", "key", "kind", "name", "pos")

    def __init__(
        self, pos: int, end: int, kind: str, name: str, key: Node | str, *, is_definition: bool
    ) -> None:
        self.pos = pos
        self.end = end
        self.kind = kind
        self.name = name
        self.key = key
        self.is_definition = is_definition


class Occurrences:
    """The names of an item in the order of the text."""

    __slots__ = ("_starts", "all")

    def __init__(self, analysis: Analysis, item: tree.Item) -> None:
        text = analysis.layout.padded
        found: dict[tuple[int, int], Occurrence] = {}
        names = (
            _of_prim_func(analysis, item) if isinstance(item, tree.PrimFunc) else _of_function(analysis, item)
        )
        for pos, kind, name, key, is_definition in names:
            match = _NAME.match(text, pos) if pos >= 0 else None
            if match is not None:
                place = match.span()
                if is_definition or place not in found:
                    found[place] = Occurrence(*place, kind, name, key, is_definition=is_definition)
        self.all = [found[place] for place in sorted(found)]
        self._starts = [one.pos for one in self.all]

    def at(self, address: int) -> Occurrence | None:
        """Return the name at an address, or that ends there."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        one = self.all[index]
        if one.pos == address and index > 0 and self.all[index - 1].end == address and one.kind == OPERATOR:
            return self.all[index - 1]
        return one if address <= one.end else None

    def between(self, first: int, last: int) -> list[Occurrence]:
        """Return the names between two addresses."""
        return self.all[bisect_left(self._starts, first) : bisect_right(self._starts, last)]

    def of(self, key: Node | str) -> list[Occurrence]:
        """Return the places of one definition and its uses."""
        return [one for one in self.all if one.key is key or (isinstance(key, str) and one.key == key)]


def occurrence_of(analysis: Analysis, item: tree.Function, path: Sequence[Node]) -> Occurrence | None:
    """Return the name that the innermost of some nodes is, without reading the rest of the function.

    `path` leads from the function inwards. None if that takes more than looking: for what is not a name, and for one
    that name resolution could not make out.
    """
    state = analysis.functions.get(item)
    if state is None or len(path) < 2:
        return None
    node, above = path[-1], path[-2]
    resolved = state.scope.resolved
    if isinstance(node, tree.GlobalVar):
        return _named(analysis, node, GLOBAL, node.name_hint, node.name_hint, is_definition=node is item.name)
    shape = resolved.shape_bindings.get(node)
    if shape is not None:
        return _named(analysis, node, SHAPE_VARIABLE, shape.name, shape, is_definition=node is shape)
    if not isinstance(node, tree.Var):
        return None
    for kind, binder in _defined(above):
        if binder is node:
            return _named(analysis, node, kind, node.name_hint, binder, is_definition=True)
    binder = resolved.bindings.get(node)
    if binder is not None:
        if binder is node:
            return None
        parameters = [param for one in path if isinstance(one, tree.Function) for param in one.params]
        kind = PARAMETER if any(binder is param for param in parameters) else VARIABLE
        return _named(analysis, node, kind, node.name_hint, binder, is_definition=False)
    if isinstance(above, tree.Call) and above.op is node and resolved.operator_of(above) is not None:
        return _named(analysis, node, OPERATOR, node.name_hint, node.name_hint, is_definition=False)
    return None


def _named(
    analysis: Analysis, node: Node, kind: str, name: str, key: Node | str, *, is_definition: bool
) -> Occurrence | None:
    match = _NAME.match(analysis.layout.padded, node.pos)
    return None if match is None else Occurrence(*match.span(), kind, name, key, is_definition=is_definition)


def place_of(analysis: Analysis, key: Node) -> Span | None:
    """Return the addresses of the name of a definition."""
    match = _NAME.match(analysis.layout.padded, key.pos) if key.pos >= 0 else None
    return None if match is None else match.span()


Named = tuple[int, str, str, "Node | str", bool]


def _of_function(analysis: Analysis, item: tree.Function) -> Iterable[Named]:
    parameters: set[Node] = set()
    by_name: dict[str, tree.Binder] = {}
    uses: list[tree.Var] = []
    callees: dict[Node, tree.Call] = {}
    for node in walk(item):
        if isinstance(node, tree.GlobalVar):
            yield node.pos, GLOBAL, node.name_hint, node.name_hint, node is item.name
        elif isinstance(node, tree.Op):
            yield node.pos, OPERATOR, node.op_name, node.op_name, False
        elif isinstance(node, tree.Var):
            uses.append(node)
        elif isinstance(node, tree.Call):
            callees[node.op] = node
        for kind, binder in _defined(node):
            if kind == PARAMETER:
                parameters.add(binder)
            by_name.setdefault(binder.name_hint, binder)
            yield binder.pos, kind, binder.name_hint, binder, True
    state = analysis.functions.get(item)
    resolved = state.scope.resolved if state is not None else Resolved()
    for use, shape in resolved.shape_bindings.items():
        yield use.pos, SHAPE_VARIABLE, shape.name, shape, use is shape
    fallback = by_name if state is not None else {}
    for node in uses:
        if node not in resolved.shape_bindings:
            yield from _use(node, resolved, callees, fallback, parameters)


def _use(
    node: tree.Var,
    resolved: Resolved,
    callees: dict[Node, tree.Call],
    by_name: dict[str, tree.Binder],
    parameters: set[Node],
) -> Iterable[Named]:
    """Yield what a name means: an operator where it is called and no variable has it, otherwise a variable."""
    name = node.name_hint
    binder = resolved.bindings.get(node)
    call = callees.get(node)
    is_operator = call is not None and (name not in by_name or resolved.operator_of(call) is not None)
    if binder is None and is_operator:
        yield node.pos, OPERATOR, name, name, False
        return
    # A use that breaks a rule of scopes means the definition of that name all the same.
    binder = binder or by_name.get(name)
    if binder is not None and binder is not node:
        yield node.pos, PARAMETER if binder in parameters else VARIABLE, name, binder, False


def _defined(node: Node) -> list[tuple[str, tree.Binder]]:
    """Return the variables that a node defines itself."""
    if isinstance(node, tree.Function):
        return [(PARAMETER, param) for param in node.params]
    if isinstance(node, tree.Binding) and node.var is not None and node.var.name_hint != "_":
        return [(VARIABLE, node.var)]
    return []


def _of_prim_func(analysis: Analysis, item: tree.PrimFunc) -> Iterable[Named]:
    yield item.name.pos, GLOBAL, item.name.name_hint, item.name.name_hint, True
    from relax_lang.tir.ir.typing.well_typed import analyse  # only for texts with PrimFuncs

    report = analysis.reports.get(item)
    analysed = report.analysis if report is not None else analyse(item)
    parameters = set(item.params)
    for node, symbol in analysed.symbols.items():
        kind = _KINDS.get(symbol.kind, SCALAR)
        if symbol.node in parameters:
            kind = BUFFER_PARAMETER if kind == BUFFER else PARAMETER
        yield node.pos, kind, symbol.name, symbol.node, node.pos == symbol.node.pos
