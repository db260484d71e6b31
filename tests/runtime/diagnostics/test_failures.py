"""Diagnostics of running programs: every slug is registered, and every example gives what it is an example of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang.base.diagnostic import Rule
from relax_lang.check.explain import all_rules
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.runtime.diagnostics import failures as diag
from relax_lang.runtime.instrument.nan_check import Finite
from relax_lang.runtime.instrument.observer import Instrumentation
from relax_lang.runtime.instrument.recording import Compare
from relax_lang.runtime.interpreter.machine import Interrupted
from relax_lang.values import RunFailure
from tests import explanations
from tests.runtime.harness import session_of

PACKAGE = Path(diag.__file__).parents[2]
RAISED = re.compile(r'(?:RunFailure|OpError)\(\s*"([a-z-]+)"')


def rules() -> dict[str, Rule]:
    return {rule.slug: rule for rule in all_rules()}


def test_every_slug_that_is_raised_is_registered() -> None:
    known = rules()
    raised: dict[str, Path] = {}
    for package in ("runtime", "ops", "tir"):
        for path in (PACKAGE / package).rglob("*.py"):
            raised |= dict.fromkeys(RAISED.findall(path.read_text(encoding="utf-8")), path)
    assert len(raised) > 25
    missing = {slug: path.name for slug, path in raised.items() if slug not in known}
    assert not missing


def test_every_report_belongs_to_its_slug() -> None:
    for slug, report in diag.REPORTS.items():
        assert report(RunFailure(slug, "why")).slug == slug


def examples(kind: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for slug, rule in rules().items():
        if slug in diag.REPORTS or slug.startswith("op-runtime"):
            found += [(slug, text) for text in explanations.programs(rule, kind)]
    return found


def stop() -> None:
    raise KeyboardInterrupt


def increment(x: Any, result: Any) -> None:
    x += 1
    result[...] = x


def forget(x: Any, result: Any) -> None:
    pass


WATCHED = {
    "not-finite": lambda: [Finite()],
    "value-differs": lambda: [Compare({"main.y": np.array([1, 2], np.float32)})],
}


def outcome(slug: str, text: str) -> str | None:
    """Run `@main` without arguments, within 64 MiB; return the slug it fails with."""
    watch = Instrumentation(WATCHED[slug]()) if slug in WATCHED else None
    session = session_of(
        text,
        max_bytes=1 << 26,
        max_calls=1000,
        watch=watch,
        packed={"wait.forever": stop, "wrong.increment": increment, "wrong.forgets": forget},
        strict_effects=slug in ("wrote-its-argument", "result-not-written"),
    )
    try:
        session.call("main", session.arguments("main", Given()))
    except Interrupted as stopped:
        return session.diagnose(stopped.failure).slug
    except RunFailure as failure:
        return session.diagnose(failure).slug
    except ArgumentsRefused as refused:
        return refused.failures[0].slug
    return None


@pytest.mark.parametrize(("slug", "text"), examples("wrong"))
def test_wrong_examples_fail_as_they_should(slug: str, text: str) -> None:
    assert outcome(slug, text) == slug


@pytest.mark.parametrize(("slug", "text"), examples("right"))
def test_right_examples_run(slug: str, text: str) -> None:
    assert outcome(slug, text) is None
