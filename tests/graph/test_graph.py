"""Pictures of programs: the graph, its layout, and what draws it."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.graph.dot import dot
from relax_lang.graph.layout import GAP, layout
from relax_lang.graph.mermaid import mermaid
from relax_lang.graph.model import Graph, heat
from relax_lang.graph.svg import FOLDED_FROM, KINDS, LEGEND, svg
from relax_lang.graph.svg_script import STYLE
from relax_lang.runtime.instrument.observer import Instrumentation
from relax_lang.runtime.instrument.profile import Profile

TEXT = """prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = max(X[i], 0.0);
  }
}

def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {
  let w = const(2.0);
  dataflow {
    let a = x * w;
    let b = call_tir(@relu, (a,)) -> Tensor[(n,), float32];
    output b;
  }
  let p = extern "my.f"(b) -> Tensor;
  let m = match_cast(p, Tensor[(k,), float32]);
  let f = fn (y: Tensor) -> Tensor {
    add(y, x)
  };
  if c {
    f(m)
  } else {
    @other(b)
  }
}

def @other(x: Tensor) -> Tensor {
  x
}
"""


def words(graph: Graph) -> list[tuple[str, list[str]]]:
    return [
        (block.title, [f"{node.kind} {node.name}:{node.label}" for node in block.nodes])
        for function in graph.functions
        for block in function.blocks
    ]


def test_an_input_that_is_used_everywhere_stands_near_each_use():
    lines = "\n".join([f"    let y{i} = {'x' if i == 0 else f'y{i - 1}'} * w;" for i in range(100)])
    graph = api.graph(
        "def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32]) {\n"
        f"  dataflow {{\n{lines}\n    output y99;\n  }}\n  y99\n}}\n"
    )
    (block,) = graph.functions[0].blocks
    inputs = [at for at, node in enumerate(block.nodes) if node.kind == "input"]
    assert len(inputs) > 4
    assert block.n_bindings == 100
    assert max([end - start for start, end in block.edges]) <= 20
    assert {block.nodes[start].name for start, end in block.edges if end == len(block.nodes) - 2} == {
        "y98",
        "w",
    }


def test_a_local_function_is_no_input_of_itself():
    graph = api.graph(
        "def @main(n: Tensor[(), int32]) -> Tensor[(), int32] {\n"
        "  let f = fn (i: Tensor[(), int32]) -> Tensor[(), int32] { if i <= 0 { i } else { f(i - 1) } };\n"
        "  f(n)\n}\n"
    )
    first = graph.functions[0].blocks[0]
    assert [node.name for node in first.nodes if node.kind == "input"] == ["n"]


def test_heat_reaches_local_functions_and_quoted_names():
    text = (
        "def @main(n: Tensor[(), int32]) -> Tensor[(), int32] {\n"
        "  let `a#1` = n + 1;\n"
        "  let f = fn (i: Tensor[(), int32]) -> Tensor[(), int32] { let inner = i + 1; inner };\n"
        "  f(`a#1`)\n}\n"
    )
    profile = Profile(SourceFile(text), keep_events=True)
    session = api.start(text, watch=Instrumentation([profile]))
    session.call("main", [np.array(3, np.int32)])
    session.call("main", [np.array(3, np.int32)])
    times = {event["args"]["binding"]: 1.0 for event in profile.events}
    assert {"main.a##1", "main.a##1#2", "f.inner", "f.inner#2"} <= times.keys()
    shares = heat(api.graph(text), times)
    assert shares["main.a##1"] == shares["f.inner"] == 1.0


def test_blocks_nodes_and_inputs():
    graph = api.graph(TEXT)
    assert [function.name for function in graph.functions] == ["main", "other"]
    assert [name for name, _ in graph.prim_funcs] == ["relu"]
    assert words(graph) == [
        ("bindings", ["data w:2.0"]),
        (
            "dataflow",
            ["input x:", "input w:", "operator a:multiply(x, w)", "prim_func b:call_tir(@relu, (a,))"],
        ),
        (
            "bindings",
            [
                "input b:",
                'packed p:extern "my.f"(b) -> Tensor',
                "data m:match_cast(p)",
                "input x:",
                "data f:fn (y: Tensor) -> Tensor",
                "input c:",
                "control gv_3:if c",
                "result :returns gv_3",
            ],
        ),
        ("fn `f`", ["input y:", "input x:", "operator gv:add(y, x)", "result :returns gv"]),
        ("`gv_3`, if true", ["input f:", "input m:", "call gv_1:f(m)", "result :gives gv_1"]),
        ("`gv_3`, if false", ["input b:", "call gv_2:@other(b)", "result :gives gv_2"]),
        ("result", ["input x:", "result :returns x"]),
    ]


def test_edges_go_from_definitions_to_uses():
    dataflow = api.graph(TEXT).functions[0].blocks[1]
    assert dataflow.edges == [(0, 2), (1, 2), (2, 3)]


def test_all_kinds_have_a_style():
    assert all(f".{kind} > rect" in STYLE or kind == "data" for kind in KINDS)


def test_heat_adds_up_the_evaluations_of_a_binding():
    graph = api.graph(TEXT)
    assert heat(graph, {"main.a": 1.0, "main.a#2": 1.0, "main.b": 8.0, "gone.x": 100.0}) == {
        "main.a": 0.25,
        "main.b": 1.0,
    }
    assert heat(graph, {}) == {}


def test_svg_is_xml_with_everything_in_it():
    drawn = svg(api.graph(TEXT), {"main.a": 0.25, "main.b": 1.0})
    root = ET.fromstring(drawn)
    assert root.tag.endswith("svg")
    texts = "".join(root.itertext())
    for word in (
        "dataflow: 2 bindings",
        "multiply(x, w)",
        "Tensor[(n,), float32]",
        "prim_func @relu",
        "line 10: ",
    ):
        assert word in texts
    wires = [one for one in root.iter() if one.get("class") == "wire"]
    assert len(wires) == 1
    assert drawn.count("style=") == 2
    assert "b call_tir(@relu, (a,)) Tensor[(n,), float32] — 100% of the slowest" in texts


def test_names_cannot_break_out_of_a_picture():
    graph = api.graph(
        'def @"</svg><script>alert(1)</script>"(x: Tensor) {\n  print(x, format="a]]>{};\\"")\n}\n'
    )
    root = ET.fromstring(svg(graph))
    scripts = [one for one in root.iter() if one.tag.endswith("script")]
    assert len(scripts) == 1
    assert "alert" not in (scripts[0].text or "")
    for line in dot(graph).splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0, line
    assert "<script" not in mermaid(graph)


def test_dot_and_mermaid_have_the_same_nodes_and_edges():
    graph = api.graph(TEXT)
    n_nodes = sum(len(block.nodes) for one in graph.functions for block in one.blocks) + len(graph.prim_funcs)
    n_edges = sum(len(block.edges) for one in graph.functions for block in one.blocks) + 1
    n_edges += sum(len(one.links) for one in graph.functions)
    text = dot(graph, {"main.b": 1.0})
    assert len(re.findall(r"^ +\w+ \[label=", text, re.M)) == n_nodes
    assert text.count(" -> prim") + len(re.findall(r"n\d+_\d+_\d+ -> n", text)) == n_edges
    assert 'fillcolor="#ff7828"' in text
    text = mermaid(graph)
    assert len(re.findall(r"^ +(?:n\d+_\d+_\d+|prim\d+)[\[({]", text, re.M)) == n_nodes
    assert text.count("-->") + text.count(".->") == n_edges


def chain(n: int) -> str:
    steps = "".join([f"    let v{i} = v{i - 1} + v{max(i - 7, 0)};\n" for i in range(1, n + 1)])
    return f"def @main(v0: Tensor) {{\n  dataflow {{\n{steps}    output v{n};\n  }}\n  v{n}\n}}\n"


def test_large_blocks_are_folded_if_there_are_others():
    text = chain(FOLDED_FROM + 1)
    assert '"block folded"' not in svg(api.graph(text))
    folded = svg(api.graph(text + "\ndef @more() {\n  let a = 1;\n  a\n}\n"))
    assert folded.count('"block folded"') == 1
    ET.fromstring(folded)


@st.composite
def graphs(draw: st.DrawFn):
    n = draw(st.integers(1, 30))
    sizes = [(float(draw(st.integers(10, 200))), float(draw(st.integers(10, 60)))) for _ in range(n)]
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
    return sizes, [pair for pair in dict.fromkeys(pairs) if pair[0] < pair[1]]


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_boxes_do_not_overlap_and_edges_go_down(graph):
    sizes, edges = graph
    placed = layout(sizes, edges)
    for start, end in edges:
        assert placed.places[start][1] + sizes[start][1] / 2 < placed.places[end][1] - sizes[end][1] / 2
    for route, (start, end) in zip(placed.routes, edges, strict=True):
        assert route[0] == placed.places[start]
        assert route[-1] == placed.places[end]
        assert all(a[1] < b[1] for a, b in pairwise(route))
    rows: dict[float, list[int]] = {}
    for at, (_, y) in enumerate(placed.places):
        rows.setdefault(y, []).append(at)
    for row in rows.values():
        row.sort(key=lambda at: placed.places[at][0])
        for left, right in pairwise(row):
            distance = placed.places[right][0] - placed.places[left][0]
            assert distance >= (sizes[left][0] + sizes[right][0]) / 2 + GAP - 1e-6
    for (x, y), (width, height) in zip(placed.places, sizes, strict=True):
        assert x - width / 2 >= -1e-6
        assert x + width / 2 <= placed.width + 1e-6
        assert y - height / 2 >= -1e-6
        assert y + height / 2 <= placed.height + 1e-6


def test_nothing_to_lay_out():
    assert layout([], []).width == 0
    assert "<svg" in svg(api.graph("prim_func @f(X: Buffer[(2,), int32]) {\n  X[0] = 1;\n}\n"))


@pytest.mark.parametrize("n", [300])
def test_a_large_block_stays_readable(n: int):
    placed = layout([(80.0, 30.0)] * n, [(i - 1, i) for i in range(1, n)] + [(i - 7, i) for i in range(7, n)])
    assert placed.width < 1000  # a chain stays a column


def test_infos_that_share_parts_are_abridged() -> None:
    lines = "".join([f"let x{i + 1} = (x{i}, x{i});\n" for i in range(40)])
    text = f"def @main(x0: Tensor[(2,), float32]) {{\n{lines}x40 }}"
    drawn = api.graph(SourceFile(text, "pairs.rlx"))
    assert "(…)" in svg(drawn)
    assert max(len(one.info) for one in drawn.functions[0].blocks[0].nodes) < 5_000


def test_the_legend_names_the_kinds_that_occur() -> None:
    text = "def @main(x: Tensor[(2,), float32], c: Tensor[(), bool]) { if c { exp(x) } else { x } }"
    shown = svg(api.graph(SourceFile(text, "p.rlx")))
    legend = shown.partition('<g id="legend">')[2].partition("</g>\n")[0]
    assert re.findall('class="key ([a-z_]+)"', legend) == ["input", "result", "operator", "control"]
    assert set(LEGEND) == set(KINDS)


def test_links_lead_from_definitions_and_choices_into_blocks() -> None:
    text = """
def @main(x: Tensor[(3,), float32], c: Tensor[(), bool]) -> Object {
  let w = const([1.0, 2.0, 3.0], float32);
  let y = if c { x + w } else { x };
  let f = fn (a: Tensor) -> Tensor { a };
  f(y)
}
"""
    graph = api.graph(SourceFile(text, "links.rlx"))
    (function,) = graph.functions
    ends = [
        (function.blocks[link.start[0]].nodes[link.start[1]], function.blocks[link.end[0]].nodes[link.end[1]])
        for link in function.links
    ]
    labels = [link.label for link in function.links]
    assert [(start.name, end.name) for start, end in ends if start.name == "w"] == [("w", "w")]
    assert [label for label in labels if label] == ["true", "false"]
    assert {start.name for start, _ in ends} == {"w", "y", "f"}
    assert dot(graph).count("style=dotted") == mermaid(graph).count(".->") == len(labels)


def test_the_picture_has_a_line_for_each_link_between_nodes_that_are_drawn() -> None:
    text = (
        "def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32], c: Tensor[(), bool]) {\n"
        "  let a = x * w;\n  let f = fn (q: Tensor[(n,), float32]) { q + a };\n"
        "  let r = if c { f(a) } else { a - w };\n  r\n}\n"
        "def @other(c: Tensor[(), bool], x: Tensor) { if c { x } else { let y = x; y } }\n"
    )
    graph = api.graph(SourceFile(text, "links.rlx"))
    found = ET.fromstring(svg(graph))
    space = "{http://www.w3.org/2000/svg}"
    nodes = {node.get("id"): node for node in found.iter(f"{space}g") if node.get("id", "").startswith("f")}
    lines = [path for path in found.iter(f"{space}path") if path.get("class") == "link"]
    assert len(lines) == sum(len(function.links) for function in graph.functions) > 4
    for line in lines:
        assert {line.get("data-from"), line.get("data-to")} <= set(nodes)
    titles = [title.text for line in lines for title in line.iter(f"{space}title")]
    assert sorted(titles) == sorted(link.label for one in graph.functions for link in one.links if link.label)
