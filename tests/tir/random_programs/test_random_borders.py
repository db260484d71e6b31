"""Programs at the borders of dtypes mean the same compiled, as Python over scalars, and interpreted. [TIR.21]

`python -m tests.tir.random_programs.test_random_borders FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse, check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.spelling import Unspelled
from tests.seeds import print_failing
from tests.tir.random_programs.borders import Borders
from tests.tir.support import assert_close, outcome, prim_func

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 240
CHUNK = 40
FORMS = ({"native": False}, {"native": False, "held": True})


def differs(seed: int) -> str:
    """Return in what the meanings of a random program differ; "" if in nothing.

    Calls of several sizes take turns, until calls of each have a form of their own.
    """
    borders = Borders(seed)
    func = prim_func(borders.text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return ""
    compiled = compile_prim_func(func)
    forms = [form for kind in FORMS if (form := _form(func, kind)) is not None]
    calls = [borders.arguments() for _ in range(3)]
    wanted = [outcome(lambda *values: interpreter.run(func, values), call) for call in calls]
    for at in (0, 0, 1, 0, 1, 1, 2, 0, 2, 2, 1, 2, 2, 0):
        found = _difference(outcome(compiled.run, calls[at]), wanted[at], borders)
        if found:
            return f"call {at}: {found}\n{compiled.source}"
    for form in forms:
        for at, call in enumerate(calls):
            try:
                have = outcome(lambda *values, form=form: form(values, new_array), call)
            except Unspelled:
                continue
            found = _difference(have, wanted[at], borders)
            if found:
                return f"call {at}: {found}\n{form.text}"
    return ""


def _form(func, kind: dict[str, bool]) -> LoopsFunction | None:
    try:
        return LoopsFunction(analyse(func), **kind)
    except Unspelled:
        return None


def _difference(found, wanted, borders: Borders) -> str:
    if found[0] != wanted[0]:
        return f"{found[0]!r}, wanted {wanted[0]!r}"
    for have, want in zip(found[1], wanted[1], strict=True):
        try:
            assert_close(have, want, 16 if borders.is_float else 0)
        except AssertionError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_random_programs_at_borders_have_one_meaning(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}\n{Borders(seed).text}"


def test_random_programs_at_borders_are_worth_running() -> None:
    """Most are programs without mistakes; some are arrays of NumPy, some stay sequential, some fail when they run."""
    right = [one for seed in range(120) if not _has_mistakes(one := Borders(seed))]
    compiled = [(one, compile_prim_func(prim_func(one.text))) for one in right]
    assert len(right) > 70
    assert sum(each.vectorized for _, each in compiled) > 40
    failures = [outcome(each.run, one.arguments(9))[0] for one, each in compiled]
    assert sum(map(bool, failures)) > 10
    assert sum(not one for one in failures) > 20


def _has_mistakes(borders: Borders) -> bool:
    return any(one.severity == "error" for one in check_prim_func(prim_func(borders.text)))


if __name__ == "__main__":
    np.seterr(all="ignore")
    print_failing(differs)
