"""Random functions over rows, in blocks of a few rows: values and failures are those of the interpreter. [X.O1] [X.O4]

`python -m tests.runtime.compiler.row_blocks.test_random_rows FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.programs import RelaxError
from relax_lang.runtime.compiler import program, row_blocks
from tests.runtime.compiler.row_blocks.random_rows import RandomRows
from tests.seeds import print_failing

SEEDS = 4_000 if os.environ.get("RELAX_NIGHTLY") else 80
CHUNK = 20
SIZES = ((3, 2), (1, 1), (0, 2), (2, 0), (4, 4), (7, 1), (13, 3), (8, 5))
BLOCKS = (1, 48, 400)
"""Bytes of a block: single rows, a few of them, and blocks that are not all alike."""
CALLS = 3
"""Later calls write over what is dead."""


@contextmanager
def blocks_of(count: int) -> Iterator[list[int]]:
    """Make groups run in blocks of so many bytes; what is given has the rows of those that did."""
    patch = pytest.MonkeyPatch()
    for name in ("BLOCK", "LARGEST_BLOCK"):
        patch.setattr(row_blocks, name, count)
    for name in ("LARGE", "FEWEST_ROWS"):
        patch.setattr(row_blocks, name, 1)
    patch.setattr(program, "_CACHE", OrderedDict())
    found: list[int] = []
    run = row_blocks._Blocks.run

    def counted(blocks: Any, *given: Any) -> Any:
        made = run(blocks, *given)
        if made is not None:
            found.append(blocks._rows)
        return made

    patch.setattr(row_blocks._Blocks, "run", counted)
    try:
        yield found
    finally:
        patch.undo()


def outcome(run: Callable[..., object], args: list[np.ndarray]) -> tuple[str, Any]:
    """Run a form of a program on arguments; return its value, or its failure and where it is."""
    try:
        made = run(*args)
    except RelaxError as error:
        one = error.diagnostics[0]
        return one.slug, one.message
    return "", made if isinstance(made, tuple) else (made,)


def differ(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    """Return whether two outcomes are not the same; NaN is NaN."""
    if one[0] or other[0]:
        return one != other
    return any(
        (a.dtype, a.shape) != (b.dtype, b.shape) or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(one[1], other[1], strict=True)
    )


def problem(seed: int) -> str:
    """Return what does not hold for a program, or nothing."""
    rows = RandomRows(seed)
    checked = api.check(rows.text)
    errors = [one for one in checked.diagnostics if one.severity == "error"]
    if errors:
        return f"seed {seed}: {errors[0].message}\n{rows.text}" if errors[0].slug in WRONG else ""

    def runs(session: Any) -> Callable[..., object]:
        return lambda *args: api.run_session(session, "main", args)

    interpreted = runs(api.start(checked, engine="interpreter"))
    shape = [(n, m, seed % 5 == 0 and turn % 2 == 1) for turn, (n, m) in enumerate(SIZES)]
    given = [[api_shape(n, m), *rows.arguments(n, m, wrong)] for n, m, wrong in shape]
    wanted = [outcome(interpreted, copied(args)) for args in given]
    with blocks_of(BLOCKS[seed % len(BLOCKS)]):
        forms = {
            "compiled": runs(api.start(checked)),
            "machine": runs(api.start_executable(api.build(rows.text))),
        }
        if seed % 3 == 0:
            forms["legal"] = runs(api.start(api.optimize(rows.text, "LegalizeOps")))
        for name, form in forms.items():
            for (n, m, _), args, value in zip(shape, given, wanted, strict=True):
                for call in range(CALLS):
                    own = copied(args)
                    found = outcome(form, own)
                    about = f"seed {seed}: {name}, call {call} at n = {n}, m = {m}"
                    if name == "legal" and value[0]:
                        continue  # what is not used may be left out, and the first of two failures another
                    if differ(found, value):
                        return f"{about}: {found}, not {value}\n{args}\n{rows.text}"
                    if differ(("", tuple(own[1:])), ("", tuple(args[1:]))):
                        return f"{about}: an argument was changed\n{rows.text}"
    return ""


WRONG = ("syntax", "internal-error", "undefined-variable", "arity", "op-dtype-mismatch")
"""Errors that a program as it is drawn never has."""


def api_shape(*sizes: int) -> Any:
    from relax_lang.values import ShapeValue

    return ShapeValue(sizes)


def copied(args: list[Any]) -> list[Any]:
    """Return copies of arguments, in which what is one array stays one."""
    made: dict[int, Any] = {}
    for one in args:
        if id(one) not in made:
            made[id(one)] = one.copy() if isinstance(one, np.ndarray) else one
    return [made[id(one)] for one in args]


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_X_O4_rows_in_blocks_are_the_rows_of_the_whole(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, found


if __name__ == "__main__":
    print_failing(problem)
