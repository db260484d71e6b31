"""A file that a command reads is not replaced by what it writes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import relax_lang
from tests.cli.harness import GOOD, Relax

UGLY = "def @f(){1}\n"


@pytest.fixture
def program(tmp_path: Path, relax: Relax) -> Path:
    path = tmp_path / "p.rlx"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("paths", [["p.rlx"], ["."], ["./p.rlx"]])
@pytest.mark.parametrize("output", ["p.rlx", "link.rlx"])
def test_check_does_not_replace_a_program_by_its_report(
    relax: Relax, program: Path, paths: list[str], output: str
) -> None:
    (program.parent / "link.rlx").symlink_to("p.rlx")
    status, _, err = relax("check", *paths, "-o", output)
    assert status == 2
    assert "`--output-file` would replace" in err
    assert program.read_text() == GOOD
    assert relax("check", *paths, "-o", "report.txt").status == 0


def test_run_does_not_replace_its_arguments(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text("def @main(x: Tensor[(2,), float32]) { x + x }\n")
    np.save(tmp_path / "x.npy", np.ones(2, np.float32))
    before = (tmp_path / "x.npy").read_bytes()
    status, _, err = relax("run", "p.rlx", "--args", "x.npy", "--out", "x.npy")
    assert (status, (tmp_path / "x.npy").read_bytes()) == (2, before)
    assert "`--out` would replace `x.npy`, which is read" in err
    assert relax("run", "p.rlx", "--arg", "x=x.npy", "--out", "x.npy").status == 2
    assert relax("run", "p.rlx", "--args", "x.npy", "--profile-out", "p.rlx").status == 2


def test_graph_does_not_replace_its_program(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.svg").write_text(GOOD)
    status, _, err = relax("graph", "p.svg", "-o", "p.svg")
    assert status == 2
    assert "`--output` would replace" in err
    assert (tmp_path / "p.svg").read_text() == GOOD


def test_a_pipe_as_settings_that_are_extended_is_not_waited_for(relax: Relax, program: Path) -> None:
    os.mkfifo(program.parent / "pipe")
    (program.parent / "relax.toml").write_text("extend = 'pipe'\n")
    status, out, err = relax("check", "p.rlx")
    assert status == 2
    assert "`pipe` is not a file" in out + err


def test_names_of_files_in_diffs_are_quoted(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / 'a\n\x1b[31m".rlx').write_text(UGLY)
    out = relax("fmt", "--diff", ".").out
    assert out.splitlines()[:2] == ['--- "a\\n\\033[31m\\".rlx"', '+++ "a\\n\\033[31m\\".rlx"']
    assert "\x1b" not in out


def test_names_of_files_in_messages_hold_no_control_characters(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a\n\x1b[31m.rlx").write_text(UGLY)
    (tmp_path / "b\n\x1b[31m.rlx").write_text("def @f(\n")
    for words in (["fmt", "--check", "."], ["test", "-v", "."], ["check", "--fix", "."], ["fmt", "."]):
        _, out, err = relax(*words)
        assert "\x1b" not in out + err, words
        assert "\n[31m" not in out + err, words


def test_github_commands_hold_no_control_characters(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\x07.rlx").write_text('def @f() { @"\\u001b[31m"() }\n')
    out = relax("check", ".", "--output-format=github").out
    assert out.startswith("::")
    assert not [char for char in out if char < " " and char != "\n"]


@pytest.mark.parametrize(
    "name",
    [
        *("relax.toml", "pyproject.toml", "w.npy", "w.npz", "my_ops.py", "other.rlx"),
        *("other.relay", "model.onnx", "p.rlxe", ".relaxignore", ".gitignore"),
    ],
)
def test_check_does_not_replace_what_is_no_report(relax: Relax, program: Path, name: str) -> None:
    (program.parent / name).write_bytes(b"# mine")
    status, _, err = relax("check", "p.rlx", "-o", name)
    assert status == 2
    assert f"`--output-file` would replace `{name}`, which is" in err
    assert (program.parent / name).read_bytes() == b"# mine"
    assert "which is not a report" in relax("run", "p.rlx", "--random", "1", "--profile-out", name)[2]


@pytest.mark.parametrize("name", ["relax.toml", "sub/pyproject.toml", ".relaxignore", ".gitignore"])
def test_check_makes_no_settings_of_a_report(relax: Relax, program: Path, name: str) -> None:
    (program.parent / "sub").mkdir()
    status, _, err = relax("check", "p.rlx", "-o", name)
    assert status == 2
    assert f"`--output-file` would make `{name}`, which is read as settings" in err
    assert not (program.parent / name).exists()
    assert relax("check", "p.rlx", "-o", "report.toml")[0] == 0


@pytest.mark.parametrize("folder", [".", "here", "../{0}"])
def test_run_does_not_fill_the_folder_of_its_program(relax: Relax, program: Path, folder: str) -> None:
    (program.parent / "here").symlink_to(program.parent)
    folder = folder.format(program.parent.name)
    status, _, err = relax("run", "p.rlx", "--random", "1", "--save-all", folder)
    assert status == 2
    assert f"`--save-all {folder}` would fill the folder of the program" in err
    assert not list(program.parent.glob("*.npy"))
    assert relax("run", "p.rlx", "--random", "1", "--save-all", "recorded").status == 0


def test_run_does_not_replace_its_constants(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "p.rlx").write_text('def @main() { const(file("w.npy")) + 1.0 }\n')
    np.save(tmp_path / "w.npy", np.ones(2, np.float32))
    before = (tmp_path / "w.npy").read_bytes()
    status, _, err = relax("run", "p.rlx", "--out", "w.npy")
    assert (status, (tmp_path / "w.npy").read_bytes()) == (2, before)
    assert "`--out` would replace" in err


def test_a_device_as_a_profile_is_not_read_to_its_end(relax: Relax, program: Path) -> None:
    status, _, err = relax("graph", "p.rlx", "--profile", "/dev/zero")
    assert status == 2
    assert "cannot read `/dev/zero` as a profile: it is not a file" in err


def test_a_terminal_obeys_nothing_in_names_of_functions_and_files(
    relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    bad = "\x1b[31m\x07"
    (tmp_path / "p.rlx").write_text('def @"a\\u001b[31m\\u0007"(x: Tensor[(2,), float32]) { let y = x; y }\n')
    folder = tmp_path / f"plugins{bad}"
    folder.mkdir()
    (folder / f"my{bad}.py").write_text("")
    (folder / "relax.toml").write_text('plugins = ["my\\u001b[31m\\u0007.py"]\n')
    shown = [
        relax("build", "p.rlx", "-o", f"e{bad}.rlxe"),
        relax("disasm", f"e{bad}.rlxe", "--stats"),
        relax("graph", "p.rlx", "-o", f"g{bad}.svg"),
        relax("run", "p.rlx", "--random", "1", "--entry", "a\x1b[31m\x07", "--save-all", f"s{bad}"),
        relax("trust", folder.name),
        relax("trust", "--list"),
        relax("trust", "--remove", folder.name),
    ]
    for status, out, err in shown:
        assert status == 0, err
        assert not [char for char in out + err if char < " " and char != "\n"]
        assert "a\\u001b" in out + err or "␛[31m␇" in out + err
    module = relax_lang.load(tmp_path / "p.rlx")
    assert repr(module).isprintable()
