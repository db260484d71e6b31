"""`relax compile --dump`: the passes of the compilation of PrimFuncs, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang import _main
from relax_lang.tir.vectorize import PASSES

DOCS = Path(__file__).parents[3] / "docs" / "running.md"
TEXT = """prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = max(X[i] * 2.0, 0.0);
  }
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "relu.rlx"
    path.write_text(TEXT)
    return str(path)


def test_all_passes_in_order(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main.main(["compile", program, "--dump", "all"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("@")]
    assert heads == [f"@relu after {name}" for name in PASSES]


def test_what_the_documentation_shows(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main.main(["compile", program, "--dump", "destination-passing", "--dump", "selection"]) == 0
    shown = DOCS.read_text(encoding="utf-8").partition("--dump selection --dump destination-passing\n")[2]
    assert capsys.readouterr().out == shown.partition("```")[0]


def test_names(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main.main(["compile", program, "--dump", "list"]) == 0
    assert capsys.readouterr().out.split() == [*PASSES]


def test_a_misspelled_pass(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _main.main(["compile", program, "--dump", "peephol", "--dump", "xyz", "--dump", "all"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "there is no pass `peephol`" in captured.err
    assert "did you mean `peephole`? `--dump list` names all of them" in captured.err
    assert captured.err.count("there is no pass") == 2


def test_errors_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.rlx"
    path.write_text(TEXT.replace("X[i]", "Q[i]"))
    assert _main.main(["compile", str(path), "--dump", "all"]) == 1
    assert "after" not in capsys.readouterr().out


def test_no_prim_func(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.rlx"
    path.write_text("def @f(x: Tensor[(n,), float32]) { exp(x) }\n")
    assert _main.main(["compile", str(path), "--dump", "tiling"]) == 0
    assert capsys.readouterr().out == ""
