"""Interpreter and compiled form compute what plain Python computes, and the checker finds nothing wrong. [X.O1]

`python -m tests.runtime.interpreter.test_third_meaning FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.values import RunFailure, ShapeValue
from tests.runtime.harness import session_of
from tests.runtime.interpreter.plain_tensors import F, S, T
from tests.runtime.interpreter.written_and_evaluated import Program
from tests.seeds import print_failing

SEEDS = 5_000 if os.environ.get("RELAX_NIGHTLY") else 100
CHUNK = 50


def native(value: Any) -> object:
    """Return a value as the engines take and give it."""
    if isinstance(value, T):
        return np.array(value.items, dtype=value.dtype).reshape(value.shape)
    if isinstance(value, S):
        return ShapeValue(tuple(value))
    return tuple([native(one) for one in value])


def differs(found: Any, wanted: Any) -> bool:
    """Return whether two values are not the same."""
    if isinstance(wanted, tuple):
        return not isinstance(found, tuple) or len(found) != len(wanted) or any(map(differs, found, wanted))
    if isinstance(wanted, np.ndarray):
        return (
            not isinstance(found, np.ndarray)
            or found.dtype != wanted.dtype
            or not np.array_equal(found, wanted)
        )
    return found != wanted


def problem(seed: int) -> str:
    """Return what is wrong with the meaning of a program, "" if nothing is."""
    program = Program(seed)
    found = check_source(SourceFile(program.text))
    errors = [one for one in found.diagnostics if one.severity == "error"]
    if errors:
        return f"the checker: {errors[0].slug} {errors[0].message}"
    wanted = native(program.value)
    for engine in ("interpreter", "compiled"):
        arguments = [native(value) for value in program.arguments.values()]
        try:
            value = session_of(program.text, engine=engine).call("main", arguments)
        except RunFailure as failure:
            return f"{engine}: {failure.slug} {failure.message}"
        if differs(value, wanted):
            return f"{engine}: {value!r}, not {wanted!r}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_X_O1_three_meanings_agree(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, f"seed {seed}: {found}\n{Program(seed).text}"


def test_the_programs_are_worth_running() -> None:
    texts = " ".join([Program(seed).text for seed in range(50)])
    words = (
        "match_cast",
        "fn (",
        "dataflow",
        "bindings",
        "if ",
        "shape(",
        "else",
        "output",
        "select(",
        "@twice",
        "rec",
    )
    assert all(word in texts for word in words)
    assert not any(isinstance(one, F) for seed in range(20) for one in Program(seed).arguments.values())


if __name__ == "__main__":
    print_failing(problem)
