"""Fixes of what people write who come from elsewhere: a safe fix gives the program that was meant, an unsafe one leads
to no error of the same kind in the same place. [Y.7] [Z.4]"""

from __future__ import annotations

import os
import random
import re

import pytest

from relax_lang import api
from relax_lang.api.programs import RelaxError
from relax_lang.base.diagnostic import ERROR
from tests.edits import applied
from tests.fuzz.habits_from_elsewhere import mutated
from tests.fuzz.whole_programs.programs import WholeProgram

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 20
PER_PART = 10


def errors(text: str) -> list[tuple[str, int]]:
    return [(one.slug, one.pos) for one in api.check(text).diagnostics if one.severity == ERROR]


def problem(seed: int) -> str:
    """Return what does not hold for the fixes of a program, or nothing."""
    text = WholeProgram(seed).text
    if errors(text):
        return ""
    draw = random.Random(seed)
    wrong = next((one for _ in range(40) if (one := mutated(text, draw)) is not None), text)
    found = api.check(wrong).diagnostics
    before = sum(one.severity == ERROR for one in found)
    for one in found:
        for fix in one.fixes if one.severity == ERROR else ():
            if ", if " in fix.title:
                continue  # a guess, and it says so
            fixed = applied(wrong, fix)
            after = errors(fixed)
            if before == 1 and any(slug == one.slug and abs(pos - one.pos) < 3 for slug, pos in after):
                return (
                    f"seed {seed}: {one.slug} again after {fix.title!r}\n{shown(wrong, fixed, one.message)}"
                )
            if len(after) > before:
                return f"seed {seed}: more errors after {fix.title!r} {after}\n{shown(wrong, fixed, one.message)}"
    if not before:
        return ""
    mended = api.fix_text(wrong).text
    if mended != wrong and not errors(mended) and not same(text, mended):
        return f"seed {seed}: another program after safe fixes\n{shown(wrong, mended, str(found[0]))}"
    return ""


ALIKE = ((r"axis=\[(-?\d+)\]", r"axis=\1"), (r"where\((\w+), (\w+), (\w+)\)", r"if \1 { \2 } else { \3 }"))
"""Two ways to write one thing: one axis, and a choice by one bool."""


def in_one_way(text: str) -> str:
    for pattern, instead in ALIKE:
        text = re.sub(pattern, instead, text)
    return text


def same(text: str, other: str) -> bool:
    """Return whether two programs are one, in some of the ways to write them: of tensors, `where` is no `if`."""
    return any(alike(way(text), way(other)) for way in (str, in_one_way))


def alike(text: str, other: str) -> bool:
    try:
        return not api.differences(text, other)
    except RelaxError:
        return False


def shown(wrong: str, fixed: str, message: str) -> str:
    lines = [
        f"- {left}\n+ {right}"
        for left, right in zip(wrong.splitlines(), fixed.splitlines(), strict=False)
        if left != right
    ]
    return "\n".join([message, *lines[:3]])


@pytest.mark.parametrize("first", range(0, SEEDS, PER_PART))
def test_Y_7_what_is_offered_for_habits_from_elsewhere(first: int) -> None:
    assert [found for seed in range(first, first + PER_PART) if (found := problem(seed))] == []


@pytest.mark.parametrize("info", ["Tensor[2, float32]", "Shape[2]"])
def test_Y_7_a_number_without_a_name_is_an_extent_or_the_rank(info: str) -> None:
    text = f"def @f(x: {info}) {{ x }}"
    (found,) = api.check(text).diagnostics
    titles = [fix.title for fix in found.fixes]
    assert titles == ["write `(2,)`, if 2 is the extent", "write `ndim=2`, if it is the rank"]
    assert [errors(applied(text, fix)) for fix in found.fixes] == [[], []]
