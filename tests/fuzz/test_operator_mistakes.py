"""One mistake in a call of an operator is one message, whose fix gives the call back. [Y.7] [Z.5]

`python -m tests.fuzz.test_operator_mistakes FIRST COUNT [OPERATOR…]` tries seeds and prints those that fail.
"""

from __future__ import annotations

import os
import sys
from collections import Counter

import pytest

from relax_lang.base.diagnostic import ERROR, SAFE, Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from tests.edits import applied
from tests.fuzz.operators import FAMILIES
from tests.fuzz.operators.mistakes import Mistakes, call_in, meaning
from tests.fuzz.operators.trial import Trial

SEEDS = 40 if os.environ.get("RELAX_NIGHTLY") else 1
FIRST = 500
WITH_OTHERS = frozenset(("exchanged", "one less", "one more", "by position"))
"""Mistakes after which arguments mean something else, or do not fit for several reasons."""


def errors_of(text: str) -> list[Diagnostic]:
    return [one for one in check_source(SourceFile(text)).diagnostics if one.severity == ERROR]


def problems(word: str, seed: int) -> list[str]:
    """Return what is wrong with the messages about mistakes in one call."""
    trial = Trial(word, seed)
    call = call_in(trial.text)
    if trial.errors or call is None:
        return []
    found: list[str] = []
    for kind, text in Mistakes(trial.text, call):
        errors = errors_of(text)
        shown = f"{word} seed {seed}, {kind}: {text.splitlines()[-3]}\n{[one.message for one in errors]}"
        if len(errors) > 1 and kind not in WITH_OTHERS:
            found.append(f"{len(errors)} messages: {shown}")
        for fix in errors[0].fixes if errors else ():
            mended = applied(text, fix)
            if fix.applicability == SAFE and errors_of(mended) and kind not in WITH_OTHERS:
                found.append(f"a safe fix leads to an error: {shown}\n{mended}")
            elif fix.applicability == SAFE and kind != "one more" and meaning(mended) != meaning(trial.text):
                found.append(f"a safe fix leads to another call: {shown}\n{mended}")
    return found


@pytest.mark.parametrize("word", sorted(FAMILIES))
def test_Y_7_one_mistake_in_a_call_is_one_message(word: str) -> None:
    for seed in range(FIRST, FIRST + SEEDS):
        found = problems(word, seed)
        assert not found, "\n".join(found)


def test_the_mistakes_are_worth_trying() -> None:
    """Each kind occurs, and is one: the program with it has an error."""
    kinds, wrong = Counter[str](), Counter[str]()
    for word in sorted(FAMILIES)[::3]:
        trial = Trial(word, FIRST)
        call = call_in(trial.text)
        for kind, text in Mistakes(trial.text, call) if call is not None and not trial.errors else ():
            kinds[kind] += 1
            wrong[kind] += bool(errors_of(text))
    assert len(kinds) == 21
    assert all(wrong[kind] > kinds[kind] / 2 for kind in kinds if kind != "exchanged"), (kinds, wrong)


def main(first: int, count: int, *words: str) -> None:
    """Print what is wrong, for seeds from `first` on."""
    for word in words or sorted(FAMILIES):
        for seed in range(first, first + count):
            for found in problems(word, seed):
                sys.stdout.write(f"{found}\n\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
