"""Packed functions that the settings name: `packed = [...]`, for `relax run` and `relax test`."""

from __future__ import annotations

from pathlib import Path

import pytest
from relax_lang.cli.run import packed

from tests.cli.harness import Relax

FUNCTIONS = """from relax_lang import register_packed_func

@register_packed_func("settings.twice")
def twice(x):
    return x + x
"""
PROGRAM = """# expect-output: Tensor[(), int32] 6
def @main() {
  extern "print"(extern "settings.twice"(3))
}
"""


@pytest.fixture
def project(relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(packed, "_ran", set())
    (tmp_path / "relax.toml").write_text('packed = ["code/functions.py"]\n')
    (tmp_path / "code").mkdir()
    (tmp_path / "code/functions.py").write_text(FUNCTIONS)
    (tmp_path / "p.rlx").write_text(PROGRAM)
    return tmp_path


def test_X_8_functions_of_the_settings(relax: Relax, project: Path) -> None:
    status, out, err = relax("run", "p.rlx")
    assert (status, err) == (0, "")
    assert "Tensor[(), int32] 6" in out


@pytest.mark.parametrize("command", ["run", "test"])
def test_what_is_wrong_is_shown_in_the_settings(relax: Relax, project: Path, command: str) -> None:
    (project / "code/functions.py").write_text("1 / 0\n")
    status, _, err = relax(command, "p.rlx")
    assert status == 2
    assert "packed-file-failed]: cannot run `code/functions.py`: ZeroDivisionError: division by zero" in err
    assert "relax.toml:1:12" in err


def test_a_file_that_is_not_there(relax: Relax, project: Path) -> None:
    (project / "code/functions.py").unlink()
    status, _, err = relax("run", "p.rlx")
    assert status == 2
    assert "cannot run `code/functions.py`: there is no such file" in err


def test_code_of_settings_can_be_kept_from_running(
    relax: Relax, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "code/functions.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setenv("RELAX_NO_PLUGINS", "1")
    assert "packed-file-failed" not in relax("run", "p.rlx")[2]


def test_checking_runs_nothing(relax: Relax, project: Path) -> None:
    (project / "code/functions.py").write_text("raise SystemExit(3)\n")
    assert relax("check", "p.rlx")[0] == 0
