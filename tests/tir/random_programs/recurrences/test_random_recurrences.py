"""Recurrences of one dimension mean the same compiled and interpreted. [TIR.21]

`python -m tests.tir.random_programs.recurrences.test_random_recurrences FIRST COUNT` prints seeds that differ.
"""

from __future__ import annotations

import os

import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.seeds import print_failing
from tests.tir.random_programs.recurrences.recurrences import Recurrence
from tests.tir.support import assert_same_outcome, prim_func

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 400
CHUNK = 40


def differs(seed: int) -> str:
    """Return in what the meanings of a random recurrence differ; "" if in nothing."""
    recurrence = Recurrence(seed)
    func = prim_func(recurrence.text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return ""
    for _ in range(3):
        try:
            assert_same_outcome(func, recurrence.arguments(), 16 if recurrence.is_float else 0)
        except AssertionError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_random_recurrences_have_one_meaning(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}\n{Recurrence(seed).text}"


def test_random_recurrences_are_worth_running() -> None:
    """Some are one accumulate, some something else of NumPy, and some stay sequential."""
    funcs = [prim_func(Recurrence(seed).text) for seed in range(150)]
    right = [func for func in funcs if not any(one.severity == "error" for one in check_prim_func(func))]
    compiled = [compile_prim_func(func) for func in right]
    assert len(right) > 70
    assert sum("accumulate(np." in one.source for one in compiled if one.vectorized) > 8
    assert sum(one.stays_sequential for one in compiled) > 15
    assert sum(one.vectorized and not one.stays_sequential for one in compiled) > 15


if __name__ == "__main__":
    print_failing(differs)
