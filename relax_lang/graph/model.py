"""The graph of a module: functions, their blocks, a node for each binding, edges from definitions to uses.

Blocks are drawn on their own: what a block uses from outside is an input node of it. So a block can be folded
without any line that crosses its border. The forms that are not folded also have the links from block to block.
"""

from __future__ import annotations

import re

from relax_lang.analysis.bindings import FreeNames
from relax_lang.base.node import assert_never, unreachable
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.struct_info.printing import shown
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.base.source import SourceFile

    Infos = Mapping[tree.Node, tree.StructInfo]
INPUT = "input"
RESULT = "result"
OPERATOR = "operator"
CALL = "call"
PACKED = "packed"
PRIM_FUNC = "prim_func"
CONTROL = "control"
DATA = "data"
"""What a node is: comes from outside, leaves the function, calls an operator, a function of the module or a closure,
a packed function, a PrimFunc, branches, or only puts together or takes apart."""

_LABEL = 44  # characters of a label
_NEAR = 16  # nodes between two uses of an input from which on the second has a node of its own


class Node:
    """One box. `name` is the variable, `label` what is computed, `info` its struct info as text (empty: unknown).

    `prim_func` and `function` name what is called, `line` is its line, `key` how a profile calls it.
    """

    __slots__ = ("function", "info", "key", "kind", "label", "line", "name", "prim_func")

    def __init__(self, kind: str, name: str, label: str, info: str, line: int = 0) -> None:
        self.kind = kind
        self.name = name
        self.label = label
        self.info = info
        self.line = line
        self.key = ""
        self.prim_func = ""
        self.function = ""


class Block:
    """The bindings of a block: nodes, and edges between them as pairs of indices."""

    __slots__ = ("depth", "edges", "nodes", "title")

    def __init__(self, title: str, depth: int) -> None:
        self.title = title
        self.depth = depth
        self.nodes: list[Node] = []
        self.edges: list[tuple[int, int]] = []

    @property
    def n_bindings(self) -> int:
        """How many of the nodes are bindings."""
        return len([node for node in self.nodes if node.kind not in (INPUT, RESULT)])


class FunctionGraph:
    """A function: its name, its head as it is written, its blocks in the order of the text.

    `links` are the edges from block to block: from a definition to the input node of a nested block that uses it, and
    from an `if` or a function literal to its first node.
    """

    __slots__ = ("blocks", "head", "links", "name")

    def __init__(self, name: str, head: str) -> None:
        self.name = name
        self.head = head
        self.blocks: list[Block] = []
        self.links: list[Link] = []


class Link:
    """An edge between nodes of two blocks, each given by the number of its block and its own; `label` may be empty."""

    __slots__ = ("end", "label", "start")

    def __init__(self, start: tuple[int, int], end: tuple[int, int], label: str) -> None:
        self.start = start
        self.end = end
        self.label = label


class Graph:
    """A module: its functions, and its PrimFuncs with their heads."""

    __slots__ = ("functions", "prim_funcs", "title")

    def __init__(self, title: str) -> None:
        self.title = title
        self.functions: list[FunctionGraph] = []
        self.prim_funcs: list[tuple[str, str]] = []


def graph_of(module: tree.IRModule, infos: Infos, source: SourceFile) -> Graph:
    """Return the graph of a module in normal form; `infos` has the struct info of each variable's definition."""
    graph = Graph(source.path)
    for item in module.items:
        if isinstance(item, tree.PrimFunc):
            params = ", ".join([show(param) for param in item.params])
            graph.prim_funcs.append((item.name.name_hint, f"{global_name(item.name.name_hint)}({params})"))
        elif item.name is not None:
            name = item.name.name_hint
            made = FunctionGraph(name, _head(item))
            _Walker(made, infos, source).function(item, "", 0)
            graph.functions.append(made)
    return graph


def _head(function: tree.Function) -> str:
    params = [show(param) for param in function.params]
    ret = "" if function.ret_struct_info is None else f" -> {show(function.ret_struct_info)}"
    name = "fn " if function.name is None else global_name(function.name.name_hint)
    return f"{name}({', '.join(params)}){ret}"


class _Walker:
    """Builds the blocks of one function, its local functions and branches after the block that contains them."""

    def __init__(self, into: FunctionGraph, infos: Infos, source: SourceFile) -> None:
        self.into = into
        self.infos = infos
        self.source = source
        self.owner = into.name
        """The function whose bindings are added, as profiles call it."""
        self.names = FreeNames()
        self.known: dict[str, str] = {}
        """Info of each variable, by name: names are unique."""
        self.places: dict[str, tuple[int, int]] = {}
        """Block and node of each variable that is bound, by name."""

    def function(self, function: tree.Function, title: str, depth: int) -> None:
        for param in function.params:
            self.define(param)
        self.sequence(function.body, title, depth, "returns")

    def define(self, var: tree.Var | tree.DataflowVar) -> str:
        info = self.infos.get(var) or var.struct_info_annotation
        text = "" if info is None else shown(info)
        self.known[var.name_hint] = text
        return text

    def sequence(self, body: tree.Expr, title: str, depth: int, result: str) -> None:
        """Add the blocks of a body; the last one ends with its result."""
        assert isinstance(body, tree.SeqExpr)
        later: list[tuple[tree.Expr, str, tuple[int, int]]] = []
        block = None
        local: dict[str, int] = {}
        for each in body.blocks:
            word = "dataflow" if isinstance(each, tree.DataflowBlock) else ""
            block, local = self.block(f"{title} {word}".strip() or "bindings", depth), {}
            for binding in each.bindings:
                self.binding(binding, block, local)
                place = len(self.into.blocks) - 1, len(block.nodes) - 1
                later.append((binding.value, binding.var.name_hint if binding.var is not None else "", place))
        self.result(body.body, block or self.block(title or "result", depth), local, result)
        for value, name, place in later:
            self.nested(value, name, depth + 1, place)

    def nested(self, value: tree.Expr, name: str, depth: int, place: tuple[int, int]) -> None:
        links, blocks = self.into.links, self.into.blocks
        match value:
            case tree.Function():
                links.append(Link(place, (len(blocks), 0), ""))
                before, self.owner = self.owner, "" if name == "_" else name
                self.function(value, f"fn `{name}`", depth)
                self.owner = before
            case tree.If():
                for branch, word in ((value.true_branch, "true"), (value.false_branch, "false")):
                    links.append(Link(place, (len(blocks), 0), word))
                    self.sequence(branch, f"`{name}`, if {word}", depth, "gives")
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                pass  # all of it is in its node
            case tree.NeverBound():
                unreachable(value)
            case _:
                assert_never(value)

    def block(self, title: str, depth: int) -> Block:
        made = Block(title, depth)
        self.into.blocks.append(made)
        return made

    def binding(self, binding: tree.Binding, block: Block, local: dict[str, int]) -> None:
        name = binding.var.name_hint if binding.var is not None else ""
        info = self.define(binding.var) if binding.var is not None else ""
        node = _node(binding, name, info)
        node.line = self.source.position(binding.pos)[0] if binding.pos >= 0 else 0
        node.key = f"{self.owner}.{name}".replace("#", "##")
        uses = dict.fromkeys(self.names.in_order(binding.value))
        if isinstance(binding, tree.MatchCast):
            uses.update(self.names.in_order(binding.struct_info))
        if isinstance(binding.value, tree.Function):
            uses.pop(name, None)  # it calls itself
        sources = [self.place_of(use, block, local) for use in uses]
        block.nodes.append(node)
        at = len(block.nodes) - 1
        block.edges += [(one, at) for one in sources if one is not None]
        if name and name != "_":
            local[name] = at
            self.places[name] = len(self.into.blocks) - 1, at

    def result(self, value: tree.Expr, block: Block, local: dict[str, int], word: str) -> None:
        sources = [self.place_of(use, block, local) for use in self.names.in_order(value)]
        block.nodes.append(Node(RESULT, "", f"{word} {_short(value)}", ""))
        block.edges += [(one, len(block.nodes) - 1) for one in sources if one is not None]

    def place_of(self, name: str, block: Block, local: dict[str, int]) -> int | None:
        """Return the node of a variable in a block; what comes from outside gets an input node, near each use."""
        at = local.get(name)
        if at is None or (block.nodes[at].kind == INPUT and len(block.nodes) - at > _NEAR):
            if name not in self.known:  # a shape variable, or not defined at all
                return None
            block.nodes.append(Node(INPUT, name, "", self.known[name]))
            local[name] = len(block.nodes) - 1
            if name in self.places:
                here = len(self.into.blocks) - 1, local[name]
                self.into.links.append(Link(self.places[name], here, ""))
        return local[name]


def _short(value: tree.Node) -> str:
    return show(value, _LABEL)


def _node(binding: tree.Binding, name: str, info: str) -> Node:
    value = binding.value
    if isinstance(binding, tree.MatchCast):
        return Node(DATA, name, f"match_cast({_short(value)})", info or shown(binding.struct_info))
    match value:
        case tree.Call():
            return _call(value, name, info)
        case tree.If():
            return Node(CONTROL, name, f"if {_short(value.cond)}", info)
        case tree.Function():
            return Node(DATA, name, _head(value), info)
        case tree.Atom() | tree.TupleGetItem():
            return Node(DATA, name, _short(value), info)
        case tree.NeverBound():
            return unreachable(value)
        case _:
            return assert_never(value)


def _call(call: tree.Call, name: str, info: str) -> Node:
    callee = call.op
    if not info and call.struct_info is not None:
        info = shown(call.struct_info)
    if not isinstance(callee, tree.Op):
        if isinstance(callee, tree.ExternFunc):
            return Node(PACKED, name, _short(call), info)
        node = Node(CALL, name, _without_result(call), info)
        node.function = callee.name_hint if isinstance(callee, tree.GlobalVar) else ""
        return node
    first = call.args[0] if call.args else None
    if isinstance(first, tree.GlobalVar) and callee.op_name.startswith("call_tir"):
        node = Node(PRIM_FUNC, name, _without_result(call), info)
        node.prim_func = first.name_hint
        return node
    kind = PACKED if isinstance(first, tree.ExternFunc) else OPERATOR
    return Node(kind, name, _without_result(call), info)


def _without_result(call: tree.Call) -> str:
    """Return a call as text without its `-> S`, which the node shows as its info."""
    bare = tree.Call(call.op, call.args, call.attrs, None, call.pos, call.end)
    return show(bare, _LABEL)


def drawable(text: str) -> str:
    """Return text for a picture: what no file of text can hold becomes a replacement character; lines are kept."""
    return _UNDRAWABLE.sub("\ufffd", text)


_UNDRAWABLE = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EVALUATION = re.compile("(?<!#)((?:##)*)#[0-9]+$")
"""What distinguishes one evaluation of a binding from another; a `#` of a name is doubled."""


def label_of(node: Node) -> str:
    """Return the lines in a box: name, what is computed, struct info, as far as there are any."""
    parts = [node.name if node.name != "_" else "", node.label, node.info]
    return "\n".join([part for part in parts if part]) or "_"


def heat_color(share: float) -> str:
    """Return the colour of a binding by its time: from nearly white (0) to red (1, the slowest)."""
    share = min(max(share, 0.0), 1.0) ** 0.5
    return f"#ff{round(250 - 130 * share):02x}{round(235 - 195 * share):02x}"


def heat(graph: Graph, times: Mapping[str, float]) -> dict[str, float]:
    """Return the time of each binding as a share of the slowest one's, by key, from times by key.

    A key may be recorded several times, as `main.y`, `main.y#2`, …
    """
    total: dict[str, float] = {}
    for key, time in times.items():
        bare = _EVALUATION.sub(r"\1", key)
        total[bare] = total.get(bare, 0.0) + time
    keys: Sequence[str] = [
        node.key for one in graph.functions for block in one.blocks for node in block.nodes
    ]
    largest = max([total.get(key, 0.0) for key in keys], default=0.0)
    return {key: total[key] / largest for key in keys if key in total and largest > 0}
