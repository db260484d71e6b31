"""Every prefix of the build pipeline gives one result, on samples and models, in the engine and the machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from relax_lang import api
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.runtime.session import Session
from relax_lang.transform.catalogue import PIPELINES, passes
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.transform.same_meaning.outcomes import same
from tests.vm.test_same_meaning import SAMPLES

PIPELINE = PIPELINES["build"]
FAST = ("01_modules", "05_struct_info", "07_match_cast", "11_closures", "mlp")
"""Samples that the default tests look at; the others take minutes."""


def outcome(session: Session, name: str, given: list[Any]) -> object:
    """Return the value of a call, or the slug of its failure."""
    try:
        return plain(session.call(name, [one.copy() if hasattr(one, "copy") else one for one in given]))
    except RunFailure as failure:
        return failure.slug


def hold(path: Path) -> int:
    """Compare all public functions after each pass of the pipeline; return how many results were compared."""
    typed = api.typed(api.read(str(path)))
    plain_session = api.start(typed.checked())
    expected: dict[str, tuple[list[Any], object]] = {}
    for name in plain_session.entries():
        try:
            given = plain_session.arguments(name, Given(seed=1))
        except (ArgumentsRefused, RunFailure):  # no arguments can be made up
            continue
        expected[name] = given, outcome(plain_session, name, given)
    compared = 0
    for length, word in enumerate(PIPELINE, 1):
        typed = passes()[word]()(typed)
        checked = typed.checked()
        for session in (api.start(checked), api.start_executable(api.build(checked))):
            for name, (given, value) in expected.items():
                found = outcome(session, name, given)
                assert same((value, ()), (found, ())), (name, PIPELINE[:length])
                compared += 1
    return compared


@pytest.mark.parametrize(
    "path",
    [
        path
        if path.stem in FAST
        else pytest.param(
            path,
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(
                    "RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1"
                ),
            ],
        )
        for path in SAMPLES
    ],
    ids=lambda path: path.stem,
)
def test_every_prefix_gives_one_result(path: Path) -> None:
    api.start(api.read(str(path)))
    hold(path)


def test_results_are_compared() -> None:
    assert hold(Path("samples/05_struct_info.rlx")) >= len(PIPELINE)
