"""These tests say themselves which engine they mean."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

from relax_lang.runtime.compiler import program, row_blocks


@pytest.fixture(autouse=True)
def engine_of_the_harness() -> None:
    """Leave the harness as it is: compiled."""


@pytest.fixture
def single_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make groups of bindings run row by row; return how many blocks each call of a group had."""
    for name in ("LARGE", "BLOCK", "LARGEST_BLOCK", "FEWEST_ROWS"):
        monkeypatch.setattr(row_blocks, name, 1)
    monkeypatch.setattr(program, "_CACHE", OrderedDict())  # where rows are counted is part of the code
    found: list[int] = []
    run = row_blocks._Blocks.run

    def counted(blocks: Any, *given: Any) -> Any:
        made = run(blocks, *given)
        if made is not None:
            found.append(blocks._rows)
        return made

    monkeypatch.setattr(row_blocks._Blocks, "run", counted)
    return found
