"""docs/vm.md: its commands print what the page shows, its Python runs, its table has every builtin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relax_lang.vm.builtins import BUILTINS
from tests.docs.pages.walkthrough import walk
from tests.docs.tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = (ROOT / "docs" / "vm.md").read_text(encoding="utf-8")


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert {"console", "python", "relax"} <= set(walk(PAGE, tmp_path, capsys))


def test_the_table_of_builtins() -> None:
    for name, builtin in BUILTINS.items():
        assert f"| `{name}` |" in PAGE
        assert f"| {builtin.summary} |" in PAGE
