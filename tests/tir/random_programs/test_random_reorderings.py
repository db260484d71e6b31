"""Random programs whose iterations depend on each other mean the same interpreted and compiled. [TIR.21]

`python -m tests.tir.random_programs.test_random_reorderings FIRST COUNT` tries seeds and prints those that
differ, and how many of the programs each pass has changed.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.seeds import print_failing
from tests.tir.random_programs.reorderings import Reordering
from tests.tir.support import REPEATED, assert_close, outcome, prim_func

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 600
CHUNK = 50
ROUNDED = 16
"""Units in the last place by which sums may differ that add the same numbers in another order."""


def differs(seed: int) -> str:
    """Return in what the meanings of a random program differ; "" if in nothing."""
    nest = Reordering(seed)
    func = prim_func(nest.text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return ""
    args = nest.arguments()
    with np.errstate(all="ignore"):
        failure, wanted = outcome(lambda *values: interpreter.run(func, values), args)
        for call in range(REPEATED):
            try:
                compiled = compile_prim_func(func)
                found_failure, found = outcome(compiled.run, args)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            about = f"compiled, call {call}"
            if failure != found_failure:
                return f"{about}: {found_failure or 'no failure'}, interpreted: {failure or 'no failure'}"
            for want, have in zip(wanted, found, strict=True):
                try:
                    assert_close(have, want, 0 if is_exact(want) else ROUNDED)
                except AssertionError:
                    return f"{about}: {have.tolist()}, interpreted: {want.tolist()}"
    return ""


def is_exact(array: np.ndarray) -> bool:
    """Return whether sums of whole numbers as large as those in an array are the same in any order."""
    if array.dtype.kind != "f":
        return True
    finite = np.abs(array, where=np.isfinite(array), out=np.zeros_like(array))
    return bool(finite.max(initial=0) * ROUNDED < 2.0 ** (np.finfo(array.dtype).nmant + 1))


def test_sums_of_numbers_that_floats_do_not_hold_are_rounded() -> None:
    one = np.array([2.0, 1.0], np.float32)
    assert is_exact(one)
    assert not is_exact(one * 2**22)
    assert is_exact(np.full(2, 2**40))
    assert not differs(7203051)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_reordered_programs_agree(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}\n{Reordering(seed).text}"


if __name__ == "__main__":
    print_failing(differs)
