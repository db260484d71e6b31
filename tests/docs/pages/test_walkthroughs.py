"""docs/tutorial.md and docs/comparison.md: programs are saved, commands run in order and print what the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.pages.walkthrough import FENCE, walk
from tests.docs.tools import ROOT, formatted

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", ["tutorial", "comparison"])
def test_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert "console" in walk(text, tmp_path, capsys)


def test_programs_of_the_tutorial_are_formatted() -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    programs = [body for kind, _, body in FENCE.findall(text) if kind == "relax"]
    assert len(programs) > 5
    for program in programs:
        assert formatted(program) == program
