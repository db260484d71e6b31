"""The machine means what the interpreter means: values, effects in order, failures with the same message and place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from relax_lang.vm.machine.linked import MODES, Linked
from tests.runtime.compiler.random_host import Host, plain
from tests.runtime.compiler.random_programs import Program
from tests.runtime.compiler.test_same_meaning import described
from tests.vm.support import built

SAMPLES = sorted(
    [
        *Path("samples").glob("*.rlx"),
        *Path("samples/models").glob("*.rlx"),
        *Path("samples/lowered").glob("*.rlx"),
        Path("samples/digits/digits.rlx"),
    ]
)


CALLS = 3
"""The machine plans the code of a function when it is called again."""


def outcome(program: Program, mode: str) -> list[tuple[object, list[str]]]:
    """Run a program several times; return what came of it and what the host was told."""
    source = SourceFile(program.text, "random.rlx")
    host = Host(program.text)
    options: dict[str, Any] = {"packed": host.functions, "write": host.write, "max_calls": program.max_calls}
    if mode:
        linked = Linked(built(program.text), mode)
        session = Session(linked.module, source, program=linked, **options)
    else:
        checked = check_source(source)
        session = Session(normalize(checked.tree, checked.resolved), source, engine="interpreter", **options)
    return [_call(session, program.arguments(), host) for _ in range(CALLS)]


def _call(session: Session, arguments: list[Any], host: Host) -> tuple[object, list[str]]:
    host.told.clear()
    try:
        found: object = "value", host.plain(session.call("main", arguments))
    except RunFailure as failure:
        found = described(failure, session)
    return found, [*host.told, repr(host.plain(tuple(arguments)))]


def compare(seed: int) -> None:
    """Run a random program on the interpreter and on the machine."""
    program = Program(seed)
    expected = outcome(program, "")
    for mode in MODES:
        assert outcome(Program(seed), mode) == expected, f"seed {seed}, {mode}\n{program.text}"


@pytest.mark.parametrize("start", range(0, 200, 40))
def test_X_O1_random_programs(start: int) -> None:
    for seed in range(start, start + 40):
        compare(seed)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_X_O1_samples(path: Path) -> None:
    """Every public function of every sample, on made-up arguments."""
    source = api.read(str(path))
    expected, found = api.start(source), api.start_executable(api.build(source))
    assert found.entries() == expected.entries()
    for name in expected.entries():
        first, *others = [run_random(session, name) for session in (expected, found, found)]
        assert others == [first, first], name


def run_random(session: Session, name: str) -> object:
    try:
        arguments = session.arguments(name, Given(seed=1))
    except (ArgumentsRefused, RunFailure):  # no arguments can be made up
        return None
    try:
        return "value", plain(session.call(name, arguments))
    except RunFailure as failure:
        return described(failure, session)


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_X_O1_many_random_programs() -> None:
    for seed in range(1000, 11_000):
        compare(seed)
