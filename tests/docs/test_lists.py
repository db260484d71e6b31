"""Numbered lists count up by one: a line that only happens to begin with a number would be shown as a list."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("editors/**/README.md")])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numbered_lists_count_up_by_one(path: Path) -> None:
    in_code, last = False, 0
    for line in path.read_text("utf-8").splitlines():
        in_code ^= line.lstrip().startswith("```")
        item = re.match(r"(\d+)\. ", line)
        if item is not None and not in_code:
            assert int(item[1]) in (1, last + 1), line
            last = int(item[1])
        elif line.startswith("#"):
            last = 0
