"""A graph as a Mermaid flowchart, which many Markdown viewers draw."""

from __future__ import annotations

from relax_lang.graph.model import INPUT, PACKED, PRIM_FUNC, RESULT, drawable, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.graph.model import Graph

_SHAPES = {INPUT: ("([", "])"), RESULT: ("([", "])"), PACKED: ("[/", "/]"), PRIM_FUNC: ("[[", "]]")}


def mermaid(graph: Graph) -> str:
    """Return the graph as text: a subgraph for each function and block."""
    lines = ["flowchart TB"]
    prims = {name: f"prim{at}" for at, (name, _) in enumerate(graph.prim_funcs)}
    calls: list[str] = []
    for at, function in enumerate(graph.functions):
        lines.append(f"  subgraph f{at}[{quoted(function.head)}]")
        for number, block in enumerate(function.blocks):
            prefix = f"n{at}_{number}_"
            lines.append(f"    subgraph f{at}_b{number}[{quoted(block.title)}]")
            for index, node in enumerate(block.nodes):
                left, right = _SHAPES.get(node.kind, ("[", "]"))
                lines.append(f"      {prefix}{index}{left}{quoted(label_of(node))}{right}")
                if node.prim_func in prims:
                    calls.append(f"  {prefix}{index} -.-> {prims[node.prim_func]}")
            lines += [f"      {prefix}{start} --> {prefix}{end}" for start, end in block.edges]
            lines.append("    end")
        for link in function.links:
            (start, first), (end, last) = link.start, link.end
            arrow = f"-. {link.label} .->" if link.label else "-.->"
            lines.append(f"    n{at}_{start}_{first} {arrow} n{at}_{end}_{last}")
        lines.append("  end")
    lines += [f"  {prims[name]}{{{{{quoted('prim_func ' + head)}}}}}" for name, head in graph.prim_funcs]
    return "\n".join([*lines, *calls]) + "\n"


def quoted(text: str) -> str:
    """Return a label in quotes: what Mermaid would take for its own is written by number."""
    return f'"{"<br/>".join(["".join([_plain(letter) for letter in line]) for line in drawable(text).split(chr(10))])}"'


def _plain(letter: str) -> str:
    return letter if letter.isalnum() or letter in " _.,()[]=:+-*/@>" else f"#{ord(letter)};"
