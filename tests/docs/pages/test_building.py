"""docs/building.md: its Python runs in order, its commands print what the page shows; so do samples/passes."""

from __future__ import annotations

import runpy
import sys
from typing import TYPE_CHECKING

from relax_lang import api
from tests.docs.pages.walkthrough import FENCE, walk
from tests.docs.tools import ROOT, SAMPLES, formatted, relax

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = walk(PAGE, tmp_path, capsys)
    assert {"console", "python", "relax"} <= set(kinds)


def test_its_programs_are_formatted() -> None:
    for kind, _, body in FENCE.findall(PAGE):
        if kind == "relax":
            assert formatted(body) == body


def test_the_sample_that_builds_a_program() -> None:
    built = runpy.run_path(str(SAMPLES / "passes" / "build_mlp.py"))["build"]()
    assert "call_tir(@leaky, (lv_1,))" in built.get().script()


def test_the_sample_of_a_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.rlx"
    subnormal = 2.0**-128  # its inverse is too large for float32
    text = f"def @main(x: Tensor[(n,), float32]) {{ x / 4.0 + x / 3.0 + x / {subnormal!r} }}"
    model.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["strength.py", str(model)])
    runpy.run_path(str(SAMPLES / "passes" / "strength.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "multiply(x, 0.25)" in shown
    assert shown.count("divide(x, ") == 2
    assert not api.check(shown).has_errors


def test_the_sample_of_rules(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(SAMPLES / "passes")
    status, out, err = relax("relax opt model.rlx --rules rules.rlx --compare 1 --dim n=3", capsys)
    assert (status, err) == (0, "")
    assert "ewise_fma(x, w, x)" in out
    assert "permute_dims" not in out
