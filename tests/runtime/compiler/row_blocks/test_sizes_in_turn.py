"""Random functions called again and again with sizes that grow and shrink, by two threads now and then. [X.O1] [X.O4]

The calls go on until there are forms for certain sizes, of functions and of PrimFuncs; some of them are given one array
twice. `python -m tests.runtime.compiler.row_blocks.test_sizes_in_turn FIRST COUNT` tries seeds and prints those that
differ.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Any

import pytest

import relax_lang
from relax_lang import api
from relax_lang.runtime.calling import entry_point
from relax_lang.tir.calls import repeated
from tests.runtime.compiler.row_blocks.random_rows import RandomRows
from tests.runtime.compiler.row_blocks.test_random_rows import api_shape, copied, differ, outcome
from tests.seeds import print_failing

SEEDS = 2_000 if os.environ.get("RELAX_NIGHTLY") else 6
CHUNK = 2
GROWING = ((0, 2), (1, 1), (2, 1), (2, 2), (3, 2), (4, 4), (5, 2), (7, 1), (8, 5), (13, 3), (2, 0))
OFTEN = 262
"""So often one combination of sizes comes: forms for it are made before the last call."""
AT_ONCE = (127, 128, 129, 254, 255, 256, 257)
"""Calls with this combination that two threads make at once, about when forms are made."""


@pytest.fixture(autouse=True)
def usual_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make forms when programs do, whatever other tests have chosen."""
    monkeypatch.setattr(repeated, "CERTAIN_AT", (256, 1024))


def sizes_in_turn(random: Random, count: int) -> Iterator[int]:
    """Yield which arguments a call has: sizes that grow, then shrink, then one of them most of the time."""
    yield from range(count)
    yield from reversed(range(count))
    often = random.randrange(count)
    for _ in range(OFTEN):
        yield often
        if random.random() < 0.15:
            yield random.randrange(count)


def problem(seed: int) -> str:
    """Return what does not hold for a program, or nothing."""
    rows, random = RandomRows(seed), Random(f"sizes {seed}")
    checked = api.check(rows.text)
    if checked.has_errors:
        return ""
    given = [
        [api_shape(n, m), *rows.arguments(n, m, wrong=at % 5 == 3 and seed % 4 == 0)]
        for at, (n, m) in enumerate(GROWING)
    ]
    interpreter = api.start(checked, engine="interpreter")
    wanted = [outcome(called(interpreter), copied(args)) for args in given]
    module = relax_lang.loads(rows.text)
    ways = {"session": called(api.start(checked)), "module": module["main"]}
    with ThreadPoolExecutor(2) as threads:
        for name, run in ways.items():
            seen: dict[int, int] = {}
            for at in sizes_in_turn(random, len(given)):
                seen[at] = seen.get(at, 0) + 1
                about = f"seed {seed}: {name}, call {seen[at]} at {GROWING[at]}"
                both = seen[at] in AT_ONCE
                for found, own in at_once(threads, run, given[at]) if both else [once(run, given[at])]:
                    if differ(found, wanted[at]):
                        return f"{about}: {found}, not {wanted[at]}\n{given[at]}\n{rows.text}"
                    if differ(("", tuple(own[1:])), ("", tuple(given[at][1:]))):
                        return f"{about}: an argument was changed\n{rows.text}"
    return ""


def called(session: Any) -> Callable[..., object]:
    return lambda *args: api.run_session(session, "main", args)


def once(run: Callable[..., object], args: list[Any]) -> tuple[tuple[str, Any], list[Any]]:
    """Return the outcome of a call, and its arguments afterwards."""
    own = copied(args)
    return outcome(run, own), own


def at_once(
    threads: ThreadPoolExecutor, run: Callable[..., object], args: list[Any]
) -> list[tuple[tuple[str, Any], list[Any]]]:
    """Return the outcomes of a call that two threads make at once."""
    together = Barrier(2)

    def one() -> tuple[tuple[str, Any], list[Any]]:
        together.wait()
        return once(run, args)

    return [each.result() for each in [threads.submit(one) for _ in range(2)]]


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_X_O4_calls_with_sizes_in_turn(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, found


def test_the_calls_go_on_until_there_are_forms() -> None:
    assert entry_point._CALLS_BEFORE_A_FORM in AT_ONCE
    assert repeated.CERTAIN_AT[0] in AT_ONCE
    turns = [*sizes_in_turn(Random(0), len(GROWING))]
    assert max(turns.count(at) for at in {*turns}) >= OFTEN
    assert any(
        len({id(one) for one in args}) < len(args)
        for args in [RandomRows(seed).arguments(4, 4, wrong=False) for seed in range(40)]
    ), "one array is given twice"


if __name__ == "__main__":
    print_failing(problem)
