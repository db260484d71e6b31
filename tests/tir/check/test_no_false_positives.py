"""Programs in order: nothing is told of them, however they are written. [TIR.8] [TIR.9] [TIR.15] [TIR.18]"""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.base.diagnostic import OFF
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir.check.driver import Report

TESTS = Path(__file__).parents[1]
SAMPLES = TESTS.parent.parent / "samples"
PATHS = sorted(
    [
        *TESTS.glob("**/*.rlx"),
        *[path for path in SAMPLES.glob("**/*.rlx") if "bad" not in path.parts],
        *(TESTS.parent.parent / "benchmarks").glob("*.rlx"),
    ]
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_TIR_8_nothing_is_told_of_programs_in_order(path: Path) -> None:
    items = parse(path.read_text(encoding="utf-8")).tree.items
    for func in [item for item in items if isinstance(item, tree.PrimFunc)]:
        told = [one for one in Report(func).diagnostics if one.severity != OFF]
        assert told == [], func.name.name_hint


def test_there_are_programs() -> None:
    assert len(PATHS) > 20
