"""Where the findings of `relax check` go and in which form: files, statistics, GitHub Actions, watching."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from relax_lang.cli.check import watch as watch_module

from tests.cli.harness import BAD, GOOD, ROOT, Relax
from tests.processes import PATIENCE, start


def test_output_into_a_file(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "bad.rlx", "-o", "found.txt")
    assert (status, out, err) == (1, "", "")
    assert (files / "found.txt").read_text(encoding="utf-8") == relax("check", "bad.rlx").out
    relax("check", "good.rlx", "--output-file=found.json", "--output-format", "json")
    assert json.loads((files / "found.json").read_text())["errors"] == 0


def test_output_into_a_file_in_a_process_of_its_own(relax: Relax, files: Path) -> None:
    assert relax.process("check", "bad.rlx", "-o", "found.txt").status == 1
    assert "undefined-variable" in (files / "found.txt").read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "bad.rlx", "-o", "no/such/folder.txt")
    assert (status, out) == (2, "")
    assert err.startswith("error[RLX0011 cannot-write]: cannot write `no/such/folder.txt`: no such file")


def test_exit_zero(relax: Relax, files: Path) -> None:
    status, out, _ = relax("check", "--exit-zero", "bad.rlx")
    assert status == 0
    assert "undefined-variable" in out
    assert relax("check", "--exit-zero", "gone.rlx").status == 2
    assert relax("check", "--exit-zero", "--select", "nonsense", "bad.rlx").status == 2


def test_statistics(relax: Relax, files: Path) -> None:
    (files / "more.rlx").write_text("def @main() {\n  (a, b)\n}\n")
    status, out, _ = relax("check", "--statistics", ".")
    assert status == 1
    assert out == (
        "3  RLX0201  [ ]  undefined-variable\n1  RLX0101  [*]  syntax\n\n"
        "Found 4 errors in 5 files.\n[*] 1 fixable with `--fix`.\n"
    )
    assert relax("check", "--statistics", "-q", "bad.rlx").out == "1  RLX0201  [ ]  undefined-variable\n\n"
    assert relax("check", "--statistics", "good.rlx").out == "No problems found in 1 file.\n"


def test_statistics_count_ten_and_more(relax: Relax, files: Path) -> None:
    (files / "more.rlx").write_text(
        "def @main() {\n  (" + "".join(f"a{i}, " for i in range(12)) + "1)\n}\n\ndef @f() {\n  matmul()\n}\n"
    )
    out = relax("check", "--statistics", "more.rlx").out
    assert out.startswith("12  RLX0201  [ ]  undefined-variable\n 1  RLX0330  [ ]  arity\n")


def test_statistics_are_for_people(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "--statistics", "--output-format", "json", "bad.rlx")
    assert (status, out) == (2, "")
    assert "`--statistics` has no form `json`, only text" in err


def test_actions_get_their_form(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert relax("check", "bad.rlx").out.startswith(
        "::error title=RLX0201 undefined-variable,file=bad.rlx,line=2,"
    )
    assert relax("check", "--output-format=text", "bad.rlx").out.startswith("error[")
    assert "undefined-variable" in relax("check", "--statistics", "bad.rlx").out
    relax("check", "bad.rlx", "-o", "found.txt")
    assert (files / "found.txt").read_text(encoding="utf-8").startswith("error[")
    monkeypatch.setenv("RELAX_OUTPUT_FORMAT", "concise")
    assert relax("check", "bad.rlx").out.startswith("bad.rlx:2:10: error[")
    monkeypatch.delenv("RELAX_OUTPUT_FORMAT")
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    assert relax("check", "bad.rlx").out.startswith("error[")


# Watching.


def test_watching_needs_a_package(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    status, out, err = relax("check", "--watch", "good.rlx")
    assert (status, out) == (2, "")
    assert err == (
        "error[RLX0016 missing-package]: `relax check --watch` needs the package watchfiles\n"
        '  = help: install it: `pip install "relax-lang[watch]"`\n\n'
    )


def test_standard_input_cannot_be_watched(relax: Relax) -> None:
    status, out, err = relax("check", "--watch", "-", stdin=GOOD)
    assert (status, out) == (2, "")
    assert "usage]: `--watch` cannot watch standard input" in err


def test_the_check_is_repeated_with_every_change(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, object] = {}

    def changes(*paths: str, **options: object):
        asked.update(options, paths=paths)
        (files / "bad.rlx").write_text(GOOD)
        yield {("modified", str(files / "bad.rlx"))}
        (files / "bad.rlx").write_text(BAD)
        yield {("modified", str(files / "bad.rlx"))}

    package = ModuleType("watchfiles")
    package.watch = changes  # type: ignore[attr-defined]
    package.__spec__ = find_spec("json")
    monkeypatch.setitem(sys.modules, "watchfiles", package)
    status, out, err = relax("check", "--watch", "--output-format", "concise", "bad.rlx")
    assert status == 1
    assert out.count("bad.rlx:2:10: error[") == 2
    assert err == "Watching for changes; Ctrl-C ends.\n" * 3
    assert asked["paths"] == (str(files),)
    assert asked["recursive"] is False
    relax("check", "--watch", ".")
    assert asked["paths"] == (".",)
    assert asked["recursive"] is True
    asked.clear()
    assert relax("check", "--watch", "no/such/file.rlx").status == 2
    assert asked == {}


@pytest.mark.parametrize(
    ("path", "everything", "watched"),
    [
        ("/p/a.rlx", False, True),
        ("/p/b.rlx", False, False),
        ("/p/b.rlx", True, True),
        ("/p/w.npy", False, True),
        ("/p/w.npz", True, True),
        ("/p/relax.toml", False, True),
        ("/p/pyproject.toml", True, True),
        ("/p/.relaxignore", True, True),
        ("/p/.a.rlx.123.tmp", True, False),
        ("/p/a.py", True, False),
    ],
)
def test_what_is_watched(path: str, everything: bool, watched: bool) -> None:
    assert watch_module.is_watched(path, ["/p/a.rlx"], everything=everything) is watched


@pytest.mark.skipif(find_spec("watchfiles") is None or os.name == "nt", reason="needs the extra `watch`")
def test_a_real_change(tmp_path: Path) -> None:
    import signal

    program = tmp_path / "a.rlx"
    program.write_text(BAD)
    words = [sys.executable, "-m", "relax_lang", "check", "--watch", "--output-format=concise", "a.rlx"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    log = tmp_path / "log.txt"
    with log.open("w") as out:
        process = start(words, stdout=out, stderr=out, cwd=tmp_path, env=environment)

    def wait_for(n: int, meanwhile: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while log.read_text().count("Watching") < n:
            assert time.monotonic() < end, log.read_text()
            meanwhile()
            time.sleep(0.2)

    def change() -> None:
        program.with_name("new").write_text(GOOD)
        program.with_name("new").replace(program)  # as editors do

    try:
        wait_for(1, lambda: None)
        wait_for(2, change)  # again and again: it listens some time after it has said so
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    finally:
        process.kill()
        process.wait()
    assert log.read_text().count("error[") == 1
    assert "Traceback" not in log.read_text()
