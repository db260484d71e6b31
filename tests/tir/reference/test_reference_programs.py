"""Interpreter, compiled form and plain Python agree on programs written from the language reference alone. [TIR.21]

`python -m tests.tir.reference.test_reference_programs FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from tests.seeds import print_failing
from tests.tir.random_programs.test_random_programs import difference
from tests.tir.reference.programs import Program

SEEDS = 5_000 if os.environ.get("RELAX_NIGHTLY") else 40
CHUNK = 20


def problem(seed: int) -> str:
    """Return in what the meanings of a program differ, "" if in nothing."""
    program = Program(seed)
    if "bfloat16" in program.text and find_spec("ml_dtypes") is None:
        return ""  # arrays of that dtype need the package
    return difference(program.text, program.arguments())


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_programs_written_from_the_reference_have_one_meaning(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, f"seed {seed}: {found}\n{Program(seed).text}"


def test_the_programs_have_what_the_reference_describes() -> None:
    texts = " ".join([Program(seed).text for seed in range(150)])
    words = (
        "block ", "init {", "where ", "reduce(", "scan(", "opaque(", "spatial(", "while ", "alloc ", "let ",
        "if_then_else(", "select(", "parallel", "vectorized", "unrolled", "thread(", "grid(", "break;", "continue;",
        "else if", "assert ", "popcount(", "~", "<<", ">>", "^", "min_value(", "cast(", "-=", "*=", "uint64", "bool",
        "float16", "bfloat16", "-if_then_else(", "9223372036854775807",
    )  # fmt: skip
    assert [word for word in words if word not in texts] == []
    assert any(0 in Program(seed).sizes.values() for seed in range(20))


if __name__ == "__main__":
    print_failing(problem)
