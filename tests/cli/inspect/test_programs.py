"""`relax normalize`, `relax parse`, `relax compile`: other views of a program."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.cli.harness import BAD, BROKEN, GOOD, Relax

KERNEL = """prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = X[i];
  }
}
"""


def test_normalize(relax: Relax, files: Path) -> None:
    status, out, err = relax("normalize", "-", stdin="def @main(x: Tensor) { x + x * x }")
    assert (status, err) == (0, "")
    again = relax("normalize", "-", stdin=out)
    assert again.out == out
    assert "multiply(x, x)" in out
    assert relax("normalize", "good.rlx").out == GOOD


@pytest.mark.parametrize("command", ["normalize", "compile"])
def test_programs_with_errors(relax: Relax, command: str) -> None:
    for text, slug in ((BAD, "undefined-variable"), (BROKEN, "syntax")):
        status, out, err = relax(command, "-", stdin=text)
        assert (status, out) == (1, "")
        assert f" {slug}]: " in err


@pytest.mark.parametrize("command", ["normalize", "compile", "parse"])
def test_programs_that_cannot_be_read(relax: Relax, tmp_path: Path, command: str) -> None:
    (tmp_path / "nul.rlx").write_bytes(b"\0")
    for name, slug in (("gone.rlx", "file-not-found"), ("nul.rlx", "nul-in-text"), (".", "unreadable-file")):
        status, out, err = relax(command, name)
        assert (status, out) == (2, "")
        assert f" {slug}]: " in err


def test_parse_shows_the_tree(relax: Relax, golden) -> None:
    status, out, err = relax("parse", "-", stdin=GOOD)
    assert (status, err) == (0, "")
    golden("parse/good.txt", out)


def test_parse_json(relax: Relax) -> None:
    status, out, _ = relax("parse", "-", "--json", stdin=GOOD)
    assert status == 0
    tree = json.loads(out)
    assert tree["node"] == "IRModule"
    assert tree["items"][0]["name"] == {"node": "GlobalVar", "span": [4, 9], "name_hint": "main"}
    assert tree["items"][0]["body"]["blocks"][0]["bindings"][0]["value"]["attrs"] == []


def test_parse_of_a_broken_program_shows_what_could_be_read(relax: Relax) -> None:
    status, out, err = relax("parse", "-", stdin=BROKEN)
    assert status == 1
    assert out.startswith("IRModule @")
    assert " syntax]: " in err


def test_parse_of_other_errors_is_fine(relax: Relax) -> None:
    assert relax("parse", "-", stdin=BAD).status == 0


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_parse_of_a_deep_program(relax: Relax, option: list[str]) -> None:
    text = "def @f(x: Tensor) {\n  " + " + ".join(["x"] * 5_000) + "\n}\n"
    status, out, err = relax("parse", "-", *option, stdin=text)
    assert (status, err) == (0, "")
    assert len(out) < 5_000_000
    assert out.count("BinaryOp") == 4_999


def test_compile_prints_python(relax: Relax) -> None:
    status, out, err = relax("compile", "-", "--emit", "numpy", stdin=KERNEL)
    assert (status, err) == (0, "")
    names = [node.name for node in ast.walk(ast.parse(out)) if isinstance(node, ast.FunctionDef)]
    assert any("copy" in name for name in names)


def test_compile_prints_functions_and_prim_funcs(relax: Relax) -> None:
    def functions(*options: str) -> list[str]:
        status, out, err = relax("compile", "-", *options, stdin=GOOD + KERNEL)
        assert (status, err) == (0, "")
        compile(out, "out.py", "exec")
        return [node.name for node in ast.parse(out).body if isinstance(node, ast.FunctionDef)]

    assert functions("--emit", "functions") == ["main"]
    assert functions("--emit", "numpy")[-1] == "copy"
    assert functions() == [*functions("--emit", "numpy"), "main"]


def test_compile_without_anything(relax: Relax) -> None:
    assert relax("compile", "-", stdin="") == (0, "", "")


@pytest.mark.parametrize("command", ["normalize", "compile"])
def test_programs_in_colours_are_the_same_programs(relax: Relax, files: Path, command: str) -> None:
    import re

    plain = relax(command, "good.rlx", "--color", "never")[1]
    coloured = relax(command, "good.rlx", "--color", "always")[1]
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).rstrip() == plain.rstrip()
