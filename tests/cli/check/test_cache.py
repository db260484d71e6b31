"""`relax check` again: unchanged programs are not checked anew, and what is shown is the same. `relax cache`."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang.api import programs
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked
from relax_lang.files.cache import dependencies
from relax_lang.files.cache.store import Store
from relax_lang.runtime.compiler import program as programs_of_the_engine
from relax_lang.syntax import tree
from relax_lang.tir import compile as compiler
from tests.cli.harness import BAD, BROKEN, GOOD, Relax

FORMS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
SAMPLES = sorted((Path(__file__).parents[3] / "samples" / "bad").glob("*.rlx"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RELAX_NO_CACHE")
    monkeypatch.delitem(
        sys.modules, dependencies.PLUGINS, raising=False
    )  # other tests of this process register operators
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "relax"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the paths of the programs that are really checked."""
    found: list[str] = []
    real = programs._check

    def check(source: SourceFile, lints: Sequence[str]) -> Checked:
        found.append(Path(source.path).name)
        return real(source, lints)

    monkeypatch.setattr(programs, "_check", check)
    return found


def file(folder: Path, text: str, name: str = "a.rlx") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [GOOD, BAD, BROKEN], ids=["good", "bad", "broken"])
@pytest.mark.parametrize("form", FORMS)
def test_the_second_check_shows_the_same(
    relax: Relax, tmp_path: Path, checks: list[str], text: str, form: str
) -> None:
    path = file(tmp_path, text)
    first = relax("check", "--output-format", form, path)
    assert relax("check", "--output-format", form, path) == first
    assert checks == ["a.rlx"]
    assert relax("check", "--no-cache", "--output-format", form, path) == first
    assert checks == ["a.rlx", "a.rlx"]


def test_all_findings_come_back(relax: Relax, checks: list[str]) -> None:
    first = relax("check", "--output-format", "json", "--select", "all", *SAMPLES)
    count = len(checks)
    assert relax("check", "--output-format", "json", "--select", "all", *SAMPLES) == first
    assert len(checks) - count < count // 20  # some have plugins


def test_a_changed_program_is_checked(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    path = file(tmp_path, GOOD)
    assert relax("check", path).status == 0
    file(tmp_path, BAD)
    assert relax("check", path).status == 1
    file(tmp_path, GOOD)
    assert relax("check", path).status == 0
    assert len(checks) == 2


@pytest.mark.parametrize(
    "words",
    [["--strict"], ["--select", "RLX02"], ["--ignore", "undefined-variable"], ["--extend-select", "lints"]],
)
def test_options_that_select_have_verdicts_of_their_own(
    relax: Relax, tmp_path: Path, checks: list[str], words: list[str]
) -> None:
    path = file(tmp_path, BAD)
    plain = relax("check", path)
    first = relax("check", *words, path)
    assert len(checks) == 2
    assert relax("check", *words, path) == first
    assert relax("check", path) == plain
    assert len(checks) == 2


def test_settings_have_verdicts_of_their_own(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    path = file(tmp_path, BAD)
    assert relax("check", path).status == 1
    file(tmp_path, '[severity]\nundefined-variable = "warning"\n', "relax.toml")
    assert relax("check", path).status == 0
    assert len(checks) == 2


def test_arrays_are_part_of_a_program(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    text = 'def @main() -> Tensor[(2, 3), float32] {\n  const(file("w.npy"))\n}\n'
    path = file(tmp_path, text)
    np.save(tmp_path / "w.npy", np.zeros((2, 3), np.float32))
    assert relax("check", path).status == 0
    assert relax("check", path).status == 0
    assert len(checks) == 1
    np.save(tmp_path / "w.npy", np.zeros((2, 4), np.float32))
    assert relax("check", path).status == 1
    (tmp_path / "w.npy").unlink()
    missing = relax("check", path)
    assert "w.npy" in missing.out
    assert relax("check", path) == missing
    assert len(checks) == 3


def test_the_same_text_elsewhere_is_another_program(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    (tmp_path / "other").mkdir()
    for folder in (tmp_path, tmp_path / "other"):
        assert relax("check", file(folder, GOOD)).status == 0
    assert len(checks) == 2


def test_standard_input_is_checked(relax: Relax, checks: list[str]) -> None:
    for _ in range(2):
        assert relax("check", "-", stdin=BAD).status == 1
    assert len(checks) == 2


def test_several_processes_use_it(relax: Relax, tmp_path: Path) -> None:
    for number in range(6):
        file(tmp_path, BAD if number % 2 else GOOD, f"{number}.rlx")
    first = relax("check", "--jobs", "2", tmp_path)
    assert relax("check", "--jobs", "2", tmp_path) == first
    assert relax("check", tmp_path) == first
    assert int(relax("cache").out.splitlines()[1].split()[2]) >= 6 + 1  # and lists of loaded modules


def test_fixes_look_anew(relax: Relax, tmp_path: Path) -> None:
    path = file(tmp_path, BROKEN)
    assert relax("check", path).status == 1
    assert relax("check", "--fix", path).status == 0
    assert relax("check", path).status == 0


def test_the_environment_turns_it_off(
    relax: Relax, tmp_path: Path, checks: list[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAX_NO_CACHE", "1")
    for _ in range(2):
        assert relax("check", file(tmp_path, GOOD)).status == 0
    assert len(checks) == 2
    assert not cache.exists()
    assert "not used: RELAX_NO_CACHE is set" in relax("cache", "info").out


def test_info_and_clear(relax: Relax, tmp_path: Path, cache: Path) -> None:
    assert "in it: 0 entries, 0 B" in relax("cache").out
    relax("check", file(tmp_path, GOOD))
    shown = relax("cache", "info").out
    assert f"folder: {cache}" in shown
    assert "in it: 2 entries, " in shown  # the other one is the list of the modules that were loaded
    assert relax("cache", "clear").out.startswith("removed 2 entries, ")
    assert not list(cache.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
def test_info_says_why_it_is_not_used(relax: Relax, tmp_path: Path, cache: Path) -> None:
    relax("check", file(tmp_path, GOOD))
    next(cache.iterdir()).joinpath("key").chmod(0o644)
    assert "other users could write to the folder" in relax("cache").out
    assert relax("cache", "clear").status == 0
    relax("check", file(tmp_path, GOOD))
    assert "not used" not in relax("cache").out


def test_another_word_is_refused(relax: Relax) -> None:
    assert relax("cache", "empty").status == 2


LOWERED = """prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = max(X[i], 0.0); }
}
prim_func @pick(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
  for i in 0..m { Y[i] = X[I[i]]; }
}
def @main(x: Tensor[(3,), float32], i: Tensor[(2,), int64]) -> Tensor[(2,), float32] {
  let y = call_tir(@relu, (x,)) -> Tensor[(3,), float32];
  call_tir(@pick, (y, i)) -> Tensor[(2,), float32]
}
"""


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the PrimFuncs that are really compiled."""
    found: list[str] = []
    real = compiler._compile

    def compile_(func: tree.PrimFunc, merged: dict[str, str]) -> compiler.Compiled:
        found.append(func.name.name_hint)
        return real(func, merged)

    monkeypatch.setattr(compiler, "_compile", compile_)
    monkeypatch.setattr(compiler, "_COMPILED", {})
    return found


@pytest.mark.parametrize("index", ["[2, 0]", "[2, 3]"], ids=["fine", "out of bounds"])
def test_code_is_kept(relax: Relax, tmp_path: Path, compiles: list[str], index: str) -> None:
    path = file(tmp_path, LOWERED)
    words = ("run", path, "--arg", "x=[1, -2, 3]", "--arg", f"i={index}")
    first = relax(*words)
    compiler._COMPILED.clear()
    programs_of_the_engine._CACHE.clear()
    assert relax(*words) == first
    assert compiles == ["relu", "pick"]
    compiler._COMPILED.clear()
    programs_of_the_engine._CACHE.clear()
    assert relax(*words, "--no-cache") == first
    assert len(compiles) == 4


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the keys that are looked up."""
    found: list[str] = []
    real = Store.get

    def get(self: Store, key: str) -> object:
        found.append(key)
        return real(self, key)

    monkeypatch.setattr(Store, "get", get)
    return found


def test_the_code_of_a_program_is_read_at_once(
    relax: Relax, tmp_path: Path, compiles: list[str], read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path, LOWERED)
    words = (path, "--arg", "x=[1, -2, 3]", "--arg", "i=[2, 0]")
    first = again(relax, *words)
    read.clear()
    with monkeypatch.context() as patched:
        patched.setattr(compiler, "form_of", None)  # what they are kept under is read, too
        assert again(relax, *words) == first
    assert [key.split()[0] for key in read if key.startswith("prim_func")] == ["prim_func"]
    assert compiles == ["relu", "pick"]
    file(tmp_path, LOWERED.replace("0.0", "9.0"))
    assert again(relax, *words) != first
    assert compiles == ["relu", "pick", "relu"]  # the other one is taken from the other program


def test_code_that_is_not_together_is_looked_for_apart(
    relax: Relax, tmp_path: Path, compiles: list[str], cache: Path, read: list[str]
) -> None:
    path = file(tmp_path, LOWERED)
    words = (path, "--arg", "x=[1, -2, 3]", "--arg", "i=[2, 0]")
    first = again(relax, *words)
    together = next(key for key in read if " codes of " in key)
    name = Store()._name(together)
    for damage in (lambda entry: entry.write_bytes(entry.read_bytes()[:-1]), Path.unlink):
        damage(Path(name))
        assert again(relax, *words) == first
        assert Path(name).exists()  # it was written anew
        assert Store().get(together) is not None
    assert compiles == ["relu", "pick"]


def again(relax: Relax, *words: object) -> object:
    """Run a command as another process would."""
    compiler._COMPILED.clear()
    programs_of_the_engine._CACHE.clear()
    return relax("run", *words)


def test_the_normal_form_is_kept(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    path = file(tmp_path, LOWERED)
    words = (path, "--arg", "x=[1, -2, 3]", "--arg")
    first = again(relax, *words, "i=[2, 0]")
    assert again(relax, *words, "i=[2, 0]") == first
    assert again(relax, *words, "i=[2, 0]", "--engine", "interpreter") == first
    assert checks == ["a.rlx"]
    failed = again(relax, *words, "i=[2, 3]")
    assert checks == ["a.rlx"]
    assert again(relax, *words, "i=[2, 3]", "--no-cache") == failed
    assert checks == ["a.rlx", "a.rlx"]
    file(tmp_path, LOWERED.replace("0.0", "9.0"))
    assert again(relax, *words, "i=[2, 0]") != first
    assert len(checks) == 3


def test_of_each_node_it_is_known_at_once_whether_its_check_was_proved(
    relax: Relax, tmp_path: Path, checks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine asks for every node of a program."""
    given: list[object] = []
    compile_module = programs_of_the_engine.compile_module

    def noted(module: tree.IRModule, text: str | None, proved: Collection[tree.Node], *rest: Any) -> object:
        given.append(proved)
        return compile_module(module, text, proved, *rest)

    monkeypatch.setattr(programs_of_the_engine, "compile_module", noted)
    words = (file(tmp_path, LOWERED), "--arg", "x=[1, -2, 3]", "--arg", "i=[2, 0]")
    assert again(relax, *words) == again(relax, *words)
    assert checks == ["a.rlx"]
    one, other = given
    assert isinstance(one, AbstractSet)
    assert isinstance(other, AbstractSet)
    assert len(one) == len(other) > 0


def test_a_program_with_errors_is_not_kept(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    path = file(tmp_path, BAD)
    first = again(relax, path)
    assert again(relax, path) == first
    assert len(checks) == 2


def test_arrays_decide_the_normal_form(relax: Relax, tmp_path: Path, checks: list[str]) -> None:
    path = file(tmp_path, 'def @main() { const(file("w.npy")) }\n')
    np.save(tmp_path / "w.npy", np.zeros((2, 3), np.float32))
    first = again(relax, path)
    assert again(relax, path) == first
    assert len(checks) == 1
    np.save(tmp_path / "w.npy", np.zeros((2, 4), np.float32))
    assert again(relax, path) != first
    assert len(checks) == 2


def test_what_another_program_wrote_is_checked_anew(
    relax: Relax, tmp_path: Path, checks: list[str], cache: Path
) -> None:
    path = file(tmp_path, "def @main() { const(1) }\n")
    first = again(relax, path)
    for entry in cache.glob("results-*/*/*"):
        entry.write_bytes(entry.read_bytes()[:-1])
    assert again(relax, path) == first
    assert len(checks) == 2
