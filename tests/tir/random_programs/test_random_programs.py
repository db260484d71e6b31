"""Reference, scalar interpreter and compiled form agree on random programs: values, and the kind of failure. [TIR.21]

`python -m tests.tir.random_programs.test_random_programs FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from relax_lang.base.node import walk
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.seeds import print_failing
from tests.tir.random_programs.programs import Program
from tests.tir.reference import interpreter as reference_interpreter
from tests.tir.reference.interpreter import Array
from tests.tir.reference.numbers import Unspecified
from tests.tir.support import REPEATED, prim_func

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 300
CHUNK = 50


def native(arguments: dict) -> list:
    """Return arguments for the project: NumPy arrays, numbers."""
    return [
        np.array(value.items, dtype=np.float64 if value.dtype == "bfloat16" else named_dtype(value.dtype))
        .astype(named_dtype(value.dtype))
        .reshape(value.shape)
        if isinstance(value, Array)
        else value
        for value in arguments.values()
    ]


def outcome(run, values: list) -> tuple[str, list]:
    """Return the kind of failure, and what the arrays hold afterwards."""
    copies = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
    slug = ""
    try:
        run(copies)
    except RunFailure as failure:
        slug = failure.slug
    except Exception as error:
        slug = f"{type(error).__name__}: {error}"
    arrays = [value for value in copies if isinstance(value, np.ndarray)]
    wide = [array if array.dtype.kind in "biu" else array.astype(np.float64) for array in arrays]
    return slug, [array.ravel().tolist() for array in wide]


def difference(text: str, arguments: dict) -> str:
    """Return in what the three meanings of a program differ, "" if in nothing, None if it means nothing certain."""
    func = prim_func(text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return ""
    values = native(arguments)
    own = {
        name: Array(v.shape, v.dtype, list(v.items)) if isinstance(v, Array) else v
        for name, v in arguments.items()
    }
    try:
        slug = reference_interpreter.run(func, own)
    except Unspecified:
        return ""
    flat = [value.items for value in own.values() if isinstance(value, Array)]
    interpreted = outcome(lambda args: interpreter.run(func, args), values)
    if interpreted[0] != slug:
        return f"interpreter: {interpreted[0] or 'no failure'}, reference: {slug or 'no failure'}"
    if interpreted[1] != flat:
        return f"interpreter: {interpreted[1]}, reference: {flat}"
    try:
        compiled = compile_prim_func(func)
    except Exception as error:
        return f"compiler: {type(error).__name__}: {error}"
    for call in range(REPEATED):
        found = outcome(lambda args: compiled.run(*args), values)
        if found[0] != slug:
            return f"compiled, call {call}: {found[0] or 'no failure'}, reference: {slug or 'no failure'}"
        if found[1] != flat:
            return f"compiled, call {call}: {found[1]}, reference: {flat}"
    return ""


def differs(seed: int) -> str:
    """Return in what the meanings of a random program differ."""
    program = Program(seed)
    return difference(program.text, program.arguments())


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_three_meanings_agree_on_random_programs(first):
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}\n{Program(seed).text}"


def test_a_counter_ends_every_while():
    loops = [
        node
        for seed in range(200)
        for node in walk(prim_func(Program(seed).text))
        if isinstance(node, tree.While)
    ]
    assert len(loops) > 10
    for loop in loops:
        first = loop.condition.a if isinstance(loop.condition, tree.And) else loop.condition
        assert isinstance(first, tree.LT)
        assert isinstance(first.a, tree.BufferLoad)


if __name__ == "__main__":
    print_failing(differs)
