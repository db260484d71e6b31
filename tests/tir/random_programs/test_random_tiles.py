"""Products of tiles of an image: the compiled form gives what NumPy gives, the interpreter the same. [TIR.21]

`python -m tests.tir.random_programs.test_random_tiles FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.random_programs.tiles import Tiles
from tests.tir.support import prim_func

SEEDS = 5_000 if os.environ.get("RELAX_NIGHTLY") else 120
CHUNK = 40


def difference(seed: int) -> str:
    """Return what is wrong with a program: an error of the checks, an exception, or another result."""
    tiles = Tiles(seed)
    func = prim_func(tiles.text)
    errors = [found for found in check_prim_func(func) if found.severity == "error"]
    if errors:
        return f"seed {seed}: {errors[0]}\n{tiles.text}"
    values = tiles.arguments()
    expected = tiles.expected(*values[:4])
    runs = {"compiled": compile_prim_func(func).run}
    if not tiles.is_large:
        runs["interpreter"] = lambda *args: interpreter.run(func, args)
    for engine, run in runs.items():
        copies = [value.copy() for value in values]
        try:
            run(*copies)
        except Exception as error:
            return f"seed {seed}: {engine}: {type(error).__name__}: {error}\n{tiles.text}"
        if not np.array_equal(copies[3], expected):  # whole numbers, exact in any order
            return f"seed {seed}: {engine} differs\n{tiles.text}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_tiles_of_images(first: int) -> None:
    assert "\n".join(filter(None, [difference(seed) for seed in range(first, first + CHUNK)])) == ""


if __name__ == "__main__":
    start, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(start, start + count):
        found = difference(number)
        if found:
            sys.stdout.write(found)
