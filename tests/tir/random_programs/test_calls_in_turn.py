"""Calls of one function with sizes and layouts that change from call to call mean what each means alone. [TIR.21]

What the calls before found out, and the forms that were made for these, must not be seen in a later one.
`python -m tests.tir.random_programs.test_calls_in_turn FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
from random import Random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.seeds import print_failing
from tests.tir.random_programs.borders import Borders
from tests.tir.random_programs.kernels import Kernel
from tests.tir.random_programs.nests.nests import Nest
from tests.tir.random_programs.recurrences.recurrences import Recurrence
from tests.tir.random_programs.recurrences.scans import Scan
from tests.tir.support import assert_close, prim_func

SEEDS = 10_000 if os.environ.get("RELAX_NIGHTLY") else 160
CHUNK = 20
SIZES = (0, 1, 2, 3, 4, 5, 7)
PROGRAMS = (Borders, Kernel, Nest, Recurrence, Scan)
SHARED = ("array", "front", "back")


def arguments_of(program, random: Random) -> list:
    """Return arguments of other sizes than before, where the program has them."""
    if isinstance(program, Nest | Scan):
        program.dims = {name: random.choice(SIZES) for name in program.dims}
    if isinstance(program, Kernel):
        program.n, program.m = random.choice(SIZES), random.choice(SIZES)
    return [value.copy() if isinstance(value, np.ndarray) else value for value in program.arguments()]


def laid_out(values: list, seed: int) -> list:
    """Return arguments of the same values in memory of their own; some are views, some share theirs."""
    random = Random(seed)
    plain = random.random() < 0.4
    result = [
        value if not isinstance(value, np.ndarray) else value.copy() if plain else _layout(value, random)
        for value in values
    ]
    if random.random() < 0.25:
        _share(result, random)
    return result


def _layout(array: np.ndarray, random: Random) -> np.ndarray:
    match random.randrange(9):
        case 0:
            return np.array(array, order="F")
        case 1 if array.ndim:
            return np.repeat(array, 2, -1)[..., ::2]
        case 2 if array.ndim:
            return array[::-1].copy()[::-1]
        case 3:
            copy = array.copy()
            copy.flags.writeable = random.random() < 0.5
            return copy
        case 4:  # not aligned
            raw = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
            raw[...] = array
            return raw
        case 5 if random.random() < 0.2 and array.dtype.itemsize > 1:
            return array.astype(array.dtype.newbyteorder())
        case 6 if array.ndim > 1:
            return array.swapaxes(0, -1).copy().swapaxes(0, -1)
        case _:
            return array.copy()


def _share(values: list, random: Random) -> None:
    """Give two arrays of one shape and dtype the same memory, or a part of it."""
    arrays = [at for at, value in enumerate(values) if isinstance(value, np.ndarray) and value.ndim]
    pairs = [
        (one, other)
        for one in arrays
        for other in arrays
        if one < other
        and values[one].shape == values[other].shape
        and values[one].dtype == values[other].dtype
    ]
    if not pairs:
        return
    one, other = random.choice(pairs)
    match random.choice(SHARED):
        case "array":
            values[other] = values[one]
        case "front" if len(values[one]):
            both = np.concatenate([values[one], values[one][:1]])
            values[one], values[other] = both[:-1], both[1:]
        case _:
            values[other] = values[one][::-1]


def outcome(run, values: list) -> tuple[str, list[np.ndarray]]:
    """Return the failure of a call, and what its arrays hold afterwards."""
    failure = ""
    try:
        run(*values)
    except RunFailure as error:
        failure = f"{error.slug}: {error.message}"
    return failure, [value for value in values if isinstance(value, np.ndarray)]


def differs(seed: int) -> str:
    """Return in what a call differs from the interpreter; "" if none does."""
    random = Random(f"turns {seed}")
    program = PROGRAMS[seed % len(PROGRAMS)](seed)
    func = prim_func(program.text)
    if any(found.severity == "error" for found in check_prim_func(func)):
        return ""
    calls = [(arguments_of(program, random), random.randrange(1 << 30)) for _ in range(4)]
    compiled = compile_prim_func(func)
    wanted = [outcome(lambda *given: interpreter.run(func, given), laid_out(*call)) for call in calls]
    turns = [0, 0, 0, 1, 0, 1, 1, *[random.randrange(4) for _ in range(12)]]
    for turn in turns:
        failure, arrays = outcome(compiled.run, laid_out(*calls[turn]))
        if failure != wanted[turn][0]:
            return f"call {turn}: {failure!r}, wanted {wanted[turn][0]!r}\n{compiled.source}"
        for have, want in zip(arrays, wanted[turn][1], strict=True):
            try:
                assert_close(have, want, 16 if have.dtype.kind == "f" else 0)
            except AssertionError as error:
                return f"call {turn}: {error}\n{compiled.source}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_calls_of_other_sizes_and_layouts_take_turns(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = differs(seed)
        assert not found, f"seed {seed}: {found}"


if __name__ == "__main__":
    print_failing(differs)
