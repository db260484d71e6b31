"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import BAD, BROKEN, GOOD, UGLY, Relax


@pytest.fixture
def relax(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Relax:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "RELAX_OUTPUT_FORMAT", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Relax(monkeypatch, capfd)


@pytest.fixture
def files(relax: Relax, tmp_path: Path) -> Path:
    """A folder, which is the current one, with a program of each kind."""
    for name, text in {"good": GOOD, "ugly": UGLY, "bad": BAD, "broken": BROKEN}.items():
        (tmp_path / f"{name}.rlx").write_text(text)
    return tmp_path
