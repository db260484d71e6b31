"""Lines between blocks and to PrimFuncs: where they run, in the file and after the script has drawn them anew."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.graph.routing import column_lanes, link_lanes, path
from relax_lang.graph.svg import FOLDED_FROM, svg
from tests import browser

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"

BRANCHES = """prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = max(X[i], 0.0);
  }
}

prim_func @same(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = X[i];
  }
}

def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32], c: Tensor[(), bool]) {
  let a = x * w;
  let b = w - x;
  let f = fn (q: Tensor[(n,), float32]) {
    let r = call_tir(@relu, (q + a,)) -> Tensor[(n,), float32];
    let s = call_tir(@same, (r + b,)) -> Tensor[(n,), float32];
    let t = if c { let u = r + s; u + q } else { s - b };
    (r + s) * (t + a)
  };
  dataflow {
    let d = call_tir(@same, (a,)) -> Tensor[(n,), float32];
    let e = call_tir(@relu, (w,)) -> Tensor[(n,), float32];
    let g = (d, e, b, x);
    output g;
  }
  let r = if c { f(g[0]) } else { a - b };
  (r, g)
}
"""


def corners(group: ET.Element) -> tuple[float, float]:
    found = re.fullmatch(r"translate\(([-0-9.]+),([-0-9.]+)\)", group.get("transform", "translate(0,0)"))
    assert found
    return float(found[1]), float(found[2])


def boxes(drawn: str) -> list[tuple[float, float, float, float]]:
    """Return the boxes of all nodes and PrimFuncs that are shown: left, top, right, bottom."""
    made: list[tuple[float, float, float, float]] = []

    def visit(element: ET.Element, x: float, y: float) -> None:
        if element.tag == f"{SVG}g":
            dx, dy = corners(element)
            x, y = x + dx, y + dy
        words = (element.get("class") or "").split()
        if words[:1] in (["node"], ["prim"]):
            rect = element.find(f"{SVG}rect")
            assert rect is not None
            made.append((x, y, x + float(rect.get("width", "")), y + float(rect.get("height", ""))))
        for child in element:
            if not ("folded" in words and child.get("class") == "content"):
                visit(child, x, y)

    visit(ET.fromstring(drawn), 0.0, 0.0)
    return made


def points_of(way: str) -> list[tuple[float, float]]:
    numbers = [float(one) for one in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", way)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def lines(drawn: str) -> list[list[tuple[float, float]]]:
    found = [one for one in ET.fromstring(drawn).iter(f"{SVG}path") if one.get("class") in ("link", "wire")]
    return [points_of(one.get("d", "")) for one in found]


def assert_no_line_crosses_a_box(drawn: str) -> int:
    here = boxes(drawn)
    found = lines(drawn)
    for points in found:
        for (ax, ay), (bx, by) in pairwise(points):
            left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            for box in here:
                outside = right <= box[0] + 0.2 or left >= box[2] - 0.2
                outside = outside or bottom <= box[1] + 0.2 or top >= box[3] - 0.2
                assert outside, (points, box)
    return len(found)


def test_no_line_runs_through_a_node() -> None:
    graph = api.graph(BRANCHES)
    assert assert_no_line_crosses_a_box(svg(graph)) == sum(len(one.links) for one in graph.functions) + 4


SAMPLES = sorted((ROOT / "samples").glob("*.rlx")) + sorted((ROOT / "samples" / "models").glob("*.rlx"))


@pytest.mark.parametrize("sample", SAMPLES, ids=[one.stem for one in SAMPLES])
def test_no_line_runs_through_a_node_of_the_samples(sample: Path) -> None:
    assert_no_line_crosses_a_box(svg(api.graph(api.read(sample))))


def test_lines_of_folded_blocks_end_at_their_bars() -> None:
    steps = "".join(
        [f"    let v{i} = exp({'a' if i == 1 else f'v{i - 1}'});\n" for i in range(1, FOLDED_FROM + 2)]
    )
    last = f"v{FOLDED_FROM + 1}"
    text = (
        "def @main(x: Tensor[(n,), float32]) {\n  let a = x * 2.0;\n"
        f"  dataflow {{\n{steps}    output {last};\n  }}\n  {last} + a\n}}\n"
    )
    drawn = svg(api.graph(text))
    assert drawn.count('class="block folded"') == 1
    assert assert_no_line_crosses_a_box(drawn) == 3


def test_links_side_by_side_have_lanes_of_their_own() -> None:
    one, two, three = (0, 0), (0, 1), (2, 0)
    found, room = link_lanes(
        [
            ((0, 0.0), (1, 0.0), one),
            ((0, 0.0), (1, 9.0), two),
            ((2, 0.0), (3, 0.0), three),
            ((0, 0.0), (1, 5.0), one),
        ]
    )
    assert found[one] != found[two]
    assert found[three] in (found[one], found[two])
    assert room > 0
    assert link_lanes([]) == ({}, 0.0)


def test_lanes_of_prim_funcs_lie_left_of_them() -> None:
    found = column_lanes([f"f{at}" for at in range(30)], 500.0)
    assert len(set(found.values())) == 10
    assert all(400.0 < x < 500.0 for x in found.values())
    assert found["f0"] < found["f1"]


def test_paths_have_round_corners_and_no_empty_pieces() -> None:
    assert path([(0, 0), (20, 0), (20, 0), (20, 30)]) == "M0.0,0.0L15.0,0.0Q20.0,0.0 20.0,5.0L20.0,30.0"


LOOK = """<iframe src="/p.svg" style="width: %dpx; height: 600px; border: 0"></iframe><script>
addEventListener("load", function () {
  var page = document.querySelector("iframe").contentDocument;
  function box(name) {
    var b = page.querySelector(name).getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom];
  }
  function ways() {
    return Array.from(page.querySelectorAll(".link, .wire"), function (p) { return p.getAttribute("d"); });
  }
  var report = { field: box("#search input"), title: box(".top"), legend: box("#legend"), ways: ways() };
  page.querySelector(".fold").dispatchEvent(new Event("click", { bubbles: true }));
  report.folded = ways();
  report.bar = box(".bar");
  fetch("/report", { method: "POST", body: JSON.stringify(report) });
});
</script>"""


@pytest.mark.parametrize("width", [320, 420, 1200])
def test_the_script_draws_the_same_lines_and_the_field_covers_nothing(tmp_path: Path, width: int) -> None:
    (tmp_path / "p.svg").write_text(svg(api.graph(SourceFile(BRANCHES, "branches.rlx"))), encoding="utf-8")
    with (
        browser.served(tmp_path, {"/look": LOOK % width}) as site,
        browser.opened(f"{site.address}/look", tmp_path / "profile"),
    ):
        report = site.reports.get(timeout=browser.LIMIT)
    assert report["field"][3] <= report["title"][1]
    assert report["field"][2] <= width
    assert report["title"][3] <= report["legend"][1] + 1
    drawn = lines((tmp_path / "p.svg").read_text(encoding="utf-8"))
    assert len(report["ways"]) == len(drawn)
    for way, points in zip(report["ways"], drawn, strict=True):
        assert points_of(way) == [pytest.approx(point, abs=0.3) for point in points]
    assert sum(a != b for a, b in zip(report["ways"], report["folded"], strict=True)) > 4


def test_viewers_that_run_no_scripts_show_no_field() -> None:
    (field,) = ET.fromstring(svg(api.graph(BRANCHES))).iter(f"{SVG}foreignObject")
    assert field.get("display") == "none"
