"""`relax graph`: where the picture goes, in which form, and what can be wrong."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

from tests.cli.harness import BAD, Relax

PROGRAM = "def @main(x: Tensor[(n,), float32]) {\n  let y = x * 2.0;\n  y\n}\n"


@pytest.fixture
def program(relax: Relax, tmp_path: Path) -> Path:
    (tmp_path / "p.rlx").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "start"),
    [([], "<svg "), (["--format", "dot"], 'digraph "p.rlx" {'), (["--format", "mermaid"], "flowchart TB")],
)
def test_to_standard_output(relax: Relax, program: Path, words: list[str], start: str) -> None:
    status, out, err = relax("graph", "p.rlx", *words)
    assert (status, err) == (0, "")
    assert out.startswith(start)


@pytest.mark.parametrize(
    ("name", "start"), [("p.svg", "<svg "), ("p.dot", "digraph"), ("p.gv", "digraph"), ("p.mmd", "flowchart")]
)
def test_to_a_file(relax: Relax, program: Path, name: str, start: str) -> None:
    assert relax("graph", "p.rlx", "-o", name) == (0, "", f"drew {name}\n")
    assert (program / name).read_text().startswith(start)
    assert relax("graph", "p.rlx", "-o", name, "-q") == (0, "", "")


def test_colours_by_a_profile(relax: Relax, program: Path) -> None:
    assert relax("run", "p.rlx", "--args", "[1.0]", "--profile-out", "t.json", "--print", "none")[0] == 0
    status, out, _ = relax("graph", "p.rlx", "--profile", "t.json")
    assert status == 0
    assert "100% of the slowest" in out


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "no such file or directory"),
        ("{", "Expecting property name"),
        (json.dumps({"a": 1}), "it is not what"),
    ],
)
def test_profiles_that_are_none(relax: Relax, program: Path, content: str | None, why: str) -> None:
    if content is not None:
        (program / "t.json").write_text(content)
    status, out, err = relax("graph", "p.rlx", "--profile", "t.json")
    assert (status, out) == (2, "")
    assert f"cannot read `t.json` as a profile: {why}" in err


def test_open(relax: Relax, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert relax("graph", "p.rlx", "--open", "-o", "p.svg")[0] == 0
    assert relax("graph", "p.rlx", "--open")[0] == 0
    assert opened[0] == (program / "p.svg").as_uri()
    assert opened[1].endswith("/p.svg")


def test_what_can_be_wrong(relax: Relax, program: Path) -> None:
    status, _, err = relax("graph", "p.rlx", "-o", "p.png")
    assert status == 2
    assert "`--output` takes a file that ends in .svg, .dot, .gv, .mmd, .md, not `p.png`" in err
    assert relax("graph", "nope.rlx")[0] == 2
    status, out, err = relax("graph", "-", stdin=BAD)
    assert (status, out) == (1, "")
    assert "undefined-variable" in err
    assert relax("graph", "p.rlx", "-o", "no/such/p.svg")[0] == 2


def test_the_title_is_no_absolute_path(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "p.rlx").write_text("def @main(x: Tensor) { x }")
    assert "<title>sub/p.rlx</title>" in relax("graph", str(tmp_path / "sub" / "p.rlx"))[1]
    assert str(tmp_path) not in relax("graph", str(tmp_path / "sub" / "p.rlx"))[1]
    assert "<title>sub/p.rlx</title>" in relax("graph", "sub/../sub/p.rlx")[1]
    above = f"../{tmp_path.name}/sub/p.rlx"
    assert "<title>sub/p.rlx</title>" in relax("graph", above)[1]
    assert "<title>&lt;stdin&gt;</title>" in relax("graph", "-", stdin="def @main(x: Tensor) { x }")[1]
