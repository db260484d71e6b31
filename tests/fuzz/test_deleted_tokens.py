"""One token is deleted from a sample: what a safe fix then writes is the program again. [Y.7] [Y.8]

`python -m tests.fuzz.test_deleted_tokens FILE…` tries every token of files and prints what is wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.syntax import lalr_table
from tests.edits import applied

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.rlx"))
STEP = 1 if os.environ.get("RELAX_NIGHTLY") else 5
OTHER_NAME = "a block has a name"
ONE_FIELD = "a tuple with one field is written"


def errors_of(text: str) -> list[Diagnostic]:
    return [one for one in check_source(SourceFile(text)).diagnostics if one.severity == ERROR]


def without_tokens(text: str, first: int = 0, step: int = 1) -> Iterator[str]:
    """Return the text without one token each."""
    tokens = [match.span(match.lastindex or 0) for match in lalr_table.tokens(text, 0, len(text))]
    for pos, end in tokens[first::step]:
        if text[pos] != "#":
            yield text[:pos] + text[end:]


def problem(text: str, whole: str) -> str:
    """Return what is wrong with the safe fixes of the first error."""
    for found in errors_of(text)[:1]:
        for fix in found.fixes:
            mended = applied(text, fix)
            if fix.applicability != SAFE or found.message == OTHER_NAME or fix.title.startswith(ONE_FIELD):
                continue
            if errors_of(mended):
                return f"{fix.title} (of {found.message}) leads to {errors_of(mended)[0].message}\n{mended}"
            if api.format_text(mended) != whole:
                return f"{fix.title} (of {found.message}) makes another program\n{mended}"
    return ""


def problems(path: Path, first: int = 0, step: int = 1) -> list[str]:
    text = path.read_text(encoding="utf-8")
    whole = api.format_text(text)
    return [found for one in without_tokens(text, first, step) if (found := problem(one, whole))]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_Y_7_a_safe_fix_puts_back_what_was_deleted(path: Path) -> None:
    assert problems(path, step=STEP) == []


def test_safe_fixes_are_offered_at_all() -> None:
    texts = list(without_tokens(SAMPLES[4].read_text(encoding="utf-8"), step=7))
    safe = [any(fix.applicability == SAFE for one in errors_of(text) for fix in one.fixes) for text in texts]
    assert sum(safe) > len(texts) / 20


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for found in problems(Path(name)):
            sys.stdout.write(f"{found}\n\n")
            sys.stdout.flush()
