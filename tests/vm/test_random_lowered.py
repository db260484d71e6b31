"""Random lowered programs: the machine, in each of its ways, and the engine mean what the interpreter means."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked, check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from relax_lang.vm.machine.linked import MODES, Linked
from tests.runtime.compiler.random_host import plain
from tests.runtime.compiler.test_same_meaning import described
from tests.vm.random_lowered import SIZES, Lowered
from tests.vm.support import built


class Outcome(NamedTuple):
    """What comes of a call, and what its arguments are afterwards."""

    ran: bool
    result: object
    arguments: str


def outcomes(program: Lowered, session: Session) -> list[Outcome]:
    """Call a program again and again, with other sizes in between."""
    found: list[Outcome] = []
    for at in range(len(SIZES)):
        arguments: list[Any] = program.arguments(at)
        try:
            ran, result = True, plain(session.call("main", arguments))
        except RunFailure as failure:
            ran, result = False, described(failure, session)
        found.append(Outcome(ran, result, repr(plain(tuple(arguments)))))
    return found


def sessions(checked: Checked, text: str) -> dict[str, Session]:
    """Return a session for each way in which a program runs but the interpreter."""
    source = SourceFile(text, "random.rlx")
    linked = {mode: Linked(built(text), mode) for mode in MODES}
    made = {mode: Session(one.module, source, program=one) for mode, one in linked.items()}
    return {**made, "engine": api.start(checked)}


def compare(seed: int) -> list[Outcome]:
    """Run a program in every way; return what comes of it."""
    program = Lowered(seed)
    source = SourceFile(program.text, "random.rlx")
    checked = check_source(source)
    errors = [one for one in checked.diagnostics if one.severity == "error"]
    assert not errors, f"seed {seed}: {errors[0]}\n{program.text}"
    expected = outcomes(
        program, Session(normalize(checked.tree, checked.resolved), source, engine="interpreter")
    )
    for name, session in sessions(checked, program.text).items():
        found = outcomes(program, session)
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert other == one, f"seed {seed}, {name}, call {at}\n{program.text}"
    return expected


def test_programs_are_the_same_every_time_and_most_of_them_run() -> None:
    assert Lowered(7).text == Lowered(7).text
    found = [compare(seed) for seed in range(16)]
    ran = [one.ran for calls in found for one in calls]
    assert len(ran) / 2 < sum(ran) < len(ran)


@pytest.mark.parametrize("start", range(100, 160, 15))
def test_X_O1_random_lowered_programs(start: int) -> None:
    for seed in range(start, start + 15):
        compare(seed)


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("start", range(10_000, 20_000, 500))
def test_X_O1_many_random_lowered_programs(start: int) -> None:
    for seed in range(start, start + 500):
        compare(seed)
