"""A graph in the language of Graphviz."""

from __future__ import annotations

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
    label_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.graph.model import Graph, Node

_COLORS = {
    INPUT: "#eef2f6",
    RESULT: "#d9e2ec",
    OPERATOR: "#e3f4e8",
    CALL: "#e4ecfb",
    PACKED: "#fbeee0",
    PRIM_FUNC: "#efe6fa",
    CONTROL: "#fdf6cf",
    DATA: "#ffffff",
}


def dot(graph: Graph, shares: Mapping[str, float] | None = None) -> str:
    """Return the graph as text for `dot`: a cluster for each function and block."""
    lines = [
        f"digraph {quoted(graph.title)} {{",
        '  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=10];',
        '  graph [fontname="monospace", fontsize=11, style=rounded];',
    ]
    prims = {name: f"prim{at}" for at, (name, _) in enumerate(graph.prim_funcs)}
    lines += [
        f"  {prims[name]} [label={quoted('prim_func ' + head)}, shape=ellipse, fillcolor={quoted(_COLORS[PRIM_FUNC])}];"
        for name, head in graph.prim_funcs
    ]
    calls: list[str] = []
    for at, function in enumerate(graph.functions):
        lines += [f"  subgraph cluster_f{at} {{", f"    label={quoted(function.head)};"]
        for number, block in enumerate(function.blocks):
            prefix = f"n{at}_{number}_"
            lines += [f"    subgraph cluster_f{at}_b{number} {{", f"      label={quoted(block.title)};"]
            for index, node in enumerate(block.nodes):
                color = _color(node, shares or {})
                lines.append(
                    f"      {prefix}{index} [label={quoted(label_of(node))}, fillcolor={quoted(color)}];"
                )
                if node.prim_func in prims:
                    calls.append(f"  {prefix}{index} -> {prims[node.prim_func]} [style=dashed];")
            lines += [f"      {prefix}{start} -> {prefix}{end};" for start, end in block.edges]
            lines.append("    }")
        for link in function.links:
            (start, first), (end, last) = link.start, link.end
            label = f", label={quoted(link.label)}" if link.label else ""
            lines.append(f"    n{at}_{start}_{first} -> n{at}_{end}_{last} [style=dotted{label}];")
        lines.append("  }")
    return "\n".join([*lines, *calls, "}"]) + "\n"


def _color(node: Node, shares: Mapping[str, float]) -> str:
    share = shares.get(node.key) if node.key else None
    return _COLORS[node.kind] if share is None else heat_color(share)


def quoted(text: str) -> str:
    """Return a string of the language; line breaks are kept."""
    text = drawable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
