"""Reference, scalar interpreter and compiled form agree on things that people write, one after the other. [TIR.21]

`python -m tests.tir.random_programs.idioms.test_random_idioms FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os

import pytest

from relax_lang.format.printer import show
from tests.seeds import print_failing
from tests.tir.random_programs.idioms.programs import Idioms
from tests.tir.random_programs.test_random_programs import difference
from tests.tir.support import prim_func

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 200
CHUNK = 50


def differs(seed: int) -> str:
    """Return in what the meanings of a random program differ."""
    program = Idioms(seed)
    return difference(program.text(), program.arguments())


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_three_meanings_agree_on_random_idioms(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}\n{Idioms(seed).text()}"


def test_Y_10_parentheses_that_are_not_needed_change_nothing() -> None:
    for seed in range(100):
        program = Idioms(seed)
        full, needed = prim_func(program.text(full=True)), prim_func(program.text())
        assert show(full).replace("(", "").replace(")", "") == show(needed).replace("(", "").replace(")", "")
        assert show(full) == show(needed), program.text()


if __name__ == "__main__":
    print_failing(differs)
