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
from relax_lang.graph.svg_script import SCRIPT, STYLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.graph.layout import Point
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
_GUTTER = 9.0  # from the left of a block to the lines that come into it
_BEND = 14.0
_LEGEND_FROM = 290.0  # right of the field for searching


def svg(graph: Graph, shares: Mapping[str, float] | None = None) -> str:
    """Return the picture of a graph; `shares` colours bindings by key, from 0 (no time) to 1 (most of it)."""
    drawing = _Drawing(graph, shares or {})
    for function in graph.functions:
        drawing.function(function)
    drawing.prim_funcs()
    return drawing.text()


class _Drawing:
    """Collects elements from top to bottom."""

    def __init__(self, graph: Graph, shares: Mapping[str, float]) -> None:
        self.graph = graph
        self.shares = shares
        self.parts: list[str] = []
        self.wires: list[str] = []
        self.y = _MARGIN + 34
        self.width = 420.0
        self.column = 0.0
        blocks = [block for function in graph.functions for block in function.blocks]
        self.fold = len(blocks) > 1
        self.calls: list[tuple[float, float, str]] = []
        """Where the lines to PrimFuncs begin: the point, within the function at first, and the PrimFunc."""
        self.count = 0
        """How many functions are drawn."""
        self.links: list[str] = []
        """The lines from block to block."""

    def function(self, function: FunctionGraph) -> None:
        """Draw a function: its head, then its blocks below each other."""
        start = self.y
        parts: list[str] = []
        y = _HEADER + 10
        width = _text_width(f"def @{function.name}") + 40
        first_call = len(self.calls)
        ends = {end for link in function.links for end in (link.start, link.end)}
        at: dict[tuple[int, int], Point] = {}
        lefts: list[float] = []
        number, self.count = self.count, self.count + 1
        for index, block in enumerate(function.blocks):
            x = _PAD + block.depth * _INDENT
            names = {node: f"f{number}b{index}n{node}" for where, node in ends if where == index}
            drawn, block_width, block_height = self.block(block, x, y, names, at, index)
            lefts.append(x)
            parts.append(drawn)
            y += block_height + 10
            width = max(width, x + block_width + _PAD)
        head = _clipped(function.head, max(int(width / _CHAR) - 4, 90))
        width = max(width, _text_width(head) + 20)
        self.parts.append(
            f'<g class="function" data-height="{y:.1f}" transform="translate({_MARGIN},{start:.1f})">'
            f'<rect class="frame" width="{width:.1f}" height="{y:.1f}" rx="8"/>'
            f'<text class="head" x="10" y="16">{escape(head)}<title>{escape(function.head)}</title></text>'
            f"{''.join(parts)}</g>"
        )
        for link in function.links:
            (first, here), (second, there) = at[link.start], at[link.end]
            gutter = lefts[link.end[0]] - _GUTTER
            points = [
                (_MARGIN + first, start + here),
                (_MARGIN + gutter, 0.0),
                (_MARGIN + second, start + there),
            ]
            names = [f"f{number}b{block}n{node}" for block, node in (link.start, link.end)]
            self.links.append(_link(points, names, link.label))
        self.calls[first_call:] = [(_MARGIN + x, start + at, name) for x, at, name in self.calls[first_call:]]
        self.width = max(self.width, width)
        self.y = start + y + 18

    def block(
        self,
        block: Block,
        x: float,
        y: float,
        names: Mapping[int, str],
        at: dict[tuple[int, int], Point],
        number: int,
    ) -> tuple[str, float, float]:
        """Draw a block; return the text and the size it has at first.

        Nodes at which lines from block to block end have names; `at` is told where on the left these are.
        """
        sizes = [_size(node) for node in block.nodes]
        inputs = {at for at, node in enumerate(block.nodes) if node.kind == INPUT}
        placed = layout(sizes, block.edges, inputs)
        title = _title(block)
        width = max(placed.width + 2 * _PAD, _text_width(title) + 30)
        open_height = placed.height + _HEADER + 2 * _PAD
        folded = self.fold and block.n_bindings > FOLDED_FROM
        height = _HEADER if folded else open_height
        for node, place, size in zip(block.nodes, placed.places, sizes, strict=True):
            if node.prim_func:
                right = width if folded else _PAD + place[0] + size[0] / 2
                down = _HEADER / 2 if folded else _HEADER + _PAD + place[1]
                self.calls.append((x + right, y + down, node.prim_func))
        for node in names:
            left = 0.0 if folded else _PAD + placed.places[node][0] - sizes[node][0] / 2
            down = _HEADER / 2 if folded else _HEADER + _PAD + placed.places[node][1]
            at[number, node] = (x + left, y + down)
        inner = [_edge(points) for points in placed.routes]
        inner += [
            self.node(node, place, size, names.get(index, ""))
            for index, (node, place, size) in enumerate(zip(block.nodes, placed.places, sizes, strict=True))
        ]
        state = "block folded" if folded else "block"
        drawn = (
            f'<g class="{state}" data-open="{open_height:.1f}" transform="translate({x:.1f},{y:.1f})">'
            f'<rect class="panel" width="{width:.1f}" height="{height:.1f}" rx="6"/>'
            f'<g class="fold"><rect class="bar" width="{width:.1f}" height="{_HEADER}" rx="6"/>'
            f'<text class="title" x="8" y="15"><tspan class="mark">{"▸" if folded else "▾"}</tspan> {escape(title)}'
            f'</text></g><g class="content" transform="translate({_PAD},{_HEADER + _PAD:.1f})">{"".join(inner)}</g></g>'
        )
        return drawn, width, height

    def node(self, node: Node, place: Point, size: tuple[float, float], name: str) -> str:
        """Draw a node around its center; `name` is what lines from block to block call it, if they do."""
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
        target = f' data-prim="{escape(node.prim_func)}"' if node.prim_func else ""
        line = f"line {node.line}: " if node.line else ""
        time = "" if share is None or not node.key else f" — {share:.0%} of the slowest"
        called = f' id="{name}"' if name else ""
        return (
            f'<g class="node {node.kind}"{called} data-text="{escape(words.lower())}"{target} '
            f'transform="translate({left:.1f},{top:.1f})"><title>{escape(line + words + time)}</title>'
            f'<rect width="{width:.1f}" height="{height:.1f}" rx="5"{style}/>{texts}</g>'
        )

    def prim_funcs(self) -> None:
        """Draw the PrimFuncs in a column of their own, and lines to them; the script draws the lines anew."""
        self.column = _MARGIN + self.width + _PRIM_GAP
        y = _MARGIN + 34
        places: dict[str, float] = {}
        widest = 0.0
        for name, head in self.graph.prim_funcs:
            shown = _clipped(f"prim_func {head}", 60)
            width = _text_width(shown) + 2 * _PAD
            self.parts.append(
                f'<g class="prim" data-name="{escape(name)}" data-text="{escape(head.lower())}" '
                f'transform="translate({self.column:.1f},{y:.1f})"><title>{escape(head)}</title>'
                f'<rect width="{width:.1f}" height="24" rx="12"/><text x="{_PAD}" y="16">{escape(shown)}</text></g>'
            )
            places[name] = y + 12
            widest = max(widest, width)
            y += 34
        self.wires = [_wire(x, at, self.column, places[name]) for x, at, name in self.calls if name in places]
        self.y = max(self.y, y)
        if self.graph.prim_funcs:
            self.width += _PRIM_GAP + widest

    def legend(self) -> str:
        """Draw what the colours mean, those that occur, in a row above the functions."""
        nodes = [
            node for function in self.graph.functions for block in function.blocks for node in block.nodes
        ]
        kinds = {node.kind for node in nodes}
        x = _LEGEND_FROM
        parts: list[str] = []
        for kind in KINDS:
            if kind in kinds:
                words = LEGEND[kind]
                parts.append(
                    f'<g class="key {kind}" transform="translate({x:.1f},{_MARGIN + 4})">'
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
            f'<foreignObject id="search" x="8" y="8" width="260" height="34"><input '
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


def _link(points: list[Point], names: list[str], label: str) -> str:
    """Draw a line from block to block, beside the blocks; `names` are those of the nodes at its ends."""
    (x, y), (gutter, _), (to_x, to_y) = points
    path = (
        f"M{x:.1f},{y:.1f}C{gutter:.1f},{y:.1f} {gutter:.1f},{y:.1f} {gutter:.1f},{y + _BEND:.1f}"
        f"V{to_y - _BEND:.1f}C{gutter:.1f},{to_y:.1f} {gutter:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}"
    )
    title = f"<title>{escape(label)}</title>" if label else ""
    return f'<path class="link" data-from="{names[0]}" data-to="{names[1]}" d="{path}">{title}</path>'


def _wire(x: float, y: float, to_x: float, to_y: float) -> str:
    """Draw a line to a PrimFunc: a curve that is level at both ends."""
    bend = (to_x - x) / 2
    path = f"M{x:.1f},{y:.1f}C{x + bend:.1f},{y:.1f} {to_x - bend:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}"
    return f'<path class="wire" d="{path}"/>'


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
