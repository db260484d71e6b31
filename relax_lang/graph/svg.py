"""A graph as an SVG that needs nothing else: blocks fold, the picture zooms and moves, names can be searched for.

Viewers that run no scripts show the blocks as they are at first. Text of the program is escaped; scripts are ours.
"""

from __future__ import annotations

from unicodedata import east_asian_width

from relax_lang.base.wording import counted
from relax_lang.graph.layout import layout
from relax_lang.graph.model import (
    CALL,
    CONTROL,
    DATA,
    INPUT,
    OPERATOR,
    PACKED,
    PRIM_FUNC,
    RESULT,
    drawable,
    heat_color,
)
from relax_lang.graph.routing import Port, column_lanes, link, link_lanes, wire
from relax_lang.graph.svg_script import SCRIPT, STYLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.graph.layout import Layout, Point
    from relax_lang.graph.model import Block, FunctionGraph, Graph, Node

FOLDED_FROM = 120
"""A block with more bindings is folded at first if the module has others."""

_CHAR = 6.7  # width of a character of 11 pixels, monospaced
_LINE = 15.0
_PAD = 8.0
_MARGIN = 24.0
_INDENT = 26.0
_HEADER = 22.0
_PRIM_GAP = 90.0
_TOP = 64.0  # below the title and the legend
_LINES = 20.0  # above and below the nodes of a block in which lines from elsewhere end


def svg(graph: Graph, shares: Mapping[str, float] | None = None) -> str:
    """Return the picture of a graph; `shares` colours bindings by key, from 0 (no time) to 1 (most of it)."""
    drawing = _Drawing(graph, shares or {})
    for function in graph.functions:
        drawing.function(function)
    drawing.prim_funcs()
    return drawing.text()


class _Measured:
    """A block before it is drawn: sizes and places of its nodes, and where lines from elsewhere may run."""

    __slots__ = (
        "drops",
        "folded",
        "height",
        "lanes",
        "open_height",
        "pad",
        "placed",
        "sizes",
        "title",
        "width",
    )

    def __init__(self, block: Block, ends: bool, fold: bool) -> None:
        self.sizes = [_size(node) for node in block.nodes]
        inputs = {at for at, node in enumerate(block.nodes) if node.kind == INPUT}
        self.placed: Layout = layout(self.sizes, block.edges, inputs)
        self.title = _title(block)
        self.pad = _LINES if ends or any(node.prim_func for node in block.nodes) else _PAD
        """Above and below the nodes."""
        self.width = max(self.placed.width + 2 * _PAD, _text_width(self.title) + 30)
        self.open_height = self.placed.height + _HEADER + 2 * self.pad
        self.folded = fold and block.n_bindings > FOLDED_FROM
        self.height = _HEADER if self.folded else self.open_height
        rows: dict[float, float] = {}
        for (_, y), (_, height) in zip(self.placed.places, self.sizes, strict=True):
            rows[y] = max(rows.get(y, 0.0), height)
        self.drops = [rows[y] / 2 for _, y in self.placed.places]
        """How far the space between two rows is from the center of each node."""

    def port(self, node: int, x: float, y: float) -> Port:
        """Return where lines meet a node, if the block is drawn with its corner at a point."""
        middle = y + _HEADER / 2
        if self.folded:
            return Port(x, x + self.width, middle, 0.0, 0.0, folded=True)
        width, height = self.sizes[node]
        left = x + _PAD + self.placed.places[node][0] - width / 2
        down = y + _HEADER + self.pad + self.placed.places[node][1]
        return Port(left, left + width, down, height / 2, self.drops[node], folded=False)


class _Drawing:
    """Collects elements from top to bottom."""

    def __init__(self, graph: Graph, shares: Mapping[str, float]) -> None:
        self.graph = graph
        self.shares = shares
        self.parts: list[str] = []
        self.wires: list[str] = []
        self.y = _TOP
        self.width = 420.0
        self.column = 0.0
        blocks = [block for function in graph.functions for block in function.blocks]
        self.fold = len(blocks) > 1
        self.calls: list[tuple[Port, str, str]] = []
        """Where the lines to PrimFuncs begin: the node, its name, and the PrimFunc."""
        self.count = 0
        """How many functions are drawn."""
        self.links: list[str] = []
        """The lines from block to block."""

    def function(self, function: FunctionGraph) -> None:
        """Draw a function: its head, then its blocks below each other, and the lines between these."""
        start = self.y
        parts: list[str] = []
        y = _HEADER + 10
        width = _text_width(f"def @{function.name}") + 40
        ends = {end for link in function.links for end in (link.start, link.end)}
        blocks = {block for block, _ in ends}
        measured = [
            _Measured(block, index in blocks, self.fold) for index, block in enumerate(function.blocks)
        ]
        rows = {end: (end[0], measured[end[0]].placed.places[end[1]][1]) for end in ends}
        lanes, gutter = link_lanes([(rows[one.start], rows[one.end], one.start) for one in function.links])
        ports: dict[tuple[int, int], Port] = {}
        number, self.count = self.count, self.count + 1
        for index, (block, one) in enumerate(zip(function.blocks, measured, strict=True)):
            x = _PAD + gutter + block.depth * _INDENT
            names = {node: f"f{number}b{index}n{node}" for where, node in ends if where == index}
            for at, node in enumerate(block.nodes):
                here = (_MARGIN + x, start + y)
                if node.prim_func:
                    names[at] = f"f{number}b{index}n{at}"
                    self.calls.append((one.port(at, *here), names[at], node.prim_func))
                if (index, at) in ends:
                    ports[index, at] = one.port(at, *here)
            parts.append(self.block(block, one, (x, y), names))
            y += one.height + 10
            width = max(width, x + one.width + _PAD)
        head = _clipped(function.head, max(int(width / _CHAR) - 4, 90))
        width = max(width, _text_width(head) + 20)
        self.parts.append(
            f'<g class="function" data-height="{y:.1f}" transform="translate({_MARGIN},{start:.1f})">'
            f'<rect class="frame" width="{width:.1f}" height="{y:.1f}" rx="8"/>'
            f'<text class="head" x="10" y="16">{escape(head)}<title>{escape(function.head)}</title></text>'
            f"{''.join(parts)}</g>"
        )
        for one in function.links:
            names = [f"f{number}b{block}n{node}" for block, node in (one.start, one.end)]
            lane = lanes[one.start]
            drawn = link(ports[one.start], ports[one.end], lane, _MARGIN + _PAD + gutter)
            self.links.append(drawn.element("link", names[0], names[1], escape(one.label)))
        self.width = max(self.width, width)
        self.y = start + y + 18

    def block(self, block: Block, measured: _Measured, corner: Point, names: Mapping[int, str]) -> str:
        """Draw a block; nodes at which lines from elsewhere end have names."""
        (x, y), width, height = corner, measured.width, measured.height
        placed = measured.placed
        inner = [_edge(points) for points in placed.routes]
        inner += [
            self.node(node, place, size, names.get(index, ""))
            for index, (node, place, size) in enumerate(
                zip(block.nodes, placed.places, measured.sizes, strict=True)
            )
        ]
        state = "block folded" if measured.folded else "block"
        mark = "▸" if measured.folded else "▾"
        return (
            f'<g class="{state}" data-open="{measured.open_height:.1f}" transform="translate({x:.1f},{y:.1f})">'
            f'<rect class="panel" width="{width:.1f}" height="{height:.1f}" rx="6"/>'
            f'<g class="fold"><rect class="bar" width="{width:.1f}" height="{_HEADER}" rx="6"/>'
            f'<text class="title" x="8" y="15"><tspan class="mark">{mark}</tspan> {escape(measured.title)}'
            f'</text></g><g class="content" transform="translate({_PAD},{_HEADER + measured.pad:.1f})">'
            f"{''.join(inner)}</g></g>"
        )

    def node(self, node: Node, place: Point, size: tuple[float, float], name: str) -> str:
        """Draw a node around its center; `name` is what lines from elsewhere call it, if there are any."""
        width, height = size
        left, top = place[0] - width / 2, place[1] - height / 2
        lines = _lines(node)
        words = " ".join(lines)
        texts = "".join(
            [
                f'<text class="{kind}" x="{_PAD}" y="{13 + _LINE * at:.1f}">{escape(line)}</text>'
                for at, (line, kind) in enumerate(zip(lines, _classes(node), strict=True))
            ]
        )
        share = self.shares.get(node.key)
        style = "" if share is None or not node.key else f' style="fill:{heat_color(share)}"'
        line = f"line {node.line}: " if node.line else ""
        time = "" if share is None or not node.key else f" — {share:.0%} of the slowest"
        called = f' id="{name}"' if name else ""
        return (
            f'<g class="node {node.kind}"{called} data-text="{escape(words.lower())}" '
            f'transform="translate({left:.1f},{top:.1f})"><title>{escape(line + words + time)}</title>'
            f'<rect width="{width:.1f}" height="{height:.1f}" rx="5"{style}/>{texts}</g>'
        )

    def prim_funcs(self) -> None:
        """Draw the PrimFuncs in a column of their own, and lines to them; the script draws the lines anew."""
        self.column = _MARGIN + self.width + _PRIM_GAP
        y = _TOP
        places: dict[str, tuple[str, float]] = {}
        widest = 0.0
        for name, head in self.graph.prim_funcs:
            shown = _clipped(f"prim_func {head}", 60)
            width = _text_width(shown) + 2 * _PAD
            known = f"p{len(places)}"
            self.parts.append(
                f'<g class="prim" id="{known}" data-text="{escape(head.lower())}" '
                f'transform="translate({self.column:.1f},{y:.1f})"><title>{escape(head)}</title>'
                f'<rect width="{width:.1f}" height="24" rx="12"/><text x="{_PAD}" y="16">{escape(shown)}</text></g>'
            )
            places[name] = known, y + 12
            widest = max(widest, width)
            y += 34
        lanes = column_lanes(list(places), self.column)
        for port, name, prim_func in self.calls:
            if prim_func in places:
                known, at = places[prim_func]
                drawn = wire(port, (self.column, at), lanes[prim_func])
                self.wires.append(drawn.element("wire", name, known))
        self.y = max(self.y, y)
        if self.graph.prim_funcs:
            self.width += _PRIM_GAP + widest

    def legend(self) -> str:
        """Draw what the colours mean, those that occur, in a row below the title."""
        nodes = [
            node for function in self.graph.functions for block in function.blocks for node in block.nodes
        ]
        kinds = {node.kind for node in nodes}
        x = _MARGIN
        parts: list[str] = []
        for kind in KINDS:
            if kind in kinds:
                words = LEGEND[kind]
                parts.append(
                    f'<g class="key {kind}" transform="translate({x:.1f},{_MARGIN + 12})">'
                    f'<rect width="14" height="14" rx="3"/><text x="20" y="11">{words}</text></g>'
                )
                x += _text_width(words) + 38
        self.width = max(self.width, x - _MARGIN)
        return f'<g id="legend">{"".join(parts)}</g>'

    def text(self) -> str:
        """Return the whole document."""
        legend = self.legend()
        width, height = self.width + 2 * _MARGIN, self.y + _MARGIN
        title = escape(self.graph.title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}">\n<title>{title}</title>\n<style>{STYLE}</style>\n'
            f'<rect id="ground" width="100%" height="100%"/>\n{legend}\n'
            f'<g id="scene">\n<text class="top" x="{_MARGIN}" y="{_MARGIN}">{title}</text>\n'
            + "\n".join(self.parts)
            + f'\n<g id="links">{"".join(self.links)}</g>'
            + f'\n<g id="wires">{"".join(self.wires)}</g>\n</g>\n'
            f'<foreignObject id="search" x="8" y="8" width="260" height="34" display="none"><input '
            f'xmlns="http://www.w3.org/1999/xhtml" placeholder="search"/></foreignObject>\n'
            f"<script>//<![CDATA[\n{SCRIPT}\n//]]></script>\n</svg>\n"
        )


def _title(block: Block) -> str:
    """Return the words in the bar of a block: what it is, and how many bindings it has."""
    count = counted(block.n_bindings, "binding")
    if block.title == "bindings":
        return count
    return f"{block.title}: {count}" if block.n_bindings else block.title


def _lines(node: Node) -> list[str]:
    first = node.name if node.name and node.name != "_" else ""
    lines = [line for line in (first, node.label) if line] or ["_"]
    return [*lines, _clipped(node.info, 56)] if node.info else lines


def _classes(node: Node) -> list[str]:
    first = ["name"] if node.name and node.name != "_" else []
    second = ["what"] if node.label else []
    return [*(first + second or ["what"]), *(["info"] if node.info else [])]


def _size(node: Node) -> tuple[float, float]:
    lines = _lines(node)
    return max([_text_width(line) for line in lines]) + 2 * _PAD, len(lines) * _LINE + 6


def _text_width(text: str) -> float:
    columns = sum([2 if east_asian_width(letter) in "WF" else 1 for letter in text])
    return columns * _CHAR


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _edge(points: list[Point]) -> str:
    """Draw an edge as a curve through its waypoints, vertical at both ends."""
    (x, y), *rest = points
    path = [f"M{x:.1f},{y:.1f}"]
    for to_x, to_y in rest:
        bend = (to_y - y) / 2
        path.append(f"C{x:.1f},{y + bend:.1f} {to_x:.1f},{to_y - bend:.1f} {to_x:.1f},{to_y:.1f}")
        x, y = to_x, to_y
    return f'<path class="edge" d="{"".join(path)}"/>'


def escape(text: str) -> str:
    """Return text for an element or an attribute; what XML cannot hold becomes a replacement character."""
    kept = drawable(text)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        kept = kept.replace(letter, entity)
    return kept


LEGEND = {
    INPUT: "from outside the block",
    RESULT: "result",
    OPERATOR: "operator",
    CALL: "function",
    PACKED: "packed function",
    PRIM_FUNC: "PrimFunc",
    CONTROL: "branch",
    DATA: "data",
}
"""What the colour of a node means."""

KINDS = (INPUT, RESULT, OPERATOR, CALL, PACKED, PRIM_FUNC, CONTROL, DATA)
"""Every kind of node has a rule in the style."""
